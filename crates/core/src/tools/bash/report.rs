//! The result of a command, in words and in details.
//!
//! Owns what the model reads beside the output. The last line tells how the command ended, if not
//! well: the model sees nothing but the text.

use super::output::{Output, SpillReport, size};
use crate::env::{CommandEnd, CommandStatus, RunCommand};
use letscode_wire::{ContentPart, Meta, ToolOutput};
use serde_json::Value;
use std::fmt::Write as _;

/// Returns whether the model is not shown the whole output.
pub(super) fn is_cut(output: &Output) -> bool {
    (output.shown().text.len() as u64) < output.total_bytes()
}

/// Returns the result of a command that ended in this way.
pub(super) fn report(
    request: &RunCommand,
    end: CommandEnd,
    output: &Output,
    spill: SpillReport,
) -> ToolOutput {
    let mut text = String::new();
    if is_cut(output) {
        text.push_str(&cut_notice(output, &spill));
    }
    match output.shown().text {
        "" => text.push_str("(no output)"),
        shown => text.push_str(shown),
    }
    for note in notes(request, end) {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note);
    }
    ToolOutput {
        content: vec![ContentPart::text(text)],
        details: details(request, end, output, spill),
        is_error: match end.status {
            CommandStatus::Exited(_) | CommandStatus::Signaled(_) => false,
            CommandStatus::TimedOut | CommandStatus::Cancelled => true,
        },
        terminate: false,
    }
}

/// Returns the line above an output that is not shown from its beginning.
fn cut_notice(output: &Output, spill: &SpillReport) -> String {
    let shown = output.shown();
    let (last, count) = (output.total_lines(), shown.text.lines().count() as u64);
    let first = (last + 1).saturating_sub(count);
    let mut notice = format!(
        "[Only the end is shown: lines {first} to {last}, {} of {}",
        size(shown.text.len() as u64),
        size(output.total_bytes()),
    );
    if shown.begins_inside_line {
        let _ = write!(notice, ", line {first} not from its beginning");
    }
    match (&spill.path, &spill.shortfall) {
        (Some(path), None) => {
            let _ = write!(notice, ". The whole output: {}", path.display());
        }
        (Some(path), Some(why)) => {
            let _ = write!(notice, ". The output from its beginning: {} ({why})", path.display());
        }
        (None, why) => {
            let why = why.as_deref().unwrap_or("no file");
            let _ = write!(notice, ". The rest could not be kept: {why}");
        }
    }
    notice.push_str("]\n");
    notice
}

/// Returns what is to be said below the output, the end of the command last.
fn notes(request: &RunCommand, end: CommandEnd) -> Vec<String> {
    let mut notes = Vec::new();
    if end.left_running {
        let note = "Something that the command started still runs in the background. What it \
                    prints from now on is lost, and printing may end it.";
        notes.push(note.to_owned());
    }
    match end.status {
        CommandStatus::Exited(0) => {}
        CommandStatus::Exited(code) => notes.push(format!("The exit code is {code}.")),
        CommandStatus::Signaled(signal) => {
            notes.push(format!("The command was ended by {}.", signal_name(signal)));
        }
        CommandStatus::TimedOut => {
            let seconds = request.timeout.as_secs_f64();
            let unit = if seconds == 1.0 { "second" } else { "seconds" };
            notes.push(format!(
                "The command was still running after {seconds} {unit} (its timeout) and was ended, \
                 with all that it had started."
            ));
        }
        CommandStatus::Cancelled => {
            notes.push("The command was interrupted by the user before its end.".to_owned());
        }
    }
    notes
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

/// Returns the details. `exit_code` is what a shell would say: 128 and the signal's number where
/// a signal ended the command, and `null` where we did. The others are there only when they
/// tell something.
fn details(request: &RunCommand, end: CommandEnd, output: &Output, spill: SpillReport) -> Meta {
    let mut details = Meta::new();
    let mut add = |key: &str, value: Value| details.insert(key.to_owned(), value);
    add("command", request.command.clone().into());
    match end.status {
        CommandStatus::Exited(code) => add("exit_code", code.into()),
        CommandStatus::Signaled(signal) => {
            add("exit_code", (128 + signal).into());
            add("signal", signal.into())
        }
        CommandStatus::TimedOut => {
            add("exit_code", Value::Null);
            add("timed_out", true.into())
        }
        CommandStatus::Cancelled => {
            add("exit_code", Value::Null);
            add("cancelled", true.into())
        }
    };
    if end.left_running {
        add("left_running", true.into());
    }
    if is_cut(output) {
        add("truncated", true.into());
        add("total_lines", output.total_lines().into());
        add("total_bytes", output.total_bytes().into());
    }
    if let Some(path) = spill.path {
        add("full_output", path.to_string_lossy().into());
    }
    details
}
