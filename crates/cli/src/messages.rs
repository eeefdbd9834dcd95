//! What the program says to the person at the terminal, beside answers.
//!
//! Owns the lines on stderr and the exit codes. Every line passes through the masking of keys and the
//! cleaning of foreign text.

use letscode_core::secrets::Secrets;
use letscode_tui::harmless;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All was done.
    Success,
    /// The provider failed.
    ProviderError,
    /// What was to be done was not done.
    Failed,
    /// The program was used wrongly.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::ProviderError | Exit::Failed => Self::from(1),
            Exit::Usage => Self::from(2),
        }
    }
}

/// Says on stderr what went wrong. The text may have further lines of advice.
pub(crate) fn error(text: impl Display, secrets: &Secrets) {
    line(&format!("letscode: {text}"), secrets);
}

/// Says in one line on stderr what was left out or is odd.
pub(crate) fn warning(text: impl Display, secrets: &Secrets) {
    let text = format!("letscode: warning: {text}");
    line(&text.replace(['\n', '\r'], " "), secrets);
}

/// Says on stderr why a run failed. The agent has masked the keys in it.
pub(crate) fn failure(text: &str) {
    error(text.replace(['\n', '\r'], " "), &Secrets::default());
}

/// Says in one line on stderr what the user should know of a run. The agent has masked the keys
/// in it.
pub(crate) fn note(text: &str) {
    line(&format!("letscode: {}", text.replace(['\n', '\r'], " ")), &Secrets::default());
}

/// Shows a cleaned line of another program on stderr.
pub(crate) fn passed_on(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a text to stdout. A reader that is gone is no error.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes a cleaned line to stderr. Where that is closed there is nobody to tell.
fn line(text: &str, secrets: &Secrets) {
    let masked = secrets.mask(text);
    let _ = writeln!(io::stderr().lock(), "{}", harmless(&masked));
}
