//! What lies over the composer: lists to choose from, questions, a name to type.
//!
//! Owns which list shows what and what a choice leads to. Must not know how a list works.

use super::App;
use super::replies::Wanted;
use crate::dialog::{Confirm, DialogOutcome, Input};
use crate::footer::tokens;
use crate::keys::{Code, Key};
use crate::picker::{Item, Picker, PickerOutcome, Search};
use crate::text::{Cursor, Line};
use letscode_wire::{
    Command, ModelEntry, ModelsResult, SearchResult, SessionsResult, TreeEntry, TreeResult,
    UiLevel, UiRequest, UiRequestId,
};
use serde_json::Value;
use std::sync::Arc;

/// Renames the marked session.
const RENAME: Key = Key::char('r').ctrl();
/// Puts the marked session into the trash.
const DELETE: Key = Key::char('x').ctrl();
/// Shows the sessions of all projects, or of this one again.
const WIDEN: Key = Key::new(Code::Tab);

/// What lies over the composer.
pub(super) enum Overlay {
    /// A list whose choice is a command to send.
    Commands(Picker<Choice>),
    /// The sessions.
    Sessions {
        picker: Picker<String>,
        /// Those of the project, to come back to when nothing is searched for.
        list: Vec<Item<String>>,
        everywhere: bool,
    },
    /// A session's new name.
    Rename { session: String, input: Input },
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

/// A question's form.
pub(super) enum Question {
    Confirm(Confirm),
    Select(Box<Picker<usize>>),
    Input(Input),
}

impl Overlay {
    pub(super) fn view(&mut self, columns: usize, rows: usize) -> (Vec<Line>, Option<Cursor>) {
        match self {
            Self::Commands(picker) => picker.view(columns, rows),
            Self::Sessions { picker, .. } => picker.view(columns, rows),
            Self::Rename { input, .. } => input.view(columns, rows),
            Self::Question { dialog, .. } => match dialog {
                Question::Confirm(confirm) => (confirm.view(columns, rows), None),
                Question::Select(picker) => picker.view(columns, rows),
                Question::Input(input) => input.view(columns, rows),
            },
            Self::Trust(confirm) => (confirm.view(columns, rows), None),
        }
    }
}

impl App {
    pub(super) fn open_models(&mut self) {
        let picker =
            self.picker("model", Vec::new()).with_empty_note("asking which models there are …");
        self.overlay = Some(Overlay::Commands(picker));
        self.ask(Command::Models, Wanted::Models);
    }

    pub(super) fn show_models(&mut self, result: ModelsResult) {
        let Some(Overlay::Commands(picker)) = &mut self.overlay else { return };
        let item = |model: ModelEntry| {
            let detail = model_detail(&model);
            let item = Item::new(Choice::Model(model.id.clone()), model.id).detail(detail);
            if model.usable { item } else { item.quiet() }
        };
        picker.set_items(result.models.into_iter().map(item).collect());
        picker.set_empty_note("no model is known; /model NAME uses any");
    }

    pub(super) fn open_sessions(&mut self) {
        let picker = self
            .picker("session", Vec::new())
            .with_search(Search::Remote)
            .with_extra_keys([RENAME, DELETE, WIDEN])
            .with_hint(
                "type to search what was said · ctrl+r rename · ctrl+x delete · tab all projects",
            )
            .with_empty_note("looking for sessions …");
        self.overlay = Some(Overlay::Sessions { picker, list: Vec::new(), everywhere: false });
        self.list_sessions();
    }

    fn list_sessions(&mut self) {
        let Some(Overlay::Sessions { everywhere, .. }) = &self.overlay else { return };
        let all = *everywhere;
        self.ask(Command::Sessions { all }, Wanted::Sessions);
    }

    pub(super) fn show_sessions(&mut self, result: SessionsResult) {
        let now = self.seconds_since_epoch;
        let Some(Overlay::Sessions { picker, list, everywhere }) = &mut self.overlay else {
            return;
        };
        *list = result
            .sessions
            .into_iter()
            .map(|entry| {
                let id = entry.session.id.to_string();
                let label = entry.session.label.unwrap_or_else(|| id.clone());
                let mut detail = age(now - entry.modified);
                if entry.open {
                    detail.push_str(", open");
                }
                Item::new(id, label).detail(detail)
            })
            .collect();
        if picker.query().is_empty() {
            picker.set_items(list.clone());
        }
        picker.set_title(if *everywhere { "session of any project" } else { "session" });
        picker.set_empty_note("there are no sessions yet");
    }

    pub(super) fn show_hits(&mut self, result: SearchResult) {
        let Some(Overlay::Sessions { picker, .. }) = &mut self.overlay else { return };
        if picker.query().is_empty() {
            return;
        }
        let hits = result.hits.into_iter().map(|hit| {
            let id = hit.session.id.to_string();
            let label = hit.session.label.unwrap_or_else(|| id.clone());
            Item::new(id, hit.text).detail(label)
        });
        picker.set_items(hits.collect());
        picker.set_empty_note("nothing was found");
    }

    pub(super) fn open_tree(&mut self) {
        let picker = self
            .picker("go on behind", Vec::new())
            .with_search(Search::Ordered)
            .with_empty_note("reading the session …");
        self.overlay = Some(Overlay::Commands(picker));
        self.ask(Command::Tree, Wanted::Tree);
    }

    pub(super) fn show_tree(&mut self, result: TreeResult) {
        let Some(Overlay::Commands(picker)) = &mut self.overlay else { return };
        let last = result.entries.iter().rfind(|entry| entry.active).map(|entry| entry.entry);
        let depths = depths(&result.entries);
        let items = result.entries.into_iter().zip(depths).map(|(entry, depth)| {
            let guide = format!("{}{} ", "│ ".repeat(depth), if entry.active { '●' } else { '○' });
            let what = entry.kind.unwrap_or(entry.role);
            let item = Item::new(Choice::GoTo(entry.entry), entry.text).guide(guide).detail(what);
            if entry.active { item } else { item.quiet() }
        });
        picker.set_items(items.collect());
        picker.set_empty_note("the session has no entries yet");
        if let Some(last) = last {
            picker.mark(&Choice::GoTo(last));
        }
    }

    pub(super) fn open_fork(&mut self) {
        let picker = self
            .picker("fork behind", Vec::new())
            .with_search(Search::Ordered)
            .with_empty_note("reading the session …");
        self.overlay = Some(Overlay::Commands(picker));
        self.ask(Command::Tree, Wanted::Fork);
    }

    pub(super) fn show_fork(&mut self, result: TreeResult) {
        let Some(Overlay::Commands(picker)) = &mut self.overlay else { return };
        let entries = result.entries.into_iter().filter(|entry| entry.active);
        let items: Vec<Item<Choice>> = entries
            .map(|entry| {
                let what = entry.kind.unwrap_or(entry.role);
                Item::new(Choice::Fork(entry.entry), entry.text).detail(what)
            })
            .collect();
        let last = items.last().map(|item| item.value.clone());
        picker.set_items(items);
        picker.set_empty_note("the session has no entries yet");
        if let Some(last) = last {
            picker.mark(&last);
        }
    }

    /// Asks whether the project may set what runs code or moves secrets.
    pub(super) fn ask_for_trust(&mut self, question: &str) {
        let confirm =
            Confirm::new(Arc::clone(&self.keymap), "trust this project?", question, false);
        self.overlay = Some(Overlay::Trust(confirm));
    }

    /// Shows or asks what a tool or a plugin wants to know.
    pub(super) fn asked(&mut self, request_id: &UiRequestId, request: &UiRequest) {
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
                Question::Confirm(Confirm::new(Arc::clone(&self.keymap), title, text, false))
            }
            UiRequest::Select { text, options } => {
                let options = options.iter().enumerate();
                let items = options.map(|(at, option)| Item::new(at, option.clone())).collect();
                Question::Select(Box::new(self.picker(text, items)))
            }
            UiRequest::Input { text, placeholder, default } => Question::Input(Input::new(
                Arc::clone(&self.keymap),
                text,
                placeholder.as_deref().unwrap_or_default(),
                default.as_deref().unwrap_or_default(),
            )),
        };
        let question = Overlay::Question { request_id: request_id.clone(), dialog };
        if self.overlay.is_some() {
            self.questions.push_back(question);
        } else {
            self.overlay = Some(question);
        }
    }

    /// Takes a question back that nobody waits for any more.
    pub(super) fn withdrawn(&mut self, id: &UiRequestId) {
        let is_it = |overlay: &Overlay| matches!(overlay, Overlay::Question { request_id, .. } if request_id == id);
        self.questions.retain(|question| !is_it(question));
        if self.overlay.as_ref().is_some_and(is_it) {
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

    fn close_overlay(&mut self) {
        self.overlay = self.questions.pop_front();
    }

    pub(super) fn paste_for_overlay(&mut self, text: &str) {
        match &mut self.overlay {
            Some(Overlay::Commands(picker)) => drop(picker.paste(text)),
            Some(Overlay::Sessions { picker, .. }) => {
                let outcome = picker.paste(text);
                self.session_outcome(outcome);
            }
            Some(
                Overlay::Rename { input, .. }
                | Overlay::Question { dialog: Question::Input(input), .. },
            ) => drop(input.paste(text)),
            Some(Overlay::Question { dialog: Question::Select(picker), .. }) => {
                drop(picker.paste(text));
            }
            Some(Overlay::Question { .. } | Overlay::Trust(_)) | None => {}
        }
    }

    pub(super) fn key_for_overlay(&mut self, key: Key) {
        match &mut self.overlay {
            None => {}
            Some(Overlay::Commands(picker)) => match picker.key(key) {
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
            Some(Overlay::Sessions { picker, .. }) => {
                let outcome = picker.key(key);
                self.session_outcome(outcome);
            }
            Some(Overlay::Rename { session, input }) => match input.key(key) {
                DialogOutcome::Answer(text) => {
                    let session = session.clone();
                    self.ask(Command::Rename { session, text }, Wanted::Nothing);
                    self.open_sessions();
                }
                DialogOutcome::Cancelled => self.open_sessions(),
                DialogOutcome::Nothing | DialogOutcome::Changed => {}
            },
            Some(Overlay::Question { request_id, dialog }) => {
                let answer = match dialog {
                    Question::Confirm(confirm) => match confirm.key(key) {
                        DialogOutcome::Answer(yes) => Some(Some(Value::from(yes))),
                        DialogOutcome::Cancelled => Some(None),
                        DialogOutcome::Nothing | DialogOutcome::Changed => None,
                    },
                    Question::Input(input) => match input.key(key) {
                        DialogOutcome::Answer(text) => Some(Some(Value::from(text))),
                        DialogOutcome::Cancelled => Some(None),
                        DialogOutcome::Nothing | DialogOutcome::Changed => None,
                    },
                    Question::Select(picker) => match picker.key(key) {
                        PickerOutcome::Chosen(at) => Some(Some(Value::from(at))),
                        PickerOutcome::Cancelled => Some(None),
                        PickerOutcome::Nothing
                        | PickerOutcome::Changed
                        | PickerOutcome::Query(_)
                        | PickerOutcome::Key(..) => None,
                    },
                };
                if let Some(value) = answer {
                    let request_id = request_id.clone();
                    self.ask(Command::UiResponse { request_id, value }, Wanted::Nothing);
                    self.close_overlay();
                }
            }
            Some(Overlay::Trust(confirm)) => match confirm.key(key) {
                DialogOutcome::Answer(true) => {
                    self.close_overlay();
                    self.ask(Command::Trust { trust: Some(true) }, Wanted::Trusted);
                }
                DialogOutcome::Answer(false) | DialogOutcome::Cancelled => {
                    self.close_overlay();
                    self.transcript.notice("going on without it; /trust asks again");
                }
                DialogOutcome::Nothing | DialogOutcome::Changed => {}
            },
        }
    }

    fn chosen(&mut self, choice: Choice) {
        match choice {
            Choice::Model(model) => self.ask(Command::SetModel { model }, Wanted::Model),
            Choice::GoTo(entry) => self.ask(Command::GoTo { entry }, Wanted::Session),
            Choice::Fork(entry) => self.ask(Command::Fork { entry: Some(entry) }, Wanted::Session),
        };
    }

    fn session_outcome(&mut self, outcome: PickerOutcome<String>) {
        match outcome {
            PickerOutcome::Chosen(session) => {
                self.close_overlay();
                self.ask(Command::Resume { session }, Wanted::Session);
            }
            PickerOutcome::Cancelled => self.close_overlay(),
            PickerOutcome::Query(query) => {
                let Some(Overlay::Sessions { picker, list, everywhere }) = &mut self.overlay else {
                    return;
                };
                if query.is_empty() {
                    return picker.set_items(list.clone());
                }
                let all = *everywhere;
                self.ask(Command::Search { query, all }, Wanted::Search);
            }
            PickerOutcome::Key(WIDEN, _) => {
                let Some(Overlay::Sessions { picker, everywhere, .. }) = &mut self.overlay else {
                    return;
                };
                *everywhere = !*everywhere;
                let query = picker.query().to_owned();
                self.list_sessions();
                if !query.is_empty() {
                    self.session_outcome(PickerOutcome::Query(query));
                }
            }
            PickerOutcome::Key(RENAME, Some(session)) => {
                let input = Input::new(Arc::clone(&self.keymap), "new name", "", "");
                self.overlay = Some(Overlay::Rename { session, input });
            }
            PickerOutcome::Key(DELETE, Some(session)) => {
                self.ask(Command::Delete { session }, Wanted::Nothing);
                self.list_sessions();
            }
            PickerOutcome::Nothing | PickerOutcome::Changed | PickerOutcome::Key(..) => {}
        }
    }

    pub(super) fn picker<T: Clone + PartialEq>(
        &self,
        title: &str,
        items: Vec<Item<T>>,
    ) -> Picker<T> {
        Picker::new(title, items).with_keymap(Arc::clone(&self.keymap))
    }
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

/// Returns how long ago something was.
fn age(seconds: f64) -> String {
    let minutes = (seconds / 60.0).max(0.0);
    match minutes {
        0.0..1.0 => "just now".to_owned(),
        1.0..60.0 => format!("{minutes:.0} min ago"),
        60.0..1440.0 => format!("{:.0} h ago", minutes / 60.0),
        _ => format!("{:.0} days ago", minutes / 1440.0),
    }
}
