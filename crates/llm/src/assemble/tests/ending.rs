//! How answers end, W15 to W20, and errors inside a stream, W39.

use super::*;

fn fault_of(lines: &[&str]) -> StreamFault {
    decode(lines).result.unwrap_err()
}

#[test]
fn w15_stop_with_calls() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"s","type":"function","function":{"name":"ls","arguments":"{}"}}]}})"#,
        r#"C({"index":0,"delta":{},"finish_reason":"stop"})"#,
    ]);
    assert_eq!(decoded.calls(), ["s ls {}"]);
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::EndTurn), "what the server said");
}

#[test]
fn w16_tool_calls_without_calls() {
    let fault = fault_of(&[
        r#"C({"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(fault, StreamFault::EmptyAnswer { finish_reason: Some("tool_calls".into()) });
}

#[test]
fn w16_tool_calls_with_text_only() {
    let decoded = decode(&[r#"C({"delta":{"content":"hi"},"finish_reason":"tool_calls"})"#]);
    assert_eq!(decoded.text(), "hi");
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::ToolCalls));
}

#[test]
fn w16_blank_answer_is_empty() {
    let empty = |reason: Option<&str>| StreamFault::EmptyAnswer {
        finish_reason: reason.map(str::to_owned),
    };
    assert_eq!(fault_of(&[]), empty(None));
    assert_eq!(
        fault_of(&[r#"C({"delta":{"content":" \n"},"finish_reason":"stop"})"#]),
        empty(Some("stop"))
    );
    assert_eq!(
        fault_of(&[r#"C({"delta":{"content":"<think>\n</think>"},"finish_reason":"stop"})"#]),
        empty(Some("stop"))
    );
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":0}}"#;
    assert_eq!(
        fault_of(&[r#"C({"delta":{},"finish_reason":"length"})"#, usage]),
        empty(Some("length"))
    );
    assert_eq!(
        fault_of(&[r#"C({"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}})"#]),
        empty(None)
    );
}

#[test]
fn w17_words_for_the_end() {
    let table = [
        (r#""stop""#, StopReason::EndTurn),
        (r#""STOP""#, StopReason::EndTurn),
        (r#""end""#, StopReason::EndTurn),
        (r#""end_turn""#, StopReason::EndTurn),
        (r#""eos""#, StopReason::EndTurn),
        (r#""eos_token""#, StopReason::EndTurn),
        (r#""stop_sequence""#, StopReason::EndTurn),
        (r#""tool_calls""#, StopReason::ToolCalls),
        (r#""tool_use""#, StopReason::ToolCalls),
        (r#""function_call""#, StopReason::ToolCalls),
        (r#""length""#, StopReason::MaxTokens),
        (r#""max_tokens""#, StopReason::MaxTokens),
        (r#""MAX_OUTPUT_TOKENS""#, StopReason::MaxTokens),
        (r#""whatever""#, StopReason::Error),
        ("2", StopReason::Error),
    ];
    for (reason, expected) in table {
        let chunk =
            format!(r#"C({{"index":0,"delta":{{"content":"hi"}},"finish_reason":{reason}}})"#);
        let decoded = decode(&[&chunk]);
        assert_eq!(decoded.answer().stop_reason, Some(expected), "{reason}");
        let stop = StreamEvent::Stop { reason: expected };
        assert_eq!(
            decoded.events,
            [StreamEvent::TextDelta { delta: "hi".into() }, stop],
            "{reason}"
        );
        assert_eq!(decoded.finished().notices, [""; 0], "{reason}");
    }
}

#[test]
fn w17_words_for_a_failure() {
    for reason in ["network_error", "error", "insufficient_system_resource"] {
        for content in ["", "par"] {
            let chunk = format!(
                r#"C({{"index":0,"delta":{{"content":"{content}"}},"finish_reason":"{reason}"}})"#
            );
            let expected = StreamFault::RetryableFinish { reason: reason.into() };
            assert_eq!(fault_of(&[&chunk]), expected);
        }
    }
}

#[test]
fn w17_withheld_answer() {
    for reason in ["content_filter", "sensitive"] {
        let chunk = |content: &str| {
            format!(r#"C({{"delta":{{"content":"{content}"}},"finish_reason":"{reason}"}})"#)
        };
        assert_eq!(fault_of(&[&chunk("")]), StreamFault::Filtered { reason: reason.into() });
        let decoded = decode(&[&chunk("par")]);
        assert_eq!(decoded.text(), "par");
        assert_eq!(decoded.answer().stop_reason, Some(StopReason::Error));
        assert_eq!(decoded.finished().notices, ["the provider withheld the rest of the answer"]);
    }
    let reasoned = r#"C({"delta":{"reasoning":"hm"},"finish_reason":"content_filter"})"#;
    assert_eq!(fault_of(&[reasoned]), StreamFault::Filtered { reason: "content_filter".into() });
}

#[test]
fn w17_newest_word_counts_and_none_is_no_word() {
    let decoded = decode(&[
        r#"C({"delta":{"content":"hi"},"finish_reason":""})"#,
        r#"C({"delta":{},"finish_reason":"stop"})"#,
        r#"C({"delta":{},"finish_reason":"length"})"#,
        r#"C({"delta":{},"finish_reason":null})"#,
        r#"C({"delta":{},"finish_reason":{"a":1}})"#,
    ]);
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::MaxTokens));
}

#[test]
fn w18_native_failure() {
    let chunk = |content: &str, native: &str| {
        format!(
            r#"C({{"index":0,"delta":{{"content":"{content}"}},"finish_reason":"stop","native_finish_reason":"{native}"}})"#
        )
    };
    for native in ["network_error", "MALFORMED_FUNCTION_CALL", "internal_error"] {
        let expected = StreamFault::RetryableFinish { reason: native.into() };
        assert_eq!(fault_of(&[&chunk("", native)]), expected);
        assert_eq!(decode(&[&chunk("hi", native)]).text(), "hi");
    }
    let expected = StreamFault::EmptyAnswer { finish_reason: Some("stop".into()) };
    assert_eq!(fault_of(&[&chunk("", "stop")]), expected);
}

#[test]
fn w20_closed_without_finish() {
    let decoded = decode_bytes(&cut_off(&[r#"C({"index":0,"delta":{"content":"I will now"}})"#]));
    assert_eq!(decoded.event_lines(), [r#"text "I will now""#]);
    assert_eq!(decoded.fault(), &StreamFault::Incomplete);
    assert_eq!(decode_bytes(b"").fault(), &StreamFault::Incomplete);
    assert_eq!(decode_bytes(b": comment\n\n").fault(), &StreamFault::Incomplete);
}

#[test]
fn w20_closed_inside_a_chunk() {
    let mut bytes =
        cut_off(&[r#"C({"delta":{"content":"a"}})"#, r#"C({"delta":{},"finish_reason":"stop"})"#]);
    bytes.truncate(bytes.len() - 10);
    assert_eq!(decode_bytes(&bytes).fault(), &StreamFault::Incomplete);
}

#[test]
fn w20_calls_of_a_broken_stream_are_not_given() {
    let decoded = decode_bytes(&cut_off(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"s","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]));
    assert_eq!(decoded.fault(), &StreamFault::Incomplete);
    assert_eq!(decoded.event_lines(), ["start s ls", "arguments s {}"]);
}

#[test]
fn w20_finish_without_done() {
    let decoded = decode_bytes(&cut_off(&[
        r#"C({"index":0,"delta":{"content":"a"},"finish_reason":"stop"})"#,
    ]));
    assert_eq!(decoded.event_lines(), [r#"text "a""#, "stop EndTurn"]);
}

#[test]
fn w20_done_without_finish() {
    let decoded = decode(&[r#"C({"delta":{"content":"a"}})"#]);
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::EndTurn));
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"s","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::ToolCalls));
}

#[test]
fn has_output_from_the_first_event_on() {
    let mut assembler = assembler_after(&[]);
    let mut feed = |data: &str| {
        let event = SseEvent { name: b"", data: data.as_bytes() };
        assembler.feed(event, &mut Vec::new()).unwrap();
        assembler.has_output()
    };
    assert!(!feed(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#));
    assert!(!feed(r#"{"choices":[],"usage":{"prompt_tokens":1}}"#));
    assert!(feed(r#"{"choices":[{"delta":{"content":"a"}}]}"#));
    assert!(feed(r#"{"choices":[{"delta":{}}]}"#));
}

#[test]
fn w39_error_in_the_stream() {
    let error = r#"{"id":"g","error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#;
    let stream = format!(
        ": OPENROUTER PROCESSING\n\ndata: {{\"id\":\"g\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"par\"}}}}]}}\n\ndata: {error}\n\n"
    );
    let decoded = decode_bytes(stream.as_bytes());
    assert_eq!(decoded.event_lines(), [r#"text "par""#]);
    let expected = StreamFault::ErrorObject {
        body: error.as_bytes().to_vec(),
        status: Some(502),
        is_named: false,
    };
    assert_eq!(decoded.fault(), &expected);
}

#[test]
fn w39_event_named_error() {
    let named = |body: &str, status| StreamFault::ErrorObject {
        body: body.as_bytes().to_vec(),
        status,
        is_named: true,
    };
    let table = [
        (
            "event: error\ndata: {\"error\":\"quota exceeded\"}\n\n",
            named(r#"{"error":"quota exceeded"}"#, None),
        ),
        ("event: error\ndata: overloaded\n\n", named("overloaded", None)),
        ("event: error\n\n", named("", None)),
        (
            "event: Error\r\ndata: {\"message\":\"x\",\"code\":\"429\"}",
            named(r#"{"message":"x","code":"429"}"#, Some(429)),
        ),
    ];
    for (stream, expected) in table {
        assert_eq!(decode_bytes(stream.as_bytes()).fault(), &expected, "{stream}");
    }
}

#[test]
fn w39_error_of_one_choice() {
    let fault = fault_of(&[
        r#"C({"index":0,"delta":{},"finish_reason":"error","error":{"code":"503","message":"x"}})"#,
    ]);
    let body = br#"{"error":{"code":"503","message":"x"}}"#.to_vec();
    assert_eq!(fault, StreamFault::ErrorObject { body, status: Some(503), is_named: false });
}

#[test]
fn w39_error_in_a_list() {
    let error = r#"{"error":{"code":400,"message":"A","status":"INVALID_ARGUMENT"}}"#;
    let expected = StreamFault::ErrorObject {
        body: error.as_bytes().to_vec(),
        status: Some(400),
        is_named: false,
    };
    assert_eq!(fault_of(&[&format!("[{error}]")]), expected);
    assert_eq!(decode_whole(format!("[{error}]\n")).fault(), &expected);
}

#[test]
fn events_with_other_names_are_read() {
    let stream = "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: ping\n\nevent: message\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(decode_bytes(stream.as_bytes()).text(), "a");
}
