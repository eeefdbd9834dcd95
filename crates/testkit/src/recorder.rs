//! Snapshots without what differs from run to run.
//!
//! Owns the replacement of ids, times, ports and paths. Must keep equal things equal: an id gets
//! the same name wherever it stands.

use regex_lite::{Captures, Regex};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;

/// What is replaced wherever it stands in a text: UUIDs, dates (with or without a time of day),
/// ports on loopback.
const VOLATILE: &str = concat!(
    r"(?<id>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)",
    r"|(?<time>\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?\b)",
    r"|(?<port>\b127\.0\.0\.1:\d+\b)",
);

/// Records values line by line and redacts them: `id-1`, `id-2`… in the order in which the ids
/// appear, `[time]`, `[port]`, and a name for each path that it was told.
#[derive(Debug)]
pub struct Recorder {
    volatile: Regex,
    ids: Vec<String>,
    paths: Vec<(String, String)>,
    lines: Vec<String>,
}

impl Recorder {
    /// Returns an empty recorder.
    pub fn new() -> Self {
        let volatile = Regex::new(VOLATILE).expect("the pattern is valid");
        Self { volatile, ids: vec![], paths: vec![], lines: vec![] }
    }

    /// Writes `[name]` in place of this path. Where one is inside another, the longer one wins.
    #[must_use]
    pub fn path(mut self, name: &str, path: &Path) -> Self {
        self.paths.push((path.display().to_string(), format!("[{name}]")));
        self.paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        self
    }

    /// Names this id too, wherever it is a whole text, for one that is no UUID.
    pub fn know_id(&mut self, id: &str) {
        self.name_of(id);
    }

    /// Records a value as one line of JSON.
    ///
    /// # Panics
    /// When the value cannot be written as JSON.
    pub fn record(&mut self, value: &impl Serialize) {
        let value = serde_json::to_value(value).expect("the value can be written as JSON");
        let line = self.value(value).to_string();
        self.lines.push(line);
    }

    /// Returns the recorded lines, each with its end.
    pub fn text_of_lines(&self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// Redacts a text.
    pub fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.paths {
            text = text.replace(path, name);
        }
        let volatile = self.volatile.clone();
        let text = volatile.replace_all(&text, |found: &Captures<'_>| {
            if let Some(id) = found.name("id") {
                self.name_of(id.as_str())
            } else if found.name("port").is_some() {
                "127.0.0.1:[port]".to_owned()
            } else {
                "[time]".to_owned()
            }
        });
        text.into_owned()
    }

    /// Redacts all texts in a value, its keys too, and the number in each `timestamp`.
    pub fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(match self.position(&text) {
                Some(place) => format!("id-{}", place + 1),
                None => self.text(&text),
            }),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                let entries = object.into_iter().map(|(key, value)| {
                    let is_time = key == "timestamp" && value.is_number();
                    let value = if is_time { "[time]".into() } else { self.value(value) };
                    (self.text(&key), value)
                });
                Value::Object(entries.collect::<Map<_, _>>())
            }
            other => other,
        }
    }

    fn name_of(&mut self, id: &str) -> String {
        let place = self.position(id).unwrap_or_else(|| {
            self.ids.push(id.to_owned());
            self.ids.len() - 1
        });
        format!("id-{}", place + 1)
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|known| known == id)
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FIRST: &str = "0190a6c8-0000-7000-8000-000000000001";
    const SECOND: &str = "0190a6c8-0000-7000-8000-000000000002";

    #[test]
    fn equal_ids_stay_equal() {
        let mut recorder = Recorder::new();
        recorder.record(&json!({"id": FIRST, "timestamp": 1.5, "text": format!("see {SECOND}")}));
        recorder.record(&json!({"parent_id": FIRST, (SECOND): [SECOND], "timestamp": null}));
        assert_eq!(
            recorder.text_of_lines(),
            "{\"id\":\"id-1\",\"timestamp\":\"[time]\",\"text\":\"see id-2\"}\n\
             {\"parent_id\":\"id-1\",\"id-2\":[\"id-2\"],\"timestamp\":null}\n"
        );
    }

    #[test]
    fn an_id_that_is_no_uuid_can_be_made_known() {
        let mut recorder = Recorder::new();
        recorder.know_id("call_x");
        let value = recorder.value(json!(["call_x", "call_xy", FIRST]));
        assert_eq!(value, json!(["id-1", "call_xy", "id-2"]));
    }

    #[test]
    fn times_ports_and_paths() {
        let mut recorder =
            Recorder::new().path("home", Path::new("/h")).path("project", Path::new("/h/w/p"));
        for (text, expected) in [
            ("on 2026-11-30.", "on [time]."),
            ("2026-11-30T16:15:52Z", "[time]"),
            ("2026-11-30 16:15:52.123+01:00 x", "[time] x"),
            ("http://127.0.0.1:41234/v1", "http://127.0.0.1:[port]/v1"),
            ("/h/w/p/a.txt and /h/b", "[project]/a.txt and [home]/b"),
            ("1234-56-789 and 12-11-30", "1234-56-789 and 12-11-30"),
        ] {
            assert_eq!(recorder.text(text), expected);
        }
    }
}
