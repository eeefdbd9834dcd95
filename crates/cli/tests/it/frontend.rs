//! A plugin's front end in a terminal: it drives the session, and however it ends the terminal is as it
//! was.

use crate::driver::{
    HANG, configure, in_terminal, program, sessions, stderr, stdout, write_plugin,
};
use letscode_testkit::program::Signal;
use letscode_testkit::pty::{Ended, Pty};
use letscode_testkit::screen::Screen;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::Path;

const KEYS: &str = include_str!("frontend/keys.py");

/// Installs the plugin below a folder, the home or the project.
fn install(folder: &Path, arguments: &[&str]) {
    let command = ["python3", "./keys.py"].into_iter().chain(arguments.iter().copied());
    write_plugin(folder, "keys", &command.collect::<Vec<_>>());
    std::fs::write(folder.join(".letscode/plugins/native/keys/keys.py"), KEYS).unwrap();
}

/// Starts the program with the front end, and waits until that takes keys.
#[track_caller]
fn start(mode: &str, scenario: Value) -> (Pty, SseServer, WorkDir) {
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    install(dir.home(), &[mode]);
    let pty = in_terminal(&dir, &server).args(["--frontend", "keys"]).start();
    pty.wait_for_text("ready mock-model with 0 messages");
    (pty, server, dir)
}

/// Returns the screen that a program left, once it is as the user needs it.
#[track_caller]
fn restored(ended: &Ended) -> Screen {
    assert!(ended.settings_restored);
    let mut screen = Screen::new(80, 24);
    screen.feed(&ended.output);
    let model = screen.model();
    assert!(!model.alternate_screen() && !model.hide_cursor() && !model.bracketed_paste());
    assert!(!model.application_cursor());
    assert_eq!(format!("{:?}", model.mouse_protocol_mode()), "None");
    assert_eq!(format!("{:?}", model.fgcolor()), "Default");
    screen
}

fn shows(screen: &Screen, text: &str) -> bool {
    screen.rows().iter().any(|row| row.contains(text))
}

/// Returns who said what in the session.
fn kept(dir: &WorkDir) -> Vec<(String, String)> {
    let files = sessions(dir);
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(&files[0]).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let said = |record: Value| {
        let message = &record["msg"];
        let text = message["content"][0]["text"].as_str()?;
        Some((message["role"].as_str()?.to_owned(), text.to_owned()))
    };
    records.filter_map(said).collect()
}

fn said(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_front_end_drives_the_session_and_its_exit_code_is_ours() {
    let (mut pty, server, dir) = start("raw", json!([{"text": "the answer"}, {"text": "again"}]));
    pty.send("p");
    pty.wait_for_text("said the answer");
    pty.resize(70, 20);
    pty.send("s");
    pty.wait_for_text("size 70");
    pty.send("q");
    let ended = pty.wait();
    assert_eq!(ended.status, 7);
    restored(&ended);
    assert_eq!(kept(&dir), said(&[("user", "hello"), ("assistant", "the answer")]));
    let mut pty = in_terminal(&dir, &server).args(["--frontend", "keys", "-c"]).start();
    pty.wait_for_text("ready mock-model with 2 messages");
    pty.send("p");
    pty.wait_for_text("said again");
    pty.send("q");
    assert_eq!(pty.wait().status, 7);
    let all =
        [("user", "hello"), ("assistant", "the answer"), ("user", "hello"), ("assistant", "again")];
    assert_eq!(kept(&dir), said(&all));
}

#[test]
fn nothing_of_ours_is_shown_meanwhile_and_questions_are_declined() {
    let (mut pty, _server, _dir) = start("raw", json!([]));
    pty.send("u");
    pty.wait_for_text("declined None");
    pty.send("n");
    pty.wait_for_text("noted");
    pty.send("q");
    let ended = pty.wait();
    let output = String::from_utf8_lossy(&ended.output);
    let whole_screen_left = output.find("\x1b[?1049l").unwrap();
    for told in ["letscode: a notice", "letscode: keys: a line of the log"] {
        assert!(output.find(told).is_some_and(|place| place > whole_screen_left), "{output:?}");
        assert!(shows(&restored(&ended), told));
    }
}

#[test]
fn a_front_end_that_crashes_or_fails_leaves_the_terminal_as_it_was() {
    for (key, told) in [
        ("x", "the front end keys failed: the plugin ended before it answered"),
        ("e", "the front end keys failed: it broke"),
    ] {
        for mode in ["raw", "lines"] {
            let (mut pty, _server, _dir) = start(mode, json!([]));
            pty.send(format!("{key}\n"));
            let ended = pty.wait();
            assert_eq!(ended.status, 1, "{key} {mode}");
            let screen = restored(&ended);
            assert!(shows(&screen, told), "{key} {mode}: {screen:?}");
            // What stood on the usual screen is there, with the lines of the end below it.
            assert_eq!(shows(&screen, "ready mock-model"), mode == "lines", "{screen:?}");
        }
    }
}

#[test]
fn a_front_end_passes_on_what_only_a_person_may_say() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    install(dir.home(), &["raw"]);
    dir.write(".letscode/config.toml", "frontend = 'basic'\n");
    let mut pty = in_terminal(&dir, &server).args(["--frontend", "keys"]).start();
    pty.wait_for_text("trust this project?");
    pty.send("n\n");
    pty.wait_for_text("ready mock-model");
    pty.send("t");
    pty.wait_for_text("trust None");
    pty.wait_for_text("typed None");
    pty.send("q");
    assert_eq!(pty.wait().status, 7);
}

#[test]
fn an_exit_code_that_no_program_can_have_is_told() {
    let (mut pty, _server, _dir) = start("raw", json!([]));
    pty.send("w");
    let ended = pty.wait();
    assert_eq!(ended.status, 1);
    let told = "the front end keys ended with 999: an exit code is 0 to 255";
    assert!(shows(&restored(&ended), told));
}

#[test]
fn a_signal_ends_a_front_end_that_does_not_heed_it() {
    for (signal, status) in
        [(Signal::Terminate, 143), (Signal::Interrupt, 130), (Signal::HangUp, 129)]
    {
        let (pty, _server, _dir) = start("raw", json!([]));
        pty.signal(signal).unwrap();
        let ended = pty.wait();
        assert_eq!(ended.status, status);
        restored(&ended);
    }
}

#[test]
fn ctrl_c_in_lines_stops_the_run_then_the_front_end_and_ctrl_z_nothing() {
    let hangs = json!({"text": ["half of it ", "rest"], "pause_after": 2});
    let (mut pty, server, dir) = start("lines", json!([hangs]));
    pty.send("b\n");
    assert!(server.wait_until(HANG, |progress| progress.paused >= 1), "the model was not asked");
    pty.send("\x03");
    pty.wait_for_text("ended aborted=True");
    pty.send("\x1a");
    pty.send("s\n");
    pty.wait_for_text("size 80");
    pty.send("\x03");
    let ended = pty.wait();
    assert_eq!(ended.status, 130);
    restored(&ended);
    assert_eq!(kept(&dir)[0], ("user".to_owned(), "hello".to_owned()));
}

#[test]
fn a_front_end_that_nobody_has_is_wrong_usage_or_in_a_file_a_warning() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    install(dir.home(), &["raw"]);
    let ended = in_terminal(&dir, &server).args(["--frontend", "none"]).start().wait();
    assert_eq!(ended.status, 2);
    let told = "letscode: no front end is named \"none\"; there are basic, keys\r\n";
    assert!(String::from_utf8_lossy(&ended.output).contains(told), "{ended:?}");
    configure(dir.home(), "frontend = \"none\"\n");
    let mut pty = in_terminal(&dir, &server).size(100, 24).start();
    pty.wait_for_text("frontend is left out: no front end is named \"none\"");
    pty.wait_for_text("/help shows commands");
    pty.send("\x04");
    assert_eq!(pty.wait().status, 0);
    configure(dir.home(), "frontend = \"keys\"\n");
    let mut pty = in_terminal(&dir, &server).start();
    pty.wait_for_text("ready mock-model");
    pty.send("q");
    assert_eq!(pty.wait().status, 7);
}

#[test]
fn a_plugin_that_starts_slowly_is_waited_for_and_that_is_told() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let go = dir.home().join("go");
    install(dir.home(), &["raw", go.to_str().unwrap()]);
    let mut pty = in_terminal(&dir, &server).args(["--frontend", "keys"]).start();
    pty.wait_for_text("letscode: waiting for plugins, one of which may have the front end keys");
    std::fs::write(&go, "\n").unwrap();
    pty.wait_for_text("ready mock-model");
    pty.send("q");
    assert_eq!(pty.wait().status, 7);
}

#[test]
fn a_project_is_asked_about_before_its_front_end_runs() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    install(dir.project(), &["raw"]);
    for (answer, status) in [("n\n", 2), ("y\n", 7)] {
        let mut pty = in_terminal(&dir, &server).args(["--frontend", "keys"]).start();
        pty.wait_for_text("trust this project? [y/N]");
        pty.send(answer);
        if status == 7 {
            pty.wait_for_text("ready mock-model");
            pty.send("q");
        }
        assert_eq!(pty.wait().status, status);
    }
}

#[test]
fn without_a_terminal_no_front_end_is_used() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "printed"}])));
    install(dir.home(), &["raw"]);
    let finished = program(&dir, &server).args(["--frontend", "keys"]).run(HANG);
    assert_eq!(finished.status, 2);
    let told = "letscode: the front end keys needs a terminal for its stdin and stdout\n";
    assert_eq!(stderr(&finished), told);
    let finished = program(&dir, &server).args(["--frontend", "keys", "-p", "hi"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "printed\n"));
}
