//! Tool calls out of their pieces: the slot rule.
//!
//! Owns which piece belongs to which call, ids, names, and the closing of the calls. Must not
//! know what any tool does.
//!
//! Servers number calls wrongly or not at all, repeat or omit ids and names, and send arguments
//! first. A *slot* is one call in the making; [`Calls::slot_for`] finds it for each piece.

use super::arguments::{AnswerEnd, JsonProgress, parse_arguments};
use super::ids::CallIds;
use crate::chunk::{Arguments, CallDelta};
use crate::tool_name::{NAME_CAP, is_legal, legal_form};
use letscode_core::model::RejectedCall;
use letscode_wire::{StreamEvent, ToolCall, ToolCallId};
use serde_json::{Map, Value, json};

/// The calls of one answer so far.
pub(super) struct Calls {
    slots: Vec<Slot>,
    tool_names: Vec<String>,
    ids: CallIds,
    size: usize,
}

/// The calls of one finished answer.
#[derive(Debug, Default)]
pub(super) struct FinishedCalls {
    /// All calls, in order.
    pub(super) calls: Vec<ToolCall>,
    /// Those among them that must not run.
    pub(super) rejected: Vec<RejectedCall>,
    /// By call id: members that the server may want back.
    pub(super) extras: Map<String, Value>,
    /// By call id: the beginning of arguments that are no JSON object.
    pub(super) invalid_arguments: Map<String, Value>,
    /// How many calls were left out because they never got a name.
    pub(super) nameless: usize,
}

/// How much of invalid arguments is kept, in bytes.
const INVALID_ARGUMENTS_CAP: usize = 8 * 1024;

impl Calls {
    /// Returns no calls yet.
    pub(super) fn new(tool_names: Vec<String>, ids: CallIds) -> Self {
        Self { slots: Vec::new(), tool_names, ids, size: 0 }
    }

    /// Returns how many calls there are.
    pub(super) fn count(&self) -> usize {
        self.slots.len()
    }

    /// Returns how many bytes are held.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes one piece and tells what is new.
    ///
    /// A call is told once its name is a tool's; one with an unknown name, or with an id that an
    /// earlier call of this message has (it may turn out to be the same call), at the end.
    pub(super) fn take(&mut self, piece: &CallDelta<'_>, out: &mut Vec<StreamEvent>) {
        let position = self.slot_for(piece);
        let Some((slot, earlier)) =
            self.slots.get_mut(..=position).and_then(<[Slot]>::split_last_mut)
        else {
            return;
        };
        let before = slot.size();
        slot.take(piece, &self.tool_names);
        self.size += slot.size() - before;
        let has_own_id = slot.server_id.is_none()
            || earlier.iter().all(|other| other.server_id != slot.server_id);
        if slot.started.is_none() && has_own_id && is_known(&slot.name, &self.tool_names) {
            slot.start(&mut self.ids, out);
        }
        slot.tell_arguments(out);
    }

    /// Closes all calls: tells what was held back, then the end of each, in order.
    pub(super) fn finish(mut self, end: AnswerEnd, out: &mut Vec<StreamEvent>) -> FinishedCalls {
        let mut finished = FinishedCalls::default();
        let mut kept: Vec<ClosedCall> = Vec::new();
        for slot in self.slots {
            if slot.name.is_empty() {
                finished.nameless += 1;
                continue;
            }
            let mut closed = ClosedCall::new(slot, end);
            if closed.slot.started.is_none() {
                if kept.iter().any(|earlier| closed.repeats(earlier)) {
                    continue;
                }
                closed.slot.start(&mut self.ids, out);
                closed.slot.tell_arguments(out);
            }
            kept.push(closed);
        }
        for call in kept {
            if let Some(id) = call.slot.started.clone() {
                out.push(StreamEvent::ToolCallEnd { tool_call_id: id.clone() });
                finished.add(id, call);
            }
        }
        finished
    }

    /// Returns the position of the slot that `piece` belongs to, opening one where needed.
    fn slot_for(&mut self, piece: &CallDelta<'_>) -> usize {
        let index = piece.index.count();
        let found = if index.is_some() { self.by_index(index, piece) } else { self.by_id(piece) };
        found.unwrap_or_else(|| {
            self.slots.push(Slot { index, ..Slot::default() });
            self.slots.len() - 1
        })
    }

    /// With an index: the newest slot with that index, unless the piece begins another call.
    fn by_index(&self, index: Option<u64>, piece: &CallDelta<'_>) -> Option<usize> {
        let same_index = |slot: &Slot| slot.index == index;
        let id = piece.id.label();
        if let Some(id) = &id
            && let Some(known) = self.newest(|slot| same_index(slot) && slot.has_id(id))
        {
            return self.unless_sent_again(known, piece);
        }
        let newest = self.newest(same_index)?;
        let candidate = self.slots.get(newest)?;
        let has_name = piece.function.name.text().is_some();
        let is_complete = candidate.progress.is_complete();
        let has_other_id = id.is_some() && candidate.server_id.is_some();
        // Nothing can follow complete arguments, so further ones begin another call.
        let begins_again = is_complete && has_arguments(piece) && (has_name || id.is_some());
        let opens = begins_again || (has_other_id && (has_name || is_complete));
        (!opens).then_some(newest)
    }

    /// Without an index: by id, else the last slot, unless the piece begins another call.
    fn by_id(&self, piece: &CallDelta<'_>) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let last_slot = self.slots.get(last)?;
        let Some(id) = piece.id.label() else {
            let opens = piece.function.name.text().is_some() && last_slot.progress.is_complete();
            return (!opens).then_some(last);
        };
        if let Some(known) = self.newest(|slot| slot.has_id(&id)) {
            return self.unless_sent_again(known, piece);
        }
        // Arguments that came before any id and name can only be this call's.
        let is_orphan = last_slot.server_id.is_none() && last_slot.name.is_empty();
        is_orphan.then_some(last)
    }

    /// Returns the slot whose id the piece has, unless the piece is a call of its own: some
    /// servers use an id twice, or send a finished call once more as a whole.
    fn unless_sent_again(&self, known: usize, piece: &CallDelta<'_>) -> Option<usize> {
        let is_complete = self.slots.get(known)?.progress.is_complete();
        let goes_on = match &piece.function.arguments {
            Arguments::Absent | Arguments::Whole(_) => true,
            Arguments::Fragment(text) => !is_complete || text.trim().is_empty(),
        };
        goes_on.then_some(known)
    }

    fn newest(&self, is_wanted: impl FnMut(&Slot) -> bool) -> Option<usize> {
        self.slots.iter().rposition(is_wanted)
    }
}

impl FinishedCalls {
    fn add(&mut self, id: ToolCallId, call: ClosedCall) {
        let ClosedCall { slot, arguments } = call;
        if !slot.extras.is_empty() {
            self.extras.insert(id.as_str().to_owned(), Value::Object(slot.extras));
        }
        let mut problem = None;
        let arguments = arguments.unwrap_or_else(|reason| {
            let raw = beginning_of(&slot.arguments, INVALID_ARGUMENTS_CAP);
            self.invalid_arguments.insert(id.as_str().to_owned(), json!(raw));
            problem = Some(reason);
            Map::new()
        });
        if !is_legal(&slot.name) {
            let name = beginning_of(&slot.name, NAME_CAP);
            problem =
                Some(format!("{name:?} is no tool name; call one of the tools by its exact name"));
        }
        if let Some(reason) = problem {
            self.rejected.push(RejectedCall { id: id.clone(), reason });
        }
        self.calls.push(ToolCall { id, name: legal_form(&slot.name).into_owned(), arguments });
    }
}

/// One call in the making.
#[derive(Default)]
struct Slot {
    index: Option<u64>,
    server_id: Option<String>,
    /// The id that events and the answer carry, from the call's start on.
    started: Option<ToolCallId>,
    name: String,
    arguments: String,
    progress: JsonProgress,
    /// How many bytes of the arguments have been told.
    told: usize,
    extras: Map<String, Value>,
    extras_size: usize,
}

impl Slot {
    fn take(&mut self, piece: &CallDelta<'_>, tool_names: &[String]) {
        if self.server_id.is_none() {
            self.server_id = piece.id.label().map(String::from);
        }
        if let Some(fragment) = piece.function.name.text()
            && fragment != self.name
            && !is_known(&self.name, tool_names)
        {
            self.name.push_str(fragment);
        }
        match &piece.function.arguments {
            Arguments::Absent => {}
            Arguments::Fragment(text) => self.add_arguments(text),
            Arguments::Whole(json) => {
                if self.arguments.is_empty() {
                    self.add_arguments(json);
                }
            }
        }
        for (name, raw) in piece.extras.iter() {
            if let Ok(value) = serde_json::from_str(raw) {
                self.extras_size += name.len() + raw.len();
                self.extras.insert(name.to_owned(), value);
            }
        }
    }

    fn add_arguments(&mut self, text: &str) {
        self.progress.take(text);
        self.arguments.push_str(text);
    }

    fn start(&mut self, ids: &mut CallIds, out: &mut Vec<StreamEvent>) {
        let id = ids.assign(self.server_id.as_deref());
        out.push(StreamEvent::ToolCallStart {
            tool_call_id: id.clone(),
            name: legal_form(&self.name).into_owned(),
        });
        self.started = Some(id);
    }

    /// Tells the arguments that came since the last time, once the call has started.
    fn tell_arguments(&mut self, out: &mut Vec<StreamEvent>) {
        let news = self.arguments.get(self.told..).unwrap_or_default();
        if let Some(id) = &self.started
            && !news.is_empty()
        {
            out.push(StreamEvent::ToolCallArgsDelta {
                tool_call_id: id.clone(),
                delta: news.to_owned(),
            });
            self.told = self.arguments.len();
        }
    }

    fn has_id(&self, id: &str) -> bool {
        self.server_id.as_deref() == Some(id)
    }

    fn size(&self) -> usize {
        self.name.len() + self.arguments.len() + self.extras_size
    }
}

/// A call to which nothing is added any more.
struct ClosedCall {
    slot: Slot,
    /// The parsed arguments, or what is wrong with them.
    arguments: Result<Map<String, Value>, String>,
}

impl ClosedCall {
    fn new(slot: Slot, end: AnswerEnd) -> Self {
        let arguments = parse_arguments(&slot.arguments, end);
        Self { slot, arguments }
    }

    /// Returns whether this is `earlier` sent twice.
    fn repeats(&self, earlier: &Self) -> bool {
        let same_arguments = match (&self.arguments, &earlier.arguments) {
            (Ok(ours), Ok(theirs)) => ours == theirs,
            (Err(_), Err(_)) => self.slot.arguments == earlier.slot.arguments,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        self.slot.server_id.is_some()
            && self.slot.server_id == earlier.slot.server_id
            && self.slot.name == earlier.slot.name
            && same_arguments
    }
}

fn has_arguments(piece: &CallDelta<'_>) -> bool {
    match &piece.function.arguments {
        Arguments::Absent => false,
        Arguments::Fragment(text) => !text.trim().is_empty(),
        Arguments::Whole(_) => true,
    }
}

fn is_known(name: &str, tool_names: &[String]) -> bool {
    tool_names.iter().any(|tool| tool == name)
}

/// Returns at most `cap` bytes of `text`, cut between characters.
fn beginning_of(text: &str, cap: usize) -> &str {
    let ends = text.char_indices().map(|(start, character)| start + character.len_utf8());
    let end = ends.take_while(|end| *end <= cap).last().unwrap_or(0);
    text.get(..end).unwrap_or(text)
}
