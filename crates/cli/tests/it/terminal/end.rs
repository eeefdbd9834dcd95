//! The ways to leave, for good or for a while: the terminal is as it was.

use super::*;
use crate::driver::call;
use letscode_testkit::program::Signal;
use serde_json::json;

#[test]
fn a34_quit_and_the_end_of_input_restore_the_terminal() {
    for (keys, status) in [("/quit\r", 0), ("\x04", 0), ("\x03\x03", 130)] {
        let (mut pty, _server, _dir) = start(json!([]));
        assert!(!pty.settings_restored());
        pty.send(keys);
        let ended = pty.wait();
        assert_eq!(ended.status, status, "{keys:?}");
        check_restored(&ended);
        let left = screen_of(&ended, 80, 24).history();
        assert!(
            !left.iter().any(|row| row.starts_with("mock-model") || row.starts_with('>')),
            "{keys:?}: {left:#?}"
        );
    }
}

#[test]
fn a34_signals_restore_the_terminal() {
    for (signal, status) in
        [(Signal::Terminate, 143), (Signal::HangUp, 129), (Signal::Interrupt, 130)]
    {
        for answer in [
            json!({"text": ["half ", "rest"], "hang_after": 2}),
            call("c", "bash", &json!({"command": "sleep 1000"})),
        ] {
            let (mut pty, _server, _dir) = start(json!([answer]));
            pty.send("go on\r");
            wait_until_busy(&pty);
            pty.signal(signal).unwrap();
            let ended = pty.wait();
            assert_eq!(ended.status, status);
            check_restored(&ended);
        }
    }
}

#[test]
fn a34_other_signals_that_end_a_program_restore_the_terminal_too() {
    for (signal, status) in
        [(Signal::Quit, 131), (Signal::User1, if cfg!(target_os = "linux") { 138 } else { 158 })]
    {
        let (pty, _server, _dir) = start(json!([]));
        pty.signal(signal).unwrap();
        let ended = pty.wait();
        assert_eq!(ended.status, status);
        check_restored(&ended);
    }
}

#[test]
fn a34_any_moment_of_the_start_leaves_the_terminal_as_it_was() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let started = Instant::now();
    let pty = in_terminal(&dir, &server).start();
    wait_until_ready(&pty);
    let whole = started.elapsed();
    drop(pty);
    for point in 0..20 {
        let mut pty = in_terminal(&dir, &server).start();
        std::thread::sleep(whole * point / 18);
        let signal = point % 3;
        match signal {
            0 => pty.send("\x03\x03"),
            1 => pty.signal(Signal::Terminate).unwrap(),
            _ => pty.signal(Signal::HangUp).unwrap(),
        }
        // Keys that came before raw mode may have been no signal and were taken as keys.
        let ended = pty.wait();
        let statuses = [[130, -2, 130], [143, -15, 143], [129, -1, 129]][signal as usize];
        assert!(statuses.contains(&ended.status), "{point}: {}", ended.status);
        check_restored(&ended);
    }
}

#[test]
fn a34_a_stop_gives_the_terminal_back_and_goes_on_where_it_was() {
    let (dir, server) = (
        WorkDir::new(),
        SseServer::start(json!([{"text": ["half of it ", "rest"], "pause_after": 2}])),
    );
    let script = format!(
        "set -m; {} --model mock-model; echo \"left $?\"; stty -a | grep -o ' -*icanon'; read line; fg",
        env!("CARGO_BIN_EXE_letscode")
    );
    let mut pty = PtyProgram::new("/bin/bash", &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["-c", &script])
        .start();
    wait_until_ready(&pty);
    pty.send("go on\r");
    pty.wait_for_text("half of it");
    pty.send("not sent yet\x1a");
    pty.wait_for_text("left ");
    pty.wait_for_text(" icanon");
    pty.send("\r");
    wait_for_composed(&pty, "not sent yet");
    server.resume();
    pty.wait_for_text("half of it rest");
    let rows = pty.screen(Screen::history);
    let halves = rows.iter().filter(|row| row.contains("half of it")).count();
    assert_eq!(halves, 1, "{rows:#?}");
    pty.send("\x03\x03\x03");
    check_restored(&pty.wait());
}

#[test]
fn a34_a_stop_that_nobody_can_listen_to_is_made_up_for() {
    let dir = WorkDir::new();
    let stop = call("c", "bash", &json!({"command": "kill -STOP $PPID"}));
    let server = SseServer::start(json!([stop, {"text": "went on"}]));
    let script = format!(
        "set -m; {} --model mock-model; printf '\\e[?2004l\\e[?25h'; stty sane; echo left; read line; \
         fg",
        env!("CARGO_BIN_EXE_letscode")
    );
    let mut pty = PtyProgram::new("/bin/bash", &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["-c", &script])
        .start();
    wait_until_ready(&pty);
    pty.send("go on\r");
    pty.wait_for_text("left");
    pty.send("\r");
    pty.wait_for_text("went on");
    wait_until_idle(&pty);
    // It has the keys as before.
    pty.send("typed");
    wait_for_composed(&pty, "typed");
    pty.send("\x0a\x0bin rows");
    wait_for_composed(&pty, "in rows");
    pty.screen(|screen| {
        assert!(screen.model().bracketed_paste());
        let history = screen.history();
        assert!(history.iter().any(|row| row == "left"), "{history:#?}");
    });
    pty.send("\x03\x03\x03");
    assert_eq!(pty.wait().status, 130);
}

#[test]
fn an_editor_with_arguments_changes_the_message() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([{"text": "fine"}]));
    dir.write(
        "fake editor",
        "#!/bin/sh\ncat \"$2\" > seen\necho \"$1\" >> \"$2\"\nstty -a > settings\n",
    );
    let editor = format!("sh '{}' 'with arguments'", dir.resolve("fake editor").display());
    let mut pty = in_terminal(&dir, &server).env("VISUAL", editor).start();
    wait_until_ready(&pty);
    pty.send("written here \x07");
    pty.wait_for_text("with arguments");
    assert_eq!(dir.read("seen"), "written here ");
    assert!(dir.read("settings").contains(" icanon"));
    pty.send("\r");
    pty.wait_for_text("fine");
    wait_until_idle(&pty);
    pty.send("/edit some words\r");
    wait_for_composed(&pty, "with arguments");
    assert_eq!(dir.read("seen"), "some words");
    pty.send("\x03\x03\x03");
    check_restored(&pty.wait());
}

#[test]
fn an_editor_that_fails_leaves_the_message() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    for (editor, keys) in
        [("false", "written here\x07"), ("no/such/editor", "/edit written here\r")]
    {
        let mut pty = in_terminal(&dir, &server).env("VISUAL", editor).start();
        wait_until_ready(&pty);
        pty.send(keys);
        pty.wait_for_text("the message is as it was");
        wait_for_composed(&pty, "written here");
        pty.signal(Signal::Terminate).unwrap();
        check_restored(&pty.wait());
    }
}

#[test]
fn a34_keys_and_signals_during_the_editor() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    dir.write(
        "editor",
        "trap 'echo interrupted >> \"$1\"; exit 0' INT\necho began\nwhile :; do sleep 0.05; done\n",
    );
    let editor = format!("sh '{}'", dir.resolve("editor").display());
    let mut pty = in_terminal(&dir, &server).env("VISUAL", editor).start();
    wait_until_ready(&pty);
    pty.send("words \x07");
    pty.wait_for_text("began");
    // The terminal's Ctrl+C is the editor's.
    pty.send("\x03");
    pty.wait_for_text("interrupted");
    wait_until_ready(&pty);
    pty.send("\x07");
    pty.wait_for("the editor again", |screen| pty_count(screen, "began", 2));
    pty.signal(Signal::Terminate).unwrap();
    let ended = pty.wait();
    assert_eq!(ended.status, 143);
    check_restored(&ended);
}

fn pty_count(screen: &Screen, text: &str, count: usize) -> Option<()> {
    let bytes = String::from_utf8_lossy(screen.bytes());
    (bytes.matches(text).count() >= count).then_some(())
}

#[test]
fn a34_a_terminal_that_takes_nothing_holds_up_neither_the_agent_nor_the_end() {
    let words: Vec<String> =
        (0..3000).map(|number| format!("{number} {}\n\n", "word ".repeat(12))).collect();
    let write = call("w", "write", &json!({"path": "done.txt", "content": "x\n"}));
    let mut first = json!({"text": words});
    first["tool_calls"] = write["tool_calls"].clone();
    let (mut pty, server, dir) = start(json!([first, {"text": "over and done"}]));
    let held = pty.hold();
    pty.send("go on\r");
    wait_for_requests(&server, 2);
    assert_eq!(dir.read("done.txt"), "x\n");
    drop(held);
    pty.wait_for_text("over and done");
    let rows = pty.screen(Screen::history);
    let mut numbers = rows.iter().filter_map(|row| row.split(' ').next()?.parse::<usize>().ok());
    assert!(numbers.by_ref().eq(0..3000), "rows are lost");
    server.load(json!([{"text": words}]));
    let held = pty.hold();
    pty.send("again\r");
    wait_for_requests(&server, 3);
    std::thread::sleep(Duration::from_millis(300));
    pty.signal(Signal::Terminate).unwrap();
    pty.wait_until_ended();
    assert!(pty.settings_restored());
    drop(held);
    assert_eq!(pty.wait().status, 143);
}

#[test]
fn a34_a_terminal_that_goes_away_ends_the_program() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([call(
        "c",
        "bash",
        &json!({"command": "echo $$ > pid; sleep 1000"})
    )]));
    let script = format!("{} --model mock-model; echo $? > status", env!("CARGO_BIN_EXE_letscode"));
    let mut pty = PtyProgram::new("/bin/sh", &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["-c", &format!("trap '' HUP; {script}")])
        .start();
    wait_until_ready(&pty);
    pty.send("go on\r");
    pty.wait_for_text("sleep 1000");
    pty.hang_up();
    let status = wait_for(&dir, "status");
    assert_eq!(status.trim(), "129");
}

#[track_caller]
fn wait_for(dir: &WorkDir, name: &str) -> String {
    let end = Instant::now() + HANG;
    loop {
        match std::fs::read_to_string(dir.resolve(name)) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < end, "{name} never came"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
