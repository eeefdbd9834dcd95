//! The plugin's own variables: what values may name, and what servers are given.
//!
//! Owns which variables every server gets. Must not be read anywhere else in this crate.

use std::collections::BTreeMap;
use std::path::Path;

/// Variables that a program needs to find its way about; what holds keys is not among them.
const PASSED_ON: [&str; 35] = [
    // By this the program finds what a command or a plugin has left running.
    "LETSCODE_COMMAND",
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "VIRTUAL_ENV",
    "NVM_DIR",
    "PYENV_ROOT",
    "APPDATA",
    "LOCALAPPDATA",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "PATHEXT",
    "COMSPEC",
    "USERPROFILE",
];

/// Families of such variables.
const PASSED_ON_FAMILIES: [&str; 2] = ["LC_", "XDG_"];

/// The variables, read once.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the variables of this process; what is no UTF-8 is passed over.
    #[expect(clippy::disallowed_methods, reason = "the variables are read here, once")]
    pub(crate) fn capture() -> Self {
        let pairs = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self { variables: pairs.collect() }
    }

    /// Returns the variable `name`, if it is set.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    /// Returns the variable `name`, if there is anything in it.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns `path` with the home directory in place of a leading `~`.
    pub(crate) fn with_home(&self, path: &str) -> String {
        let home = self.variables.get("HOME").or_else(|| self.variables.get("USERPROFILE"));
        match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Path::new(home).join(rest).to_string_lossy().into_owned(),
            _ => path.to_owned(),
        }
    }

    /// Returns the variables that every server gets.
    pub(crate) fn passed_on(&self) -> impl Iterator<Item = (&String, &String)> {
        self.variables.iter().filter(|(name, _)| {
            PASSED_ON.contains(&name.as_str())
                || PASSED_ON_FAMILIES.iter().any(|family| name.starts_with(family))
        })
    }
}

#[cfg(test)]
impl Environment {
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { variables: pairs.collect() }
    }
}
