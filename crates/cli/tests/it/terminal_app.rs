//! What a user does in a terminal beside talking to the model: lists, completions, the history,
//! trust, and one-shot runs.

use crate::driver::{HANG, call, in_terminal, program};
use letscode_testkit::pty::{Pty, PtyProgram};
use letscode_testkit::screen::forbidden;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// Starts the program in a terminal.
fn start(dir: &WorkDir, server: &SseServer, args: &[&str]) -> Pty {
    in_terminal(dir, server).args(args).start()
}

/// Starts the interactive mode and waits until it takes keys.
#[track_caller]
fn interactive(dir: &WorkDir, server: &SseServer, args: &[&str]) -> Pty {
    let pty = start(dir, server, args);
    pty.wait_for("the footer", |screen| {
        screen.rows().iter().any(|row| row.starts_with("mock-model")).then_some(())
    });
    pty
}

#[track_caller]
fn wait_for_row(pty: &Pty, what: &str, is_it: impl Fn(&str) -> bool) {
    pty.wait_for(what, |screen| screen.lines().iter().any(|row| is_it(row)).then_some(()));
}

/// Leaves, and checks that the terminal is as it was.
#[track_caller]
fn leave(mut pty: Pty) {
    pty.send("\x03\x03");
    let ended = pty.wait();
    assert!(ended.settings_restored);
    assert_eq!(forbidden(&ended.output), [""; 0]);
}

/// Makes a session of one prompt in print mode.
#[track_caller]
fn keep_session(dir: &WorkDir, server: &SseServer, prompt: &str) {
    let args = ["--model", "mock-model", "-p", prompt];
    let finished = program(dir, server).args(args).run(HANG);
    assert_eq!(finished.status, 0);
}

fn says(text: &str) -> Value {
    json!({ "text": text })
}

#[test]
fn a_one_shot_run_shows_what_the_interactive_mode_shows() {
    let scenario = json!({ "responses": [
        call("c", "bash", &json!({ "command": "echo hello; exit 3" })),
        says("# Done\n\n- **one**\n- two\n\n```rust\nfn main() {}\n```\n"),
    ]});
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let ended = start(&dir, &server, &["do it"]).wait();
    assert_eq!(ended.status, 0);
    assert!(ended.settings_restored);
    let output = String::from_utf8_lossy(&ended.output);
    assert_eq!(forbidden(&ended.output), [""; 0]);
    // Nothing is to be restored: the terminal is the user's meanwhile.
    assert!(!output.contains("\x1b[?2004h") && !output.contains("\x1b[>1u"), "{output:?}");
    let mut screen = letscode_testkit::screen::Screen::new(80, 24);
    screen.feed(&ended.output);
    let rows: Vec<String> = screen.rows().into_iter().filter(|row| !row.is_empty()).collect();
    assert!(rows[0].starts_with("● bash echo hello; exit 3  exit code 3"), "{rows:?}");
    assert!(rows[1].contains("hello"), "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains("**") || row.contains("do it")), "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("fn main() {}")), "{rows:?}");
    assert_eq!(screen.cursor().1, 0, "the shell begins a row of its own");
    assert!(!screen.model().hide_cursor());
}

#[test]
fn a_one_shot_run_that_fails_says_why_and_that_no_key_helps() {
    let scenario = json!({ "responses": [{ "status": 400, "body": "no such thing" }] });
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let ended = start(&dir, &server, &["do it"]).wait();
    assert_eq!(ended.status, 1);
    let output = String::from_utf8_lossy(&ended.output);
    assert!(output.contains("✗ ") && output.contains("400"), "{output:?}");
    assert!(!output.contains("tries again"), "{output:?}");
}

#[test]
fn a_one_shot_run_in_a_dumb_terminal_has_no_escape() {
    let (dir, server) =
        (WorkDir::new(), SseServer::start(json!({ "responses": [says("**fine**")] })));
    let pty = PtyProgram::new(env!("CARGO_BIN_EXE_letscode"), &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("TERM", "dumb")
        .args(["--model", "mock-model", "do it"])
        .start();
    let ended = pty.wait();
    // The terminal adds a return of its own.
    assert_eq!(String::from_utf8_lossy(&ended.output).replace('\r', ""), "fine\n");
}

#[test]
fn a_session_goes_on_with_a_recap_and_another_one_from_the_list() {
    let scenario = json!({ "responses": [says("the first answer"), says("the second answer")] });
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    keep_session(&dir, &server, "about apples");
    keep_session(&dir, &server, "about pears");
    let mut pty = interactive(&dir, &server, &["-c"]);
    wait_for_row(&pty, "the recap", |row| row == "› about pears");
    wait_for_row(&pty, "the recap's answer", |row| row == "the second answer");
    pty.send("/resume\r");
    wait_for_row(&pty, "the list", |row| row.contains("about apples"));
    // What was said is found, whatever the label.
    pty.send("first ans");
    wait_for_row(&pty, "the hit", |row| row.contains("the first answer"));
    pty.send("\r");
    wait_for_row(&pty, "the other recap", |row| row == "› about apples");
    leave(pty);
}

#[test]
fn files_templates_and_the_history_of_other_sessions_are_offered() {
    let scenario = json!({ "responses": [says("one")] });
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    dir.write("src/parser.rs", "fn parse() {}");
    dir.write(".letscode/prompts/review.md", "Review $ARGUMENTS");
    let mut pty = interactive(&dir, &server, &[]);
    pty.send("/rev");
    wait_for_row(&pty, "the template", |row| row.contains("/review"));
    pty.send("\x15look at @prs");
    wait_for_row(&pty, "the file", |row| row.contains("src/parser.rs"));
    pty.send("\t");
    wait_for_row(&pty, "the whole name", |row| row == "> look at @src/parser.rs");
    pty.send("\r");
    wait_for_row(&pty, "the answer", |row| row == "one");
    leave(pty);
    let body = server.chat_bodies().first().map(Value::to_string).unwrap_or_default();
    assert!(body.contains("fn parse() {}"), "{body}");
    let mut pty = interactive(&dir, &server, &[]);
    pty.send("\x1b[A");
    wait_for_row(&pty, "the history", |row| row == "> look at @src/parser.rs");
    leave(pty);
}

#[test]
fn a_project_is_trusted_at_the_start_and_its_settings_hold() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!({ "responses": [] })));
    dir.write(".letscode/config.toml", "base_url = \"http://127.0.0.1:1/v1\"\n");
    let mut pty = interactive(&dir, &server, &[]);
    // What comes too soon is no answer: the letter stays for the composer.
    pty.wait_for_text("trust this project?");
    pty.send("y\x03");
    wait_for_row(&pty, "what was typed", |row| row == "> y");
    pty.send("\x7f/trust\r");
    pty.wait_for_text("y, n or Enter");
    pty.send("y");
    wait_for_row(&pty, "what came of it", |row| row.starts_with("the project is trusted"));
    let told = pty
        .screen(|screen| screen.history().iter().any(|row| row.contains("warning: the project")));
    assert!(!told, "the question says it");
    pty.send("/trust\r");
    wait_for_row(&pty, "how it is", |row| row.contains("is trusted; /trust off"));
    leave(pty);
}

#[test]
fn a_one_shot_run_is_stopped_by_the_keyboard_and_leaves_the_screen_in_order() {
    let scenario = json!({ "responses": [{ "text": ["begun ", "never"], "hang_after": 2 }] });
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let mut pty = start(&dir, &server, &["do it"]);
    pty.wait_for_text("begun");
    pty.send("\x03");
    let ended = pty.wait();
    assert_eq!(ended.status, 130);
    let mut screen = letscode_testkit::screen::Screen::new(80, 24);
    screen.feed(&ended.output);
    let rows = screen.rows();
    let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).filter(|r| !r.is_empty()).collect();
    // The terminal shows the key by itself.
    let begun = rows.first().is_some_and(|row| row.starts_with("begun"));
    assert!(begun && rows.contains(&"stopped"), "{rows:?}");
    assert!(!screen.model().hide_cursor());
}

#[test]
#[cfg(target_os = "linux")]
fn a_clipboard_that_hangs_holds_nothing_up() {
    use std::os::unix::fs::PermissionsExt as _;

    let (dir, server) = (WorkDir::new(), SseServer::start(json!({ "responses": [] })));
    let tool = dir.write("bin/wl-paste", "#!/bin/sh\nexec sleep 1000\n");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", tool.parent().unwrap().display());
    let mut pty = PtyProgram::new(env!("CARGO_BIN_EXE_letscode"), &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("WAYLAND_DISPLAY", "wayland-0")
        .env("PATH", path)
        .args(["--model", "mock-model"])
        .start();
    pty.wait_for_text("for commands");
    pty.send("\x16");
    pty.send("typed meanwhile");
    // Long before anybody gives up on the clipboard.
    let sent = std::time::Instant::now();
    pty.wait_for_text("> typed meanwhile");
    assert!(sent.elapsed() < std::time::Duration::from_secs(4));
    leave(pty);
}
