//! The script, step by step.

use super::*;
use futures_util::{FutureExt as _, StreamExt as _};
use letscode_core::model::{Answer, ModelError, ModelEvent};
use letscode_wire::{
    ContentPart, Message, Meta, RetryNotice, StopReason, StreamEvent, ToolCall, Usage, UserMessage,
};
use serde_json::json;

fn request(text: &str) -> ModelRequest {
    let message = UserMessage {
        id: "m1".into(),
        content: vec![ContentPart::text(text)],
        timestamp: 0.0,
        meta: Meta::new(),
    };
    let messages = vec![Arc::new(Message::User(message))];
    ModelRequest { system: "".into(), messages, tools: Arc::new([]) }
}

async fn told(model: &ScriptedModel) -> Vec<Result<ModelEvent, ModelError>> {
    model.stream(request("x")).collect().await
}

fn text_delta(delta: &str) -> ModelEvent {
    ModelEvent::Stream(StreamEvent::TextDelta { delta: delta.to_owned() })
}

fn stop(reason: StopReason) -> ModelEvent {
    ModelEvent::Stream(StreamEvent::Stop { reason })
}

#[tokio::test]
async fn an_answer_is_its_pieces_then_its_end() {
    let usage = Usage { input_tokens: 3, ..Usage::default() };
    let answer = ScriptedAnswer::new()
        .thinking("hm")
        .text("Hel")
        .text("lo")
        .notice("careful")
        .tool_call("c", "ls", json!({"a": 1}))
        .usage(usage);
    let model = ScriptedModel::new([answer]);
    let id = || "c".into();
    let expected = [
        ModelEvent::Stream(StreamEvent::ThinkingDelta { delta: "hm".to_owned() }),
        text_delta("Hel"),
        text_delta("lo"),
        ModelEvent::Notice("careful".to_owned()),
        ModelEvent::Stream(StreamEvent::ToolCallStart {
            tool_call_id: id(),
            name: "ls".to_owned(),
        }),
        ModelEvent::Stream(StreamEvent::ToolCallArgsDelta {
            tool_call_id: id(),
            delta: r#"{"a":1}"#.to_owned(),
        }),
        ModelEvent::Stream(StreamEvent::ToolCallEnd { tool_call_id: id() }),
        stop(StopReason::ToolCalls),
        ModelEvent::Stream(StreamEvent::Usage { usage }),
        ModelEvent::Done(Box::new(Answer {
            content: vec![ContentPart::text("Hello")],
            tool_calls: vec![ToolCall {
                id: id(),
                name: "ls".to_owned(),
                arguments: json!({"a": 1}).as_object().unwrap().clone(),
            }],
            stop_reason: Some(StopReason::ToolCalls),
            usage: Some(usage),
            ..Answer::default()
        })),
    ];
    assert_eq!(told(&model).await, expected.map(Ok));
    assert_eq!((model.requests().len(), model.abandoned(), model.answers_left()), (1, 0, 0));
}

#[tokio::test]
async fn a_retry_voids_what_came_before() {
    let notice =
        RetryNotice { attempt: 2, total_attempts: 3, delay_seconds: 0.0, reason: "503".to_owned() };
    let answer = ScriptedAnswer::of_text("void").retry(notice.clone()).text("good");
    let model = ScriptedModel::new([answer]);
    let whole = Answer {
        content: vec![ContentPart::text("good")],
        stop_reason: Some(StopReason::EndTurn),
        ..Answer::default()
    };
    let expected = [
        text_delta("void"),
        ModelEvent::Stream(StreamEvent::Retry(notice)),
        text_delta("good"),
        stop(StopReason::EndTurn),
        ModelEvent::Done(Box::new(whole)),
    ];
    assert_eq!(told(&model).await, expected.map(Ok));
}

#[tokio::test]
async fn a_rejected_call_is_a_call_too() {
    let model = ScriptedModel::new([ScriptedAnswer::new().rejected_call("c", "ls", "cut off")]);
    let events = told(&model).await;
    let Some(Ok(ModelEvent::Done(answer))) = events.last() else { panic!("no end: {events:?}") };
    assert_eq!(answer.tool_calls[0].id, "c".into());
    assert_eq!(answer.rejected[0].reason, "cut off");
}

#[tokio::test]
async fn an_error_ends_the_stream() {
    let answer = ScriptedAnswer::of_text("a").fail(ModelErrorKind::Server, "HTTP 500").text("b");
    let model = ScriptedModel::new([answer]);
    let error = ModelError { kind: ModelErrorKind::Server, message: "HTTP 500".to_owned() };
    assert_eq!(told(&model).await, [Ok(text_delta("a")), Err(error)]);
    assert_eq!(model.abandoned(), 0);
}

#[tokio::test]
async fn a_gate_holds_the_answer_until_it_is_opened() {
    let gate = Gate::new();
    let model = ScriptedModel::new([ScriptedAnswer::of_text("a").wait(&gate).text("b")]);
    let mut stream = model.stream(request("x"));
    assert_eq!(stream.next().await, Some(Ok(text_delta("a"))));
    let mut next = stream.next();
    assert_eq!((&mut next).now_or_never(), None);
    gate.reached().await;
    assert_eq!((&mut next).now_or_never(), None);
    gate.open();
    assert_eq!(next.await, Some(Ok(text_delta("b"))));
}

#[tokio::test]
async fn a_dropped_answer_counts_as_abandoned() {
    let model = ScriptedModel::new([
        ScriptedAnswer::of_text("a").hang(),
        ScriptedAnswer::of_text("never asked for"),
    ]);
    let mut stream = model.stream(request("x"));
    assert_eq!(stream.next().await, Some(Ok(text_delta("a"))));
    drop(stream);
    drop(model.stream(request("x")));
    assert_eq!(model.abandoned(), 2);
}

#[tokio::test]
async fn a_request_beyond_the_script_is_an_error_and_a_violation() {
    let model = ScriptedModel::new([]);
    let message = "request 1: the script has no answer left".to_owned();
    let error = ModelError { kind: ModelErrorKind::Rejected, message: message.clone() };
    assert_eq!(told(&model).await, [Err(error)]);
    assert_eq!(model.take_violations(), [message]);
}

#[tokio::test]
#[should_panic(expected = "request 1: there are no messages")]
async fn dropping_the_model_reports_an_invalid_request() {
    let model = ScriptedModel::new([ScriptedAnswer::of_text("a")]);
    drop(model.stream(ModelRequest { messages: vec![], ..request("x") }));
}
