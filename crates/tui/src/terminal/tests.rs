//! Each test runs this test binary once more, in a terminal of its own.
#![expect(clippy::disallowed_methods, reason = "the program under test is this test binary")]

use super::*;
use crate::input::Reader;
use crate::keys::InputEvent;
use crate::screen::Colors;
use letscode_testkit::program::{Program, Signal};
use letscode_testkit::pty::{Ended, Pty, PtyProgram};
use letscode_testkit::screen::forbidden;
use letscode_testkit::workdir::WorkDir;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

const ALL: Abilities = Abilities {
    colors: Colors::Sixteen,
    reflows: true,
    tells_sizes_late: false,
    has_key_protocols: true,
};

/// The program that the tests run: it tells every key, and some make it do something.
#[test]
#[ignore = "the other tests run it in a terminal"]
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]
fn program() {
    std::panic::set_hook(Box::new(|info| {
        restore();
        restore();
        eprintln!("hook: {}", info.payload_as_str().unwrap_or_default());
    }));
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let abilities = if dumb { Abilities { colors: Colors::Dumb, ..ALL } } else { ALL };
    let terminal = match Terminal::enter(abilities) {
        Ok(terminal) => terminal,
        Err(error) => return println!("refused: {error}"),
    };
    let say = |text: &str| terminal.write(format!("{text}\r\n").as_bytes());
    let (sender, events) = mpsc::channel();
    let reader =
        Reader::start(move |events| events.into_iter().for_each(|event| drop(sender.send(event))));
    let reader = reader.unwrap();
    say(&format!("entered {:?}", terminal.size())).unwrap();
    for event in events {
        match event {
            InputEvent::Key(key) => match key.to_string().as_str() {
                "q" => break,
                "p" => panic!("on purpose"),
                "t" => std::thread::scope(|scope| {
                    scope.spawn(restore);
                    scope.spawn(restore);
                }),
                "z" => {
                    reader.pause();
                    assert!(terminal.stop().unwrap());
                    assert!(!terminal.is_entered());
                    terminal.reenter().unwrap();
                    reader.resume();
                    say("back").unwrap();
                }
                "e" => {
                    reader.pause();
                    terminal.leave();
                    let mut line = String::new();
                    io::stdin().read_line(&mut line).unwrap();
                    terminal.reenter().unwrap();
                    terminal.reenter().unwrap();
                    reader.resume();
                    say(&format!("the editor got {line:?}")).unwrap();
                }
                "k" => {
                    terminal.write(b"\x1b[?2026h\x1b[?25l\x1b[31m\x1b[?7l").unwrap();
                    let myself = rustix::process::getpid();
                    rustix::process::kill_process(myself, rustix::process::Signal::KILL).unwrap();
                }
                "s" => say(&format!("size {:?}", terminal.size())).unwrap(),
                name => say(&format!("key {name}")).unwrap(),
            },
            other => say(&format!("{other:?}")).unwrap(),
        }
    }
}

fn this_binary() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}

const ARGUMENTS: [&str; 5] =
    ["terminal::tests::program", "--exact", "--ignored", "--nocapture", "--test-threads=1"];

fn start() -> (Pty, WorkDir) {
    let dir = WorkDir::new();
    let pty = PtyProgram::new(this_binary(), &dir).args(ARGUMENTS).size(70, 20).start();
    pty.wait_for_text("entered (70, 20)");
    (pty, dir)
}

#[track_caller]
fn check_restored(ended: &Ended, times: usize) {
    assert!(ended.settings_restored);
    let output = String::from_utf8_lossy(&ended.output);
    let (set, unset) = modes(ALL);
    assert_eq!(output.matches(&set).count(), times, "{output:?}");
    assert_eq!(output.matches(&unset).count(), times, "{output:?}");
    assert!(output.rfind(&unset) > output.rfind(&set), "{output:?}");
    assert_eq!(forbidden(&ended.output), [""; 0]);
}

#[test]
fn a34_leaving_restores_the_terminal_once() {
    let (mut pty, _dir) = start();
    assert!(!pty.settings_restored());
    assert!(pty.screen(|screen| screen.model().bracketed_paste()));
    pty.send("q");
    let ended = pty.wait();
    assert_eq!(ended.status, 0);
    check_restored(&ended, 1);
}

#[test]
fn a34_a_panic_restores_the_terminal_before_it_is_told() {
    let (mut pty, _dir) = start();
    pty.send("p");
    let ended = pty.wait();
    assert_eq!(ended.status, 101);
    check_restored(&ended, 1);
    let output = String::from_utf8_lossy(&ended.output).into_owned();
    assert!(output.find(UNSET) < output.find("hook: on purpose\r\n"), "{output:?}");
    assert!(output.contains(&format!("{BELOW}{UNSET}")), "{output:?}");
}

#[test]
fn a34_any_thread_can_restore_the_terminal() {
    let (mut pty, _dir) = start();
    pty.send("t");
    pty.wait_for("the restored terminal", |_| pty.settings_restored().then_some(()));
    // Lines are read whole again.
    pty.send("q\r");
    check_restored(&pty.wait(), 1);
}

#[test]
fn a34_a_stop_restores_the_terminal_and_going_on_enters_it_again() {
    let dir = WorkDir::new();
    let script = r#"set -m; "$@"; echo "stopped $?"; stty -a | tr ';' '\n' | grep icanon; fg"#;
    let mut pty = PtyProgram::new("/bin/sh", &dir)
        .args(["-c", script, "sh"])
        .args([this_binary().as_os_str()])
        .args(ARGUMENTS)
        .start();
    pty.wait_for_text("entered");
    pty.send("z");
    pty.wait_for_text("back");
    pty.send("q");
    let ended = pty.wait();
    let output = String::from_utf8_lossy(&ended.output).into_owned();
    let stopped = output.find("stopped ").unwrap();
    assert!(output.find(UNSET).unwrap() < stopped, "{output:?}");
    assert!(stopped < output.rfind(SET).unwrap(), "{output:?}");
    let line = output.lines().find(|line| line.contains("icanon")).unwrap();
    assert!(line.contains(" icanon") || line.starts_with("icanon"), "{line:?}");
    check_restored(&ended, 2);
}

#[test]
fn a34_an_editor_gets_all_keys_in_a_terminal_as_it_was() {
    let (mut pty, _dir) = start();
    pty.send("e");
    pty.wait_for("the restored terminal", |_| pty.settings_restored().then_some(()));
    pty.send("typed there\r");
    pty.wait_for_text(r#"the editor got "typed there\n""#);
    pty.send("x");
    pty.wait_for_text("key x");
    pty.send("q");
    check_restored(&pty.wait(), 2);
}

#[test]
fn a34_the_next_start_takes_back_what_a_killed_one_left() {
    let dir = WorkDir::new();
    let mut pty = PtyProgram::new("/bin/sh", &dir)
        .args(["-c", r#""$@"; "$@""#, "sh"])
        .args([this_binary().as_os_str()])
        .args(ARGUMENTS)
        .start();
    pty.wait_for_text("entered");
    pty.send("k");
    pty.wait_for("the second start", |screen| {
        let output = String::from_utf8_lossy(screen.bytes()).into_owned();
        (output.matches("entered").count() == 2).then_some(())
    });
    pty.screen(|screen| {
        assert!(!screen.model().hide_cursor());
        assert_eq!(format!("{:?}", screen.model().fgcolor()), "Default");
        let output = String::from_utf8_lossy(screen.bytes()).into_owned();
        let second = output.rfind(RESET).unwrap();
        let flags = output.rfind("\x1b[=0;1u").unwrap();
        assert!(output.rfind("\x1b[31m").unwrap() < second && second < flags);
        assert!(flags < output.rfind("\x1b[>1u").unwrap());
    });
    pty.send("q");
    pty.wait();
}

#[test]
fn a39_every_key_arrives_as_a_key() {
    let (mut pty, _dir) = start();
    for (bytes, told) in [
        ("\x03", "key ctrl+c"),
        ("\x1a", "key ctrl+z"),
        ("\x1c", "key ctrl+\\"),
        ("\x13\x11", "key ctrl+q"),
        ("\x04", "key ctrl+d"),
        ("\x16", "key ctrl+v"),
        ("\r", "key enter"),
        ("\n", "key ctrl+j"),
        ("\x1b", "key esc"),
        ("漢", "key 漢"),
        ("\x1b[13;2u", "key shift+enter"),
        ("\x1b[200~a\rb\x1b[201~", r#"Paste("a\nb")"#),
    ] {
        pty.send(bytes);
        pty.wait_for_text(told);
    }
    pty.resize(50, 10);
    pty.send("s");
    pty.wait_for_text("size (50, 10)");
    pty.send("q");
    check_restored(&pty.wait(), 1);
}

#[test]
fn a34_a_hang_up_ends_quietly() {
    let (pty, _dir) = start();
    pty.signal(Signal::HangUp).unwrap();
    assert_eq!(pty.wait().status, -1);
}

#[test]
fn a40_a_pipe_is_refused_and_a_dumb_terminal_gets_no_escapes() {
    let dir = WorkDir::new();
    let finished = Program::new(this_binary(), &dir).args(ARGUMENTS).run(Duration::from_secs(60));
    let output = String::from_utf8_lossy(&finished.stdout).into_owned();
    assert!(output.contains("refused: stdin and stdout are no terminal"), "{output}");
    let pty = PtyProgram::new(this_binary(), &dir).env("TERM", "dumb").args(ARGUMENTS);
    let mut pty = pty.start();
    pty.wait_for_text("entered");
    pty.send("q");
    let ended = pty.wait();
    assert!(ended.settings_restored);
    assert!(!ended.output.contains(&0x1b), "{:?}", String::from_utf8_lossy(&ended.output));
}
