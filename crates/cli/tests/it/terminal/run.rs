//! Keys while the agent works: each of them counts whatever it waits for.

use super::*;
use crate::driver::call;
use serde_json::json;

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
            answer: json!({"status": 503, "headers": {"retry-after": "50"}}),
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
    wait_for_requests(&server, 1);
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
        wait_for_composed(&pty, "by the way");
        pty.send("\x15\x1b[1;3A");
        wait_for_composed(&pty, "second thing");
        pty.wait_for("the queue", |screen| {
            let rows = screen.rows();
            let later = rows.iter().filter(|row| row.starts_with("later: ")).count();
            (later == 1 && !rows.iter().any(|row| row.starts_with("next: "))).then_some(())
        });
        server.assert_valid();
    }
}

#[test]
fn a39_lines_in_a_hurry_are_all_sent_in_order() {
    let stubborn = call("c", "bash", &json!({"command": "trap '' TERM INT; echo on; sleep 1000"}));
    let wait = Wait { name: "a tool that does not listen", answer: stubborn, shown: "on" };
    let (mut pty, server, _dir) = start_waiting(&wait);
    for line in ["one", "two", "turn around"] {
        pty.send(line);
        wait_for_composed(&pty, line);
        pty.send("\r");
        wait_for_composed(&pty, "> ");
    }
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
    pty.send("/goto no-such-entry\r");
    wait_for_composed(&pty, "/goto no-such-entry");
    pty.send("\x03");
    pty.wait_for_text("cleared");
    // The history has what was sent.
    pty.send("\x1b[A\x1b[A");
    wait_for_composed(&pty, "some words");
    pty.send("\r");
    pty.wait_for_text("fine");
    server.assert_valid();
}
