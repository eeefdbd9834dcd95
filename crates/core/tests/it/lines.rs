//! Outputs as short lines, so that a test can hold a whole run against a list.

use letscode_core::agent::Output;
use letscode_wire::{Control, Event, Message, StreamEvent, ToolCall, UiRequest, text_of};

/// Returns an output as one short line.
pub(crate) fn line_of(output: &Output) -> String {
    match output {
        Output::Event(event) => event_line(event),
        Output::Control(control) => control_line(control),
        Output::Notice(text) => format!("notice {text}"),
    }
}

fn event_line(event: &Event) -> String {
    match event {
        Event::AgentStart { messages } => format!("agent_start {}", messages.len()),
        Event::TurnStart { turn } => format!("turn_start {turn}"),
        Event::MessageStart { message } => format!("message_start {}", role(message)),
        Event::MessageUpdate { stream_event, .. } => piece(stream_event),
        Event::MessageEnd { message } => format!("message_end {}", whole(message)),
        Event::ToolExecutionStart { tool_call_id, tool_name, .. } => {
            format!("tool_start {tool_call_id} {tool_name}")
        }
        Event::ToolExecutionUpdate { tool_call_id, partial } => {
            format!("tool_update {tool_call_id} {:?}", text_of(&partial.content))
        }
        Event::ToolExecutionEnd { tool_call_id, .. } => format!("tool_end {tool_call_id}"),
        Event::TurnEnd { turn, tool_results, .. } => {
            format!("turn_end {turn} results={}", tool_results.len())
        }
        Event::Retry(retry) => {
            format!("retry {}/{} {}", retry.attempt, retry.total_attempts, retry.reason)
        }
        Event::Error { error, recoverable } => format!("error {recoverable} {error}"),
        Event::AgentEnd { messages, error, aborted } => {
            let error = error.as_ref().map(|error| format!(" error: {error}")).unwrap_or_default();
            let aborted = if *aborted { " aborted" } else { "" };
            format!("agent_end {}{error}{aborted}", messages.len())
        }
        Event::UiRequest { request_id, request } => format!("ui {request_id} {}", asked(request)),
        Event::UiWithdrawn { request_id } => format!("ui_withdrawn {request_id}"),
    }
}

fn asked(request: &UiRequest) -> String {
    match request {
        UiRequest::Notify { text, level } => format!("notify {level:?} {text:?}"),
        UiRequest::Confirm { title, text } => format!("confirm {title:?} {text:?}"),
        UiRequest::Select { text, options } => format!("select {text:?} {}", options.join(",")),
        UiRequest::Input { text, .. } => format!("input {text:?}"),
        UiRequest::Status { key, text } => format!("status {key} {text:?}"),
    }
}

fn control_line(control: &Control) -> String {
    match control {
        Control::Ready { .. } => "ready".to_owned(),
        Control::Ack { id } => format!("ack {id}"),
        Control::Done { id, .. } => format!("done {id}"),
        Control::Error { id, error, .. } => format!("refused {id} {error}"),
        Control::Bye => "bye".to_owned(),
    }
}

fn piece(piece: &StreamEvent) -> String {
    match piece {
        StreamEvent::TextDelta { delta } => format!("text {delta:?}"),
        StreamEvent::ThinkingDelta { delta } => format!("thinking {delta:?}"),
        StreamEvent::ToolCallStart { tool_call_id, name } => {
            format!("call_start {tool_call_id} {name}")
        }
        StreamEvent::ToolCallArgsDelta { tool_call_id, delta } => {
            format!("call_args {tool_call_id} {delta}")
        }
        StreamEvent::ToolCallEnd { tool_call_id } => format!("call_end {tool_call_id}"),
        StreamEvent::Usage { .. } => "usage".to_owned(),
        StreamEvent::Stop { reason } => format!("stop {reason:?}"),
        StreamEvent::Retry(_) => "retry inside an update".to_owned(),
    }
}

fn role(message: &Message) -> &str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::Tool(_) => "tool",
        Message::Custom(custom) => &custom.kind,
    }
}

/// Returns a message as one short line.
pub(crate) fn whole(message: &Message) -> String {
    match message {
        Message::User(user) => format!("user {:?}", text_of(&user.content)),
        Message::Assistant(answer) => {
            let ids: Vec<&str> = answer.tool_calls.iter().map(call_id).collect();
            format!("assistant {:?} calls={}", text_of(&answer.content), ids.join(","))
        }
        Message::Tool(result) => {
            let kind = if result.is_error { "error" } else { "result" };
            format!("{kind} {} {:?}", result.tool_call_id, text_of(&result.content))
        }
        Message::Custom(custom) => custom.kind.clone(),
    }
}

fn call_id(call: &ToolCall) -> &str {
    call.id.as_str()
}
