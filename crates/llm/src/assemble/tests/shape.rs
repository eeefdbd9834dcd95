//! The shape of chunks and of whole answers, W33 to W46.

use super::*;
use crate::sse::SseError;

#[test]
fn w33_no_choices() {
    let decoded = decode(&[
        "null",
        r#"C({"delta":{"content":"x"},"finish_reason":"stop"})"#,
        r#"{"choices":null,"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}"#,
        r#"{"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#,
        r#"{"choices":[],"usage":null}"#,
    ]);
    let usage = Usage { input_tokens: 5, output_tokens: 2, ..Usage::default() };
    assert_eq!(decoded.answer().usage, Some(usage));
    assert_eq!(decoded.event_lines(), [r#"text "x""#, "stop EndTurn", "usage 5 2 cached 0"]);
}

#[test]
fn w34_empty_usage_is_none() {
    let decoded =
        decode(&[r#"{"id":"x","choices":[{"index":0,"delta":{"content":"ok"}}],"usage":{}}"#]);
    assert_eq!(decoded.answer().usage, None);
    assert_eq!(decoded.event_lines(), [r#"text "ok""#, "stop EndTurn"]);
}

#[test]
fn w36_usage_in_a_choice() {
    let lines = [
        (
            r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"cached_tokens":90}}"#,
            90,
        ),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":20}}"#,
            80,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":100,"completion_tokens":5}}]}"#,
            0,
        ),
    ];
    for (line, cached) in lines {
        let decoded = decode(&[r#"C({"delta":{"content":"x"}})"#, line]);
        let last = decoded.event_lines().pop().unwrap();
        assert_eq!(last, format!("usage 100 5 cached {cached}"), "{line}");
    }
}

#[test]
fn w37_nulls_and_unknown_members() {
    let decoded = decode(&[
        r#"{"choices":[{"delta":{"role":null,"content":null,"tool_calls":null,"refusal":null}}]}"#,
        r#"{"choices":[{"delta":{"content":"x"}}],"x_extra":[1]}"#,
    ]);
    assert_eq!(decoded.event_lines(), [r#"text "x""#, "stop EndTurn"]);
}

#[test]
fn w37_one_bad_line_is_skipped() {
    for bad in ["{\"choices\":[{\"del", "oops", "<html>", "\"x\"", "[1]", "7"] {
        let decoded = decode(&[
            r#"C({"delta":{"content":"a"}})"#,
            bad,
            bad,
            bad,
            r#"C({"delta":{"content":"b"}})"#,
            bad,
        ]);
        assert_eq!(decoded.event_lines(), [r#"text "a""#, r#"text "b""#, "stop EndTurn"], "{bad}");
    }
}

#[test]
fn w37_several_bad_lines_end_the_stream() {
    let decoded = decode(&[r#"C({"delta":{"content":"a"}})"#, "x", "x", "x", "x"]);
    assert_eq!(decoded.fault(), &StreamFault::Garbage);
    assert_eq!(decoded.event_lines(), [r#"text "a""#]);
}

#[test]
fn w37_an_answer_of_nothing_but_bad_json_is_not_just_empty() {
    let decoded =
        decode(&[r#"{"choices":[{"delta":{"content":"a"#, r#"C({"finish_reason":"stop"})"#]);
    assert_eq!(decoded.fault(), &StreamFault::Garbage);
}

#[test]
fn w37_refusal_is_text() {
    let decoded =
        decode(&[r#"C({"delta":{"content":null,"refusal":"I can't."},"finish_reason":"stop"})"#]);
    assert_eq!(decoded.text(), "I can't.");
}

#[test]
fn w41_character_over_two_reads() {
    let bytes = "data: {\"choices\":[{\"delta\":{\"content\":\"\u{90a3}\"}}]}\n\ndata: [DONE]\n\n"
        .as_bytes();
    let middle = bytes.iter().position(|byte| *byte == 0xE9).unwrap() + 2;
    let (first, second) = bytes.split_at(middle);
    assert_eq!(decode_pieces(&[], [first, second]).text(), "\u{90a3}");
}

#[test]
fn w41_broken_characters_do_not_lose_the_chunk() {
    let bytes =
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xE9\x82b\"}}]}\n\ndata: [DONE]\n\n";
    assert_eq!(decode_bytes(bytes).text(), "a\u{FFFD}b");
    let decoded =
        decode(&[r#"C({"delta":{"content":"a\ud83d"}})"#, r#"C({"delta":{"content":"\u00e9"}})"#]);
    assert_eq!(decoded.text(), "a\u{FFFD}é");
}

#[test]
fn w43_comments() {
    let stream = ":\n:ping\n: OPENROUTER PROCESSING\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(decode_bytes(stream.as_bytes()).event_lines(), [r#"text "a""#, "stop EndTurn"]);
}

#[test]
fn w44_carriage_returns() {
    let pieces: [&[u8]; 2] = [
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\r",
        b"\n\r\ndata: [DONE]\r\n\r\n",
    ];
    let decoded = decode_pieces(&[], pieces);
    assert_eq!(decoded.event_lines(), [r#"text "a""#, r#"text "b""#, "stop EndTurn"]);
}

#[test]
fn w44_blank_line_forgotten() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\ndata: [DONE]\n";
    assert_eq!(decode_bytes(stream.as_bytes()).event_lines(), [r#"text "a""#, "stop MaxTokens"]);
}

#[test]
fn w46_whole_answer() {
    let decoded = decode_whole(
        r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
    );
    assert_eq!(decoded.event_lines(), [r#"text "hi""#, "stop EndTurn", "usage 1 1 cached 0"]);
    assert_eq!(decoded.text(), "hi");
}

#[test]
fn w46_whole_answer_with_all_parts() {
    let decoded = decode_whole(
        r#"
        {"choices":[{"message":{"content":"<think>hm</think>hi","reasoning_content":"so","tool_calls":[
            {"id":"a","type":"function","function":{"name":"ls","arguments":"{\"p\":1}"}},
            {"id":"b","type":"function","function":{"name":"ls","arguments":{"p":2}}}]}}]}"#,
    );
    assert_eq!(decoded.calls(), [r#"a ls {"p":1}"#, r#"b ls {"p":2}"#]);
    assert_eq!(decoded.text(), "hi");
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::ToolCalls));
}

#[test]
fn w46_whole_error() {
    let body = r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#;
    let expected =
        StreamFault::ErrorObject { body: body.as_bytes().to_vec(), status: None, is_named: false };
    assert_eq!(decode_whole(body).fault(), &expected);
}

#[test]
fn w46_body_that_is_no_answer() {
    for body in ["<html></html>", "hello", "{\"choices\":[{\"mess", "[1]"] {
        assert_eq!(decode_whole(body).fault(), &StreamFault::Garbage, "{body}");
    }
    for body in ["", "{}", r#"{"object":"list","data":[]}"#] {
        let expected = StreamFault::EmptyAnswer { finish_reason: None };
        assert_eq!(decode_whole(body).fault(), &expected, "{body}");
    }
}

#[test]
fn w46_whole_message_inside_a_stream() {
    let decoded = decode(&[r#"C({"index":0,"message":{"content":"hi"},"finish_reason":"stop"})"#]);
    assert_eq!(decoded.event_lines(), [r#"text "hi""#, "stop EndTurn"]);
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"content":"hi"}})"#,
        r#"C({"index":0,"message":{"content":"hi"},"finish_reason":"stop"})"#,
    ]);
    assert_eq!(decoded.text(), "hi", "a summary at the end repeats nothing");
}

#[test]
fn one_choice_is_followed() {
    let decoded = decode(&[
        r#"{"choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"B"},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(decoded.event_lines(), [r#"text "a""#, r#"text "b""#, "stop EndTurn"]);
    let decoded = decode(&[r#"{"choices":[{"index":3,"delta":{"content":"a"}}]}"#]);
    assert_eq!(decoded.text(), "a");
}

#[test]
fn order_at_the_end() {
    let decoded = decode(&[
        r#"{"choices":[{"delta":{"content":"t","reasoning":"r","tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1}}"#,
    ]);
    let expected = [
        r#"thinking "r""#,
        r#"text "t""#,
        "start a ls",
        "arguments a {}",
        "end a",
        "stop ToolCalls",
        "usage 1 0 cached 0",
    ];
    assert_eq!(decoded.event_lines(), expected);
}

#[test]
fn event_over_the_cap_is_too_long() {
    assert_eq!(StreamFault::from(SseError::EventTooLong { cap: 1 }), StreamFault::TooLong);
}

#[test]
fn answer_over_the_cap_is_too_long() {
    let piece = "x".repeat(1024 * 1024);
    let data = format!(r#"{{"choices":[{{"delta":{{"content":"{piece}"}}}}]}}"#);
    let mut assembler = assembler_after(&[]);
    let mut feed =
        || assembler.feed(SseEvent { name: b"", data: data.as_bytes() }, &mut Vec::new());
    for _ in 0..64 {
        assert_eq!(feed(), Ok(Feed::More));
    }
    assert_eq!(feed(), Err(StreamFault::TooLong));
}
