//! Every option of an answer, as bytes.

use super::*;

fn answer(json: Value) -> Answer {
    Answer::from_json(json).unwrap()
}

fn stream_of(json: Value) -> EventStream {
    match answer(json).content {
        Content::Stream(stream) => stream,
        other => panic!("{other:?} is no stream"),
    }
}

/// Returns the `data:` payloads of a stream, unframed by its own ends.
fn payloads(json: Value) -> Vec<String> {
    let stream = stream_of(json);
    let mut start = 0;
    let events = stream.ends.iter().map(|&end| {
        let framed = std::str::from_utf8(&stream.body[start..end]).unwrap();
        start = end;
        let (size, rest) = framed.split_once("\r\n").unwrap();
        let data = rest.strip_suffix("\r\n").unwrap();
        assert_eq!(usize::from_str_radix(size, 16).unwrap(), data.len());
        data.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap().to_owned()
    });
    let events = events.collect();
    assert_eq!(start, stream.body.len());
    events
}

/// Returns the deltas of a stream; a finish reason stands as a text, usage as it is.
fn deltas(json: Value) -> Vec<Value> {
    let chunks = payloads(json);
    let (done, chunks) = chunks.split_last().unwrap();
    assert_eq!(done, "[DONE]");
    let parts = chunks.iter().map(|chunk| {
        let chunk: Value = serde_json::from_str(chunk).unwrap();
        match &chunk["choices"][0] {
            Value::Null => chunk["usage"].clone(),
            choice if choice["finish_reason"].is_null() => choice["delta"].clone(),
            choice => choice["finish_reason"].clone(),
        }
    });
    parts.collect()
}

#[test]
fn a_list_is_literal_chunks() {
    assert_eq!(payloads(json!([{"a": 1}, null])), [r#"{"a":1}"#, "null", "[DONE]"]);
}

#[test]
fn text_reasoning_and_usage_come_in_order() {
    let role = json!({"role": "assistant", "content": ""});
    assert_eq!(
        deltas(json!({"text": ["a", "b"], "reasoning": "r"})),
        [
            role.clone(),
            json!({"reasoning_content": "r"}),
            json!({"content": "a"}),
            json!({"content": "b"}),
            json!("stop"),
            json!({"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}),
        ]
    );
    assert_eq!(
        deltas(json!({"text": "a", "usage": null, "finish": "length"})),
        [role, json!({"content": "a"}), json!("length")]
    );
}

#[test]
fn arguments_are_split_by_characters() {
    let call = json!({"id": "c", "name": "n", "arguments": "{\"é\":1}"});
    let got = deltas(json!({"tool_calls": [call], "args_split": 3, "usage": null}));
    let start = json!({"index": 0, "id": "c", "type": "function",
        "function": {"name": "n", "arguments": ""}});
    let piece = |text: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
    assert_eq!(
        got[1..],
        [
            json!({ "tool_calls": [start] }),
            piece("{\"é"),
            piece("\":1"),
            piece("}"),
            json!("tool_calls"),
        ]
    );
}

#[test]
fn bulk_repeats_or_numbers_its_text() {
    let contents = |json: Value| -> Vec<Value> {
        let deltas = deltas(json);
        deltas[1..deltas.len() - 1].iter().map(|delta| delta["content"].clone()).collect()
    };
    let plain = json!({"bulk": {"deltas": 3}, "usage": null});
    assert_eq!(contents(plain), ["tok ", "tok ", "tok "]);
    let numbered = json!({"bulk": {"deltas": 3, "text": "<{i}>"}, "usage": null});
    assert_eq!(contents(numbered), ["<0>", "<1>", "<2>"]);
}

#[test]
fn done_can_be_left_out() {
    assert_eq!(payloads(json!({"chunks": [{}], "no_done": true})), ["{}"]);
}

#[test]
fn a_status_without_content_is_a_plain_answer() {
    let text = |json: Value| String::from_utf8(answer(json).whole()).unwrap();
    assert_eq!(
        text(json!({"status": 429, "headers": {"retry-after": "1"}, "body": {"e": 1}})),
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n\
         content-length: 7\r\nretry-after: 1\r\n\r\n{\"e\":1}"
    );
    assert_eq!(
        text(json!({"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<p>"})),
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nContent-Type: text/html\r\n\r\n<p>"
    );
    assert!(
        text(json!({"status": 500}))
            .ends_with(r#"{"error":{"message":"scripted error","type":"scripted","code":500}}"#)
    );
}

#[test]
fn a_status_beside_content_is_the_streams() {
    let stream = stream_of(json!({"status": 500, "text": "a", "headers": {"x-a": 1}}));
    assert_eq!(
        String::from_utf8(stream.head).unwrap(),
        "HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
         cache-control: no-cache\r\ntransfer-encoding: chunked\r\nx-a: 1\r\n\r\n"
    );
}

#[test]
fn raw_bytes_are_latin1_or_base64() {
    assert_eq!(answer(json!({"raw": "a\u{e9}\u{82}"})).whole(), b"a\xe9\x82");
    assert_eq!(answer(json!({"raw_b64": "/w=="})).whole(), b"\xff");
    for (json, expected) in [
        (json!({"raw": "€"}), "`raw` holds '€', which is not Latin-1; use `raw_b64`"),
        (json!({"raw_b64": "?"}), "`raw_b64`: Invalid symbol 63, offset 0."),
    ] {
        assert_eq!(Answer::from_json(json).unwrap_err().to_string(), expected);
    }
}

#[test]
fn faults_keep_their_place() {
    let fault = |json: Value| stream_of(json).fault;
    assert_eq!(fault(json!({"text": "a"})), None);
    assert_eq!(fault(json!({"text": "a", "hang_after": 1})), Some((1, Fault::Hang)));
    assert_eq!(fault(json!({"text": "a", "disconnect_after": 2})), Some((2, Fault::Close)));
    let reset = json!({"text": "a", "disconnect_after": 0, "disconnect_mode": "rst"});
    assert_eq!(fault(reset), Some((0, Fault::Reset)));
}
