//! The turn state machine: inputs in, effects out; no clock, disk, network or runtime.
//!
//! Owns the transcript, the queues and the order of events of a run (`Event` documents it).
//! Its invariants: a user message never directly follows a tool message; every call of a final
//! answer has exactly one result; nothing is requested after an abort. Must not do anything
//! itself: the actor carries the effects out, in order.

use super::queue::Queues;
use super::stamp::{Stamp, Stamps};
use crate::model::{Answer, ModelError};
use letscode_wire::{
    AssistantMessage, ContentPart, CustomKind, CustomMessage, Event, Message, MessageId, Meta,
    Partial, StopReason, StreamEvent, ToolCall, ToolMessage, Transcript, UserMessage,
};
use serde_json::Map;
use std::sync::Arc;

/// How many turns in a row may hold nothing but calls that cannot run.
const MAX_REFUSED_TURNS: u32 = 8;

/// Closes a transcript that an abort leaves on tool results.
const INTERRUPTED_NOTE: &str = "(interrupted by user)";

/// Closes a transcript that a failure or a crash left on tool results.
const UNANSWERED_NOTE: &str = "(the run ended before an answer)";

/// The result of a call that a crash left without one.
const LOST_RESULT: &str = "The run ended before this call gave a result.";

/// The state of the conversation.
pub(crate) struct Machine {
    transcript: Transcript,
    queues: Queues,
    phase: Phase,
    /// Counts from 1 within a run.
    turn: u32,
    /// Turns in a row in which no call could run.
    refused_turns: u32,
    stamps: Box<dyn Stamps>,
}

enum Phase {
    Idle,
    /// A request is under way. `begun` is set once the answer's `message_start` is out.
    Answering {
        begun: Option<Stamp>,
    },
    /// Tools run.
    Working(Work),
}

struct Work {
    answer: Arc<Message>,
    results: Vec<Option<Arc<Message>>>,
    refused: usize,
    terminate: bool,
    aborting: bool,
}

/// What can happen.
pub(crate) enum Input {
    /// A message of the user's starts a run. Only when idle.
    Prompt(Vec<ContentPart>),
    /// A message for the next answer without calls.
    Steer(Vec<ContentPart>),
    /// A message for the end of the run.
    FollowUp(Vec<ContentPart>),
    /// The user stops the run.
    Abort,
    /// The user forgets the conversation. Only when idle.
    Reset,
    /// A piece of the answer came.
    Piece(StreamEvent),
    /// The answer is complete.
    Answered(Box<Answer>),
    /// The request failed for good.
    Failed(ModelError),
    /// A running call has something to show.
    Shown {
        /// Its place in the answer.
        index: usize,
        /// What it shows.
        partial: Partial,
    },
    /// A call is over.
    Finished {
        /// Its place in the answer.
        index: usize,
        /// What it gave.
        outcome: Outcome,
    },
}

/// What a call gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) content: Vec<ContentPart>,
    pub(crate) details: Meta,
    pub(crate) is_error: bool,
    /// Whether the run ends after this turn.
    pub(crate) terminate: bool,
    /// Whether the call never ran because it was no valid call.
    pub(crate) refused: bool,
}

/// What is to be done, in this order.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// Write the message to the session before anything that follows.
    Keep(Arc<Message>),
    /// Tell the clients.
    Emit(Event),
    /// Ask the model to go on from the transcript.
    Request,
    /// Drop the request under way.
    StopRequest,
    /// Run the calls of an answer; those listed in `rejected` must only be answered.
    RunTools {
        /// The calls, in source order.
        calls: Vec<ToolCall>,
        /// Why calls cannot run, by place.
        rejected: Vec<Option<String>>,
    },
    /// End the running calls.
    CancelTools,
}

impl Machine {
    /// Returns an idle machine that goes on from `transcript`.
    pub(crate) fn new(transcript: Transcript, stamps: Box<dyn Stamps>) -> Self {
        Self {
            transcript,
            queues: Queues::default(),
            phase: Phase::Idle,
            turn: 0,
            refused_turns: 0,
            stamps,
        }
    }

    /// Returns whether no run is active.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Returns the conversation so far.
    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Takes an input in and appends what is to be done to `effects`. An input that does not fit
    /// the phase (a piece of a request that was stopped, say) does nothing.
    pub(crate) fn step(&mut self, input: Input, effects: &mut Vec<Effect>) {
        match input {
            Input::Prompt(content) => self.prompt(content, effects),
            Input::Steer(content) => self.queues.steer(content),
            Input::FollowUp(content) => self.queues.follow_up(content),
            Input::Abort => self.abort(effects),
            Input::Reset => self.reset(effects),
            Input::Piece(piece) => self.piece(piece, effects),
            Input::Answered(answer) => self.answered(*answer, effects),
            Input::Failed(error) => self.failed(&error, effects),
            Input::Shown { index, partial } => self.shown(index, partial, effects),
            Input::Finished { index, outcome } => self.finished(index, outcome, effects),
        }
    }

    fn prompt(&mut self, content: Vec<ContentPart>, effects: &mut Vec<Effect>) {
        if !self.is_idle() {
            return;
        }
        self.close_tail(effects);
        self.turn = 0;
        self.refused_turns = 0;
        let message = self.user_message(content);
        self.transcript.push(Arc::clone(&message));
        effects.push(Effect::Emit(Event::AgentStart { messages: self.transcript.clone() }));
        self.begin_turn(effects);
        show(&message, effects);
        effects.push(Effect::Request);
    }

    /// Answers calls without a result and closes tool results with a note, so that a user
    /// message may follow. Needed after a failure, and after a crash in an earlier process.
    fn close_tail(&mut self, effects: &mut Vec<Effect>) {
        let open = open_calls(&self.transcript);
        if open.is_empty() && !self.is_on_results() {
            return;
        }
        for call in open {
            let outcome = Outcome {
                content: vec![ContentPart::text(LOST_RESULT)],
                is_error: true,
                ..Outcome::default()
            };
            let result = self.tool_message(&call, outcome);
            self.transcript.push(Arc::clone(&result));
            effects.push(Effect::Keep(result));
        }
        let note = self.note(UNANSWERED_NOTE);
        self.transcript.push(Arc::clone(&note));
        effects.push(Effect::Keep(note));
    }

    /// Returns whether the model's next request would end on tool results.
    fn is_on_results(&self) -> bool {
        self.transcript.iter().rev().find(is_spoken).is_some_and(|last| last.as_tool().is_some())
    }

    fn begin_turn(&mut self, effects: &mut Vec<Effect>) {
        self.turn += 1;
        self.phase = Phase::Answering { begun: None };
        effects.push(Effect::Emit(Event::TurnStart { turn: self.turn }));
    }

    fn piece(&mut self, piece: StreamEvent, effects: &mut Vec<Effect>) {
        let Phase::Answering { begun } = &mut self.phase else { return };
        if let StreamEvent::Retry(notice) = piece {
            *begun = None;
            effects.push(Effect::Emit(Event::Retry(notice)));
            return;
        }
        if begun.is_none() {
            let stamp = self.stamps.next();
            effects.push(start_of_answer(&stamp));
            *begun = Some(stamp);
        }
        effects.push(Effect::Emit(Event::MessageUpdate { message: None, stream_event: piece }));
    }

    fn answered(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        let Phase::Answering { begun } = &mut self.phase else { return };
        let stamp = begun.take().unwrap_or_else(|| {
            let stamp = self.stamps.next();
            effects.push(start_of_answer(&stamp));
            stamp
        });
        let rejected = rejections(&answer);
        let message = Arc::new(Message::Assistant(AssistantMessage {
            id: stamp.id,
            content: answer.content,
            tool_calls: answer.tool_calls,
            timestamp: stamp.timestamp,
            stop_reason: answer.stop_reason,
            usage: answer.usage,
            meta: answer.meta,
        }));
        self.finalise(&message, effects);
        let calls = message.as_assistant().map(|m| m.tool_calls.clone()).unwrap_or_default();
        if calls.is_empty() {
            let results = Transcript::new();
            self.end_turn(message, results, effects);
            self.after_answer(effects);
            return;
        }
        for call in &calls {
            effects.push(Effect::Emit(Event::ToolExecutionStart {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                arguments: call.arguments.clone(),
            }));
        }
        self.phase = Phase::Working(Work {
            answer: message,
            results: vec![None; calls.len()],
            refused: 0,
            terminate: false,
            aborting: false,
        });
        effects.push(Effect::RunTools { calls, rejected });
    }

    /// Goes on with a queued message, or ends the run.
    fn after_answer(&mut self, effects: &mut Vec<Effect>) {
        let next = self.queues.next_steering();
        let Some(content) = next.or_else(|| self.queues.next_follow_up()) else {
            self.end_run(None, effects);
            return;
        };
        self.refused_turns = 0;
        self.begin_turn(effects);
        let message = self.user_message(content);
        self.transcript.push(Arc::clone(&message));
        show(&message, effects);
        effects.push(Effect::Request);
    }

    fn failed(&mut self, error: &ModelError, effects: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Answering { .. }) {
            return;
        }
        self.fail(error.message.clone(), effects);
    }

    fn fail(&mut self, error: String, effects: &mut Vec<Effect>) {
        effects.push(Effect::Emit(Event::Error { error: error.clone(), recoverable: true }));
        self.end_run(Some(error), effects);
    }

    fn shown(&self, index: usize, partial: Partial, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = &self.phase else { return };
        let is_open = work.results.get(index).is_some_and(Option::is_none);
        if let Some(call) = work.call(index).filter(|_| is_open) {
            effects.push(Effect::Emit(Event::ToolExecutionUpdate {
                tool_call_id: call.id.clone(),
                partial,
            }));
        }
    }

    fn finished(&mut self, index: usize, outcome: Outcome, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = &self.phase else { return };
        let Some(call) = work.call(index).cloned() else { return };
        if work.results.get(index).is_none_or(Option::is_some) {
            return;
        }
        let (refused, terminate) = (outcome.refused, outcome.terminate);
        let result = self.tool_message(&call, outcome);
        effects.push(Effect::Emit(Event::ToolExecutionEnd {
            tool_call_id: call.id,
            result: Arc::clone(&result),
        }));
        let Phase::Working(work) = &mut self.phase else { return };
        work.refused += usize::from(refused);
        work.terminate |= terminate;
        if let Some(place) = work.results.get_mut(index) {
            *place = Some(result);
        }
        if work.results.iter().all(Option::is_some) {
            self.all_finished(effects);
        }
    }

    fn all_finished(&mut self, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = std::mem::replace(&mut self.phase, Phase::Idle) else { return };
        let all_refused = work.refused == work.results.len();
        let results: Transcript = work.results.into_iter().flatten().collect();
        for result in &results {
            self.transcript.push(Arc::clone(result));
            show(result, effects);
        }
        self.end_turn(work.answer, results, effects);
        self.refused_turns = if all_refused { self.refused_turns + 1 } else { 0 };
        if work.aborting {
            self.end_aborted(effects);
        } else if work.terminate {
            self.end_run(None, effects);
        } else if self.refused_turns >= MAX_REFUSED_TURNS {
            let error = format!(
                "the model made {MAX_REFUSED_TURNS} turns in a row of nothing but invalid tool calls; \
                 try another prompt or another model"
            );
            self.fail(error, effects);
        } else {
            self.begin_turn(effects);
            effects.push(Effect::Request);
        }
    }

    fn abort(&mut self, effects: &mut Vec<Effect>) {
        match &mut self.phase {
            Phase::Idle => {}
            Phase::Answering { .. } => {
                effects.push(Effect::StopRequest);
                self.end_aborted(effects);
            }
            Phase::Working(work) => {
                work.aborting = true;
                effects.push(Effect::CancelTools);
            }
        }
    }

    fn end_aborted(&mut self, effects: &mut Vec<Effect>) {
        if self.is_on_results() {
            let note = self.note(INTERRUPTED_NOTE);
            self.transcript.push(Arc::clone(&note));
            show(&note, effects);
        }
        self.phase = Phase::Idle;
        let messages = self.transcript.clone();
        effects.push(Effect::Emit(Event::AgentEnd { messages, error: None, aborted: true }));
    }

    fn end_run(&mut self, error: Option<String>, effects: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        let messages = self.transcript.clone();
        effects.push(Effect::Emit(Event::AgentEnd { messages, error, aborted: false }));
    }

    fn end_turn(&self, message: Arc<Message>, tool_results: Transcript, effects: &mut Vec<Effect>) {
        effects.push(Effect::Emit(Event::TurnEnd { turn: self.turn, message, tool_results }));
    }

    fn reset(&mut self, effects: &mut Vec<Effect>) {
        if !self.is_idle() {
            return;
        }
        self.queues = Queues::default();
        if !std::mem::take(&mut self.transcript).is_empty() {
            // Written without events: clients learn of it by the command's own reply.
            effects.push(Effect::Keep(self.custom_message(CustomKind::Reset)));
        }
    }

    /// Adds a message whose `message_start` is out.
    fn finalise(&mut self, message: &Arc<Message>, effects: &mut Vec<Effect>) {
        self.transcript.push(Arc::clone(message));
        effects.push(Effect::Keep(Arc::clone(message)));
        effects.push(Effect::Emit(Event::MessageEnd { message: Arc::clone(message) }));
    }

    fn user_message(&mut self, content: Vec<ContentPart>) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        Arc::new(Message::User(UserMessage { id, content, timestamp, meta: Meta::new() }))
    }

    fn tool_message(&mut self, call: &ToolCall, outcome: Outcome) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        Arc::new(Message::Tool(ToolMessage {
            id,
            tool_call_id: call.id.clone(),
            content: outcome.content,
            is_error: outcome.is_error,
            timestamp,
            details: outcome.details,
        }))
    }

    fn custom_message(&mut self, kind: CustomKind) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        let kind = kind.name().to_owned();
        let (payload, meta) = (Map::new(), Meta::new());
        Arc::new(Message::Custom(CustomMessage { id, kind, payload, timestamp, meta }))
    }

    fn note(&mut self, text: &str) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        Arc::new(Message::Assistant(AssistantMessage {
            content: vec![ContentPart::text(text)],
            stop_reason: Some(StopReason::EndTurn),
            ..empty_answer(id, timestamp)
        }))
    }
}

impl Work {
    fn call(&self, index: usize) -> Option<&ToolCall> {
        self.answer.as_assistant()?.tool_calls.get(index)
    }
}

/// Shows a message that is complete from the start: start, on disk, end.
fn show(message: &Arc<Message>, effects: &mut Vec<Effect>) {
    effects.push(Effect::Emit(Event::MessageStart { message: Arc::clone(message) }));
    effects.push(Effect::Keep(Arc::clone(message)));
    effects.push(Effect::Emit(Event::MessageEnd { message: Arc::clone(message) }));
}

fn start_of_answer(stamp: &Stamp) -> Effect {
    let message = empty_answer(stamp.id.clone(), stamp.timestamp);
    Effect::Emit(Event::MessageStart { message: Arc::new(Message::Assistant(message)) })
}

fn empty_answer(id: MessageId, timestamp: f64) -> AssistantMessage {
    AssistantMessage {
        id,
        content: Vec::new(),
        tool_calls: Vec::new(),
        timestamp,
        stop_reason: None,
        usage: None,
        meta: Meta::new(),
    }
}

/// Returns, for each call of the answer, why it must not run.
fn rejections(answer: &Answer) -> Vec<Option<String>> {
    let reason = |call: &ToolCall| {
        let rejected = answer.rejected.iter().find(|rejected| rejected.id == call.id);
        rejected.map(|rejected| rejected.reason.clone())
    };
    answer.tool_calls.iter().map(reason).collect()
}

/// Returns the calls of the last answer that have no result behind it.
fn open_calls(transcript: &Transcript) -> Vec<ToolCall> {
    let mut results = Vec::new();
    for message in transcript.iter().rev().filter(is_spoken) {
        match &**message {
            Message::Tool(result) => results.push(&result.tool_call_id),
            Message::Assistant(answer) => {
                let is_open = |call: &&ToolCall| !results.contains(&&call.id);
                return answer.tool_calls.iter().filter(is_open).cloned().collect();
            }
            Message::User(_) | Message::Custom(_) => break,
        }
    }
    Vec::new()
}

fn is_spoken(message: &&Arc<Message>) -> bool {
    message.as_custom().is_none()
}

#[cfg(test)]
mod tests;
