//! The hooks and the lines of the plugin protocol.

use crate::messages::{fields, user, user_json};
use crate::{check_both_ways, check_read};
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Capabilities,
    ContentPart, Event, ExecutionMode, FromPlugin, HOOKS, HookName, PLUGIN_PROTOCOL, Registrations,
    ToPlugin, ToolCall, ToolOutput, ToolSpec, UiRequest,
};
use serde_json::{Map, json};
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn the_table_names_all_eleven_hooks_once() {
    let names: BTreeSet<String> =
        HOOKS.iter().map(|hook| json!(hook.name).as_str().unwrap().to_owned()).collect();
    let expected = [
        "after_tool_call",
        "before_tool_call",
        "convert_to_llm",
        "on_event",
        "register_commands",
        "register_frontends",
        "register_skills",
        "register_tools",
        "render_custom_message",
        "system_prompt",
        "transform_context",
    ];
    assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

fn call() -> ToolCall {
    ToolCall {
        id: "c1".into(),
        name: "bash".to_owned(),
        arguments: fields(json!({"command": "ls"})),
    }
}

#[test]
fn replies_say_only_what_they_mean_to_change() {
    check_read("{}", &BeforeToolCallReply::default());
    check_read(
        r#"{"block":"not here"}"#,
        &BeforeToolCallReply { block: Some("not here".to_owned()), arguments: None },
    );
    check_read("{}", &AfterToolCallReply::default());
    check_read(
        r#"{"content":[],"terminate":true}"#,
        &AfterToolCallReply { content: Some(vec![]), terminate: Some(true), ..Default::default() },
    );
    check_read("{}", &ToolOutput::default());
}

#[test]
fn lines_to_a_plugin_have_their_shape() {
    let call_json = json!({"id": "c1", "name": "bash", "arguments": {"command": "ls"}});
    let output = ToolOutput { content: vec![ContentPart::text("x")], ..ToolOutput::default() };
    let cases = [
        (
            ToPlugin::Hello {
                protocol: PLUGIN_PROTOCOL.to_owned(),
                letscode: "0.8.0".to_owned(),
                name: "memory".to_owned(),
                cwd: "/project".to_owned(),
                config: Map::new(),
            },
            json!({"type": "hello", "protocol": "letscode-plugin/1", "letscode": "0.8.0",
                   "name": "memory", "cwd": "/project", "config": {}}),
        ),
        (
            ToPlugin::BeforeToolCall { call: 1, context: BeforeToolCall { tool_call: call() } },
            json!({"type": "before_tool_call", "call": 1, "context": {"tool_call": call_json}}),
        ),
        (
            ToPlugin::AfterToolCall {
                call: 2,
                context: AfterToolCall { tool_call: call(), result: output },
            },
            json!({"type": "after_tool_call", "call": 2,
                   "context": {"tool_call": call_json,
                               "result": {"content": [{"type": "text", "text": "x"}],
                                          "details": {}, "is_error": false,
                                          "terminate": false}}}),
        ),
        (
            ToPlugin::TransformContext {
                call: 3,
                context: letscode_wire::TransformContext { messages: vec![Arc::new(user("hi"))] },
            },
            json!({"type": "transform_context", "call": 3,
                   "context": {"messages": [user_json("hi")]}}),
        ),
        (
            ToPlugin::Event { call: None, event: Event::TurnStart { turn: 1 } },
            json!({"type": "event", "event": {"type": "turn_start", "turn": 1}}),
        ),
        (
            ToPlugin::Event { call: Some(6), event: Event::TurnStart { turn: 2 } },
            json!({"type": "event", "call": 6, "event": {"type": "turn_start", "turn": 2}}),
        ),
        (
            ToPlugin::Reply { call: 4, result: json!(null), error: Some("declined".to_owned()) },
            json!({"type": "reply", "call": 4, "result": null, "error": "declined"}),
        ),
        (ToPlugin::Cancel { call: 5 }, json!({"type": "cancel", "call": 5})),
        (ToPlugin::Goodbye, json!({"type": "goodbye"})),
    ];
    for (line, json) in cases {
        check_both_ways(&line, &json);
    }
}

#[test]
fn lines_from_a_plugin_are_read_leniently() {
    check_read(
        r#"{"type":"hello","protocol":"letscode-plugin/1","name":"p"}"#,
        &FromPlugin::Hello {
            protocol: PLUGIN_PROTOCOL.to_owned(),
            name: "p".to_owned(),
            version: String::new(),
            capabilities: Capabilities::default(),
            registrations: Registrations::default(),
            registers_later: false,
        },
    );
    let tool = ToolSpec {
        name: "greet".to_owned(),
        description: "Greets.".to_owned(),
        parameters: json!({"type": "object"}),
        execution_mode: ExecutionMode::Parallel,
    };
    check_read(
        r#"{"type":"register","registrations":{"tools":[{"name":"greet","description":"Greets.","parameters":{"type":"object"}}]}}"#,
        &FromPlugin::Register {
            registrations: Registrations { tools: vec![tool], ..Registrations::default() },
            capabilities: None,
        },
    );
    check_read(
        r#"{"type":"register","registrations":{},"capabilities":{"hooks":["on_event"],"holds_end":true}}"#,
        &FromPlugin::Register {
            registrations: Registrations::default(),
            capabilities: Some(Capabilities {
                hooks: vec![HookName::OnEvent],
                holds_end: true,
                ..Capabilities::default()
            }),
        },
    );
    check_read(
        r#"{"type":"ui","call":1,"request":{"kind":"confirm","text":"sure?"}}"#,
        &FromPlugin::Ui {
            call: 1,
            request: UiRequest::Confirm { title: String::new(), text: "sure?".to_owned() },
        },
    );
    let hooks =
        r#"{"hooks":["on_event","before_tool_call"],"events":["turn_end"],"fail_closed":true}"#;
    check_read(
        hooks,
        &Capabilities {
            hooks: vec![HookName::OnEvent, HookName::BeforeToolCall],
            events: vec!["turn_end".to_owned()],
            kinds: vec![],
            fail_closed: true,
            holds_end: false,
        },
    );
}

#[test]
fn a_tool_output_is_written_whole() {
    check_both_ways(
        &ToolOutput { content: vec![ContentPart::text("x")], ..ToolOutput::default() },
        &json!({"content": [{"type": "text", "text": "x"}], "details": {}, "is_error": false,
                "terminate": false}),
    );
}
