//! Tests of reading one chunk.

use super::*;

fn first_delta<'a>(chunk: &'a Chunk<'a>) -> &'a Delta<'a> {
    chunk.choices.0[0].delta.0.as_ref().unwrap()
}

#[test]
fn w37_text_is_borrowed() {
    let data = br#"{"choices":[{"index":0,"delta":{"content":"hi"}}],"x_extra":[1]}"#;
    let chunk = read(data).unwrap();
    assert!(matches!(&first_delta(&chunk).content.text, Cow::Borrowed("hi")));
}

#[test]
fn w37_members_of_any_type_count_as_absent() {
    let odd = [
        "null",
        "true",
        "7",
        "-1",
        "1.5",
        "\"\"",
        "\"x\"",
        "[]",
        "{}",
        "[null,1,[]]",
        "{\"a\":{}}",
    ];
    let members =
        ["choices", "usage", "object", "type", "id", "created", "model", "system_fingerprint"];
    for member in members {
        for value in odd {
            let data = format!(r#"{{"{member}":{value}}}"#);
            let chunk = read(data.as_bytes()).unwrap_or_else(|| panic!("{data}"));
            assert!(!chunk.is_error(), "{data}");
        }
    }
    let members =
        ["index", "delta", "message", "finish_reason", "native_finish_reason", "usage", "logprobs"];
    for member in members {
        for value in odd {
            let data = format!(r#"{{"choices":[null,3,{{"{member}":{value}}}]}}"#);
            let chunk = read(data.as_bytes()).unwrap_or_else(|| panic!("{data}"));
            assert_eq!(chunk.choices.0.len(), 1, "{data}");
        }
    }
    let members = [
        "role",
        "content",
        "refusal",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "tool_calls",
        "audio",
    ];
    for member in members {
        for value in odd {
            let data = format!(r#"{{"choices":[{{"delta":{{"{member}":{value}}}}}]}}"#);
            let chunk = read(data.as_bytes()).unwrap_or_else(|| panic!("{data}"));
            let text = &first_delta(&chunk).content.text;
            assert_eq!(
                text,
                if (member, value) == ("content", "\"x\"") { "x" } else { "" },
                "{data}"
            );
        }
    }
    let members = ["index", "id", "type", "function", "extra_content"];
    for member in members {
        for value in odd {
            let data = format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[null,{{"{member}":{value}}}]}}}}]}}"#
            );
            let chunk = read(data.as_bytes()).unwrap_or_else(|| panic!("{data}"));
            assert_eq!(first_delta(&chunk).tool_calls.0.len(), 1, "{data}");
        }
    }
}

#[test]
fn what_is_no_object_is_no_chunk() {
    for data in ["", "null", "7", "\"x\"", "[]", r#"[{"choices":[]}]"#, "{", "<html>", "{}x"] {
        assert!(read(data.as_bytes()).is_none(), "{data}");
    }
}

#[test]
fn arguments_as_text_and_as_object() {
    let function =
        |json: &'static str| serde_json::from_str::<FunctionDelta<'_>>(json).unwrap().arguments;
    assert_eq!(function(r#"{"name":"x"}"#), Arguments::Absent);
    assert_eq!(function(r#"{"arguments":null}"#), Arguments::Absent);
    assert_eq!(function(r#"{"arguments":""}"#), Arguments::Fragment("".into()));
    assert_eq!(function(r#"{"arguments":"{\"a\":"}"#), Arguments::Fragment("{\"a\":".into()));
    assert_eq!(function(r#"{"arguments":{"a":1}}"#), Arguments::Whole(r#"{"a":1}"#.into()));
    assert_eq!(function(r#"{"arguments":[1, {}]}"#), Arguments::Whole("[1,{}]".into()));
    assert_eq!(function(r#"{"arguments":true}"#), Arguments::Whole("true".into()));
}

#[test]
fn content_as_list_of_parts() {
    let data = br#"{"choices":[{"delta":{"content":[
        {"type":"thinking","thinking":[{"type":"text","text":"hm"}]},
        {"type":"text","text":"a"}, null, "x", {"type":"text","text":"b"},
        {"type":"reference","reference_ids":[1]}]}}]}"#;
    let chunk = read(data).unwrap();
    let content = &first_delta(&chunk).content;
    assert_eq!((content.text.as_ref(), content.thinking.as_str()), ("ab", "hm"));
}

#[test]
fn w39_shapes_of_errors() {
    let errors = [
        r#"{"error":{"code":502,"message":"x"}}"#,
        r#"{"error":"quota exceeded"}"#,
        r#"{"error":{"message":"x"},"choices":[{"delta":{}}]}"#,
        r#"{"error":true}"#,
        r#"{"object":"error","message":"x","code":400}"#,
        r#"{"type":"error","message":"x"}"#,
        r#"{"error_code":"X","message":"y"}"#,
        r#"{"detail":"Not Found"}"#,
    ];
    for data in errors {
        assert!(read(data.as_bytes()).unwrap().is_error(), "{data}");
    }
    for value in ["null", "\"\"", "{}", "false", "[]", "0"] {
        let data = format!(r#"{{"error":{value},"choices":[]}}"#);
        assert!(!read(data.as_bytes()).unwrap().is_error(), "{data}");
    }
    assert!(!read(br#"{"detail":"x","choices":[{"delta":{}}]}"#).unwrap().is_error());
}

#[test]
fn w39_status_of_an_error() {
    let status = |data: &str| error_status(data.as_bytes());
    assert_eq!(status(r#"{"error":{"code":502}}"#), Some(502));
    assert_eq!(status(r#"{"error":{"code":"429"}}"#), Some(429));
    assert_eq!(status(r#"{"error":{"code":"rate_limit","status":429}}"#), Some(429));
    assert_eq!(status(r#"{"error":"x","status":503}"#), Some(503));
    assert_eq!(status(r#"{"error":{"status_code":500,"status":"INTERNAL"}}"#), Some(500));
    assert_eq!(status(r#"{"object":"error","code":400}"#), Some(400));
    assert_eq!(status(r#"{"error":{"code":3230}}"#), None);
    assert_eq!(status(r#"{"error":{"code":200}}"#), None);
    assert_eq!(status(r#"{"error":"x"}"#), None);
    assert_eq!(status("overloaded"), None);
}

#[test]
fn salvage_undoes_known_damage() {
    let saved = |data: &[u8]| salvage(data);
    assert_eq!(saved(b"{\"a\":\"x\xE9\"}"), ["{\"a\":\"x\u{FFFD}\"}"]);
    assert_eq!(saved(br#"{"a":"\ud83d"}"#), ["{\"a\":\"\u{FFFD}\"}"]);
    assert_eq!(
        saved(br#"{"a":"\ude00b\ud83d\ude00\\ud83d"}"#),
        ["{\"a\":\"\u{FFFD}b\u{1F600}\\\\ud83d\"}"]
    );
    assert_eq!(
        saved(br#"{"a":"\ud83dx\uD83D\ud83d\ude00"}"#),
        ["{\"a\":\"\u{FFFD}x\u{FFFD}\u{1F600}\"}"]
    );
    assert_eq!(saved(br#"[{"a":1}, {"b":2}]"#), [r#"{"a":1}"#, r#"{"b":2}"#]);
    assert_eq!(saved(b"{\"a\":1}\n{\"b\":2}\n[DONE]"), [r#"{"a":1}"#, r#"{"b":2}"#, "[DONE]"]);
    assert_eq!(saved(b"{\"a\":1}\n{\"b\":"), [r#"{"a":1}"#]);
    assert!(saved(b"{\"a\":").is_empty());
    assert!(saved(b"<html>").is_empty());
    assert!(saved(b"{\"a\":\"\\").is_empty());
    assert!(saved("{\"a\":\"\\é\"}".as_bytes()).is_empty());
    assert_eq!(
        saved(br#"{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \" -Infinity"}"#),
        [r#"{"a":null,"b":[null,null],"c":"NaN \" -Infinity"}"#]
    );
    assert_eq!(saved(br#"{"a":1,"a":2}"#), [r#"{"a":2}"#]);
    assert_eq!(saved(br#"[{"a":{"b":1,"b":"2"}}]"#), [r#"{"a":{"b":"2"}}"#]);
}

#[test]
fn a_chunk_with_repeated_members_or_no_numbers_keeps_its_text() {
    for data in [
        r#"{"choices":[{"delta":{"content":"hi"},"logprobs":{"x":NaN}}]}"#,
        r#"{"choices":[{"delta":{"content":"hi"}}],"usage":{"cost":-Infinity}}"#,
        r#"{"choices":[],"choices":[{"index":0,"index":0,"delta":{"content":"","content":"hi"}}]}"#,
    ] {
        assert!(read(data.as_bytes()).is_none(), "{data}");
        let saved = salvage(data.as_bytes());
        let chunk = read(saved[0].as_bytes()).unwrap();
        assert_eq!(chunk.choices.0[0].delta.0.as_ref().unwrap().content.text, "hi", "{data}");
    }
}
