//! The turn state machine: inputs in, effects out; no clock, disk, network or runtime.
//!
//! Owns the transcript, the queues and the order of events of a run (`Event` documents it).
//! Its invariants: a user message never directly follows a tool message; every call of a final
//! answer has exactly one result; nothing is requested after an abort. Must not do anything
//! itself: the actor carries the effects out, in order.

mod answering;
mod compacting;
mod messages;
mod room;
mod settling;
mod working;

use super::queue::{Queues, Said};
use super::stamp::{Stamp, Stamps};
use crate::compaction::SummaryRequest;
use crate::model::{Answer, ModelError};
use compacting::Compacting;
use letscode_wire::{
    CompactResult, ContentPart, CustomKind, Event, Message, Meta, Partial, StreamEvent, ToolCall,
    Transcript,
};
use messages::{is_spoken, open_calls, show};
pub(crate) use room::refuse_size;
use serde_json::Map;
use std::sync::Arc;
use working::Work;

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
    limits: Limits,
    /// Whether plugins act before a run ends.
    holds_end: bool,
    /// Compactions in a row that failed.
    failed_compactions: u32,
    /// The window that refusals taught.
    learned_window: Option<u64>,
    /// The window that the last request kept to.
    asked_within: Option<u64>,
    /// Whether this turn's request was too long once, and the conversation compacted for that.
    was_too_long: bool,
    /// Custom messages that came while calls ran: they must not part the calls from their results.
    waiting_notes: Transcript,
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
    /// A request for a summary is under way.
    Compacting(Compacting),
    /// Plugins act before the run ends.
    Settling,
}

/// What the requests have to keep to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The model's window in tokens, where known.
    pub(crate) window: Option<u64>,
    /// What the system prompt and the tools take of it.
    pub(crate) overhead: u64,
}

/// What can happen.
pub(crate) enum Input {
    /// A message of the user's starts a run. Only when idle.
    Prompt(Said),
    /// A message for the next answer without calls.
    Steer(Said),
    /// A message for the end of the run.
    FollowUp(Said),
    /// The answer that a failed run did not get is asked for. Only when
    /// [`can_retry`](Machine::can_retry).
    Retry,
    /// Older messages give way to a summary, which dwells on what is given. Only when
    /// [`can_compact`](Machine::can_compact).
    Compact(Option<String>),
    /// The user stops the run.
    Abort,
    /// The user forgets the conversation. Only when idle.
    Reset,
    /// The user goes on with another conversation. Only when idle.
    Load(Transcript),
    /// The user goes on behind an earlier message of the session, where the conversation was
    /// this. Only when idle.
    GoTo(Transcript),
    /// The user switched to another model. Only when idle.
    SwitchModel(String),
    /// A plugin keeps a custom message.
    Save(Arc<Message>),
    /// A piece of the answer came.
    Piece(StreamEvent),
    /// The answer is complete.
    Answered(Box<Answer>),
    /// The request failed for good.
    Failed(ModelError),
    /// The plugins have done what they wanted to before the run ends.
    Settled,
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
    /// Tell the clients, and wait for the plugins that act before a run ends.
    Settle(Event),
    /// Wait for those no more.
    StopSettling,
    /// Ask the model to go on from the transcript.
    Request,
    /// Ask the model for a summary.
    Summarise(SummaryRequest),
    /// A compaction that the user asked for is over.
    Compacted(CompactResult),
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
            limits: Limits::default(),
            holds_end: false,
            failed_compactions: 0,
            learned_window: None,
            asked_within: None,
            was_too_long: false,
            waiting_notes: Transcript::new(),
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

    /// Returns what the user said while the agent was busy.
    pub(crate) fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Takes the message that was queued last back.
    pub(crate) fn unqueue(&mut self) -> Option<Vec<ContentPart>> {
        self.queues.take_last().map(|said| said.content)
    }

    /// Sets what later requests have to keep to.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets whether plugins act before a run ends.
    pub(crate) fn set_holds_end(&mut self, holds_end: bool) {
        self.holds_end = holds_end;
    }

    /// Returns whether something waits for an answer, and no run is active.
    pub(crate) fn can_retry(&self) -> bool {
        let last = self.transcript.iter().rev().find(is_spoken);
        let is_unanswered = last.is_some_and(|last| last.as_assistant().is_none());
        self.is_idle() && (is_unanswered || !open_calls(&self.transcript).is_empty())
    }

    /// Takes an input in and appends what is to be done to `effects`. An input that does not fit
    /// the phase (a piece of a request that was stopped, say) does nothing.
    pub(crate) fn step(&mut self, input: Input, effects: &mut Vec<Effect>) {
        match input {
            Input::Prompt(said) => self.prompt(said, effects),
            Input::Steer(said) => self.queues.steer(said),
            Input::FollowUp(said) => self.queues.follow_up(said),
            Input::Retry => self.retry(effects),
            Input::Compact(bias) => self.compact(bias, effects),
            Input::Abort => self.abort(effects),
            Input::Reset => self.reset(effects),
            Input::Load(transcript) => self.load(transcript),
            Input::GoTo(transcript) => self.go_to(transcript, effects),
            Input::SwitchModel(model) => self.switch_model(model, effects),
            Input::Save(message) => self.save(message, effects),
            Input::Piece(piece) => self.piece(piece, effects),
            Input::Answered(answer) => self.answered(*answer, effects),
            Input::Failed(error) => self.failed(&error, effects),
            Input::Settled => self.settled(effects),
            Input::Shown { index, partial } => self.shown(index, partial, effects),
            Input::Finished { index, outcome } => self.finished(index, outcome, effects),
        }
    }

    fn prompt(&mut self, said: Said, effects: &mut Vec<Effect>) {
        if !self.is_idle() {
            return;
        }
        self.close_tail(effects);
        let message = self.user_message(said);
        self.begin_run(Some(message), effects);
    }

    fn retry(&mut self, effects: &mut Vec<Effect>) {
        if !self.can_retry() {
            return;
        }
        self.answer_open_calls(effects);
        self.begin_run(None, effects);
    }

    fn begin_run(&mut self, opening: Option<Arc<Message>>, effects: &mut Vec<Effect>) {
        self.turn = 0;
        self.refused_turns = 0;
        let messages = self.transcript.iter().chain(&opening).cloned().collect();
        effects.push(Effect::Emit(Event::AgentStart { messages }));
        self.open_turn(opening, effects);
    }

    /// Begins a turn, after a compaction where the conversation has grown too long. `opening` is
    /// the user's message that opens it.
    fn open_turn(&mut self, opening: Option<Arc<Message>>, effects: &mut Vec<Effect>) {
        if let Some(border) = self.automatic_border(opening.as_deref()) {
            self.compact_for_turn(border, opening, effects);
            return;
        }
        self.begin_turn(opening, effects);
        self.ask(effects);
    }

    /// Answers calls without a result and closes tool results with a note, so that a user
    /// message may follow. Needed after a failure, and after a crash in an earlier process.
    fn close_tail(&mut self, effects: &mut Vec<Effect>) {
        let has_answered = self.answer_open_calls(effects);
        if !has_answered && !self.is_on_results() {
            return;
        }
        let note = self.note(UNANSWERED_NOTE);
        self.transcript.push(Arc::clone(&note));
        effects.push(Effect::Keep(note));
    }

    /// Gives calls that a crash left without a result one, and returns whether there were any.
    fn answer_open_calls(&mut self, effects: &mut Vec<Effect>) -> bool {
        let open = open_calls(&self.transcript);
        let has_any = !open.is_empty();
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
        has_any
    }

    /// Returns whether the model's next request would end on tool results.
    fn is_on_results(&self) -> bool {
        self.transcript.iter().rev().find(is_spoken).is_some_and(|last| last.as_tool().is_some())
    }

    fn begin_turn(&mut self, opening: Option<Arc<Message>>, effects: &mut Vec<Effect>) {
        self.turn += 1;
        self.was_too_long = false;
        self.phase = Phase::Answering { begun: None };
        effects.push(Effect::Emit(Event::TurnStart { turn: self.turn }));
        if let Some(message) = opening {
            self.transcript.push(Arc::clone(&message));
            show(&message, effects);
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
            Phase::Compacting(_) => {
                effects.push(Effect::StopRequest);
                self.stop_compacting(effects);
            }
            Phase::Settling => {
                effects.push(Effect::StopSettling);
                self.end_aborted(effects);
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
        if !self.transcript.is_empty() {
            // Written without events: clients learn of it by the command's own reply.
            effects.push(Effect::Keep(self.custom_message(CustomKind::Reset, Map::new())));
        }
        self.load(Transcript::new());
    }

    fn load(&mut self, transcript: Transcript) {
        if self.is_idle() {
            self.queues = Queues::default();
            self.failed_compactions = 0;
            self.learned_window = None;
            self.transcript = transcript;
        }
    }

    fn go_to(&mut self, transcript: Transcript, effects: &mut Vec<Effect>) {
        if self.is_idle() {
            // Without an entry of its own the branch would be forgotten with the process.
            effects.push(Effect::Keep(self.custom_message(CustomKind::GoTo, Map::new())));
            self.load(transcript);
        }
    }

    fn switch_model(&mut self, model: String, effects: &mut Vec<Effect>) {
        if self.is_idle() {
            self.learned_window = None;
            let message = self.model_change(model);
            // Not a part of the transcript: no model is told of it.
            show(&message, effects);
        }
    }

    fn save(&mut self, message: Arc<Message>, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Working(_)) {
            self.waiting_notes.push(message);
        } else {
            show(&message, effects);
            self.transcript.push(message);
        }
    }

    fn end_failed(&mut self, error: String, effects: &mut Vec<Effect>) {
        effects.push(Effect::Emit(Event::Error { error: error.clone(), recoverable: true }));
        self.end_run(Some(error), effects);
    }
}

#[cfg(test)]
mod tests;
