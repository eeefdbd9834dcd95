//! Small shell scripts as the programs in a terminal.

use super::*;

fn shell(script: &str) -> (Pty, WorkDir) {
    let dir = WorkDir::new();
    (PtyProgram::new("/bin/sh", &dir).args(["-c", script]).size(40, 5).start(), dir)
}

#[test]
fn a_program_has_a_terminal_of_the_given_size_and_nothing_else() {
    let (pty, dir) =
        shell("stty size; echo $HOME; test -t 0 && test -t 1 && echo tty; env | wc -l");
    pty.wait_for_text("tty");
    pty.screen(|screen| assert_eq!(screen.rows()[0], "5 40"));
    let home = dir.home().to_str().unwrap().to_owned();
    let ended = pty.wait();
    let output = String::from_utf8(ended.output).unwrap();
    assert!(output.contains(&home), "{output}");
    assert_eq!((ended.status, ended.settings_restored), (0, true));
}

#[test]
fn keys_signals_and_sizes_reach_it() {
    let (mut pty, _dir) = shell(
        "trap 'stty size; exit 3' TERM; stty -echo; echo ready; read line; echo got $line;
         while :; do sleep 0.05; done",
    );
    pty.wait_for_text("ready");
    pty.send("typed\r");
    pty.wait_for_text("got typed");
    pty.resize(50, 6);
    pty.signal(Signal::Terminate).unwrap();
    pty.wait_for_text("6 50");
    let ended = pty.wait();
    assert_eq!((ended.status, ended.settings_restored), (3, false), "echo is off");
}

#[test]
fn a_signal_that_ends_it_is_told() {
    let (pty, _dir) = shell("echo ready; exec sleep 1000");
    pty.wait_for_text("ready");
    pty.signal(Signal::HangUp).unwrap();
    assert_eq!(pty.wait().status, -1);
}

#[test]
fn a_stop_is_seen_and_ended() {
    let (pty, _dir) = shell("echo ready; kill -STOP $$; echo on; exec sleep 1000");
    pty.wait_until_stopped();
    pty.signal(Signal::Continue).unwrap();
    pty.wait_for_text("on");
}
