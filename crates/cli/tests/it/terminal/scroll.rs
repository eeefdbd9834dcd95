//! What stands in the scrollback, and what was never sent.

use super::*;
use letscode_testkit::screen::highest_climb;
use letscode_tui::markdown::Markdown;
use serde_json::json;

const ANSWER: &str = "# Title\n\nSome *text* with `code`.\n\n| name | size |\n|---|---:|\n| a | 1 |\n\
| longer name | 12345 |\n\n```rust\nfn main() {\n    println!(\"hi\");\n}\n```\n\n1. one\n2. two\n   \
- inner\n\n> quoted words\n\nThe end of it.\n";

/// Returns the answer in pieces of a few characters.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}

/// Returns the rows that one render of a text gives.
fn rendered(text: &str, columns: usize) -> Vec<String> {
    let mut markdown = Markdown::new();
    markdown.push(text);
    markdown.finish();
    let rows = markdown.take_finished(columns);
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

/// Checks that the rows stand below each other somewhere in the history.
#[track_caller]
fn check_stands(history: &[String], rows: &[String]) {
    let found = history.windows(rows.len()).filter(|window| *window == rows).count();
    assert_eq!(found, 1, "{history:#?}\n does not hold once\n{rows:#?}");
}

#[test]
fn a37_what_was_streamed_is_what_one_render_gives() {
    for (size, delay) in [(3, 1), (50, 0)] {
        let answer = json!({"text": pieces(ANSWER, size), "delay_ms": delay});
        let (mut pty, _server, _dir) = start(json!([answer]));
        pty.send("go on\r");
        pty.wait_for_text("The end of it.");
        wait_until_idle(&pty);
        let history = pty.screen(Screen::history);
        check_stands(&history, &rendered(ANSWER, 80));
        pty.send("/quit\r");
        let ended = pty.wait();
        assert_eq!(ended.status, 0);
        check_restored(&ended);
        assert!(highest_climb(&ended.output) < 24, "{}", highest_climb(&ended.output));
        let history = screen_of(&ended, 80, 24).history();
        check_stands(&history, &rendered(ANSWER, 80));
        let left = history.last().map(String::as_str);
        assert_eq!(left, Some("The end of it."), "something of the live region stays");
    }
}

#[test]
fn the_demo_model_shows_its_tour() {
    let dir = WorkDir::new();
    dir.write("README.md", "# A project\n\nwords\n");
    let mut pty =
        PtyProgram::new(env!("CARGO_BIN_EXE_letscode"), &dir).args(["--model", "demo"]).start();
    pty.wait_for_text("demo");
    pty.send("hello\r");
    pty.wait_for("the end of the tour", |screen| {
        let all = screen.history().join("\n");
        (all.contains("2, edited") && all.contains("README.md")).then_some(())
    });
    pty.send("\x03\x03");
    let ended = pty.wait();
    check_restored(&ended);
}

#[test]
fn a37_a_frame_costs_what_changed() {
    let words: Vec<String> = (0..300).map(|number| format!("w{number} ")).collect();
    let length: usize = words.iter().map(String::len).sum();
    let (mut pty, _server, _dir) = start(json!([{"text": words, "delay_ms": 2}]));
    let before = pty.screen(|screen| screen.bytes().len());
    pty.send("go on\r");
    pty.wait_for_text("w299");
    wait_until_idle(&pty);
    let bytes = pty.screen(|screen| screen.bytes().len()) - before;
    // A row of the tail and the footer are written for each of some forty frames.
    assert!(bytes < 20 * length, "{bytes} bytes for {length} of text");
}
