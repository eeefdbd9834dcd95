//! The config file that `--init` writes.
//!
//! Owns its text: every key, commented out, with its default.
#![expect(clippy::disallowed_methods, reason = "this file writes the first configuration")]

use crate::files::{Existing, write_private};
use crate::paths::UserPaths;
use std::io;
use std::path::PathBuf;

/// What `--init` did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Initialized {
    /// The file is new.
    Written(PathBuf),
    /// There was one, which is as it was.
    Kept(PathBuf),
}

/// Why `--init` did nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InitError {
    /// There is no place for the file.
    #[error("no home directory is known, so there is no place for config.toml; set HOME")]
    NoHome,
    /// The file cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Writes the config file, unless there is one.
///
/// # Errors
/// When there is no home, or the system refuses.
pub(crate) fn initialize(user: Option<&UserPaths>) -> Result<Initialized, InitError> {
    let path = user.ok_or(InitError::NoHome)?.config();
    // A link that leads nowhere counts as a file: it is somebody's.
    if path.symlink_metadata().is_ok() {
        return Ok(Initialized::Kept(path));
    }
    match write_private(&path, CONFIG_FILE, Existing::Keep) {
        Ok(()) => Ok(Initialized::Written(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Initialized::Kept(path)),
        Err(source) => Err(InitError::Write { path, source }),
    }
}

/// The file. Each key stands with its default; tests hold it against the table of keys.
const CONFIG_FILE: &str = include_str!("init/config.toml");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Config, KEYS, TerminalConfig, TrustFlag};
    use crate::environment::Environment;
    use crate::settings::{DEFAULT_FRONTEND, DEFAULT_MODEL, DEFAULT_TIMEOUT};
    use crate::thinking::ThinkingLevel;

    fn home() -> (tempfile::TempDir, UserPaths) {
        let home = tempfile::tempdir().unwrap();
        let user = UserPaths::of(&Environment::of(&[], home.path(), home.path())).unwrap();
        (home, user)
    }

    #[test]
    fn a_file_is_written_once_and_then_left_alone() {
        let (_home, user) = home();
        assert_eq!(initialize(Some(&user)).unwrap(), Initialized::Written(user.config()));
        std::fs::write(user.config(), "mine").unwrap();
        assert_eq!(initialize(Some(&user)).unwrap(), Initialized::Kept(user.config()));
        assert_eq!(std::fs::read_to_string(user.config()).unwrap(), "mine");
        assert!(matches!(initialize(None), Err(InitError::NoHome)));
    }

    /// Writes the file as it is after `edit`, and reads it back.
    fn load(edit: impl Fn(&str) -> String) -> Config {
        let (_home, user) = home();
        initialize(Some(&user)).unwrap();
        let text = std::fs::read_to_string(user.config()).unwrap();
        std::fs::write(user.config(), edit(&text)).unwrap();
        let loaded = config::load(Some(&user), None, TrustFlag::AsRecorded);
        assert_eq!(loaded.warnings, [""; 0]);
        loaded.config
    }

    #[test]
    fn the_file_changes_nothing_as_it_is() {
        assert_eq!(load(str::to_owned), Config::default());
    }

    #[test]
    fn every_key_stands_in_the_file_with_its_default() {
        let is_setting = |line: &str| {
            KEYS.iter().any(|key| {
                line.starts_with(&format!("# {} = ", key.name))
                    || line == format!("# [{}]", key.name)
            })
        };
        assert_eq!(CONFIG_FILE.lines().filter(|line| is_setting(line)).count(), KEYS.len());
        let uncommented = load(|text| {
            let uncomment = |line: &str| match line.strip_prefix("# ") {
                Some(setting) if is_setting(line) => format!("{setting}\n"),
                _ => format!("{line}\n"),
            };
            text.lines().map(uncomment).collect()
        });
        let expected = Config {
            model: Some(DEFAULT_MODEL.to_owned()),
            base_url: Some("https://api.openai.com/v1".to_owned()),
            frontend: Some(DEFAULT_FRONTEND.to_owned()),
            tools: Some(["read", "write", "edit", "bash"].map(str::to_owned).to_vec()),
            no_tools: Some(false),
            timeout: Some(DEFAULT_TIMEOUT),
            no_context_files: Some(false),
            thinking: Some(ThinkingLevel::Off),
            keep_env: Vec::new(),
            update_url: None,
            terminal: TerminalConfig {
                verbose: Some(false),
                footer: Some(true),
                vi: Some(false),
                keys: Vec::new(),
            },
        };
        assert_eq!(uncommented, expected);
    }
}
