//! The program in a terminal, as a user has it: keys go in, a model of the screen takes what comes.

mod end;
mod run;
mod scroll;
mod shape;

use crate::driver::{HANG, in_terminal};
use letscode_testkit::pty::{Ended, Pty, PtyProgram};
use letscode_testkit::screen::{Screen, forbidden};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::Value;
use std::time::{Duration, Instant};

/// What turns the modes on and off, in a terminal that knows them all.
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";
const KEYS_ON: &str = "\x1b[>1u";
const KEYS_OFF: &str = "\x1b[<1u";

/// Starts the program against a scenario, and waits until it takes keys.
#[track_caller]
fn start(scenario: Value) -> (Pty, SseServer, WorkDir) {
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let pty = in_terminal(&dir, &server).start();
    wait_until_ready(&pty);
    (pty, server, dir)
}

/// Waits until the footer is there: below the composer, with what answers.
#[track_caller]
fn wait_until_ready(pty: &Pty) {
    pty.wait_for("the prompt", |screen| is_ready(screen).then_some(()));
}

fn is_ready(screen: &Screen) -> bool {
    screen.rows().iter().any(|row| row.starts_with("mock-model"))
}

/// Waits until no run is under way: the footer tells no time any more.
#[track_caller]
fn wait_until_idle(pty: &Pty) {
    pty.wait_for("the end of the run", |screen| (!is_busy(screen)).then_some(()));
}

#[track_caller]
fn wait_until_busy(pty: &Pty) {
    pty.wait_for("the run", |screen| is_busy(screen).then_some(()));
}

/// Returns whether the footer tells a time.
fn is_busy(screen: &Screen) -> bool {
    let rows = screen.rows();
    let footer = rows.iter().rfind(|row| row.starts_with("mock-model"));
    footer.is_none_or(|row| {
        row.split_whitespace().any(|word| {
            let number = word.strip_suffix('s').unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    })
}

/// Waits until the model has been asked so many times.
#[track_caller]
fn wait_for_requests(server: &SseServer, count: usize) {
    let end = Instant::now() + HANG;
    while server.chat_bodies().len() < count {
        assert!(Instant::now() < end, "the model was not asked {count} times");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the row of the cursor holds a text.
#[track_caller]
fn wait_for_composed(pty: &Pty, text: &str) {
    pty.wait_for(text, |screen| {
        let (row, _) = screen.cursor();
        screen.rows()[row].contains(text).then_some(())
    });
}

/// Checks that a program that has ended left the terminal as it found it.
#[track_caller]
fn check_restored(ended: &Ended) {
    let output = String::from_utf8_lossy(&ended.output);
    assert!(ended.settings_restored, "{output:?}");
    assert_eq!(forbidden(&ended.output), [""; 0]);
    for (on, off) in [(PASTE_ON, PASTE_OFF), (KEYS_ON, KEYS_OFF), ("\x1b[?1004h", "\x1b[?1004l")] {
        assert_eq!(output.matches(on).count(), output.matches(off).count(), "{on:?}: {output:?}");
        assert!(output.rfind(off) >= output.rfind(on), "{on:?}: {output:?}");
    }
    let screen = screen_of(ended, 80, 24);
    assert!(!screen.model().hide_cursor(), "the cursor is hidden: {output:?}");
    assert!(!screen.model().bracketed_paste());
}

/// Returns the screen of a program that has ended.
fn screen_of(ended: &Ended, columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.feed(&ended.output);
    screen
}
