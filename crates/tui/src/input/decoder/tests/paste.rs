//! Pastes in all the shapes in which terminals send them.

use super::*;
use std::time::{Duration, Instant};

fn paste(text: &str) -> InputEvent {
    InputEvent::Paste(text.into())
}

#[test]
fn a35_line_ends_and_escapes_in_a_marked_paste() {
    for (inside, expected) in [
        ("one", "one"),
        ("", ""),
        ("one\ntwo", "one\ntwo"),
        ("one\rtwo\r", "one\ntwo\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("one\r\rtwo\r\n\r\n\n", "one\n\ntwo\n\n\n"),
        ("a\tb", "a\tb"),
        ("größe 漢字 🦀", "größe 漢字 🦀"),
        // tmux writes keys in there.
        ("one\x1b[13;1utwo\x1b[13utwo\x1b[27;1;13~three", "one\ntwo\ntwo\nthree"),
        ("one\x1b[106;5utwo\x1b[109;5u\x1b[105;5ux", "one\ntwo\n\tx"),
        ("\x1b[97;2u\x1b[27;2;66~\x1b[9u\x1b[97;1:3u", "AB\t"),
        ("one\x1b[13;1u\ntwo", "one\ntwo"),
        // The rest is no text.
        ("a\x1b[31mred\x1b[0m\x1b[Ab", "aredb"),
        ("a\x1b]0;title\x07b\x1bPq\x1b\\", "a]0;titlebPq\\"),
        ("a\x1bOAb\x1bxc\x1b\x1bd", "aOAbxcd"),
        ("a\0\x08\x7f\x03b\u{9b}c", "abc"),
        ("a\x1b[1;\nb", "a\nb"),
        ("a\x1b[200~b", "ab"),
        ("a\x1b[I\x1b[Ob", "ab"),
        ("a\x1b[[Ab\x1b[[é", "abé"),
    ] {
        let bytes = format!("x\x1b[200~{inside}\x1b[201~y");
        let expected =
            [InputEvent::Key(Key::char('x')), paste(expected), InputEvent::Key(Key::char('y'))];
        assert_eq!(decoded(&bytes), expected, "{inside:?}");
        assert_eq!(decoded_in_bytes(&bytes), expected, "{inside:?} in bytes");
    }
}

#[test]
fn a35_what_is_no_utf8_in_a_paste_is_replaced() {
    let bytes = b"\x1b[200~a\xffb\xe6\xbc\x1b[201~";
    assert_eq!(decoded(bytes), [paste("a\u{fffd}b\u{fffd}")]);
    assert_eq!(decoded_in_bytes(bytes), [paste("a\u{fffd}b\u{fffd}")]);
}

#[test]
fn a35_a_text_that_holds_the_end_mark_sends_nothing_off() {
    for (behind, expected) in [
        ("\rtwo\rthree\r", "\ntwo\nthree\n"),
        ("\r\x1b[201~", "\n"),
        ("two\x1b[201~", "two"),
        ("two\r\nthree\x1b[201~", "two\nthree"),
    ] {
        let bytes = format!("\x1b[200~one\x1b[201~{behind}");
        let reads = [vec![bytes.as_bytes()], bytes.as_bytes().chunks(5).collect()];
        for reads in reads {
            let mut decoder = Decoder::new();
            let mut events = Vec::new();
            for read in reads {
                decoder.decode(read, &mut events);
            }
            decoder.timed_out(&mut events);
            assert_eq!(events, [paste("one"), paste(expected)], "{behind:?}");
            assert!(!decoder.pending());
        }
    }
}

#[test]
fn a35_keys_right_behind_a_paste_stay_keys() {
    for (behind, names) in [
        ("\r", "enter"),
        ("\n", "ctrl+j"),
        ("ü", "ü"),
        ("\x1b[A\r", "up enter"),
        ("\x03", "ctrl+c"),
        ("a\x1bb\x1b", "a alt+b esc"),
    ] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.decode(format!("\x1b[200~one\x1b[201~{behind}").as_bytes(), &mut events);
        decoder.timed_out(&mut events);
        let keys = names.split(' ').map(|name| InputEvent::Key(name.parse().unwrap()));
        let expected: Vec<InputEvent> = [paste("one")].into_iter().chain(keys).collect();
        assert_eq!(events, expected, "{behind:?}");
    }
}

#[test]
fn a35_a_key_some_time_behind_a_paste_is_told_at_once() {
    for typed in ["\r", "漢", "a"] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.decode(b"\x1b[200~one\x1b[201~", &mut events);
        decoder.decode(typed.as_bytes(), &mut events);
        assert_eq!(events.len(), 2, "{typed:?}");
        assert!(!decoder.pending());
    }
}

#[test]
fn a35_lines_at_once_without_marks_are_a_paste() {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    decoder.decode(b"one\rtwo\r\nthree", &mut events);
    // Of a long one the system gives a piece at a time.
    decoder.decode(b" goes on\r", &mut events);
    assert!(events.is_empty() && decoder.pending());
    decoder.timed_out(&mut events);
    assert_eq!(events, [paste("one\ntwo\nthree goes on\n")]);
    assert!(!decoder.pending());
    events.clear();
    decoder.decode(b"a\rb", &mut events);
    decoder.decode(b"\x1b[A", &mut events);
    assert_eq!(events, [paste("a\nb"), InputEvent::Key(Key::new(Code::Up))]);
}

#[test]
fn a35_typing_and_keys_that_repeat_are_no_paste() {
    for typed in [
        "hello\r",
        "\r\r\r\r",
        "jjjjjjj",
        "漢字\r",
        " \r ",
        "\n\n",
        "\rx",
        "a\x1b[Ab\rc",
        "a\x03\rb",
    ] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.decode(typed.as_bytes(), &mut events);
        decoder.timed_out(&mut events);
        assert!(!events.iter().any(|event| matches!(event, InputEvent::Paste(_))), "{typed:?}");
    }
    let mut decoder = decoder();
    let mut events = Vec::new();
    decoder.decode(b"a\rb", &mut events);
    assert_eq!(events.len(), 3, "switched off");
}

#[test]
fn a35_a_paste_whose_end_got_lost_ends_with_an_interrupt() {
    for interrupt in ["\x03", "\x1b[99;5u", "\x1b[27;5;99~"] {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.decode(b"\x1b[200~one", &mut events);
        decoder.decode(interrupt.as_bytes(), &mut events);
        assert_eq!(events, [], "right behind text it is part of it");
        decoder.timed_out(&mut events);
        decoder.decode(b" two", &mut events);
        decoder.timed_out(&mut events);
        decoder.decode(interrupt.as_bytes(), &mut events);
        assert_eq!(events, [paste("one two"), InputEvent::Key(Key::char('c').ctrl())]);
        assert!(!decoder.pending());
    }
}

#[test]
fn a35_ten_megabytes_are_read_in_proportion() {
    let shapes =
        ["plain text of some length\r\n", "\r", "\x1b[13;1u", "\x1b[", "\x1b", "漢\x1b[31m\u{85}"];
    for shape in shapes {
        let count = 10_000_000 / shape.len();
        let mut bytes = b"\x1b[200~".to_vec();
        bytes.extend(shape.as_bytes().repeat(count));
        bytes.extend(b"\x1b[201~");
        let started = Instant::now();
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        for read in bytes.chunks(4095) {
            decoder.decode(read, &mut events);
        }
        assert_eq!(events.len(), 1, "{shape:?}");
        assert!(started.elapsed() < Duration::from_secs(60), "{shape:?}");
    }
}
