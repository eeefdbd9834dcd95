//! The reading thread, with a pipe as the keyboard.

use super::*;
use crate::keys::{Code, Key};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Only a hang takes that long.
const LIMIT: Duration = Duration::from_secs(30);

fn start() -> (Reader, PipeWriter, OwnedFd, Receiver<InputEvent>) {
    let (source, keyboard) = io::pipe().unwrap();
    let source = OwnedFd::from(source);
    let other = source.try_clone().unwrap();
    let (sender, events) = mpsc::channel();
    let tell = move |events: Vec<InputEvent>| {
        events.into_iter().for_each(|event| sender.send(event).unwrap());
    };
    (Reader::of(source, Decoder::new(), tell).unwrap(), keyboard, other, events)
}

fn key(character: char) -> InputEvent {
    InputEvent::Key(Key::char(character))
}

#[test]
fn keys_come_in_order_and_the_end_is_told() {
    let (_reader, mut keyboard, _other, events) = start();
    keyboard.write_all(b"a").unwrap();
    assert_eq!(events.recv_timeout(LIMIT), Ok(key('a')));
    // The thread finds out by itself that nothing follows.
    keyboard.write_all(b"\x1b").unwrap();
    assert_eq!(events.recv_timeout(LIMIT), Ok(InputEvent::Key(Key::new(Code::Escape))));
    keyboard.write_all(b"\x1b[200~one\r").unwrap();
    keyboard.write_all(b"two\x1b[201~b").unwrap();
    assert_eq!(events.recv_timeout(LIMIT), Ok(InputEvent::Paste("one\ntwo".into())));
    assert_eq!(events.recv_timeout(LIMIT), Ok(key('b')));
    drop(keyboard);
    assert_eq!(events.recv_timeout(LIMIT), Ok(InputEvent::Closed));
    assert_eq!(events.recv_timeout(LIMIT), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_paused_reader_takes_nothing() {
    let (reader, mut keyboard, other, events) = start();
    for _ in 0..50 {
        keyboard.write_all(b"a").unwrap();
        assert_eq!(events.recv_timeout(LIMIT), Ok(key('a')));
        reader.pause();
        keyboard.write_all(b"for the editor").unwrap();
        let mut taken = [0; 64];
        let count = rustix::io::read(&other, &mut taken).unwrap();
        assert_eq!(&taken[..count], b"for the editor");
        reader.resume();
    }
    keyboard.write_all(b"b").unwrap();
    assert_eq!(events.recv_timeout(LIMIT), Ok(key('b')));
}

#[test]
fn dropping_it_ends_the_thread_in_every_state() {
    for is_paused in [false, true] {
        let (reader, _keyboard, _other, events) = start();
        if is_paused {
            reader.pause();
        }
        drop(reader);
        assert_eq!(events.recv_timeout(LIMIT), Err(RecvTimeoutError::Disconnected));
    }
}
