//! The order of a page: what belongs together, and what it adds up to.
//!
//! Owns the pairing of tool calls with their results. Must not know how anything looks.

use letscode_wire::{AssistantMessage, CustomMessage, Message, ToolCall, ToolMessage, UserMessage};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What stands on the page as one piece.
#[derive(Debug, PartialEq)]
pub(super) enum Entry<'a> {
    /// What the user said.
    User(&'a UserMessage),
    /// An answer, each of its calls with its result.
    Answer(&'a AssistantMessage, Vec<Call<'a>>),
    /// A result whose call is not there.
    LooseResult(&'a ToolMessage),
    /// A compaction, a model switch, or a plugin's own kind.
    Custom(&'a CustomMessage),
}

/// A tool call and what came of it.
#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    /// What the model asked for.
    pub(super) call: &'a ToolCall,
    /// The arguments as the model wrote them, where they were no JSON object.
    pub(super) invalid_arguments: Option<&'a str>,
    /// What the tool gave; `None` where the session ends before.
    pub(super) result: Option<&'a ToolMessage>,
}

/// The figures at the head of the page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Totals {
    /// Messages of the user.
    pub(super) user_messages: u64,
    /// Answers of the model.
    pub(super) answers: u64,
    /// Tool calls in them.
    pub(super) calls: u64,
    /// Tool results that are errors.
    pub(super) failed_calls: u64,
    /// Tokens of all requests, cached ones included.
    pub(super) input_tokens: u64,
    /// Those of them that came from a cache.
    pub(super) cached_tokens: u64,
    /// Tokens of all answers.
    pub(super) output_tokens: u64,
    /// US dollars, as far as prices are known.
    pub(super) cost_usd: Option<f64>,
    /// Whether there are answers with token counts and no price.
    pub(super) is_cost_partial: bool,
}

/// Returns the entries in the order of the transcript. A result goes to the call of its id in the
/// nearest answer before it; ids may come again in later answers.
pub(super) fn entries(transcript: &[Arc<Message>]) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut messages = transcript.iter().map(AsRef::as_ref).peekable();
    while let Some(message) = messages.next() {
        match message {
            Message::User(message) => entries.push(Entry::User(message)),
            Message::Tool(message) => entries.push(Entry::LooseResult(message)),
            Message::Custom(message) => entries.push(Entry::Custom(message)),
            Message::Assistant(answer) => {
                let mut results = Vec::new();
                while let Some(Message::Tool(result)) = messages.peek() {
                    results.push(result);
                    messages.next();
                }
                push_answer(&mut entries, answer, results);
            }
        }
    }
    entries
}

/// Adds up what the answers and their calls were.
pub(super) fn totals(transcript: &[Arc<Message>]) -> Totals {
    let mut totals = Totals::default();
    for message in transcript {
        match message.as_ref() {
            Message::User(_) => totals.user_messages += 1,
            Message::Tool(result) => totals.failed_calls += u64::from(result.is_error),
            Message::Custom(_) => {}
            Message::Assistant(answer) => {
                totals.answers += 1;
                totals.calls += answer.tool_calls.len() as u64;
                let Some(usage) = &answer.usage else { continue };
                let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
                add(&mut totals.input_tokens, usage.input_tokens);
                add(&mut totals.cached_tokens, usage.cache_read_tokens);
                add(&mut totals.output_tokens, usage.output_tokens);
                match usage.cost_usd {
                    Some(cost) => *totals.cost_usd.get_or_insert(0.0) += cost,
                    None => totals.is_cost_partial = true,
                }
            }
        }
    }
    totals
}

fn push_answer<'a>(
    entries: &mut Vec<Entry<'a>>,
    answer: &'a AssistantMessage,
    results: Vec<&'a ToolMessage>,
) {
    let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (index, result) in results.iter().enumerate() {
        waiting.entry(result.tool_call_id.as_str()).or_default().push_back(index);
    }
    let mut results: Vec<Option<&ToolMessage>> = results.into_iter().map(Some).collect();
    let invalid = answer.meta.get("invalid_arguments");
    let calls = answer.tool_calls.iter().map(|call| {
        let index = waiting.get_mut(call.id.as_str()).and_then(VecDeque::pop_front);
        let result = index.and_then(|index| results.get_mut(index)?.take());
        let invalid_arguments = invalid.and_then(|texts| texts.get(call.id.as_str())?.as_str());
        Call { call, invalid_arguments, result }
    });
    let calls = calls.collect();
    entries.push(Entry::Answer(answer, calls));
    entries.extend(results.into_iter().flatten().map(Entry::LooseResult));
}
