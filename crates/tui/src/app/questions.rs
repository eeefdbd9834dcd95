//! Questions: those of tools and plugins, and whether the project is trusted.
//!
//! Owns their forms, their order and where an answer goes. Must not decide anything for the user.

use super::choices::Overlay;
use super::replies::Wanted;
use super::{App, Effect};
use crate::dialog::{Confirm, DialogOutcome, Input, question};
use crate::keys::Key;
use crate::picker::{Item, Picker, PickerOutcome};
use crate::text::{Cursor, Line, sanitize, width};
use crate::theme;
use letscode_wire::{Command, TrustResult, UiLevel, UiRequest, UiRequestId};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// A question's form.
pub(super) enum Question {
    Confirm(Confirm),
    Select(Box<Select>),
    Input(Input),
}

/// A question that is answered by one of several.
pub(super) struct Select {
    text: String,
    options: usize,
    picker: Picker<usize>,
}

/// How much of a row a question leaves to what is typed, where both share it.
const BESIDE_TITLE: usize = 12;

impl Select {
    /// Returns the question, above the list where it does not fit beside what is typed.
    fn view(&mut self, columns: usize, rows: usize) -> (Vec<Line>, Option<Cursor>) {
        let is_short = !self.text.contains('\n')
            && width::of(&sanitize::one_line(&self.text)) + BESIDE_TITLE <= columns;
        if is_short {
            self.picker.set_title(self.text.as_str());
            return self.picker.view(columns, rows);
        }
        let room = rows.saturating_sub(self.options + 1);
        let (first, rest) = self.text.split_once('\n').unwrap_or((&self.text, ""));
        let mut lines = question(first, rest, columns, room + 1);
        if lines.len() > room {
            lines.truncate(room.saturating_sub(1));
            lines.extend((room > 0).then(|| Line::new("…", theme::QUIET)));
        }
        self.picker.set_title("answer");
        let (list, cursor) = self.picker.view(columns, rows - lines.len());
        let cursor = cursor.map(|cursor| Cursor { row: lines.len() + cursor.row, ..cursor });
        lines.extend(list);
        (lines, cursor)
    }
}

impl Question {
    pub(super) fn view(&mut self, columns: usize, rows: usize) -> (Vec<Line>, Option<Cursor>) {
        match self {
            Self::Confirm(confirm) => (confirm.view(columns, rows), None),
            Self::Select(select) => select.view(columns, rows),
            Self::Input(input) => input.view(columns, rows),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self {
            Self::Confirm(_) => {}
            Self::Select(select) => drop(select.picker.paste(text)),
            Self::Input(input) => drop(input.paste(text)),
        }
    }

    /// Returns whether a letter means nothing to it.
    pub(super) fn is_without_letters(&self) -> bool {
        matches!(self, Self::Confirm(confirm) if !confirm.takes_letters())
    }

    /// Takes a key. Returns the answer where that is one; an inner `None` declines.
    fn key(&mut self, key: Key) -> Option<Option<Value>> {
        match self {
            Self::Confirm(confirm) => answer(confirm.key(key)),
            Self::Input(input) => answer(input.key(key)),
            Self::Select(select) => match select.picker.key(key) {
                PickerOutcome::Chosen(at) => Some(Some(Value::from(at))),
                PickerOutcome::Cancelled => Some(None),
                PickerOutcome::Nothing
                | PickerOutcome::Changed
                | PickerOutcome::Query(_)
                | PickerOutcome::Key(..) => None,
            },
        }
    }
}

impl App {
    /// Shows or asks what a tool or a plugin wants to know.
    pub(super) fn asked(&mut self, request_id: &UiRequestId, request: &UiRequest) {
        let keymap = || Arc::clone(&self.keymap);
        let dialog = match request {
            UiRequest::Notify { text, level } => {
                return match level {
                    UiLevel::Info | UiLevel::Warning => self.transcript.notice(text),
                    UiLevel::Error => self.transcript.failure(text),
                };
            }
            UiRequest::Status { key, text } => {
                self.status.retain(|(known, _)| known != key);
                self.status.extend(text.clone().map(|text| (key.clone(), text)));
                return;
            }
            UiRequest::Confirm { title, text } => {
                Question::Confirm(Confirm::new(keymap(), title, text, false).without_letters())
            }
            UiRequest::Select { text, options } => {
                let items = options.iter().enumerate();
                let items = items.map(|(at, option)| Item::new(at, option.clone())).collect();
                let picker = self.picker(text, items);
                let (text, options) = (text.clone(), options.len());
                Question::Select(Box::new(Select { text, options, picker }))
            }
            UiRequest::Input { text, placeholder, default } => Question::Input(Input::new(
                keymap(),
                text,
                placeholder.as_deref().unwrap_or_default(),
                default.as_deref().unwrap_or_default(),
            )),
        };
        // The run waits for somebody who looks elsewhere.
        if !self.has_focus {
            self.effects.push(Effect::Attract("a question waits for an answer"));
        }
        self.lay_over(Overlay::Question { request_id: request_id.clone(), dialog });
    }

    /// Takes a question back that nobody waits for any more.
    pub(super) fn withdrawn(&mut self, id: &UiRequestId) {
        let is_it = |overlay: &Overlay| matches!(overlay, Overlay::Question { request_id, .. } if request_id == id);
        self.questions.retain(|question| !is_it(question));
        if self.overlay.as_ref().is_some_and(is_it) {
            self.close_overlay();
        }
    }

    pub(super) fn question_key(&mut self, key: Key, now: Instant) {
        let Some(Overlay::Question { request_id, dialog }) = &mut self.overlay else { return };
        if let Some(value) = dialog.key(key) {
            let request_id = request_id.clone();
            self.answered_at = Some(now);
            self.ask(Command::UiResponse { request_id, value }, Wanted::Nothing);
            self.close_overlay();
        }
    }

    /// Asks whether the project may set what runs code or moves secrets.
    pub(super) fn ask_for_trust(&mut self, question: &str) {
        self.lay_over(Overlay::Trust(self.trust_confirm(question).without_letters()));
    }

    /// Asks the question where there is something to ask, or says how things are.
    pub(super) fn show_trust(&mut self, result: &TrustResult) {
        let Some(project) = &result.project else {
            return self.transcript.notice("nothing here has settings of its own to trust");
        };
        if result.trusted {
            return self
                .transcript
                .notice(&format!("{project} is trusted; /trust off takes that back"));
        }
        let reason = result.reason.as_deref().unwrap_or("not trusted");
        let left_out = match result.left_out.as_slice() {
            [] => "it sets nothing that needs trust".to_owned(),
            names => format!("without trust it does not get: {}", names.join(", ")),
        };
        let confirm = self.trust_confirm(&format!("{project}: {reason}\n{left_out}"));
        self.lay_over(Overlay::Trust(confirm));
    }

    fn trust_confirm(&self, question: &str) -> Confirm {
        Confirm::new(Arc::clone(&self.keymap), "trust this project?", question, false)
    }

    pub(super) fn trust_outcome(&mut self, outcome: &DialogOutcome<bool>) {
        match outcome {
            DialogOutcome::Answer(true) => {
                self.close_overlay();
                self.ask(Command::Trust { trust: Some(true) }, Wanted::Trusted);
            }
            DialogOutcome::Answer(false) | DialogOutcome::Cancelled => {
                self.close_overlay();
                self.transcript.notice("going on without it; /trust asks again");
            }
            DialogOutcome::Nothing | DialogOutcome::Changed => {}
        }
    }
}

fn answer<T: Into<Value>>(outcome: DialogOutcome<T>) -> Option<Option<Value>> {
    match outcome {
        DialogOutcome::Answer(answer) => Some(Some(answer.into())),
        DialogOutcome::Cancelled => Some(None),
        DialogOutcome::Nothing | DialogOutcome::Changed => None,
    }
}
