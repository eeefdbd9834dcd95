//! The crate's inside for fuzzing: what must hold for the bytes of any response and any history.
//!
//! Owns the checks that need what is not public. Built for tests and by cargo-fuzz only; a broken
//! promise panics.

use crate::assemble::promises::{check_promises, decode_pieces, decode_whole, with_stable_ids};
use crate::profile::{CallIdRule, Profile, lookup};
use crate::request::{BodyContext, build};
use letscode_core::model::ModelRequest;
use letscode_wire::Transcript;

/// Reads a response given in pieces and returns all that it gave, as text that is the same for
/// any split of the same bytes.
///
/// # Panics
/// When the answer is not what was told piece by piece.
pub fn stream_outcome<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> String {
    let decoded = decode_pieces(&[], pieces);
    check_promises(&decoded);
    with_stable_ids(&format!("{decoded:?}"))
}

/// Reads the body of a server that does not stream.
///
/// # Panics
/// When the answer is not what was told piece by piece.
pub fn check_body(body: &[u8]) {
    check_promises(&decode_whole(body));
}

/// Returns the bodies of the requests for a history: one for a server that takes most, and one for
/// a server that is as strict as any.
pub fn request_bodies(messages: Transcript) -> Vec<Vec<u8>> {
    let easy = lookup("127.0.0.1", "m");
    let call_ids = CallIdRule::NineAlphanumeric;
    let strict = Profile { strict_roles: true, call_ids, ..lookup("127.0.0.1", "m") };
    let request = ModelRequest { system: "Be brief.".into(), messages, tools: Vec::new().into() };
    let body = |profile: &Profile, vision| {
        let context = BodyContext { model: "m", host: "host", thinking: None, vision, profile };
        build(&request, context).json
    };
    vec![body(&easy, /*vision*/ true), body(&strict, /*vision*/ false)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_tells_what_was_read_and_no_made_id() {
        let stream: &[u8] = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":\
            {\"name\":\"ls\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}\n\n";
        let outcome = stream_outcome([stream]);
        assert!(outcome.contains("call_1") && outcome.contains("\"ls\""), "{outcome}");
        assert_eq!(outcome, stream_outcome(stream.chunks(1)));
        assert_ne!(outcome, stream_outcome([&b"data: {}\n\n"[..]]));
    }

    #[test]
    fn a_history_gives_bodies_that_servers_take() {
        for body in request_bodies(Transcript::new()) {
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["messages"][0]["role"], "system");
        }
    }
}
