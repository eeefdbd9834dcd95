//! What the program is told by the process around it: variables, home and working directory.
//!
//! Owns the one place that reads the environment; everything else gets an [`Environment`].
//! Must not give the variables a meaning beyond "set" and "not set".
#![expect(clippy::disallowed_methods, reason = "this file reads the environment, once")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, io};

/// The environment as it was when the program started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    variables: HashMap<OsString, OsString>,
    home: Option<PathBuf>,
    working_dir: PathBuf,
}

/// How to reach the outside. Values are as the user wrote them, `socks://` made `socks5://`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Network {
    /// The proxy for `http://` addresses.
    pub(crate) http_proxy: Option<String>,
    /// The proxy for `https://` addresses.
    pub(crate) https_proxy: Option<String>,
    /// The proxy for what the other two leave open.
    pub(crate) all_proxy: Option<String>,
    /// Hosts that are reached without a proxy.
    pub(crate) no_proxy: Option<String>,
    /// A file of certificates to trust beside the built-in ones.
    pub(crate) certificates: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// When the working directory does not exist any more or cannot be named.
    pub(crate) fn capture() -> io::Result<Self> {
        Ok(Self::new(env::vars_os(), env::home_dir(), env::current_dir()?))
    }

    /// Makes an environment of parts. A home that is no absolute path is none.
    pub(crate) fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        home: Option<PathBuf>,
        working_dir: PathBuf,
    ) -> Self {
        let home = home.filter(|home| home.is_absolute());
        Self { variables: variables.into_iter().collect(), home, working_dir }
    }

    /// Returns a variable's trimmed text; `None` where it is not set, empty, or no UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let text = self.variables.get(std::ffi::OsStr::new(name))?.to_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Returns a variable as a path; `None` where it is not set or empty.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.variables.get(std::ffi::OsStr::new(name))?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// Returns whether a variable says yes: `1` or `true`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| text == "1" || text.eq_ignore_ascii_case("true"))
    }

    /// Returns the user's home directory, where there is one.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the directory that the program was started in.
    pub(crate) fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    /// Returns the system's folder for temporary files.
    pub(crate) fn temporary_dir(&self) -> PathBuf {
        self.path("TMPDIR").unwrap_or_else(env::temp_dir)
    }

    /// Returns today's date where the user is, for example `2026-11-30`.
    pub(crate) fn today(&self) -> String {
        jiff::ZonedDateTime::now().date().to_string()
    }

    /// Returns the time where the user is, for example `2026-11-30 15:05:42.643495`.
    pub(crate) fn local_time(&self) -> String {
        jiff::ZonedDateTime::now().strftime("%Y-%m-%d %H:%M:%S.%6f").to_string()
    }

    /// Returns the time in seconds since 1970.
    pub(crate) fn seconds_since_epoch(&self) -> i64 {
        jiff::Timestamp::now().as_second()
    }

    /// Returns the variables that say how to reach the outside, lower case before upper case.
    pub(crate) fn network(&self) -> Network {
        let either = |lower: &str, upper: &str| self.text(lower).or_else(|| self.text(upper));
        let proxy = |lower: &str, upper: &str| either(lower, upper).map(socks5);
        Network {
            http_proxy: proxy("http_proxy", "HTTP_PROXY"),
            https_proxy: proxy("https_proxy", "HTTPS_PROXY"),
            all_proxy: proxy("all_proxy", "ALL_PROXY"),
            no_proxy: either("no_proxy", "NO_PROXY").map(str::to_owned),
            certificates: self.path("SSL_CERT_FILE"),
        }
    }
}

/// Returns a proxy's address with `socks://`, which some desktops write, as `socks5://`.
fn socks5(address: &str) -> String {
    match address.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("socks") => format!("socks5://{rest}"),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
impl Environment {
    /// Makes an environment for a test.
    pub(crate) fn of(variables: &[(&str, &str)], home: &Path, working_dir: &Path) -> Self {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Self::new(variables, Some(home.to_owned()), working_dir.to_owned())
    }

    /// Makes an environment without directories for a test.
    pub(crate) fn of_variables(variables: &[(&str, &str)]) -> Self {
        Self::of(variables, Path::new("/nowhere"), Path::new("/nowhere"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_and_empty_counts_as_unset() {
        let environment = Environment::of_variables(&[("A", " x \n"), ("B", "  "), ("C", "")]);
        assert_eq!(environment.text("A"), Some("x"));
        for name in ["B", "C", "D"] {
            assert_eq!(environment.text(name), None, "{name}");
        }
    }

    #[test]
    fn yes_is_one_or_true() {
        for (value, expected) in [("1", true), ("TRUE", true), ("0", false), ("no", false)] {
            let environment = Environment::of_variables(&[("A", value)]);
            assert_eq!(environment.is_on("A"), expected, "{value}");
        }
    }

    #[test]
    fn a_relative_home_is_no_home() {
        let environment = Environment::new([], Some("here".into()), "/".into());
        assert_eq!(environment.home(), None);
    }

    #[test]
    fn proxies_are_read_in_both_cases_and_socks_gets_its_version() {
        let network = Environment::of_variables(&[
            ("HTTP_PROXY", "http://upper:1"),
            ("http_proxy", "http://lower:1"),
            ("HTTPS_PROXY", "http://secure:2"),
            ("all_proxy", "Socks://tunnel:3"),
            ("NO_PROXY", "127.0.0.1"),
            ("SSL_CERT_FILE", "/etc/company.pem"),
        ])
        .network();
        let expected = Network {
            http_proxy: Some("http://lower:1".to_owned()),
            https_proxy: Some("http://secure:2".to_owned()),
            all_proxy: Some("socks5://tunnel:3".to_owned()),
            no_proxy: Some("127.0.0.1".to_owned()),
            certificates: Some("/etc/company.pem".into()),
        };
        assert_eq!(network, expected);
    }
}
