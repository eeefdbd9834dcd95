//! A plugin on the SDK, as the program sees it.

use letscode_plugin::testing::Peer;
use letscode_plugin::{
    AfterToolCall, AfterToolCallReply, BeforeToolCallReply, Command, Context, CustomMessage, Error,
    Event, Message, Plugin, Registrations, RunCommandReply, SystemPromptContext, ToolCall,
    ToolOutput, ToolSpec, UserMessage, schemars, text_of,
};
use serde_json::{Map, Value, json};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Whom to greet.
    name: String,
    /// How often.
    #[serde(default)]
    times: Option<u8>,
    #[serde(default)]
    style: Style,
}

#[derive(Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Style {
    #[default]
    Plain,
    Loud,
}

fn greeter() -> Plugin {
    Plugin::new("greeter", "1.2.3").tool("greet", "Says hello.", |greet: Greet, context| {
        context.progress("…");
        if greet.name.is_empty() {
            return Err(Error::new("nobody is there"));
        }
        assert_ne!(greet.name, "panic");
        let text = "Hello! ".repeat(greet.times.unwrap_or(1).into()) + &greet.name;
        Ok(match greet.style {
            Style::Plain => text,
            Style::Loud => text.to_uppercase(),
        })
    })
}

fn call_of(name: &str) -> ToolCall {
    ToolCall { id: "c".into(), name: name.to_owned(), arguments: Map::new() }
}

#[test]
fn a_tools_schema_is_that_of_its_type_and_whole_in_itself() {
    let registrations = Peer::start(greeter()).registrations();
    let schema = &registrations.tools[0].parameters;
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["name"]["description"], "Whom to greet.");
    let text = schema.to_string();
    assert!(!text.contains("$ref") && !text.contains("$schema") && text.contains("loud"), "{text}");
}

#[test]
fn a_tool_answers_fails_and_panics_without_an_end_of_the_plugin() {
    let peer = Peer::start(greeter());
    let output = peer.call_tool("greet", json!({"name": "Ada", "style": "loud"})).unwrap();
    assert_eq!(text_of(&output.content), "HELLO! ADA");
    assert_eq!(peer.partials().len(), 1);
    for (arguments, expected) in [
        (json!({"name": ""}), "nobody is there"),
        (json!({}), "missing field"),
        (json!({"name": "panic"}), "panicked"),
    ] {
        let error = peer.call_tool("greet", arguments).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(peer.call_tool("other", json!({})).unwrap_err().to_string().contains("no tool"));
    assert!(peer.call_tool("greet", json!({"name": "Bob"})).is_ok());
    peer.goodbye();
}

#[test]
fn every_hook_reaches_its_handler_and_only_those_are_named() {
    let (sender, events) = channel();
    let plugin = Plugin::new("all", "1")
        .system_prompt(|told, _| Ok(Some(format!("You are in {}.", told.cwd))))
        .before_tool_call(|asked, _| {
            let block = (asked.tool_call.name == "bad").then(|| "no".to_owned());
            Ok(BeforeToolCallReply { block, arguments: None })
        })
        .after_tool_call(|_, _| {
            Ok(AfterToolCallReply { terminate: Some(true), ..AfterToolCallReply::default() })
        })
        .transform_context(|mut messages, _| {
            messages.truncate(1);
            Ok(Some(messages))
        })
        .render_custom_message(&["memory"], |message, _| {
            let text = message.payload["text"].as_str().unwrap_or_default().to_owned();
            Ok(Some(Message::User(UserMessage {
                id: message.id,
                content: vec![letscode_plugin::ContentPart::text(text)],
                timestamp: 0.0,
                meta: Map::new(),
            })))
        })
        .on_event(&["turn_start"], move |event, _| drop(sender.send(event)));
    let peer = Peer::start(plugin);
    assert_eq!(peer.capabilities().hooks.len(), 6);
    assert_eq!(peer.capabilities().kinds, ["memory"]);
    let told = SystemPromptContext { cwd: "/p".to_owned(), tools: vec![] };
    assert_eq!(peer.system_prompt(told).unwrap().as_deref(), Some("You are in /p."));
    assert_eq!(peer.before_tool_call(call_of("good")).unwrap(), BeforeToolCallReply::default());
    assert_eq!(peer.before_tool_call(call_of("bad")).unwrap().block.as_deref(), Some("no"));
    let over = AfterToolCall { tool_call: call_of("good"), result: ToolOutput::default() };
    assert_eq!(peer.after_tool_call(over).unwrap().terminate, Some(true));
    let custom = CustomMessage {
        id: "m".into(),
        kind: "memory".to_owned(),
        payload: json!({"text": "noted"}).as_object().cloned().unwrap(),
        timestamp: 0.0,
        meta: Map::new(),
    };
    let rendered = peer.render_custom_message(custom).unwrap().unwrap();
    let messages = vec![Arc::new(rendered.clone()), Arc::new(rendered)];
    assert_eq!(peer.transform_context(messages).unwrap().unwrap().len(), 1);
    for turn in 1..=3 {
        peer.tell(Event::TurnStart { turn });
    }
    for turn in 1..=3 {
        assert_eq!(events.recv().unwrap(), Event::TurnStart { turn });
    }
}

#[test]
fn a_handler_asks_the_user_the_agent_and_the_program() {
    let ask = |_: &str, context: &Context| -> Result<RunCommandReply, Error> {
        context.notify("looking", letscode_plugin::UiLevel::Info);
        let sure = context.confirm("", "sure?");
        let place = context.select("which?", vec!["a".to_owned(), "b".to_owned()]);
        let name = context.input("name?", None, None);
        context.steer("more")?;
        let table = context.config_table(Some("greeter"))?;
        let variables = context.subagent_env()?;
        let refused = context.command(Command::Abort).unwrap_err();
        Ok(RunCommandReply {
            text: format!("{sure:?} {place:?} {name:?} {table} {variables:?} {refused}"),
            ..RunCommandReply::default()
        })
    };
    let plugin = Plugin::new("asker", "1").command("ask", "", "Ask", ask);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let peer = Peer::start_with(plugin, Map::new(), move |line| {
        let line = serde_json::to_value(line).unwrap();
        noted.lock().unwrap().push(line["type"].as_str().unwrap().to_owned());
        match (line["type"].as_str().unwrap(), &line["request"]["kind"], &line["command"]["cmd"]) {
            ("ui", kind, _) if kind == "confirm" => Ok(json!(true)),
            ("ui", kind, _) if kind == "select" => Ok(json!(1)),
            ("config", ..) => Ok(json!({"loud": true})),
            ("subagent_env", ..) => Ok(json!({"A": "b"})),
            ("command", _, cmd) if cmd == "abort" => Err("not now".to_owned()),
            _ => Ok(Value::Null),
        }
    });
    let reply = peer.run_command("ask", "").unwrap();
    assert_eq!(reply.text, r#"Some(true) Some(1) None {"loud":true} {"A": "b"} not now"#);
    assert_eq!(peer.shown().len(), 1);
    let asked = asked.lock().unwrap();
    assert_eq!(*asked, ["ui", "ui", "ui", "command", "config", "subagent_env", "command"]);
}

#[test]
fn the_event_at_which_a_run_would_end_is_answered_after_its_handler_and_in_order() {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&noted);
    let plugin = Plugin::new("goal", "1").holds_end().on_event(&[], move |event, context| {
        seen.lock().unwrap().push(event.name().to_owned());
        assert!(!matches!(event, Event::TurnStart { turn: 7 }), "a handler's own fault");
        if matches!(event, Event::TurnStart { turn: 2 }) {
            context.follow_up("go on").unwrap();
            seen.lock().unwrap().push("followed up".to_owned());
        }
    });
    let peer = Peer::start(plugin);
    assert!(peer.capabilities().holds_end);
    peer.tell(Event::TurnStart { turn: 1 });
    peer.tell_last_turn(Event::TurnStart { turn: 2 }).unwrap();
    assert_eq!(*noted.lock().unwrap(), ["turn_start", "turn_start", "followed up"]);
    // One that panics is answered too.
    peer.tell_last_turn(Event::TurnStart { turn: 7 }).unwrap();
}

#[test]
fn what_is_registered_later_is_run_by_name() {
    let tool = ToolSpec {
        name: "late".to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
        execution_mode: letscode_plugin::ExecutionMode::Parallel,
    };
    let (done, registered) = channel();
    let plugin = Plugin::new("late", "1")
        .registers_later()
        .on_start(move |context| {
            let registrations = Registrations { tools: vec![tool], ..Registrations::default() };
            context.register(registrations);
            done.send(()).unwrap();
        })
        .other_tools(|name, _, _| {
            let content = vec![letscode_plugin::ContentPart::text(name)];
            Ok(ToolOutput { content, ..ToolOutput::default() })
        });
    let peer = Peer::start(plugin);
    registered.recv().unwrap();
    // The lines come in order: this reply stands behind the registrations.
    let output = peer.call_tool("late", json!({})).unwrap();
    assert_eq!(text_of(&output.content), "late");
    assert_eq!(peer.registrations().tools.len(), 1);
}

#[test]
fn the_end_of_the_program_ends_the_plugin_and_its_open_questions() {
    let (ended, end) = channel();
    let plugin = Plugin::new("ender", "1").on_end(move || ended.send(()).unwrap());
    Peer::start(plugin).goodbye();
    end.recv().unwrap();
}
