//! Keys while the agent works: each of them counts whatever it waits for.

use super::*;
use crate::driver::call;
use serde_json::json;
use std::time::{Duration, Instant};

/// Far above what any key takes, and far below what the agent would wait for.
const SOON: Duration = Duration::from_secs(10);

/// Something that the agent waits for.
struct Wait {
    name: &'static str,
    answer: Value,
    /// What is on the screen once it does.
    shown: &'static str,
}

fn waits() -> [Wait; 4] {
    [
        Wait {
            name: "a silent provider",
            answer: json!({"text": "x", "first_delay_ms": 600_000}),
            shown: "",
        },
        Wait {
            name: "a stream that stalls",
            answer: json!({"text": ["first words ", "rest"], "hang_after": 2}),
            shown: "first words",
        },
        Wait {
            name: "a tool that hangs",
            answer: call("c", "bash", &json!({"command": "sleep 1000"})),
            shown: "sleep 1000",
        },
        Wait {
            name: "a back-off",
            answer: json!({"status": 503, "headers": {"retry-after": "500"}}),
            shown: "503",
        },
    ]
}

/// Starts a run that comes to wait.
#[track_caller]
fn start_waiting(wait: &Wait) -> (Pty, SseServer, WorkDir) {
    let rule = json!({"contains": "turn around", "response": {"text": "turned"}});
    let scenario = json!({"responses": [wait.answer], "rules": [rule]});
    let (mut pty, server, dir) = start(scenario);
    pty.send("go on\r");
    wait_until_busy(&pty);
    assert!(server.wait_until(SOON, |progress| progress.requests > 0), "{}", wait.name);
    pty.wait_for_text(wait.shown);
    (pty, server, dir)
}

/// Checks that keys stop every kind of waiting.
#[track_caller]
fn check_stops(keys: &str) {
    for wait in waits() {
        let (mut pty, _server, _dir) = start_waiting(&wait);
        let pressed = Instant::now();
        pty.send(keys);
        wait_until_idle(&pty);
        eprintln!("{keys:?} at {}: {:?}", wait.name, pressed.elapsed());
        assert!(pressed.elapsed() < SOON, "{}", wait.name);
    }
}

#[test]
fn a39_escape_stops_whatever_it_waits_for() {
    check_stops("\x1b");
}

#[test]
fn a39_enter_stops_whatever_it_waits_for() {
    check_stops("\r");
}

#[test]
fn a39_interrupt_stops_whatever_it_waits_for() {
    check_stops("\x03");
}

#[test]
fn a39_a_text_and_enter_stops_and_goes_on_with_it() {
    for wait in waits() {
        let (mut pty, server, _dir) = start_waiting(&wait);
        let pressed = Instant::now();
        pty.send("turn around\r");
        pty.wait_for_text("turned");
        eprintln!("redirect at {}: {:?}", wait.name, pressed.elapsed());
        assert!(pressed.elapsed() < SOON, "{}", wait.name);
        wait_until_idle(&pty);
        server.assert_valid();
        let all = server.chat_bodies().pop().unwrap()["messages"].to_string();
        assert!(all.contains("go on") && all.contains("turn around"), "{all}");
    }
}

#[test]
fn a39_interrupt_twice_ends_whatever_it_waits_for() {
    for wait in waits() {
        let (mut pty, _server, _dir) = start_waiting(&wait);
        let pressed = Instant::now();
        pty.send("\x03");
        pty.wait_for_text("once more to leave");
        pty.send("\x03");
        let ended = pty.wait();
        eprintln!("end at {}: {:?}", wait.name, pressed.elapsed());
        assert!(pressed.elapsed() < SOON, "{}", wait.name);
        assert_eq!(ended.status, 130, "{}", wait.name);
        check_restored(&ended);
    }
}

#[test]
fn a39_lines_are_queued_shown_and_taken_back() {
    for wait in waits() {
        let (mut pty, server, _dir) = start_waiting(&wait);
        pty.send("after all that\x11");
        pty.wait_for_text("later: after all that");
        pty.send("/follow-up second thing\r");
        pty.wait_for_text("later: second thing");
        pty.send("/steer by the way\r");
        pty.wait_for_text("next: by the way");
        pty.send("\x1b[1;3A");
        pty.wait_for("the line that came back", |screen| {
            let rows = screen.rows();
            let queued = rows.iter().filter(|row| row.contains(": ")).count();
            let is_back =
                rows.iter().any(|row| row.contains("second thing") && !row.contains("later"));
            (is_back && queued >= 2).then_some(())
        });
        server.assert_valid();
    }
}

#[test]
fn a39_lines_in_a_hurry_are_all_sent_in_order() {
    let wait = &waits()[1];
    let (mut pty, server, _dir) = start_waiting(wait);
    pty.send("one\rtwo\rturn around\r");
    pty.wait_for_text("turned");
    wait_until_idle(&pty);
    server.assert_valid();
    let all = server.chat_bodies().pop().unwrap()["messages"].to_string();
    let places = ["\"one", "\"two", "turn around"].map(|text| all.find(text));
    assert!(places.is_sorted() && places[0].is_some(), "{all}");
}

#[test]
fn what_an_error_stops_is_not_lost() {
    let (mut pty, server, _dir) =
        start(json!([{"status": 401, "body": "no such key"}, {"text": "fine"}]));
    pty.send("some words\r");
    pty.wait_for_text("401");
    wait_until_idle(&pty);
    // The agent refuses it: the line is where it was typed.
    pty.send("/nosuchcommand with words\r");
    pty.wait_for("the line that came back", |screen| {
        let (row, _) = screen.cursor();
        screen.rows()[row].contains("/nosuchcommand with words").then_some(())
    });
    pty.send("\x03");
    pty.wait_for_text("cleared");
    // The history has what was sent.
    pty.send("\x1b[A\x1b[A");
    pty.wait_for("the message of before", |screen| {
        let (row, _) = screen.cursor();
        screen.rows()[row].contains("some words").then_some(())
    });
    pty.send("\r");
    pty.wait_for_text("fine");
    server.assert_valid();
}
