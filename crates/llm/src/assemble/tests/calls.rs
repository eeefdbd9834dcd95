//! Tool calls, W01 to W15 and W26.

use super::*;

#[test]
fn w01_index_missing() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"a1","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"id":"a2","index":null,"type":"function","function":{"name":"read","arguments":"{\"path\":\"y\"}"}}]}})"#,
        r#"C({"index":0,"delta":{},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a1 read {"path":"x"}"#, r#"a2 read {"path":"y"}"#]);
    let expected = [
        "start a1 read",
        r#"arguments a1 {"path":"x"}"#,
        "start a2 read",
        r#"arguments a2 {"path":"y"}"#,
        "end a1",
        "end a2",
        "stop ToolCalls",
    ];
    assert_eq!(decoded.event_lines(), expected);
}

#[test]
fn w01_fragments_without_index() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"c\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"function":{"arguments":"1}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"id":"b","function":{"name":"bash","arguments":"{\"c\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"function":{"arguments":"2"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"id":"b","function":{"arguments":"}"}}]}})"#,
        r#"C({"delta":{},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a bash {"c":1}"#, r#"b bash {"c":2}"#]);
}

#[test]
fn w01_known_id_goes_to_its_call() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"c\":"}},{"id":"b","function":{"name":"ls","arguments":"{\"p\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"id":"a","function":{"arguments":"1}"}},{"id":"b","function":{"arguments":"2}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a bash {"c":1}"#, r#"b ls {"p":2}"#]);
}

#[test]
fn w01_neither_index_nor_id() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"function":{"name":"bash","arguments":"{\"c\":1}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"function":{"name":"bash","arguments":"{\"c\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"function":{"name":"bash","arguments":"2}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"function":{"name":"ls","arguments":{"p":3}}}]}})"#,
    ]);
    let calls = with_stable_ids(&decoded.calls().join("\n"));
    assert_eq!(calls, "call_1 bash {\"c\":1}\ncall_2 bash {\"c\":2}\ncall_3 ls {\"p\":3}");
}

#[test]
fn w02_index_all_zero_with_different_ids() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"A","type":"function","function":{"name":"grep","arguments":""}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"1\"}"}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"B","type":"function","function":{"name":"grep","arguments":""}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"2\"}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"A grep {"q":"1"}"#, r#"B grep {"q":"2"}"#]);
}

#[test]
fn w02_index_all_zero_and_calls_without_arguments() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"A","function":{"name":"ls"}},{"index":0,"id":"B","function":{"name":"todo_list"}}]}})"#,
        r#"C({"delta":{},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), ["A ls {}", "B todo_list {}"]);
}

#[test]
fn w02_index_all_zero_without_ids() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{\"p\":1}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{\"p\":2}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":{"p":3}}}]}})"#,
    ]);
    let calls = with_stable_ids(&decoded.calls().join("\n"));
    assert_eq!(calls, "call_1 ls {\"p\":1}\ncall_2 ls {\"p\":2}\nc ls {\"p\":3}");
}

#[test]
fn w02_ids_change_within_one_call() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"x1","function":{"name":"ls","arguments":"{\"p\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"x2","function":{"arguments":"1}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"x1 ls {"p":1}"#]);
}

#[test]
fn w02_pieces_of_two_calls_on_one_index() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"A","function":{"name":"ls","arguments":"{\"p\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"B","function":{"name":"ls","arguments":"{\"q\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"A","function":{"arguments":"1}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"B","function":{"arguments":"2}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"A ls {"p":1}"#, r#"B ls {"q":2}"#]);
}

#[test]
fn w03_id_and_name_on_every_delta() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"bash","arguments":"{\"c\":"}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"bash","arguments":"\"ls\"}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"t1 bash {"c":"ls"}"#]);
    let starts = decoded.event_lines().iter().filter(|line| line.starts_with("start")).count();
    assert_eq!(starts, 1);
}

#[test]
fn w03_unknown_name_on_every_delta() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"frob","arguments":"{\"c\":"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"frob","arguments":"1}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"t1 frob {"c":1}"#]);
    let expected = ["start t1 frob", r#"arguments t1 {"c":1}"#, "end t1", "stop ToolCalls"];
    assert_eq!(decoded.event_lines(), expected);
}

#[test]
fn w04_empty_and_numeric_ids() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"bash","arguments":""}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"{}"}}]}})"#,
        r#"C({"index":0,"delta":{"tool_calls":[{"index":1,"id":77,"type":"function","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), ["k1 bash {}", "77 ls {}"]);
}

#[test]
fn w04_index_as_text() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":"0","id":"a","function":{"name":"ls","arguments":"{\"p\":"}},{"index":"1","id":"b","function":{"name":"ls","arguments":"{"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":"1","function":{"arguments":"}"}},{"index":"0","function":{"arguments":"1}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a ls {"p":1}"#, "b ls {}"]);
}

#[test]
fn name_in_pieces() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"todo"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"_list"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"_list","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), ["a todo_list {}"]);
    assert_eq!(decoded.event_lines()[0], "start a todo_list");
}

#[test]
fn w06_arguments_cut_off_by_the_limit() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"tool_calls":[{"index":0,"id":"w","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\",\"content\":\"hel"}}]}})"#,
        r#"C({"index":0,"delta":{},"finish_reason":"length"})"#,
    ]);
    assert_eq!(decoded.calls(), ["!w write {}"]);
    assert!(decoded.rejection("w").unwrap().contains("the output limit cut the arguments off"));
    assert_eq!(decoded.answer().stop_reason, Some(StopReason::MaxTokens));
    let raw = json!({"w": "{\"path\":\"a\",\"content\":\"hel"});
    assert_eq!(decoded.answer().meta.get("invalid_arguments"), Some(&raw));
}

#[test]
fn w06_arguments_cut_off_without_a_word() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"w","function":{"name":"write","arguments":"{\"path\":\"a"}}]}})"#,
        r#"C({"delta":{},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), ["!w write {}"]);
    assert!(decoded.rejection("w").unwrap().contains("end too early, after 10 characters"));
}

#[test]
fn w06_complete_calls_before_the_limit_run() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"b","function":{"name":"ls","arguments":"{\"p\":"}},{"index":2,"id":"c","function":{"name":"ls"}}]}})"#,
        r#"C({"delta":{},"finish_reason":"length"})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a ls {"p":1}"#, "!b ls {}", "!c ls {}"]);
}

#[test]
fn w06_malformed_is_not_cut_off() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{'p':1}"}}]},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), ["!a ls {}"]);
    let reason = decoded.rejection("a").unwrap();
    assert!(reason.contains("not valid JSON: key must be a string at line 1 column 2"), "{reason}");
}

#[test]
fn w06_invalid_arguments_are_kept_up_to_a_cap() {
    let long = format!("{{{}", "é".repeat(10_000));
    let decoded = decode(&[&format!(
        r#"C({{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"ls","arguments":"{long}"}}}}]}}}})"#
    )]);
    let kept = decoded.answer().meta["invalid_arguments"]["a"].as_str().unwrap();
    assert!(long.starts_with(kept));
    assert_eq!(kept.len(), 8 * 1024 - 1, "cut between characters");
}

#[test]
fn w07_no_arguments() {
    for function in [
        r#"{"name":"todo_list"}"#,
        r#"{"name":"todo_list","arguments":""}"#,
        r#"{"name":"todo_list","arguments":null}"#,
        r#"{"name":"todo_list","arguments":"null"}"#,
        r#"{"name":"todo_list","arguments":" \n"}"#,
        r#"{"name":"todo_list","arguments":{}}"#,
    ] {
        let chunk = format!(
            r#"C({{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"e","type":"function","function":{function}}}]}}}})"#
        );
        let decoded =
            decode(&[&chunk, r#"C({"index":0,"delta":{},"finish_reason":"tool_calls"})"#]);
        assert_eq!(decoded.calls(), ["e todo_list {}"], "{function}");
        let empty = decoded.event_lines().iter().any(|line| line.ends_with("arguments e "));
        assert!(!empty, "an empty delta is no event");
    }
}

#[test]
fn w07_arguments_as_object_or_encoded_twice() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":1}}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":1}}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"ls","arguments":"\"{\\\"p\\\":2}\""}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"a ls {"p":1}"#, r#"b ls {"p":2}"#]);
}

#[test]
fn w09_arguments_before_id_and_name() {
    let lines = |index: &str| {
        [
            format!(
                r#"C({{"delta":{{"tool_calls":[{{{index}"function":{{"arguments":"{{\"c\":"}}}}]}}}})"#
            ),
            format!(
                r#"C({{"delta":{{"tool_calls":[{{{index}"id":"z","type":"function","function":{{"name":"bash","arguments":"\"ls\"}}"}}}}]}}}})"#
            ),
        ]
    };
    for lines in [lines(r#""index":0,"#), lines("")] {
        let decoded = decode(&lines.each_ref().map(String::as_str));
        assert_eq!(decoded.calls(), [r#"z bash {"c":"ls"}"#]);
        let expected = ["start z bash", r#"arguments z {"c":"ls"}"#, "end z", "stop ToolCalls"];
        assert_eq!(decoded.event_lines(), expected);
    }
}

#[test]
fn w09_call_without_name_is_left_out_with_a_note() {
    let decoded = decode(&[
        r#"C({"delta":{"content":"hi","tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}},{"index":1,"id":"b","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), ["b ls {}"]);
    assert_eq!(decoded.finished().notices.len(), 1);
    assert!(decoded.finished().notices[0].contains("without a name"));
    assert!(!decoded.event_lines().contains(&"end a".to_owned()));
}

#[test]
fn w09_call_without_id_gets_one() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"","function":{"name":"bash","arguments":"{}"}}]}})"#,
    ]);
    let ids: Vec<_> = decoded.answer().tool_calls.iter().map(|call| call.id.as_str()).collect();
    for id in &ids {
        assert!(id.starts_with("call_") && id.len() == 17, "{id}");
    }
    assert_ne!(ids[0], ids[1]);
    assert_eq!(with_stable_ids(&decoded.calls().join("\n")), "call_1 ls {}\ncall_2 bash {}");
}

#[test]
fn w09_id_after_the_start_does_not_change_the_events() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"function":{"name":"ls"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"late","function":{"arguments":"{}"}}]}})"#,
    ]);
    let events = with_stable_ids(&decoded.event_lines().join("\n"));
    assert_eq!(events, "start call_1 ls\narguments call_1 {}\nend call_1\nstop ToolCalls");
}

#[test]
fn w11_id_of_an_earlier_turn_is_renamed() {
    let bytes = bytes_of(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"list_dir:0","function":{"name":"list_dir","arguments":"{\"p\":\"/\"}"}},{"index":1,"id":"list_dir:1","function":{"name":"list_dir","arguments":"{}"}}]}})"#,
    ]);
    let decoded = decode_pieces(&["list_dir:0", "list_dir:0_2"], [bytes.as_slice()]);
    assert_eq!(decoded.calls(), [r#"list_dir:0_3 list_dir {"p":"/"}"#, "list_dir:1 list_dir {}"]);
    let expected = [
        "start list_dir:0_3 list_dir",
        r#"arguments list_dir:0_3 {"p":"/"}"#,
        "start list_dir:1 list_dir",
        "arguments list_dir:1 {}",
        "end list_dir:0_3",
        "end list_dir:1",
        "stop ToolCalls",
    ];
    assert_eq!(decoded.event_lines(), expected);
}

#[test]
fn w11_history_is_asked_only_for_a_call() {
    let mut assembler = Assembler::new(AssemblyContext {
        tool_names: Vec::new(),
        used_call_ids: Box::new(|| unreachable!("there is no call")),
    });
    let event = SseEvent { name: b"", data: br#"{"choices":[{"delta":{"content":"x"}}]}"# };
    assert_eq!(assembler.feed(event, &mut Vec::new()), Ok(Feed::More));
    assert_eq!(assembler.finish(&mut Vec::new()), Err(StreamFault::Incomplete));
}

#[test]
fn w11_same_id_twice_in_one_message() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"x","function":{"name":"ls","arguments":"{\"p\":2}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), [r#"x ls {"p":1}"#, r#"x_2 ls {"p":2}"#]);
    let expected = [
        "start x ls",
        r#"arguments x {"p":1}"#,
        "start x_2 ls",
        r#"arguments x_2 {"p":2}"#,
        "end x",
        "end x_2",
        "stop ToolCalls",
    ];
    assert_eq!(decoded.event_lines(), expected);
}

#[test]
fn w11_exact_duplicate_runs_once_and_is_not_told() {
    let call = |index: &str| {
        format!(
            r#"C({{"delta":{{"tool_calls":[{{{index}"id":"x","function":{{"name":"ls","arguments":"{{\"p\":1}}"}}}}]}}}})"#
        )
    };
    for indices in
        [[r#""index":0,"#, r#""index":1,"#], [r#""index":0,"#, r#""index":0,"#], ["", ""]]
    {
        let decoded = decode(&[&call(indices[0]), &call(indices[1])]);
        assert_eq!(decoded.calls(), [r#"x ls {"p":1}"#], "{indices:?}");
        let expected = ["start x ls", r#"arguments x {"p":1}"#, "end x", "stop ToolCalls"];
        assert_eq!(decoded.event_lines(), expected, "{indices:?}");
    }
}

#[test]
fn w11_equal_calls_with_own_ids_both_run() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"y","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), ["x ls {}", "y ls {}"]);
}

#[test]
fn w12_whole_call_in_one_chunk() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"g","type":"function","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"})"#,
    ]);
    assert_eq!(decoded.calls(), ["g ls {}"]);
    assert_eq!(decoded.event_lines(), ["start g ls", "arguments g {}", "end g", "stop ToolCalls"]);
}

#[test]
fn w13_markup_as_text_is_a_hint_only() {
    let texts = [
        r#"<tool_call>{\"name\":\"bash\",\"arguments\":{\"c\":\"ls\"}}</tool_call>"#,
        r"I look.\n<function=read><parameter=path>x</parameter></function>",
        r#"{\"name\":\"bash\",\"arguments\":{\"c\":\"ls\"}}"#,
        r#"```json\n{\"name\":\"bash\",\"parameters\":{}}\n```"#,
        r#"[TOOL_CALLS][{\"name\":\"ls\"}]"#,
    ];
    for text in texts {
        let chunk = format!(r#"C({{"index":0,"delta":{{"content":"{text}"}}}})"#);
        let decoded = decode(&[&chunk, r#"C({"index":0,"delta":{},"finish_reason":"stop"})"#]);
        assert!(decoded.answer().tool_calls.is_empty(), "{text}");
        assert_eq!(decoded.finished().notices.len(), 1, "{text}");
        assert!(decoded.finished().notices[0].contains("no tool parser"), "{text}");
    }
}

#[test]
fn w13_no_hint_without_a_tool_or_beside_real_calls() {
    let texts = [
        r"The tag <tool_call> opens one.",
        r#"{\"name\":\"Ann\",\"age\":7}"#,
        r#"{\"name\":\"bash\"}"#,
        "plain text about bash",
    ];
    for text in texts {
        let decoded = decode(&[&format!(r#"C({{"delta":{{"content":"{text}"}}}})"#)]);
        assert_eq!(decoded.finished().notices, [""; 0], "{text}");
    }
    let decoded = decode(&[
        r#"C({"delta":{"content":"<tool_call>bash","tool_calls":[{"index":0,"id":"g","function":{"name":"ls","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.finished().notices, [""; 0]);
}

#[test]
fn w13_illegal_names_are_rejected() {
    let decoded = decode(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls</tool_call>","arguments":"{}"}}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"mcp.x:y-z_1","arguments":"{}"}}]}})"#,
    ]);
    assert_eq!(decoded.calls(), ["!a ls__tool_call_ {}", "b mcp.x:y-z_1 {}"]);
    assert!(decoded.rejection("a").unwrap().contains(r#""ls</tool_call>" is no tool name"#));
    assert_eq!(decoded.event_lines()[0], "start a ls__tool_call_");
}

#[test]
fn w13_name_of_any_length_is_bounded() {
    let chunk = format!(
        r#"C({{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"{}"}}}}]}}}})"#,
        "x".repeat(100_000)
    );
    let decoded = decode(&[&chunk]);
    assert_eq!(decoded.answer().tool_calls[0].name.len(), 128);
    assert!(decoded.rejection("a").unwrap().len() < 250);
}

#[test]
fn w26_unknown_members_of_a_call_are_kept() {
    let decoded = decode(&[
        r#"C({"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"f1","type":"function","extra_content":{"google":{"thought_signature":"SIG="}},"function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"stop"})"#,
    ]);
    let extras = json!({"f1": {"extra_content": {"google": {"thought_signature": "SIG="}}}});
    assert_eq!(decoded.answer().meta.get("call_extras"), Some(&extras));
    assert_eq!(decoded.calls(), ["f1 ls {}"]);
}

#[test]
fn w26_members_are_kept_under_the_renamed_id() {
    let bytes = bytes_of(&[
        r#"C({"delta":{"tool_calls":[{"index":0,"id":"f","function":{"name":"ls"},"extra_content":null}]}})"#,
        r#"C({"delta":{"tool_calls":[{"index":0,"x":"y"},{"index":1,"id":"g","function":{"name":"ls"}}]}})"#,
    ]);
    let decoded = decode_pieces(&["f"], [bytes.as_slice()]);
    assert_eq!(decoded.answer().meta.get("call_extras"), Some(&json!({"f_2": {"x": "y"}})));
}

#[test]
fn too_many_calls_end_the_stream() {
    let chunk = |index: usize| {
        format!(
            r#"C({{"delta":{{"tool_calls":[{{"index":{index},"function":{{"name":"ls"}}}}]}}}})"#
        )
    };
    let chunks: Vec<String> = (0..=CALLS_CAP).map(chunk).collect();
    let lines: Vec<&str> = chunks.iter().map(String::as_str).collect();
    assert_eq!(decode(&lines).fault(), &StreamFault::TooLong);
    assert_eq!(decode(&lines[..CALLS_CAP]).calls().len(), CALLS_CAP);
}
