//! Conversations for the tests of this folder, and for a look at pages in a browser.
//! Must not be used outside of tests.

use letscode_wire::{
    AssistantMessage, ContentPart, CustomMessage, Message, MessageId, StopReason, ToolCall,
    ToolCallId, ToolMessage, Transcript, Usage, UserMessage,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A picture of one pixel.
pub(super) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// Texts that try to be more than text. `ADDRESS` is where a request would be noticed.
pub(super) const HOSTILE: [&str; 40] = [
    "<script>fetch('ADDRESS/script')</script>",
    "</script><script src=ADDRESS/src></script>",
    "</style><style>@import 'ADDRESS/import';</style>",
    "</title><img src=ADDRESS/title onerror=fetch('ADDRESS/error')>",
    "</textarea></noscript></template><svg onload=fetch('ADDRESS/svg')>",
    "<!-- --><img src=ADDRESS/comment>",
    "<!--><img src=ADDRESS/bad-comment>-->",
    "<![CDATA[<img src=ADDRESS/cdata>]]>",
    "]]><img src=ADDRESS/after-cdata>",
    "<iframe src=ADDRESS/frame></iframe>",
    "<iframe srcdoc=\"<script>fetch('ADDRESS/srcdoc')</script>\">",
    "<object data=ADDRESS/object></object><embed src=ADDRESS/embed>",
    "<link rel=stylesheet href=ADDRESS/sheet><link rel=prefetch href=ADDRESS/prefetch>",
    "<meta http-equiv=refresh content='0;url=ADDRESS/refresh'>",
    "<base href=ADDRESS/>",
    "<form action=ADDRESS/form><button autofocus onfocus=submit()>x</button></form>",
    "<input autofocus onfocus=fetch('ADDRESS/focus')>",
    "<video src=ADDRESS/video poster=ADDRESS/poster autoplay></video>",
    "<audio src=ADDRESS/audio autoplay></audio>",
    "<math><mtext><style><img src=x onerror=fetch('ADDRESS/math')></style></mtext></math>",
    "<svg><use href=ADDRESS/use#x /><image href=ADDRESS/image /></svg>",
    "<div style=\"background:url(ADDRESS/style)\">x</div>",
    "<details open ontoggle=fetch('ADDRESS/toggle')>",
    "</details></article></main></body></html><img src=ADDRESS/end>",
    "</pre></code></div><img src=ADDRESS/pre>",
    "\"><img src=ADDRESS/quote>",
    "' onmouseover='fetch(1)' autofocus x='",
    "![picture](ADDRESS/picture.png)",
    "[![a](ADDRESS/nested.png)](javascript:alert(1))",
    "[link](javascript:fetch('ADDRESS/link'))",
    "[link](data:text/html,<script>alert(1)</script>)",
    "[link](vbscript:x \"onmouseover=alert(1)\")",
    "[link](https://example.org/\"><img/src=ADDRESS/href>)",
    "<javascript:alert(1)> <https://example.org/<script>>",
    "[reference]\n\n[reference]: javascript:alert(1) '\"><script>alert(1)</script>'",
    "```html\"><img src=ADDRESS/info>\n</code></pre><img src=ADDRESS/fence>\n```",
    "| <img src=ADDRESS/cell> | ![x](ADDRESS/cell.png) |\n|---|---|\n| `</td><script>` | </table> |",
    "a\u{202e}gpj.exe\u{202c} \u{2066}x\u{2069} \u{200b}\u{feff}\u{e0041} \u{0}\u{8}\u{1b}[31m\r",
    "&lt;script&gt; &#60;img src=ADDRESS/entity&#62; &amp;lt;",
    "\u{ff1c}script\u{ff1e} <\u{0}script> <scr\u{0}ipt> < script> <\nimg src=ADDRESS/spaces>",
];

/// Returns a user's message.
pub(super) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        id: MessageId::from("u"),
        content: vec![ContentPart::text(text)],
        timestamp: 1_796_058_600.5,
        meta: Map::new(),
    }))
}

/// Returns an answer with reasoning and calls of the given name and arguments.
pub(super) fn answer(text: &str, thinking: &str, calls: &[(&str, Value)]) -> Arc<Message> {
    let calls = calls.iter().enumerate().map(|(index, (name, arguments))| ToolCall {
        id: ToolCallId::from(format!("call_{index}")),
        name: (*name).to_owned(),
        arguments: members(arguments),
    });
    let tool_calls: Vec<ToolCall> = calls.collect();
    let stop = if tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolCalls };
    let mut meta = Map::new();
    if !thinking.is_empty() {
        meta.insert("reasoning".to_owned(), json!({"field": "reasoning", "text": thinking}));
    }
    Arc::new(Message::Assistant(AssistantMessage {
        id: MessageId::from("a"),
        content: vec![ContentPart::text(text)],
        tool_calls,
        timestamp: 1_796_058_601.0,
        stop_reason: Some(stop),
        usage: Some(Usage {
            input_tokens: 1200,
            output_tokens: 34,
            cache_read_tokens: 1000,
            cost_usd: Some(0.0025),
            ..Usage::default()
        }),
        meta,
    }))
}

/// Returns the result of the call of that index.
pub(super) fn result(index: usize, text: &str, details: &Value) -> Arc<Message> {
    Arc::new(Message::Tool(tool_message(index, text, details, false)))
}

/// Returns the failed result of the call of that index.
pub(super) fn failure(index: usize, text: &str) -> Arc<Message> {
    Arc::new(Message::Tool(tool_message(index, text, &json!({}), true)))
}

/// Returns a custom entry.
pub(super) fn custom(kind: &str, payload: &Value) -> Arc<Message> {
    Arc::new(Message::Custom(CustomMessage {
        id: MessageId::from("c"),
        kind: kind.to_owned(),
        payload: members(payload),
        timestamp: 0.0,
        meta: Map::new(),
    }))
}

/// Returns a short session with one of everything.
pub(super) fn small() -> Transcript {
    vec![
        user("Why does `parse` fail on an empty line?\n\nIt worked   before."),
        answer(
            "I'll look at the **parser** first.",
            "The user says it worked before.\nSo look at the last change.",
            &[
                ("read", json!({"path": "src/parse.rs"})),
                ("bash", json!({"command": "cargo test parse", "timeout": 60})),
            ],
        ),
        result(0, "     1\tfn parse(line: &str) {", &json!({"path": "src/parse.rs"})),
        result(1, "1 test failed\nexit code: 101", &json!({"exit_code": 101})),
        answer(
            "",
            "",
            &[(
                "edit",
                json!({"path": "src/parse.rs", "old_string": "line[0]", "new_string": "line.first()"}),
            )],
        ),
        result(
            0,
            "Replaced 1 place.",
            &json!({"diff": "--- src/parse.rs\n+++ src/parse.rs\n@@ -1,2 +1,2 @@\n fn parse(line: &str) {\n-    line[0]\n+    line.first()\n"}),
        ),
        answer(
            "Done:\n\n- empty lines are skipped\n- see [the rules](https://example.org/rules)",
            "",
            &[],
        ),
        custom(
            "compaction",
            &json!({"summary": "The **parser** was fixed.", "collapsed_count": 7}),
        ),
        custom("model_change", &json!({"model": "other-model"})),
        custom("todo", &json!({"open": ["write a test"], "count": 1, "title": "Next"})),
        Arc::new(Message::User(UserMessage {
            id: MessageId::from("p"),
            content: vec![
                ContentPart::text("And this picture?"),
                ContentPart::Image { data: PIXEL.to_owned(), mime_type: "image/png".to_owned() },
                ContentPart::Image {
                    data: "PHN2Zz4=".to_owned(),
                    mime_type: "image/svg+xml".to_owned(),
                },
            ],
            timestamp: 0.0,
            meta: Map::new(),
        })),
        answer(
            "",
            "",
            &[("bash", json!({"command": "file picture"})), ("read", json!({"path": "gone"}))],
        ),
        failure(1, "gone: there is no such file"),
    ]
}

/// Returns a session in which every hostile text stands wherever foreign text can stand.
pub(super) fn hostile(address: &str) -> Transcript {
    HOSTILE.iter().flat_map(|text| hostile_everywhere(&text.replace("ADDRESS", address))).collect()
}

/// Returns a session in which `text` stands wherever foreign text can stand.
pub(super) fn hostile_everywhere(text: &str) -> Transcript {
    let diff = format!("--- {text}\n+++ {text}\n@@ {text}\n {text}\n+{text}\n-{text}\n");
    let picture =
        |data: &str| ContentPart::Image { data: data.to_owned(), mime_type: text.to_owned() };
    vec![
        user(text),
        Arc::new(Message::User(UserMessage {
            id: MessageId::from(text),
            content: vec![picture(text), picture(&format!("{PIXEL}{text}")), picture(PIXEL)],
            timestamp: f64::NAN,
            meta: Map::new(),
        })),
        answer(text, text, &[(text, json!({"path": text, text: text, "more": {text: [text]}}))]),
        result(0, text, &json!({"diff": diff, "exit_code": text})),
        answer(&format!("> - **{text}**\n\n# {text}\n\n`{text}`"), "", &[("bash", json!({}))]),
        result(7, text, &json!({"exit_code": -1e300})),
        custom("compaction", &json!({"summary": text, "collapsed_count": text})),
        custom("model_change", &json!({"model": text})),
        custom(text, &json!({text: text, "list": [text], "null": null})),
    ]
}

fn tool_message(index: usize, text: &str, details: &Value, is_error: bool) -> ToolMessage {
    ToolMessage {
        id: MessageId::from("t"),
        tool_call_id: ToolCallId::from(format!("call_{index}")),
        content: vec![ContentPart::text(text)],
        is_error,
        timestamp: 1_796_058_602.0,
        details: members(details),
    }
}

fn members(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
