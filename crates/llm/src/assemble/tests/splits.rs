//! Any split of any stream's bytes gives the same events and the same answer.

use super::*;
use proptest::prelude::*;

/// Streams with all that can be split badly, beside the recorded ones.
fn made_streams() -> Vec<Vec<u8>> {
    let lines: &[&[&str]] = &[
        &[
            r#"C({"delta":{"content":"<think>plan é"}})"#,
            r#"C({"delta":{"content":" 🙂</think>\n\nanswer \u90a3"}})"#,
            r#"C({"delta":{"tool_calls":[{"function":{"name":"ls","arguments":"{\"p\":\"🙂"}}]}})"#,
            r#"C({"delta":{"tool_calls":[{"function":{"arguments":"\"}"}}]},"finish_reason":"stop"})"#,
            r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#,
        ],
        &[
            r#"C({"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"é"}]}})"#,
            r#"C({"delta":{"tool_calls":[{"index":0,"id":"f","extra_content":{"s":"é"},"function":{"name":"frob","arguments":"{"}}]},"finish_reason":"length"})"#,
        ],
        &["oops", r#"C({"delta":{"content":"a"}})"#, r#"{"error":{"code":502,"message":"é"}}"#],
    ];
    lines.iter().map(|lines| bytes_of(lines)).collect()
}

fn all_streams() -> Vec<Vec<u8>> {
    let recorded = transcripts::STREAMS.iter().map(|(_, bytes)| bytes.to_vec());
    let streams: Vec<Vec<u8>> = made_streams().into_iter().chain(recorded).collect();
    let with_line_end = |end: &str| {
        let other =
            |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).replace('\n', end).into_bytes();
        streams.iter().map(other).collect::<Vec<_>>()
    };
    [with_line_end("\r\n"), with_line_end("\r"), streams.clone()].concat()
}

/// Returns all that a stream gave, with stable ids.
fn outcome<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> String {
    with_stable_ids(&format!("{:#?}", decode_pieces(&[], pieces)))
}

#[test]
fn w41_byte_by_byte() {
    for bytes in all_streams() {
        assert_eq!(outcome(bytes.chunks(1)), outcome([bytes.as_slice()]));
    }
}

#[test]
fn w44_line_ends_do_not_matter() {
    let streams = all_streams();
    let third = streams.len() / 3;
    for number in 0..third {
        let [crlf, cr, lf] =
            [0, 1, 2].map(|kind| outcome([streams[kind * third + number].as_slice()]));
        assert_eq!(crlf, lf);
        assert_eq!(cr, lf);
    }
}

proptest! {
    #[test]
    fn any_split_gives_the_same(
        number in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let streams = all_streams();
        let bytes = number.get(&streams);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
        prop_assert_eq!(outcome(pieces), outcome([bytes.as_slice()]));
    }

    #[test]
    fn damage_never_breaks_the_promises(
        number in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let streams = all_streams();
        let mut bytes = number.get(&streams).clone();
        for (place, byte) in damage {
            *place.get_mut(&mut bytes) = byte;
        }
        check_promises(&decode_bytes(&bytes));
    }

    #[test]
    fn any_call_pieces_keep_the_promises(
        pieces in prop::collection::vec(any_call_piece(), 0..8),
        finish in prop::sample::select(vec!["null", "\"stop\"", "\"length\"", "\"tool_calls\""]),
    ) {
        let mut lines: Vec<String> = pieces
            .iter()
            .map(|piece| format!(r#"C({{"delta":{{"tool_calls":[{piece}]}}}})"#))
            .collect();
        lines.push(format!(r#"C({{"delta":{{"content":"x"}},"finish_reason":{finish}}})"#));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let bytes = bytes_of(&lines);
        let decoded = decode_pieces(&["a", "b_2"], [bytes.as_slice()]);
        prop_assert!(decoded.result.is_ok());
        check_promises(&decoded);
        for call in &decoded.answer().tool_calls {
            prop_assert!(!["a", "b_2"].contains(&call.id.as_str()), "used by the history");
        }
    }

    #[test]
    fn cutting_a_stream_short_never_gives_a_call(
        number in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
    ) {
        let streams = all_streams();
        let bytes = number.get(&streams);
        let whole = decode_bytes(bytes);
        let cut = decode_bytes(&bytes[..end.index(bytes.len() + 1)]);
        if let (Ok(cut), Ok(whole)) = (&cut.result, &whole.result) {
            let names = |finished: &Finished| {
                let calls = finished.answer.tool_calls.iter();
                calls.map(|call| (call.name.clone(), call.arguments.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(names(cut), names(whole));
        }
    }
}

fn any_call_piece() -> impl Strategy<Value = String> {
    let one_of = |values: &[&'static str]| prop::sample::select(values.to_vec());
    (
        one_of(&["", r#""index":0,"#, r#""index":1,"#, r#""index":null,"#]),
        one_of(&["", r#""id":"a","#, r#""id":"b","#, r#""id":"","#, r#""id":7,"#]),
        one_of(&["", r#""name":"ls","#, r#""name":"bash","#, r#""name":"fr","#, r#""name":"<","#]),
        one_of(&[
            r#""{}""#,
            r#""{\"p\":""#,
            r#""1}""#,
            r#""""#,
            "null",
            r#"{"p":2}"#,
            r#""}""#,
            "7",
        ]),
    )
        .prop_map(|(index, id, name, arguments)| {
            format!(r#"{{{index}{id}"function":{{{name}"arguments":{arguments}}}}}"#)
        })
}
