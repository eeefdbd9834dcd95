//! The contract, field for field: what is written, what is read, what is refused.

mod commands;
mod controls;
mod events;
mod hooks;
mod messages;
mod ndjson;
mod sessions;
mod ui;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Checks that `value` is written as exactly `json`, key order included, and read back as it was.
#[track_caller]
fn check_both_ways<T>(value: &T, json: &Value)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    check_written(value, json);
    assert_eq!(T::deserialize(json).ok().as_ref(), Some(value), "read back from {json}");
}

/// Checks that `value` is written as exactly `json`, key order included.
#[track_caller]
fn check_written(value: &impl Serialize, json: &Value) {
    let mut line = Vec::new();
    let written = letscode_wire::encode_line(value, &mut line);
    assert!(written.is_ok(), "{written:?}");
    assert_eq!(String::from_utf8_lossy(&line), format!("{json}\n"));
}

/// Checks that `json` is read as `value`.
#[track_caller]
fn check_read<T>(json: &str, value: &T)
where
    T: DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let read: Result<T, String> = serde_json::from_str(json).map_err(|error| error.to_string());
    assert_eq!(read.as_ref(), Ok(value), "read from {json}");
}
