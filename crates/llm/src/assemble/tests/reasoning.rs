//! Reasoning, W23 and W27 to W32.

use super::*;

fn reasoning_of(decoded: &Decoded) -> &Value {
    &decoded.answer().meta["reasoning"]
}

#[test]
fn w27_first_field_with_text_counts() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"reasoning":"abc","reasoning_content":"abc"}})"#,
        r#"C({"index":0,"delta":{"reasoning":"def"}})"#,
        r#"C({"delta":{"content":"x"}})"#,
    ]);
    assert_eq!(decoded.shown_thinking(), "abcdef");
    assert_eq!(reasoning_of(&decoded), &json!({"field": "reasoning_content", "text": "abcdef"}));
    assert_eq!(decoded.text(), "x");
}

#[test]
fn w27_each_field_is_kept_by_its_name() {
    for field in ["reasoning_content", "reasoning"] {
        let chunk = format!(r#"C({{"delta":{{"{field}":"hm","content":"x"}}}})"#);
        let decoded = decode(&[&chunk]);
        assert_eq!(reasoning_of(&decoded), &json!({"field": field, "text": "hm"}));
        assert_eq!(decoded.event_lines(), [r#"thinking "hm""#, r#"text "x""#, "stop EndTurn"]);
    }
}

#[test]
fn w27_empty_reasoning_is_none() {
    let decoded = decode(&[
        r#"C({"delta":{"reasoning":"","reasoning_content":null,"reasoning_details":[],"content":"x"}})"#,
    ]);
    assert_eq!(decoded.event_lines(), [r#"text "x""#, "stop EndTurn"]);
    assert!(decoded.answer().meta.is_empty());
}

#[test]
fn w28_details_are_merged() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"pl"}]}})"#,
        r#"C({"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"an"},{"type":"reasoning.encrypted","index":1,"data":"QQ=="}]}})"#,
        r#"C({"delta":{"content":"x"}})"#,
    ]);
    assert_eq!(decoded.shown_thinking(), "plan");
    let expected = json!({
        "field": "reasoning_details",
        "text": "plan",
        "details": [
            {"type": "reasoning.text", "index": 0, "text": "plan"},
            {"type": "reasoning.encrypted", "index": 1, "data": "QQ=="},
        ],
    });
    assert_eq!(reasoning_of(&decoded), &expected);
}

#[test]
fn w28_signature_id_and_data_are_kept() {
    let decoded = decode(&[
        r#"C({"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","index":0,"format":"f","text":"a","signature":null}]}})"#,
        r#"C({"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"format":"f","text":"b"}]}})"#,
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"id":"i","signature":"SIG"}]}})"#,
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.encrypted","index":0,"id":"t1","data":"AA"},{"type":"reasoning.encrypted","index":0,"id":"t2","data":"BB"}]}})"#,
        r#"C({"delta":{"content":"x"}})"#,
    ]);
    assert_eq!(decoded.shown_thinking(), "ab");
    let expected = json!({
        "field": "reasoning_details",
        "text": "ab",
        "details": [
            {"type": "reasoning.text", "index": 0, "format": "f", "text": "ab", "id": "i", "signature": "SIG"},
            {"type": "reasoning.encrypted", "index": 0, "id": "t1", "data": "AA"},
            {"type": "reasoning.encrypted", "index": 0, "id": "t2", "data": "BB"},
        ],
    });
    assert_eq!(reasoning_of(&decoded), &expected);
}

#[test]
fn w28_details_without_index() {
    let decoded = decode(&[
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"a"}]}})"#,
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"b"}]}})"#,
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"AA"}]}})"#,
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"BB"}],"content":"x"}})"#,
    ]);
    assert_eq!(decoded.shown_thinking(), "ab");
    let expected = json!([
        {"type": "reasoning.summary", "summary": "ab"},
        {"type": "reasoning.encrypted", "data": "AA"},
        {"type": "reasoning.encrypted", "data": "BB"},
    ]);
    assert_eq!(reasoning_of(&decoded)["details"], expected);
}

#[test]
fn w28_data_alone_is_kept_and_not_shown() {
    let decoded = decode(&[
        r#"C({"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"AA"}],"content":"x"}})"#,
    ]);
    assert_eq!(decoded.event_lines(), [r#"text "x""#, "stop EndTurn"]);
    assert_eq!(reasoning_of(&decoded)["text"], "");
    assert_eq!(reasoning_of(&decoded)["details"][0]["data"], "AA");
}

#[test]
fn w29_think_tags_over_chunks() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"content":"<thi"}})"#,
        r#"C({"index":0,"delta":{"content":"nk>plan</th"}})"#,
        r#"C({"index":0,"delta":{"content":"ink>answer about <think> tags"}})"#,
    ]);
    let expected = [r#"thinking "plan""#, r#"text "answer about <think> tags""#, "stop EndTurn"];
    assert_eq!(decoded.event_lines(), expected);
    assert_eq!(decoded.text(), "answer about <think> tags");
    assert_eq!(reasoning_of(&decoded), &json!({"field": "think_tags", "text": "plan"}));
}

#[test]
fn w29_text_held_back_comes_before_the_end() {
    let decoded = decode(&[r#"C({"delta":{"content":"<thi"},"finish_reason":"stop"})"#]);
    assert_eq!(decoded.event_lines(), [r#"text "<thi""#, "stop EndTurn"]);
}

#[test]
fn w29_lone_closing_tag_is_put_right_at_the_end() {
    let decoded = decode(&[
        r#"C({"delta":{"content":"plan\n</thi"}})"#,
        r#"C({"delta":{"content":"nk>\n\nanswer"},"finish_reason":"stop"})"#,
    ]);
    assert_eq!(decoded.text(), "answer");
    assert_eq!(reasoning_of(&decoded), &json!({"field": "think_tags", "text": "plan"}));
    assert_eq!(decoded.shown_text(), "plan\n</think>\n\nanswer", "shown as it came");
}

#[test]
fn w29_closing_tag_in_an_answer_stays() {
    let texts = [
        r#"C({"delta":{"reasoning":"hm","content":"it ends with </think> here"}})"#,
        r#"C({"delta":{"content":"<think>hm</think>it ends with </think> here"}})"#,
    ];
    for chunk in texts {
        let decoded = decode(&[chunk]);
        assert_eq!(decoded.text(), "it ends with </think> here");
        assert_eq!(reasoning_of(&decoded)["text"], "hm");
    }
}

#[test]
fn w32_answer_in_reasoning() {
    let lines = [
        r#"C({"index":0,"delta":{"reasoning":"The answer is 4."}})"#,
        r#"C({"index":0,"delta":{},"finish_reason":"stop"})"#,
    ];
    let decoded = decode(&lines);
    let expected = [r#"thinking "The answer is 4.""#, r#"text "The answer is 4.""#, "stop EndTurn"];
    assert_eq!(decoded.event_lines(), expected);
    assert_eq!(decoded.text(), "The answer is 4.");
    assert!(decoded.answer().meta.is_empty(), "it is the answer now");
    assert_eq!(decoded.finished().notices, [ANSWER_IN_REASONING]);
}

#[test]
fn w32_in_think_tags_or_cut_off() {
    let decoded = decode(&[r#"C({"delta":{"content":"<think>4"},"finish_reason":"stop"})"#]);
    assert_eq!(
        (decoded.text(), &decoded.finished().notices[..]),
        ("4".into(), &[ANSWER_IN_REASONING.into()][..])
    );
    let decoded = decode(&[r#"C({"delta":{"reasoning":"hm"},"finish_reason":"length"})"#]);
    assert_eq!(decoded.finished().notices, [CUT_OFF_IN_REASONING]);
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::MaxTokens));
}

#[test]
fn w23_reasoning_beside_calls_is_kept() {
    let decoded = decode(&[
        r#"C({"delta":{"reasoning_content":"I need ls."}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(
        reasoning_of(&decoded),
        &json!({"field": "reasoning_content", "text": "I need ls."})
    );
    assert!(decoded.answer().content.is_empty());
    assert_eq!(decoded.finished().notices, [""; 0]);
}

#[test]
fn reasoning_in_content_parts() {
    let decoded = decode(&[
        r#"C({"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}})"#,
        r#"C({"delta":{"content":"x"}})"#,
    ]);
    assert_eq!(decoded.event_lines(), [r#"thinking "hm""#, r#"text "x""#, "stop EndTurn"]);
    assert_eq!(reasoning_of(&decoded), &json!({"field": "content_parts", "text": "hm"}));
}
