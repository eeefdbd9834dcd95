//! What the user allowed always, kept in `~/.letscode/permissions.toml`.
//!
//! Owns that file: one table for each project, by its real path. It is in the user's home, so that no
//! project grants itself anything. Must not judge calls.
#![expect(clippy::disallowed_methods, reason = "this file owns the file of remembered answers")]

use crate::rule::Rule;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// No such file that people use is larger.
const LARGEST: u64 = 1024 * 1024;

/// The key below a project under which its rules stand.
const ALLOW: &str = "allow";

/// The file.
#[derive(Debug)]
pub(crate) struct Memory {
    path: PathBuf,
    project: String,
}

/// Why something is not remembered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Memory {
    /// Returns the memory of a project in this folder, usually `~/.letscode`. Touches nothing.
    pub(crate) fn new(folder: &Path, project: String) -> Self {
        Self { path: folder.join("permissions.toml"), project }
    }

    /// Returns what is remembered for the project.
    ///
    /// # Errors
    /// When the file is there but cannot be used.
    pub(crate) fn rules(&self) -> Result<Vec<Rule>, MemoryError> {
        self.rules_in(&self.table()?)
    }

    /// Remembers rules, beside those that are there.
    ///
    /// # Errors
    /// When the file cannot be used or written; then it stays as it is.
    pub(crate) fn add(&self, added: &[Rule]) -> Result<(), MemoryError> {
        self.change(|rules| {
            for rule in added {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        })
    }

    /// Forgets rules.
    ///
    /// # Errors
    /// When the file cannot be used or written; then it stays as it is.
    pub(crate) fn remove(&self, removed: &[Rule]) -> Result<(), MemoryError> {
        self.change(|rules| rules.retain(|rule| !removed.contains(rule)))
    }

    /// Changes the project's rules. Another process that does the same waits.
    fn change(&self, change: impl FnOnce(&mut Vec<Rule>)) -> Result<(), MemoryError> {
        let failed = |source| MemoryError::Io { path: self.path.clone(), source };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        create_private(folder).map_err(failed)?;
        let lock = File::create(self.path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut table = self.table()?;
        let mut rules = self.rules_in(&table)?;
        change(&mut rules);
        if rules.is_empty() {
            table.remove(&self.project);
        } else {
            let rules: Vec<String> = rules.iter().map(Rule::to_string).collect();
            let entry = table.entry(self.project.clone()).or_insert(Value::Table(Table::new()));
            *entry = Value::Table(Table::from_iter([(ALLOW.to_owned(), Value::from(rules))]));
        }
        self.write(&table).map_err(failed)
    }

    /// Writes the whole so that a reader sees either all of it or what was there before.
    fn write(&self, table: &Table) -> io::Result<()> {
        let text = toml::to_string_pretty(table).map_err(io::Error::other)?;
        // A link stays one: the file may be kept elsewhere, with others of its kind.
        let path = match fs::symlink_metadata(&self.path) {
            Ok(metadata) if metadata.is_symlink() => self.path.canonicalize()?,
            Ok(_) | Err(_) => self.path.clone(),
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        // Made so that only its owner may read it.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }

    fn table(&self) -> Result<Table, MemoryError> {
        let failed = |source| MemoryError::Io { path: self.path.clone(), source };
        // Looked at before it is opened: opening a FIFO would wait for a writer.
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_file() && metadata.len() <= LARGEST => {}
            Ok(_) => return Err(self.unreadable("is no small file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
            Err(error) => return Err(failed(error)),
        }
        let mut text = String::new();
        let file = File::open(&self.path).map_err(failed)?;
        file.take(LARGEST).read_to_string(&mut text).map_err(failed)?;
        toml::from_str(&text).map_err(|error| self.unreadable(error.message()))
    }

    fn rules_in(&self, table: &Table) -> Result<Vec<Rule>, MemoryError> {
        let Some(project) = table.get(&self.project) else { return Ok(Vec::new()) };
        let allowed = project.get(ALLOW).and_then(Value::as_array);
        let allowed =
            allowed.ok_or_else(|| self.unreadable("has no list `allow` for this project"))?;
        let rule = |value: &Value| {
            let text =
                value.as_str().ok_or_else(|| self.unreadable("has a rule that is no text"))?;
            Rule::parse(text).map_err(|error| self.unreadable(&error.to_string()))
        };
        allowed.iter().map(rule).collect()
    }

    fn unreadable(&self, reason: &str) -> MemoryError {
        let reason = reason.replace('\n', ", ");
        MemoryError::Unreadable { path: self.path.clone(), reason }
    }
}

/// Creates a folder that is closed to others, where there is none.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Rule {
        Rule::parse(text).unwrap()
    }

    #[test]
    fn rules_are_kept_for_their_project_alone_and_forgotten_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".letscode");
        let one = Memory::new(&folder, "/one \"x\"".to_owned());
        let two = Memory::new(&folder, "/two".to_owned());
        assert_eq!(one.rules().unwrap(), []);
        assert!(!folder.exists(), "looking makes nothing");
        let rules = [rule("bash:cargo test *"), rule("bash=a > b\n\"\\"), rule("mcp_x")];
        one.add(&rules).unwrap();
        one.add(&rules).unwrap();
        two.add(&[rule("write")]).unwrap();
        assert_eq!(one.rules().unwrap(), rules);
        one.remove(&rules).unwrap();
        assert_eq!(one.rules().unwrap(), []);
        assert_eq!(two.rules().unwrap(), [rule("write")]);
        two.remove(&[rule("write")]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("permissions.toml")).unwrap(), "");
    }

    #[test]
    fn what_several_write_at_once_is_all_there() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let memory = Memory::new(home.path(), format!("/{}", number % 2));
                scope.spawn(move || memory.add(&[rule(&format!("tool{number}"))]).unwrap());
            }
        });
        for project in ["/0", "/1"] {
            assert_eq!(Memory::new(home.path(), project.to_owned()).rules().unwrap().len(), 4);
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_an_error_in_one_line_and_stays() {
        for text in [
            "= =",
            "'/p' = 1",
            "['/p']\nallow = 'bash'",
            "['/p']\nallow = [1]",
            "['/p']\nallow = ['bash', '']",
            "['/p']\nother = []",
        ] {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("permissions.toml");
            fs::write(&path, text).unwrap();
            let memory = Memory::new(home.path(), "/p".to_owned());
            let error = memory.rules().unwrap_err().to_string();
            assert!(error.contains("permissions.toml: ") && !error.contains('\n'), "{error}");
            assert!(memory.add(&[rule("write")]).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("permissions.toml")).unwrap();
        assert!(Memory::new(home.path(), "/p".to_owned()).rules().is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_what_it_leads_to_is_written() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let (folder, kept) = (home.path().join(".letscode"), home.path().join("kept"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&kept).unwrap();
        let link = folder.join("permissions.toml");
        symlink("../kept/permissions", &link).unwrap();
        let memory = Memory::new(&folder, "/p".to_owned());
        assert!(memory.add(&[rule("write")]).is_err(), "it leads nowhere");
        fs::write(kept.join("permissions"), "").unwrap();
        memory.add(&[rule("write")]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(memory.rules().unwrap(), [rule("write")]);
        assert!(fs::read_to_string(kept.join("permissions")).unwrap().contains("write"));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".letscode");
        Memory::new(&folder, "/p".to_owned()).add(&[rule("write")]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.join("permissions.toml")), 0o600);
        assert_eq!(mode(&folder), 0o700);
    }
}
