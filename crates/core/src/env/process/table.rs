//! The table of processes as Linux shows it under `/proc`.
//!
//! Owns its reading. Processes that are dead but not yet taken off by their parent do not count.
#![expect(clippy::disallowed_methods, reason = "this file reads the system's table of processes")]

use super::shell::MARKER;
use memchr::memmem;
use rustix::process::Pid;
use std::fs;
use std::str::FromStr;

/// One process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process {
    pub(super) id: Pid,
    pub(super) parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    pub(super) session: Option<Pid>,
    /// When it began, in clock ticks since the system did.
    pub(super) began: u64,
}

/// Returns all living processes.
pub(super) fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| {
        let id = entry.file_name().to_str().and_then(|name| i32::from_str(name).ok())?;
        Pid::from_raw(id)
    });
    ids.filter_map(process).collect()
}

/// Returns the process with this number, if it lives.
pub(super) fn process(id: Pid) -> Option<Process> {
    let text = fs::read(format!("/proc/{}/stat", id.as_raw_pid())).ok()?;
    parse(id, &String::from_utf8_lossy(&text))
}

/// Returns whether the environment that the process began with has the marker with this value.
pub(super) fn carries(id: Pid, value: &str) -> bool {
    let needle = format!("{MARKER}={value}");
    fs::read(format!("/proc/{}/environ", id.as_raw_pid()))
        .is_ok_and(|environment| memmem::find(&environment, needle.as_bytes()).is_some())
}

fn parse(id: Pid, text: &str) -> Option<Process> {
    // The second field is the program's name in brackets; it may hold blanks and brackets.
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| i64::from_str(field).ok());
    let related = |at: usize| Pid::from_raw(i32::try_from(number(at)?).ok()?);
    let is_dead = matches!(fields.first(), Some(&("Z" | "X" | "x")));
    (!is_dead).then_some(Process {
        id,
        parent: related(1),
        group: related(2),
        session: related(3),
        began: u64::try_from(number(19)?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let text = "7 (a) S (b c) S 1 2 3 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let process = parse(Pid::from_raw(7).unwrap(), text).unwrap();
        let ids = [process.parent, process.group, process.session];
        assert_eq!(ids.map(|id| id.unwrap().as_raw_pid()), [1, 2, 3]);
        assert_eq!(process.began, 4242);
    }

    #[test]
    fn the_dead_do_not_count() {
        let text = "7 (sh) Z 1 2 3 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        assert!(parse(Pid::from_raw(7).unwrap(), text).is_none());
    }
}
