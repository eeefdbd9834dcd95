//! The forms that each family of terminals sends, whole and in pieces.

use super::*;
use proptest::prelude::*;

mod paste;

fn decoder() -> Decoder {
    Decoder::new().without_guessing()
}

/// Decodes one read, with the silence that follows it.
fn decoded(bytes: impl AsRef<[u8]>) -> Vec<InputEvent> {
    let mut decoder = decoder();
    let mut events = Vec::new();
    decoder.decode(bytes.as_ref(), &mut events);
    for _ in 0..PATIENCE {
        if decoder.pending() {
            decoder.timed_out(&mut events);
        }
    }
    events
}

/// Decodes byte by byte.
fn decoded_in_bytes(bytes: impl AsRef<[u8]>) -> Vec<InputEvent> {
    let mut decoder = decoder();
    let mut events = Vec::new();
    for byte in bytes.as_ref() {
        decoder.decode(&[*byte], &mut events);
    }
    for _ in 0..PATIENCE {
        if decoder.pending() {
            decoder.timed_out(&mut events);
        }
    }
    events
}

/// Checks that each form is the key of that name, in one read and byte by byte.
#[track_caller]
fn check(forms: &[(&str, &str)]) {
    for (bytes, name) in forms {
        let keys: Vec<InputEvent> =
            name.split_whitespace().map(|name| InputEvent::Key(name.parse().unwrap())).collect();
        assert_eq!(decoded(bytes), keys, "{bytes:?}");
        assert_eq!(decoded_in_bytes(bytes), keys, "{bytes:?} in bytes");
    }
}

#[test]
fn bytes_of_every_terminal() {
    check(&[
        ("a", "a"),
        ("Ä", "Ä"),
        ("漢🦀", "漢 🦀"),
        (" ", "space"),
        ("\r", "enter"),
        ("\n", "ctrl+j"),
        ("\t", "tab"),
        ("\x7f", "backspace"),
        ("\x08", "ctrl+h"),
        ("\x1b", "esc"),
        ("\x1b\x1b", "esc esc"),
        ("\0", "ctrl+space"),
        ("\x01\x03\x1a", "ctrl+a ctrl+c ctrl+z"),
        ("\x1c\x1d\x1e\x1f", "ctrl+\\ ctrl+] ctrl+^ ctrl+_"),
        ("\x1ba\x1bA\x1bü\x1b漢", "alt+a alt+A alt+ü alt+漢"),
        ("\x1b\r\x1b\x7f\x1b\x02", "alt+enter alt+backspace ctrl+alt+b"),
        ("\x1b[", "alt+["),
        ("\x1bO", "alt+O"),
        ("\x1b]", "alt+]"),
        ("\x1bP", "alt+P"),
    ]);
}

#[test]
fn forms_of_xterm() {
    check(&[
        ("\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"),
        ("\x1bOA\x1bOB\x1bOC\x1bOD", "up down right left"),
        ("\x1b[H\x1b[F\x1bOH\x1bOF", "home end home end"),
        ("\x1b[1;5C\x1b[1;2A\x1b[1;3D\x1b[1;6B", "ctrl+right shift+up alt+left ctrl+shift+down"),
        ("\x1b[1;5H\x1b[1;9A", "ctrl+home alt+up"),
        ("\x1bO5C\x1bO1;5D", "ctrl+right ctrl+left"),
        ("\x1b[2~\x1b[3~\x1b[5~\x1b[6~", "insert delete pageup pagedown"),
        ("\x1b[3;5~\x1b[5;3~", "ctrl+delete alt+pageup"),
        ("\x1bOP\x1bOQ\x1bOR\x1bOS", "f1 f2 f3 f4"),
        ("\x1b[1;2P\x1b[1;5Q\x1b[1;3R\x1b[1;2S", "shift+f1 ctrl+f2 alt+f3 shift+f4"),
        ("\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~", "f5 f6 f10 f11 f12"),
        ("\x1b[15;2~", "shift+f5"),
        ("\x1b[Z\x1b[1;5Z", "shift+tab ctrl+shift+tab"),
        ("\x1bOM\x1bOj\x1bOk\x1bOp\x1bOy\x1bOX", "enter * + 0 9 ="),
        ("\x1b[27;2;13~\x1b[27;5;13~\x1b[27;3;13~", "shift+enter ctrl+enter alt+enter"),
        ("\x1b[27;5;9~\x1b[27;2;9~\x1b[27;5;44~", "ctrl+tab shift+tab ctrl+,"),
        ("\x1b[27;6;65~\x1b[27;3;97~", "ctrl+shift+a alt+a"),
        ("\x1b[27;5;91~\x1b[27;2;127~", "esc shift+backspace"),
    ]);
}

#[test]
fn forms_of_rxvt_and_the_linux_console() {
    check(&[
        ("\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "home end home end"),
        ("\x1b[11~\x1b[12~\x1b[13~\x1b[14~", "f1 f2 f3 f4"),
        ("\x1b[5^\x1b[5$\x1b[5@", "ctrl+pageup shift+pageup ctrl+shift+pageup"),
        ("\x1b[a\x1b[d\x1bOa\x1bOd", "shift+up shift+left ctrl+up ctrl+left"),
        ("\x1b\x1b[A\x1b\x1b[3~\x1b\x1bOB", "alt+up alt+delete alt+down"),
        ("\x1b[[A\x1b[[E", "f1 f5"),
        ("\x1b[25~\x1b[26~\x1b[28~\x1b[29~\x1b[31~\x1b[34~", "f13 f14 f15 f16 f17 f20"),
    ]);
}

#[test]
fn forms_of_the_kitty_protocol() {
    check(&[
        ("\x1b[27u\x1b[13u\x1b[9u\x1b[127u", "esc enter tab backspace"),
        ("\x1b[97;5u\x1b[97;3u\x1b[97;7u", "ctrl+a alt+a ctrl+alt+a"),
        ("\x1b[97;5:1u\x1b[97;5:2u", "ctrl+a ctrl+a"),
        ("\x1b[97;5:3u\x1b[97;1:3u\x1b[1;1:3A\x1b[3;1:3~\x1b[13;1:3u", ""),
        ("\x1b[13;2u\x1b[13;5u\x1b[9;2u", "shift+enter ctrl+enter shift+tab"),
        ("\x1b[1;5:1A\x1b[3;2:2~\x1b[1;1:1P", "ctrl+up shift+delete f1"),
        ("\x1b[97;6u\x1b[97;2u\x1b[122;6u", "ctrl+shift+a A ctrl+shift+z"),
        ("\x1b[97:65;2u\x1b[49:33;2u\x1b[49:33;6u", "A ! ctrl+!"),
        ("\x1b[97;;97u\x1b[97:65;2;65u\x1b[113;1;228u", "a A ä"),
        ("\x1b[1089::99;5u\x1b[1089;5u", "ctrl+c ctrl+с"),
        ("\x1b[57399u\x1b[57408u\x1b[57414u\x1b[57417u\x1b[57426u", "0 9 enter left delete"),
        ("\x1b[57376u\x1b[57441u\x1b[57358u\x1b[57428u", "f13"),
        ("\x1b[97;9u\x1b[99;9u\x1b[97;17u", ""),
        ("\x1b[97;69u\x1b[97;133u", "ctrl+a ctrl+a"),
        ("\x1b[32;5u\x1b[32;2u\x1b[45;6u\x1b[91;5u", "ctrl+space space ctrl+_ esc"),
    ]);
}

#[test]
fn forms_of_tmux_and_windows_terminal() {
    check(&[
        // tmux with extended-keys, in its two formats.
        ("\x1b[13;2u\x1b[27;2;13~", "shift+enter shift+enter"),
        ("\x1b[106;5u\x1b[109;5u\x1b[105;5u", "ctrl+j ctrl+m ctrl+i"),
        ("\x1b[1;3A\x1b[1;6D", "alt+up ctrl+shift+left"),
        // Windows Terminal and conhost.
        (
            "\x1b[1;2H\x1b[1;5F\x1b[3;2~\x1b[24;6~",
            "shift+home ctrl+end shift+delete ctrl+shift+f12",
        ),
        ("\x1b\x7f\x08", "alt+backspace ctrl+h"),
        ("\x1b[18~\x1bOQ", "f7 f2"),
    ]);
}

#[test]
fn focus_is_told() {
    assert_eq!(
        decoded("\x1b[I\x1b[Ox"),
        [InputEvent::FocusGained, InputEvent::FocusLost, InputEvent::Key(Key::char('x')),]
    );
}

#[test]
fn answers_of_the_terminal_are_swallowed_whole() {
    for answer in [
        "\x1b[?62;4;22c",
        "\x1b[>41;390;0c",
        "\x1b[24;80R",
        "\x1b[1;1R",
        "\x1b[0n",
        "\x1b[?1u",
        "\x1b[?2026;2$y",
        "\x1b[4;1$y",
        "\x1b[8;24;80t",
        "\x1b[?997;1n",
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
        "\x1b]52;c;aGFsbG8=\x1b\\",
        "\x1bP>|XTerm(390)\x1b\\",
        "\x1bP1+r524742=8\x1b\\",
        "\x1b_Gi=1;OK\x1b\\",
        "\x1b[<0;10;5M\x1b[<0;10;5m",
        "\x1b[M !!",
        "\x1b[65;30;97;1;0;1_",
        "\x1b[201~",
        "\x1b[99~",
        "\x1b[E",
    ] {
        let bytes = format!("a{answer}b");
        let expected = [Key::char('a'), Key::char('b')].map(InputEvent::Key);
        assert_eq!(decoded(&bytes), expected, "{answer:?}");
        assert_eq!(decoded_in_bytes(&bytes), expected, "{answer:?}");
    }
}

#[test]
fn what_is_no_utf8_is_dropped() {
    let cases: [(&[u8], &str); 8] = [
        (b"a\xffb", "a b"),
        (b"a\xc3b", "a b"),
        (b"a\xe6\xbcb", "a b"),
        (b"a\xe6\xbc\x1b[Ab", "a up b"),
        (b"a\x80\xbfb", "a b"),
        (b"a\xed\xa0\x80b", "a b"),
        (b"\xf4\x90\x80\x80b", "b"),
        ("\u{9b}A".as_bytes(), "A"),
    ];
    for (bytes, names) in cases {
        let keys: Vec<InputEvent> =
            names.split(' ').map(|name| InputEvent::Key(name.parse().unwrap())).collect();
        assert_eq!(decoded(bytes), keys, "{bytes:?}");
    }
}

#[test]
fn a39_an_interrupt_gets_through_whatever_was_before_it() {
    for before in
        ["\x1b[", "\x1b[12;", "\x1b]11;rgb", "\x1bPx", "\x1bO", "\x1bO1;", "\u{e6}", "\x1b[["]
    {
        for torn in 1..=before.len() {
            let mut bytes = before.as_bytes()[..torn].to_vec();
            bytes.push(3);
            let events = decoded(&bytes);
            let Some(InputEvent::Key(key)) = events.last() else { panic!("{bytes:?}: {events:?}") };
            assert!(key.code == Code::Char('c') && key.modifiers.ctrl, "{bytes:?}: {events:?}");
        }
    }
}

#[test]
fn garbage_ends_with_a_short_silence() {
    for garbage in ["\x1b[12", "\x1b]0;title", "\x1bPq", "\x1b[M", "\x1b[[", "\u{e6}", "\x1b]x\x1b"]
    {
        let mut decoder = decoder();
        let mut events = Vec::new();
        decoder.decode(garbage.as_bytes(), &mut events);
        for _ in 0..PATIENCE {
            decoder.timed_out(&mut events);
        }
        assert!(!decoder.pending(), "{garbage:?}");
        events.clear();
        decoder.decode(b"x", &mut events);
        assert_eq!(events, [InputEvent::Key(Key::char('x'))], "{garbage:?}");
    }
}

#[test]
fn a_sequence_may_be_late_on_a_slow_line_but_an_escape_is_told_at_once() {
    let mut decoder = decoder();
    let mut events = Vec::new();
    decoder.decode(b"\x1b", &mut events);
    assert!(events.is_empty() && decoder.pending());
    decoder.timed_out(&mut events);
    assert_eq!(events, [InputEvent::Key(Key::new(Code::Escape))]);
    assert!(!decoder.pending());
    events.clear();
    decoder.decode(b"\x1b[", &mut events);
    decoder.timed_out(&mut events);
    decoder.decode(b"1;5", &mut events);
    decoder.timed_out(&mut events);
    decoder.decode(b"C", &mut events);
    assert_eq!(events, [InputEvent::Key(Key::new(Code::Right).ctrl())]);
}

#[test]
fn a_sequence_without_end_takes_no_memory() {
    let mut decoder = decoder();
    let mut events = Vec::new();
    decoder.decode(b"\x1b[", &mut events);
    decoder.decode(&b"1;".repeat(100_000), &mut events);
    decoder.decode(b"\x1b]", &mut events);
    decoder.decode(&b"x".repeat(100_000), &mut events);
    assert!(decoder.sequence.capacity() < 4 * LONGEST_SEQUENCE);
    decoder.decode(b"\x07y", &mut events);
    assert_eq!(events, [InputEvent::Key(Key::char('y'))]);
}

/// Bytes that mean something, and some that do not.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\x1b[A".to_vec()),
        Just(b"\x1b[1;5:2C".to_vec()),
        Just(b"\x1b[200~".to_vec()),
        Just(b"\x1b[201~".to_vec()),
        Just(b"\x1b[13;2u".to_vec()),
        Just(b"\x1b]11;rgb:0/0/0\x1b\\".to_vec()),
        Just("漢é🦀".as_bytes().to_vec()),
        Just(b"text\r\nmore\r".to_vec()),
        Just(b"\x1b".to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a35_any_split_of_the_bytes_means_the_same(input in input(), splits in prop::collection::vec(0.0..1.0, 0..6)) {
        let mut places: Vec<usize> = Vec::new();
        for split in splits {
            let split: f64 = split;
            #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a place within the bytes")]
            places.push((split * input.len() as f64) as usize);
        }
        places.sort_unstable();
        let mut decoder = decoder();
        let mut events = Vec::new();
        let mut from = 0;
        for to in places.into_iter().chain([input.len()]) {
            decoder.decode(&input[from..to], &mut events);
            from = to;
        }
        for _ in 0..PATIENCE {
            decoder.timed_out(&mut events);
        }
        let at_once = decoded(&input);
        prop_assert_eq!(&events, &at_once);
        for event in events {
            if let InputEvent::Paste(text) = event {
                prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{:?}", text);
            }
        }
    }

    #[test]
    fn nothing_stops_the_decoder(garbage in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        decoder.decode(&garbage, &mut events);
        for _ in 0..PATIENCE {
            decoder.timed_out(&mut events);
        }
        events.clear();
        decoder.decode(b"\x03", &mut events);
        let key = events.pop();
        prop_assert_eq!(key, Some(InputEvent::Key(Key::char('c').ctrl())));
    }
}
