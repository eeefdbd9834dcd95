//! Lines from a host or a plugin: framing and the reading of commands.
//!
//! Holds: any split gives the same lines; no line is longer than the cap; a line over it is
//! reported; a command that was read is the same after writing and reading it again.
#![no_main]

use letscode_fuzz::piece_width;
use letscode_wire::{CommandLine, Control, Decoder, Event, FromPlugin, LineError};
use libfuzzer_sys::fuzz_target;

/// Smaller than many inputs, so that the cap is met.
const CAP: usize = 200;

type Line = Result<Vec<u8>, LineError>;

fuzz_target!(|data: &[u8]| {
    let lines = lines_of([data], CAP);
    assert_eq!(lines, lines_of(data.chunks(1), CAP));
    assert_eq!(lines, lines_of(data.chunks(piece_width(data)), CAP));
    for line in lines.iter().flatten() {
        assert!(line.len() <= CAP);
        assert!(!line.contains(&b'\n'));
        assert!(!line.trim_ascii().is_empty());
    }
    let has_long_line = data.split(|byte| *byte == b'\n').any(|line| line.len() > CAP + 1);
    let has_long_text = data.split(|byte| *byte == b'\n').any(|line| line.len() > CAP);
    let is_reported = lines.iter().any(Result::is_err);
    assert!(is_reported || !has_long_line);
    assert!(!is_reported || has_long_text);

    for line in lines_of([data], usize::MAX).iter().flatten() {
        read(line);
    }
});

fn lines_of<'d>(pieces: impl IntoIterator<Item = &'d [u8]>, cap: usize) -> Vec<Line> {
    let mut decoder = Decoder::new(cap);
    let mut lines = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        while let Some(line) = decoder.next_line() {
            lines.push(line.map(<[u8]>::to_vec));
        }
    }
    lines.extend(decoder.finish());
    lines
}

fn read(line: &[u8]) {
    match CommandLine::parse(line) {
        Ok(read) => {
            let written = serde_json::to_vec(&read.command).expect("a command has a JSON form");
            let again = CommandLine::parse(&written).expect("what we write can be read");
            assert_eq!(again.command, read.command);
        }
        Err(error) => assert!(!error.reason.is_empty()),
    }
    let _ = serde_json::from_slice::<FromPlugin>(line);
    let _ = serde_json::from_slice::<Event>(line);
    let _ = serde_json::from_slice::<Control>(line);
}
