//! Terminals of every size and kind.

use super::*;
use crate::driver::{program, stderr};
use serde_json::json;

#[test]
fn a33_every_width_works() {
    for (columns, rows) in [(1, 1), (2, 3), (10, 10), (40, 12), (200, 50), (400, 60)] {
        let answer = json!({"text": ["| a | 漢字 |\n|--|--|\n| x | y |\n\n", "```\ncode\t1\n```\n\n", "漢字 e\u{301} done."]});
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([answer])));
        let mut pty = in_terminal(&dir, &server).size(columns, rows).start();
        pty.wait_for("the paste mode", |screen| screen.model().bracketed_paste().then_some(()));
        pty.send("go on\r");
        wait_for_requests(&server, 1);
        if columns >= 10 {
            pty.wait_for_text("done.");
        }
        pty.send("\x03");
        pty.send("\x04\x04");
        pty.send("/quit\r");
        let ended = pty.wait();
        assert!([0, 130].contains(&ended.status), "{columns}: {}", ended.status);
        check_restored(&ended);
    }
}

#[test]
fn a37_a_storm_of_sizes_loses_no_row() {
    for reflows in [true, false] {
        let words: Vec<String> = (0..60).map(|number| format!("n{number}\n\n")).collect();
        let answer = json!({"text": words, "delay_ms": 5});
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([answer])));
        let program = in_terminal(&dir, &server);
        // Such a terminal cuts its rows.
        let program = if reflows { program } else { program.env("XTERM_VERSION", "XTerm(390)") };
        let mut pty = program.start();
        wait_until_ready(&pty);
        pty.send("go on\r");
        let sizes = (0..40_u16).map(|step| (60 + step * 7 % 40, 12 + step % 9)).chain([(80, 24)]);
        for (columns, rows) in sizes {
            if reflows {
                pty.reflow(columns, rows);
            } else {
                pty.resize(columns, rows);
            }
            std::thread::sleep(Duration::from_millis(8));
        }
        pty.wait_for_text("n59");
        wait_until_idle(&pty);
        let history = pty.screen(Screen::history);
        let mut shown = history.iter().map(|row| row.trim());
        for number in 0..60 {
            let word = format!("n{number}");
            assert!(shown.any(|row| row == word), "{word} is lost: {history:#?}");
        }
        pty.send("/quit\r");
        let ended = pty.wait();
        assert_eq!(ended.status, 0);
        assert!(ended.settings_restored);
        assert_eq!(forbidden(&ended.output), [""; 0]);
    }
}

#[test]
fn a40_no_color_means_no_colour() {
    let (dir, server) = (
        WorkDir::new(),
        SseServer::start(json!([{"text": "# Title\n\n`code` and **bold**\n\nend."}])),
    );
    let mut pty = in_terminal(&dir, &server).env("NO_COLOR", "1").start();
    wait_until_ready(&pty);
    pty.send("go on\r");
    pty.wait_for_text("end.");
    pty.send("\x03\x03\x03");
    let ended = pty.wait();
    check_restored(&ended);
    let output = String::from_utf8_lossy(&ended.output).into_owned();
    for part in output.split("\x1b[").skip(1) {
        let Some(numbers) = part.split_once('m').map(|(numbers, _)| numbers) else { continue };
        if numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
            let colours = numbers.split(';').filter_map(|number| number.parse::<u8>().ok());
            assert!(colours.clone().all(|number| number < 30), "{numbers:?}");
        }
    }
}

#[test]
fn a40_a_dumb_terminal_gets_plain_lines() {
    for term in ["dumb", ""] {
        let (dir, server) =
            (WorkDir::new(), SseServer::start(json!([{"text": "the **answer**\n\nend."}])));
        let mut pty = in_terminal(&dir, &server).env("TERM", term).start();
        pty.wait_for("raw mode", |_| (!pty.settings_restored()).then_some(()));
        pty.send("go on\r");
        pty.wait_for_text("end.");
        // What is drawn above the composer elsewhere is printed.
        pty.send("/tree\r");
        pty.wait_for_text("1  user");
        pty.send("\x03");
        pty.wait_for_text("once more to leave");
        pty.send("/quit\r");
        let ended = pty.wait();
        assert_eq!(ended.status, 0);
        assert!(ended.settings_restored);
        let output = String::from_utf8_lossy(&ended.output);
        assert!(!ended.output.contains(&0x1b), "{output:?}");
        assert!(output.contains("the answer"), "{output:?}");
    }
}

#[test]
fn a40_without_a_terminal_it_says_what_to_do() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let finished = program(&dir, &server).run(HANG);
    assert_eq!(finished.status, 2);
    assert!(stderr(&finished).contains("no message"), "{}", stderr(&finished));
    assert!(!finished.stdout.contains(&0x1b) && !finished.stderr.contains(&0x1b));
}

#[test]
fn a40_a_pipe_on_one_side_is_no_terminal() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    for redirected in ["> out", "< /dev/null"] {
        let script = format!(
            "{} --model mock-model {redirected}; echo \"left $?\"",
            env!("CARGO_BIN_EXE_letscode")
        );
        let pty = PtyProgram::new("/bin/sh", &dir)
            .env("OPENAI_BASE_URL", server.base_url())
            .args(["-c", &script])
            .start();
        pty.wait_for_text("left 2");
        let ended = pty.wait();
        assert!(!ended.output.contains(&0x1b), "{}", String::from_utf8_lossy(&ended.output));
    }
}
