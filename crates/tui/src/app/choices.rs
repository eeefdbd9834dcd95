//! What lies over the composer: lists to choose from, questions, a name to type.
//!
//! Owns which list shows what and what a choice leads to. Must not know how a list works.

use super::App;
use super::questions::Question;
use super::replies::Wanted;
use super::sessions::Sessions;
use crate::dialog::{Confirm, Input};
use crate::footer::tokens;
use crate::keys::Key;
use crate::picker::{Item, Picker, PickerOutcome, Search};
use crate::text::{Cursor, Line};
use letscode_wire::{
    Command, CustomKind, ModelEntry, ModelsResult, TreeEntry, TreeResult, UiRequestId,
};
use std::sync::Arc;
use std::time::Instant;

/// What lies over the composer.
pub(super) enum Overlay {
    /// A list whose choice is a command to send.
    Choices {
        picker: Box<Picker<Choice>>,
        /// The request that fills it.
        request: u64,
    },
    /// The sessions.
    Sessions(Box<Sessions>),
    /// A session's new name.
    Rename { sessions: Box<Sessions>, session: String, input: Input },
    /// Whether a session is to go.
    Delete { sessions: Box<Sessions>, session: String, confirm: Confirm },
    /// A question whose answer goes to whoever asked.
    Question { request_id: UiRequestId, dialog: Question },
    /// Whether the project is trusted.
    Trust(Confirm),
}

/// What a chosen row leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    Model(String),
    GoTo(usize),
    Fork(usize),
}

impl Overlay {
    /// Returns whether it came up by itself, in the way of somebody who may be writing.
    pub(super) fn is_unbidden(&self) -> bool {
        match self {
            Self::Question { .. } => true,
            Self::Trust(confirm) => !confirm.takes_letters(),
            Self::Choices { .. }
            | Self::Sessions(_)
            | Self::Rename { .. }
            | Self::Delete { .. } => false,
        }
    }

    /// Returns whether it asks for a line of text.
    pub(super) fn asks_for_line(&self) -> bool {
        matches!(self, Self::Question { dialog: Question::Input(_), .. })
    }

    /// Returns whether what is typed belongs into the composer beneath.
    pub(super) fn lets_writing_through(&self) -> bool {
        match self {
            Self::Question { dialog, .. } => dialog.is_without_letters(),
            other => other.is_unbidden(),
        }
    }

    pub(super) fn view(&mut self, columns: usize, rows: usize) -> (Vec<Line>, Option<Cursor>) {
        match self {
            Self::Choices { picker, .. } => picker.view(columns, rows),
            Self::Sessions(sessions) => sessions.picker.view(columns, rows),
            Self::Rename { input, .. } => input.view(columns, rows),
            Self::Question { dialog, .. } => dialog.view(columns, rows),
            Self::Trust(confirm) | Self::Delete { confirm, .. } => {
                (confirm.view(columns, rows), None)
            }
        }
    }
}

impl App {
    pub(super) fn open_models(&mut self) {
        let picker = self
            .picker("model", Vec::new())
            .with_hint("context · US dollars for a million tokens in/out")
            .with_empty_note("asking which models there are …");
        self.open_choices(picker, Command::Models, Wanted::Models);
    }

    pub(super) fn show_models(&mut self, request: u64, result: ModelsResult) {
        let Some(picker) = self.choices(request) else { return };
        let item = |model: ModelEntry| {
            let detail = model_detail(&model);
            let item = Item::new(Choice::Model(model.id.clone()), model.id).detail(detail);
            if model.usable { item } else { item.quiet() }
        };
        picker.set_items(result.models.into_iter().map(item).collect());
        picker.set_empty_note("no model is known by that; /model NAME uses any");
    }

    /// Prints models with numbers, which `/model` takes from then on.
    pub(super) fn number_models(&mut self, result: ModelsResult) {
        let mut text = String::new();
        for (index, model) in result.models.iter().enumerate() {
            let line = format!("{:>4}  {}  {}", index + 1, model.id, model_detail(model));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        self.transcript.text(&text);
        self.transcript.notice("/model N or /model NAME uses one from now on");
        self.numbered_models = result.models.into_iter().map(|model| model.id).collect();
    }

    /// Returns the model of a number in the list that was printed last.
    pub(super) fn numbered_model(&self, number: &str) -> Option<String> {
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        self.numbered_models.get(index).cloned()
    }

    pub(super) fn open_tree(&mut self) {
        let picker = self
            .picker("go on behind", Vec::new())
            .with_search(Search::Ordered)
            .with_hint("goes on in this session; what follows stays as a branch")
            .with_empty_note("reading the session …");
        self.open_choices(picker, Command::Tree, Wanted::Tree);
    }

    pub(super) fn show_tree(&mut self, request: u64, result: &TreeResult) {
        let Some(picker) = self.choices(request) else { return };
        let last = last_message(&result.entries);
        let depths = depths(&result.entries);
        let shown = result.entries.iter().zip(depths).filter(|(entry, _)| is_shown(entry));
        let items = shown.map(|(entry, depth)| {
            let guide = format!("{}{} ", "│ ".repeat(depth), if entry.active { '●' } else { '○' });
            let item = entry_item(Choice::GoTo(entry.entry), entry).guide(guide);
            if entry.active { item } else { item.quiet() }
        });
        picker.set_items(items.collect());
        picker.set_empty_note(NO_ENTRY);
        if let Some(last) = last {
            picker.mark(&Choice::GoTo(last));
        }
    }

    pub(super) fn open_fork(&mut self) {
        let picker = self
            .picker("fork behind", Vec::new())
            .with_search(Search::Ordered)
            .with_hint("goes on in a new session that ends with this entry")
            .with_empty_note("reading the session …");
        self.open_choices(picker, Command::Tree, Wanted::Fork);
    }

    pub(super) fn show_fork(&mut self, request: u64, result: &TreeResult) {
        let Some(picker) = self.choices(request) else { return };
        let last = last_message(&result.entries);
        let shown = result.entries.iter().filter(|entry| entry.active && is_shown(entry));
        picker.set_items(shown.map(|entry| entry_item(Choice::Fork(entry.entry), entry)).collect());
        picker.set_empty_note(NO_ENTRY);
        if let Some(last) = last {
            picker.mark(&Choice::Fork(last));
        }
    }

    /// Closes the list that a request was to fill: it failed.
    pub(super) fn list_failed(&mut self, request: u64) {
        if self.choices(request).is_some() {
            self.close_overlay();
        }
    }

    /// Closes what lies over the composer as Escape does.
    pub(super) fn dismiss_overlay(&mut self) {
        if let Some(Overlay::Question { request_id, .. }) = &self.overlay {
            let request_id = request_id.clone();
            self.ask(Command::UiResponse { request_id, value: None }, Wanted::Nothing);
        }
        self.close_overlay();
    }

    /// Closes what lies over the composer; a question that waited comes up.
    pub(super) fn close_overlay(&mut self) {
        self.overlay = self.questions.pop_front();
        self.overlay_seen = None;
        self.is_overlay_told = false;
    }

    /// Lays a list over the composer; a question that lies there comes up again behind it.
    pub(super) fn lay_list(&mut self, list: Overlay) {
        if let Some(question) = self.overlay.replace(list).filter(Overlay::is_unbidden) {
            self.questions.push_front(question);
        }
        self.is_overlay_told = false;
    }

    /// Lays a question over the composer, or has it wait for what lies there.
    pub(super) fn lay_over(&mut self, question: Overlay) {
        if self.overlay.is_some() {
            self.questions.push_back(question);
        } else {
            self.overlay = Some(question);
            self.overlay_seen = None;
        }
    }

    pub(super) fn paste_for_overlay(&mut self, text: &str) {
        match &mut self.overlay {
            Some(Overlay::Choices { picker, .. }) => drop(picker.paste(text)),
            Some(Overlay::Sessions(sessions)) => {
                let outcome = sessions.picker.paste(text);
                self.sessions_outcome(outcome);
            }
            Some(Overlay::Rename { input, .. }) => drop(input.paste(text)),
            Some(Overlay::Question { dialog, .. }) => dialog.paste(text),
            Some(Overlay::Delete { .. } | Overlay::Trust(_)) | None => {}
        }
    }

    pub(super) fn key_for_overlay(&mut self, key: Key, now: Instant) {
        match &mut self.overlay {
            None => {}
            Some(Overlay::Choices { picker, .. }) => match picker.key(key) {
                PickerOutcome::Chosen(choice) => {
                    self.close_overlay();
                    self.chosen(choice);
                }
                PickerOutcome::Cancelled => self.close_overlay(),
                PickerOutcome::Nothing
                | PickerOutcome::Changed
                | PickerOutcome::Query(_)
                | PickerOutcome::Key(..) => {}
            },
            Some(Overlay::Sessions(sessions)) => {
                let outcome = sessions.picker.key(key);
                self.sessions_outcome(outcome);
            }
            Some(Overlay::Rename { input, .. }) => {
                let outcome = input.key(key);
                self.rename_outcome(outcome);
            }
            Some(Overlay::Delete { confirm, .. }) => {
                let outcome = confirm.key(key);
                self.delete_outcome(&outcome);
            }
            Some(Overlay::Question { .. }) => self.question_key(key, now),
            Some(Overlay::Trust(confirm)) => {
                let outcome = confirm.key(key);
                self.trust_outcome(&outcome);
            }
        }
    }

    pub(super) fn picker<T: Clone + PartialEq>(
        &self,
        title: &str,
        items: Vec<Item<T>>,
    ) -> Picker<T> {
        Picker::new(title, items).with_keymap(Arc::clone(&self.keymap))
    }

    fn open_choices(&mut self, picker: Picker<Choice>, command: Command, wanted: Wanted) {
        let request = self.ask(command, wanted);
        self.lay_list(Overlay::Choices { picker: Box::new(picker), request });
    }

    /// Returns the list that a request fills, where it is still there.
    fn choices(&mut self, by: u64) -> Option<&mut Picker<Choice>> {
        match &mut self.overlay {
            Some(Overlay::Choices { picker, request }) if *request == by => Some(picker),
            _ => None,
        }
    }

    fn chosen(&mut self, choice: Choice) {
        match choice {
            Choice::Model(model) => self.ask(Command::SetModel { model }, Wanted::Model),
            Choice::GoTo(entry) => self.ask(Command::GoTo { entry }, Wanted::Session),
            Choice::Fork(entry) => self.ask(Command::Fork { entry: Some(entry) }, Wanted::Session),
        };
    }
}

const NO_ENTRY: &str = "no entry matches";

/// Returns whether an entry says anything: that somebody went elsewhere, the branches show.
fn is_shown(entry: &TreeEntry) -> bool {
    entry.kind.as_deref().and_then(CustomKind::from_name) != Some(CustomKind::GoTo)
}

/// Returns the row of an entry, in words.
fn entry_item(choice: Choice, entry: &TreeEntry) -> Item<Choice> {
    let kind = entry.kind.as_deref();
    let (label, what) = match kind.and_then(CustomKind::from_name) {
        Some(CustomKind::ModelChange) => (&*entry.text, "another model"),
        Some(CustomKind::Compaction) => (&*entry.text, "summary"),
        Some(CustomKind::Reset) => ("a new conversation begins here", ""),
        Some(CustomKind::GoTo) => ("the conversation goes on from here", ""),
        None => (&*entry.text, kind.unwrap_or(&entry.role)),
    };
    Item::new(choice, label).detail(what)
}

/// Returns the last message of the active branch.
fn last_message(entries: &[TreeEntry]) -> Option<usize> {
    let is_message = |entry: &&TreeEntry| entry.active && entry.kind.is_none();
    entries.iter().rfind(is_message).map(|entry| entry.entry)
}

/// Returns how deep each entry stands: one more than the entry that it branches off from.
fn depths(entries: &[TreeEntry]) -> Vec<usize> {
    let mut depths = std::collections::HashMap::new();
    let mut followed = std::collections::HashSet::new();
    entries
        .iter()
        .map(|entry| {
            let above = entry.parent.and_then(|parent| depths.get(&parent).copied()).unwrap_or(0);
            // The first entry behind another goes on in its column, each further one branches off.
            let depth = if followed.insert(entry.parent) { above } else { above + 1 };
            depths.insert(entry.entry, depth);
            depth
        })
        .collect()
}

fn model_detail(model: &ModelEntry) -> String {
    let mut detail = model.provider.clone();
    if let Some(window) = model.context_window {
        detail.push_str(&format!(" · {}", tokens(window)));
    }
    if let (Some(input), Some(output)) = (model.input_per_million, model.output_per_million) {
        detail.push_str(&format!(" · ${input}/${output}"));
    }
    if !model.usable {
        detail.push_str(" · no key");
    }
    detail
}
