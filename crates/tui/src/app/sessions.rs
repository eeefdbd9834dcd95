//! The list of sessions: to go on with one, search what was said in them, rename or delete one.
//!
//! Owns which of them are listed and what is asked of the agent for that; at most one search is
//! under way. Must not know how a list works.

use super::App;
use super::choices::Overlay;
use super::replies::Wanted;
use crate::dialog::{Confirm, DialogOutcome, Input};
use crate::keys::{Code, Key};
use crate::picker::{Item, Picker, PickerOutcome, Search};
use letscode_wire::{Command, SearchResult, SessionsResult};
use std::sync::Arc;

/// Renames the marked session.
const RENAME: Key = Key::char('r').ctrl();
/// Puts the marked session into the trash.
const DELETE: Key = Key::char('x').ctrl();
/// Shows the sessions of all projects, or of this one again.
const WIDEN: Key = Key::new(Code::Tab);

/// The sessions to choose from.
pub(super) struct Sessions {
    pub(super) picker: Picker<String>,
    /// All of them, to come back to when nothing is searched for.
    list: Vec<Item<String>>,
    /// Whether those of all projects are meant.
    everywhere: bool,
    /// The request for the list that is awaited.
    listing: u64,
    /// The search under way.
    searching: Option<Searching>,
}

/// A search under way: its request, and what it looks for.
struct Searching {
    request: u64,
    query: String,
    everywhere: bool,
}

impl Sessions {
    /// Returns a session's label, where it has one.
    fn label_of(&self, session: &str) -> Option<&str> {
        let item = self.list.iter().find(|item| item.value == session)?;
        (item.label != session).then_some(&item.label)
    }

    /// Returns the sessions whose label holds a text: they need no search.
    fn labelled(&self, query: &str) -> Vec<Item<String>> {
        let query = query.to_lowercase();
        let holds = |item: &&Item<String>| item.label.to_lowercase().contains(&query);
        self.list.iter().filter(holds).cloned().collect()
    }
}

impl App {
    pub(super) fn open_sessions(&mut self) {
        let picker = self
            .picker("session", Vec::new())
            .with_search(Search::Remote)
            .with_extra_keys([RENAME, DELETE, WIDEN])
            .with_hint("type to search · ctrl+r rename · ctrl+x delete · tab all projects")
            .with_empty_note("looking for sessions …");
        let sessions =
            Sessions { picker, list: Vec::new(), everywhere: false, listing: 0, searching: None };
        self.lay_list(Overlay::Sessions(Box::new(sessions)));
        self.list_sessions();
    }

    /// Asks for the list again.
    pub(super) fn list_sessions(&mut self) {
        let Some(sessions) = self.sessions() else { return };
        let all = sessions.everywhere;
        let request = self.ask(Command::Sessions { all }, Wanted::Sessions);
        if let Some(sessions) = self.sessions() {
            sessions.listing = request;
        }
    }

    pub(super) fn show_sessions(&mut self, request: u64, result: SessionsResult) {
        let now = self.seconds_since_epoch;
        let Some(sessions) = self.sessions().filter(|it| it.listing == request) else { return };
        let item = |entry: letscode_wire::SessionEntry| {
            let id = entry.session.id.to_string();
            let label = entry.session.label.unwrap_or_else(|| id.clone());
            let mut detail = age(now - entry.modified);
            if entry.open {
                detail.push_str(", open");
            }
            Item::new(id, label).detail(detail)
        };
        sessions.list = result.sessions.into_iter().map(item).collect();
        let title = if sessions.everywhere { "session of any project" } else { "session" };
        sessions.picker.set_title(title);
        sessions.picker.set_empty_note("there are no sessions yet");
        if sessions.picker.query().is_empty() {
            sessions.picker.set_items(sessions.list.clone());
        }
    }

    /// Shows what a search found, or begins the next one where something else is wanted by now.
    pub(super) fn show_hits(&mut self, request: u64, result: SearchResult) {
        let Some(sessions) = self.sessions() else { return };
        let Some(search) = sessions.searching.take_if(|search| search.request == request) else {
            return;
        };
        if search.query != sessions.picker.query() || search.everywhere != sessions.everywhere {
            return self.search_sessions();
        }
        let mut items = sessions.labelled(&search.query);
        items.extend(result.hits.into_iter().map(|hit| {
            let id = hit.session.id.to_string();
            let label = hit.session.label.unwrap_or_else(|| id.clone());
            Item::new(id, hit.text).detail(label)
        }));
        sessions.picker.set_items(items);
        sessions.picker.set_empty_note("nothing was found");
    }

    /// Closes the list that cannot be had.
    pub(super) fn sessions_failed(&mut self, request: u64) {
        if self.sessions().is_some_and(|sessions| sessions.listing == request) {
            self.close_overlay();
        }
    }

    /// Notes that a search failed.
    pub(super) fn search_failed(&mut self, request: u64) {
        if let Some(sessions) = self.sessions() {
            sessions.searching.take_if(|search| search.request == request);
            sessions.picker.set_empty_note("nothing was found");
        }
    }

    pub(super) fn sessions_outcome(&mut self, outcome: PickerOutcome<String>) {
        match outcome {
            PickerOutcome::Chosen(session) => {
                self.close_overlay();
                self.ask(Command::Resume { session }, Wanted::Session);
            }
            PickerOutcome::Cancelled => self.close_overlay(),
            PickerOutcome::Query(_) => self.search_sessions(),
            PickerOutcome::Key(WIDEN, _) => {
                if let Some(sessions) = self.sessions() {
                    sessions.everywhere = !sessions.everywhere;
                }
                self.list_sessions();
                self.search_sessions();
            }
            PickerOutcome::Key(RENAME, Some(session)) => {
                let keymap = Arc::clone(&self.keymap);
                if let Some(Overlay::Sessions(sessions)) = self.overlay.take() {
                    let label = sessions.label_of(&session).unwrap_or_default();
                    let input = Input::new(keymap, "new name of the session", "", label);
                    self.overlay = Some(Overlay::Rename { sessions, session, input });
                }
            }
            PickerOutcome::Key(DELETE, Some(session)) => {
                let keymap = Arc::clone(&self.keymap);
                if let Some(Overlay::Sessions(sessions)) = self.overlay.take() {
                    let label = sessions.label_of(&session).unwrap_or(&session);
                    let title = "put this session into the trash?";
                    let confirm = Confirm::new(keymap, title, label, false);
                    self.overlay = Some(Overlay::Delete { sessions, session, confirm });
                }
            }
            PickerOutcome::Nothing | PickerOutcome::Changed | PickerOutcome::Key(..) => {}
        }
    }

    pub(super) fn rename_outcome(&mut self, outcome: DialogOutcome<String>) {
        if matches!(outcome, DialogOutcome::Nothing | DialogOutcome::Changed) {
            return;
        }
        let Some(Overlay::Rename { sessions, session, .. }) = self.overlay.take() else { return };
        self.overlay = Some(Overlay::Sessions(sessions));
        if let DialogOutcome::Answer(text) = outcome
            && !text.trim().is_empty()
        {
            self.ask(Command::Rename { session, text }, Wanted::SessionChanged);
        }
    }

    pub(super) fn delete_outcome(&mut self, outcome: &DialogOutcome<bool>) {
        if matches!(outcome, DialogOutcome::Nothing | DialogOutcome::Changed) {
            return;
        }
        let Some(Overlay::Delete { sessions, session, .. }) = self.overlay.take() else { return };
        self.overlay = Some(Overlay::Sessions(sessions));
        if *outcome == DialogOutcome::Answer(true) {
            self.ask(Command::Delete { session }, Wanted::SessionChanged);
        }
    }

    /// Shows what the labels alone give, and searches for the rest unless a search is under way:
    /// its answer begins the next one.
    fn search_sessions(&mut self) {
        let Some(sessions) = self.sessions() else { return };
        let query = sessions.picker.query().to_owned();
        if query.is_empty() {
            return sessions.picker.set_items(sessions.list.clone());
        }
        let labelled = sessions.labelled(&query);
        sessions.picker.set_items(labelled);
        sessions.picker.set_empty_note("searching …");
        if sessions.searching.is_some() {
            return;
        }
        let all = sessions.everywhere;
        let request = self.ask(Command::Search { query: query.clone(), all }, Wanted::Search);
        if let Some(sessions) = self.sessions() {
            sessions.searching = Some(Searching { request, query, everywhere: all });
        }
    }

    fn sessions(&mut self) -> Option<&mut Sessions> {
        match &mut self.overlay {
            Some(
                Overlay::Sessions(sessions)
                | Overlay::Rename { sessions, .. }
                | Overlay::Delete { sessions, .. },
            ) => Some(sessions),
            _ => None,
        }
    }
}

/// Returns how long ago something was.
fn age(seconds: f64) -> String {
    let minutes = (seconds / 60.0).max(0.0);
    match minutes {
        0.0..1.0 => "just now".to_owned(),
        1.0..60.0 => format!("{:.0} min ago", minutes.floor()),
        60.0..1440.0 => format!("{:.0} h ago", (minutes / 60.0).floor()),
        1440.0..2880.0 => "a day ago".to_owned(),
        _ => format!("{:.0} days ago", (minutes / 1440.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_are_told_roughly() {
        for (seconds, text) in [
            (-5.0, "just now"),
            (59.0, "just now"),
            (60.0, "1 min ago"),
            (3_599.0, "59 min ago"),
            (3_600.0, "1 h ago"),
            (86_399.0, "23 h ago"),
            (100_000.0, "a day ago"),
            (1_000_000.0, "11 days ago"),
        ] {
            assert_eq!(age(seconds), text);
        }
    }
}
