//! Whether a program speaks the plugin protocol, found out before it is installed.
//!
//! Owns one greeting and one farewell. Must not use the plugin for anything.

use super::workshop::Workshop;
use crate::programs::RunError;
use letscode_wire::PLUGIN_PROTOCOL;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How long a program may take to answer and to end.
const TIME_LIMIT: Duration = Duration::from_secs(12);

/// Why a program is no plugin. Each ends a sentence about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandshakeError {
    /// It cannot be run, or does not end.
    #[error("it {0}")]
    Run(#[from] RunError),
    /// It says something else.
    #[error("it does not answer \"hello\" with \"hello\", but with {0}")]
    NoHello(String),
    /// It speaks another version.
    #[error("it speaks {0}, and this program {PLUGIN_PROTOCOL}")]
    OtherProtocol(String),
}

/// Greets a program that is to be the plugin `name`, and returns the version that it tells; empty
/// where it tells none.
///
/// # Errors
/// When it does not answer as a plugin.
pub(super) async fn version(
    workshop: &Workshop,
    program: &Path,
    name: &str,
) -> Result<String, HandshakeError> {
    let hello = json!({
        "type": "hello",
        "protocol": PLUGIN_PROTOCOL,
        "letscode": env!("CARGO_PKG_VERSION"),
        "name": name,
        "cwd": workshop.folder(),
        "config": {},
    });
    let lines = format!("{hello}\n{}\n", json!({"type": "goodbye"}));
    let finished = workshop.ask(program, &lines, TIME_LIMIT).await?;
    let stdout = String::from_utf8_lossy(&finished.stdout);
    read(stdout.lines().next().unwrap_or_default())
}

/// Reads the first line of a program.
fn read(line: &str) -> Result<String, HandshakeError> {
    let answer: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("type") != "hello" {
        let said = match line.trim() {
            "" => "nothing".to_owned(),
            line => format!("{:?}", line.chars().take(60).collect::<String>()),
        };
        return Err(HandshakeError::NoHello(said));
    }
    let major = |protocol: &str| protocol.split('.').next().map(str::to_owned);
    if major(text("protocol")) != major(PLUGIN_PROTOCOL) {
        return Err(HandshakeError::OtherProtocol(text("protocol").to_owned()));
    }
    Ok(text("version").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_says_hello_in_our_protocol() {
        let hello = |protocol| json!({"type": "hello", "protocol": protocol, "version": "1.2"});
        assert_eq!(read(&hello("letscode-plugin/1").to_string()).unwrap(), "1.2");
        assert_eq!(read(&hello("letscode-plugin/1.4").to_string()).unwrap(), "1.2");
        for (line, part) in [
            (hello("letscode-plugin/2").to_string(), "it speaks letscode-plugin/2"),
            ("{\"type\":\"hello\"}".to_owned(), "it speaks "),
            ("total 12".to_owned(), "but with \"total 12\""),
            ("x".repeat(1000), "xxx\""),
            (String::new(), "but with nothing"),
            ("{}".to_owned(), "but with \"{}\""),
        ] {
            let error = read(&line).unwrap_err().to_string();
            assert!(error.contains(part) && error.len() < 200, "{error}");
        }
    }
}
