//! The response of a model: event stream, chunks, and the answer that they make.
//!
//! Holds: any split gives the same; what was told piece by piece is what the answer has.
#![no_main]

use letscode_fuzz::piece_width;
use letscode_llm::fuzzing::{check_body, stream_outcome};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let outcome = stream_outcome([data]);
    assert_eq!(outcome, stream_outcome(data.chunks(1)));
    assert_eq!(outcome, stream_outcome(data.chunks(piece_width(data))));
    check_body(data);
});
