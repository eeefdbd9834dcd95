//! Chunks to stream events and one answer: the slot rule for tool calls, reasoning, usage, end.
//!
//! Owns the meaning of a stream. Must not do I/O or know HTTP.

mod arguments;
mod calls;
mod ending;
mod fault;
mod ids;
mod markup;
mod reasoning;

pub(crate) use fault::StreamFault;

use crate::chunk::{self, CallDelta, Choice, Chunk, Delta};
use crate::sse::SseEvent;
use crate::think::{self, Piece, ThinkSplitter};
use crate::usage::UsageTally;
use arguments::AnswerEnd;
use calls::{Calls, FinishedCalls};
use ending::{Ending, ending_of, is_native_failure};
use ids::CallIds;
use letscode_core::model::Answer;
use letscode_wire::{ContentPart, Meta, StopReason, StreamEvent, ToolCallId};
use reasoning::{Reasoning, Source};
use serde_json::Value;
use std::collections::HashSet;

/// What the meaning of a stream depends on beside its bytes.
pub(crate) struct AssemblyContext {
    /// The tools that the request offered.
    pub(crate) tool_names: Vec<String>,
    /// Gives the ids of all calls in the request's messages; called at most once, and only if
    /// the answer has a call.
    pub(crate) used_call_ids: Box<dyn FnOnce() -> HashSet<ToolCallId> + Send>,
}

/// Makes stream events and one answer of the events of one response.
pub(crate) struct Assembler {
    text: String,
    splitter: ThinkSplitter,
    reasoning: Reasoning,
    calls: Calls,
    tool_names: Vec<String>,
    usage: UsageTally,
    /// The index of the answer that we follow, since the first chunk that has one.
    followed_choice: Option<u64>,
    finish_reason: Option<String>,
    native_finish_reason: Option<String>,
    /// The server said that nothing more comes.
    is_done: bool,
    has_output: bool,
    /// How many events in a row made no sense.
    unreadable: usize,
    /// Whether any event made no sense.
    has_skipped: bool,
}

/// What an event said about the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feed {
    /// More is to come.
    More,
    /// The stream is at its end (`[DONE]`).
    Done,
}

/// A finished answer, and what the user should be told beside it.
#[derive(Debug, PartialEq)]
pub(crate) struct Finished {
    /// The answer.
    pub(crate) answer: Answer,
    /// One line each.
    pub(crate) notices: Vec<String>,
}

const ANSWER_IN_REASONING: &str =
    "the model put its whole answer into the reasoning; it is shown as the answer";
const CUT_OFF_IN_REASONING: &str = "the output limit was reached while the model was still \
     reasoning; its reasoning is shown instead of an answer";
const NAMELESS_CALL: &str = "the model made a tool call without a name; it was left out";
const CALL_AS_TEXT: &str = "the model wrote a tool call as plain text, which is not run: its \
     server has no tool parser for this model, or it is switched off";
const PARTLY_FILTERED: &str = "the provider withheld the rest of the answer";

/// How many bytes of text, reasoning and calls one answer may have.
const ANSWER_CAP: usize = 64 * 1024 * 1024;

/// How many tool calls one answer may have.
const CALLS_CAP: usize = 1024;

/// How many unreadable events in a row end a stream.
const UNREADABLE_CAP: usize = 4;

/// How many bytes of an unreadable event are logged.
const LOGGED_CAP: usize = 500;

impl Assembler {
    /// Returns an assembler for one response.
    pub(crate) fn new(context: AssemblyContext) -> Self {
        let AssemblyContext { tool_names, used_call_ids } = context;
        Self {
            text: String::new(),
            splitter: ThinkSplitter::default(),
            reasoning: Reasoning::default(),
            calls: Calls::new(tool_names.clone(), CallIds::new(used_call_ids)),
            tool_names,
            usage: UsageTally::default(),
            followed_choice: None,
            finish_reason: None,
            native_finish_reason: None,
            is_done: false,
            has_output: false,
            unreadable: 0,
            has_skipped: false,
        }
    }

    /// Takes one event and appends what there is to show to `out`. An event that cannot be read
    /// is skipped.
    ///
    /// # Errors
    /// Fails when the server reports an error, when several events in a row cannot be read, and
    /// when the answer is too long.
    pub(crate) fn feed(
        &mut self,
        event: SseEvent<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Result<Feed, StreamFault> {
        let data = event.data.trim_ascii();
        if event.name.eq_ignore_ascii_case(b"error") {
            return Err(error_object(data, /*is_named*/ true));
        }
        let shown_before = out.len();
        let fed = self.feed_data(data, out);
        self.has_output |= out.len() > shown_before;
        fed?;
        Ok(if self.is_done { Feed::Done } else { Feed::More })
    }

    /// Takes the body of a server that answers without streaming, and appends what there is to
    /// show to `out`.
    ///
    /// # Errors
    /// Fails when the body is an error or nothing that we can read.
    pub(crate) fn feed_whole(
        &mut self,
        body: &[u8],
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamFault> {
        let shown_before = out.len();
        let fed = self.feed_data(body.trim_ascii(), out);
        self.has_output |= out.len() > shown_before;
        fed?;
        if self.unreadable > 0 {
            return Err(StreamFault::Garbage);
        }
        self.is_done = true;
        Ok(())
    }

    /// Returns whether anything has been shown so far.
    pub(crate) fn has_output(&self) -> bool {
        self.has_output
    }

    /// Takes the end of the response: appends the closing events to `out` and returns the answer.
    ///
    /// # Errors
    /// Fails when the response was cut off, failed, was withheld or is empty.
    pub(crate) fn finish(mut self, out: &mut Vec<StreamEvent>) -> Result<Finished, StreamFault> {
        let (stop_reason, is_filtered) = match self.finish_reason.as_deref().map(ending_of) {
            None if self.is_done => (None, false),
            None => return Err(StreamFault::Incomplete),
            Some(Ending::Stopped(reason)) => (Some(reason), false),
            Some(Ending::Filtered) => (Some(StopReason::Error), true),
            Some(Ending::Failed) => {
                let reason = self.finish_reason.unwrap_or_default();
                return Err(StreamFault::RetryableFinish { reason });
            }
        };
        self.release_held_text(out);
        self.fix_lone_close();
        let is_cut_off = stop_reason == Some(StopReason::MaxTokens);
        let end = if is_cut_off { AnswerEnd::CutOff } else { AnswerEnd::Whole };
        let mut calls = self.calls.finish(end, out);
        let mut notices = Vec::new();
        if self.text.trim().is_empty() && calls.calls.is_empty() {
            if let Some(reason) = self.native_finish_reason.filter(|word| is_native_failure(word)) {
                return Err(StreamFault::RetryableFinish { reason });
            }
            if is_filtered {
                let reason = self.finish_reason.unwrap_or_default();
                return Err(StreamFault::Filtered { reason });
            }
            if self.reasoning.text().trim().is_empty() && self.has_skipped {
                return Err(StreamFault::Garbage);
            }
            if self.reasoning.text().trim().is_empty() {
                return Err(StreamFault::EmptyAnswer { finish_reason: self.finish_reason });
            }
            // Else the turn would end with nothing to show, though the model did say something.
            self.text = std::mem::take(&mut self.reasoning).into_text();
            out.push(StreamEvent::TextDelta { delta: self.text.clone() });
            notices.push(if is_cut_off { CUT_OFF_IN_REASONING } else { ANSWER_IN_REASONING });
        }
        if calls.nameless > 0 {
            notices.push(NAMELESS_CALL);
        }
        if calls.calls.is_empty() && markup::looks_like_tool_call(&self.text, &self.tool_names) {
            notices.push(CALL_AS_TEXT);
        }
        if is_filtered {
            notices.push(PARTLY_FILTERED);
        }
        let stop_reason = stop_reason.unwrap_or(if calls.calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolCalls
        });
        let usage = self.usage.usage();
        out.push(StreamEvent::Stop { reason: stop_reason });
        out.extend(usage.map(|usage| StreamEvent::Usage { usage }));
        let answer = Answer {
            meta: meta_of(self.reasoning, &mut calls),
            content: Some(self.text)
                .filter(|text| !text.is_empty())
                .into_iter()
                .map(ContentPart::text)
                .collect(),
            tool_calls: calls.calls,
            rejected: calls.rejected,
            stop_reason: Some(stop_reason),
            usage,
        };
        Ok(Finished { answer, notices: notices.into_iter().map(str::to_owned).collect() })
    }

    fn feed_data(&mut self, data: &[u8], out: &mut Vec<StreamEvent>) -> Result<(), StreamFault> {
        match data {
            b"" | b"null" => return Ok(()),
            b"[DONE]" => {
                self.is_done = true;
                return Ok(());
            }
            _ => {}
        }
        if let Some(chunk) = chunk::read(data) {
            self.unreadable = 0;
            return self.take_chunk(chunk, data, out);
        }
        let mut is_readable = false;
        for text in chunk::salvage(data) {
            if text == "[DONE]" {
                self.is_done = true;
                is_readable = true;
            } else if let Some(chunk) = chunk::read(text.as_bytes()) {
                is_readable = true;
                self.take_chunk(chunk, text.as_bytes(), out)?;
            }
        }
        if is_readable {
            self.unreadable = 0;
            return Ok(());
        }
        self.unreadable += 1;
        self.has_skipped = true;
        let beginning = String::from_utf8_lossy(data.get(..LOGGED_CAP).unwrap_or(data));
        tracing::debug!(event = %beginning, "skipped an event that is no chunk");
        if self.unreadable >= UNREADABLE_CAP { Err(StreamFault::Garbage) } else { Ok(()) }
    }

    fn take_chunk(
        &mut self,
        chunk: Chunk<'_>,
        data: &[u8],
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamFault> {
        if chunk.is_error() {
            return Err(error_object(data, /*is_named*/ false));
        }
        if let Some(figures) = &chunk.usage.0 {
            self.usage.take(figures);
        }
        let Some(choice) = self.followed(chunk.choices.0) else { return Ok(()) };
        if let Some(error) = choice.error() {
            let body = format!("{{\"error\":{error}}}");
            return Err(error_object(body.as_bytes(), /*is_named*/ false));
        }
        if let Some(figures) = &choice.usage.0 {
            self.usage.take(figures);
        }
        // A whole message counts where nothing was streamed: it would repeat the deltas.
        let message = choice.message.0.filter(|_| !self.has_output);
        if let Some(delta) = choice.delta.0.or(message) {
            self.take_delta(&delta, out)?;
        }
        if let Some(reason) = choice.finish_reason.label() {
            self.finish_reason = Some(reason.into_owned());
        }
        if let Some(reason) = choice.native_finish_reason.label() {
            self.native_finish_reason = Some(reason.into_owned());
        }
        Ok(())
    }

    /// Returns the choice of a chunk that belongs to the answer we follow: the first one, or
    /// what the first chunk has instead.
    fn followed<'a>(&mut self, choices: Vec<Choice<'a>>) -> Option<Choice<'a>> {
        let index_of = |choice: &Choice<'_>| choice.index.count().unwrap_or(0);
        let lowest = choices.iter().map(index_of).min()?;
        let followed = *self.followed_choice.get_or_insert(lowest);
        choices
            .into_iter()
            .find(|choice| choice.index.count().is_none_or(|index| index == followed))
    }

    fn take_delta(
        &mut self,
        delta: &Delta<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamFault> {
        let thinking = self.reasoning.take_delta(delta);
        if !thinking.is_empty() {
            out.push(StreamEvent::ThinkingDelta { delta: thinking.into_owned() });
        }
        let refusal = delta.refusal.text().unwrap_or_default();
        let text = if delta.content.text.is_empty() { refusal } else { &delta.content.text };
        self.split_text(out, |splitter, sink| splitter.push(text, sink));
        for piece in &delta.tool_calls.0 {
            self.take_call(piece, out)?;
        }
        let size = self.text.len() + self.reasoning.size() + self.calls.size();
        if size > ANSWER_CAP { Err(StreamFault::TooLong) } else { Ok(()) }
    }

    fn take_call(
        &mut self,
        piece: &CallDelta<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamFault> {
        self.calls.take(piece, out);
        if self.calls.count() > CALLS_CAP { Err(StreamFault::TooLong) } else { Ok(()) }
    }

    fn release_held_text(&mut self, out: &mut Vec<StreamEvent>) {
        self.split_text(out, |splitter, sink| splitter.finish(sink));
    }

    fn split_text(
        &mut self,
        out: &mut Vec<StreamEvent>,
        run: impl FnOnce(&mut ThinkSplitter, &mut dyn FnMut(Piece<'_>)),
    ) {
        let Self { splitter, text, reasoning, .. } = self;
        run(splitter, &mut |piece| match piece {
            Piece::Text(delta) => {
                text.push_str(delta);
                out.push(StreamEvent::TextDelta { delta: delta.to_owned() });
            }
            Piece::Thinking(delta) => {
                reasoning.take_text(Source::ThinkTags, delta);
                out.push(StreamEvent::ThinkingDelta { delta: delta.to_owned() });
            }
        });
    }

    /// Moves what stands before a lone `</think>` to the reasoning. It has been shown as text;
    /// only the answer can still be put right.
    fn fix_lone_close(&mut self) {
        if self.splitter.saw_block() || !self.reasoning.text().is_empty() {
            return;
        }
        if let Some((thinking, text)) = think::split_at_lone_close(&self.text) {
            self.reasoning.take_text(Source::ThinkTags, thinking);
            self.text = text.to_owned();
        }
    }
}

fn error_object(data: &[u8], is_named: bool) -> StreamFault {
    StreamFault::ErrorObject { body: data.to_vec(), status: chunk::error_status(data), is_named }
}

fn meta_of(reasoning: Reasoning, calls: &mut FinishedCalls) -> Meta {
    let mut meta = Meta::new();
    if let Some(reasoning) = reasoning.into_meta() {
        meta.insert("reasoning".to_owned(), reasoning);
    }
    let by_call = [
        ("call_extras", std::mem::take(&mut calls.extras)),
        ("invalid_arguments", std::mem::take(&mut calls.invalid_arguments)),
    ];
    for (key, members) in by_call {
        if !members.is_empty() {
            meta.insert(key.to_owned(), Value::Object(members));
        }
    }
    meta
}

#[cfg(any(test, fuzzing))]
pub(crate) mod promises;

#[cfg(test)]
mod tests;
