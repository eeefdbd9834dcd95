//! What is offered to complete a word: commands, files, paths.
//!
//! Owns which word is being completed, what is offered for it and which of that is marked. It says
//! what files it needs to know of; whoever holds it asks for them and brings the answer. Must not
//! change the text or read files.

mod token;
mod view;

use crate::composer::Composer;
use crate::fuzzy::Fuzzy;
use crate::keymap::{Action, Context, Found, Keymap};
use crate::keys::Key;
use crate::text::{Line, sanitize};
use letscode_wire::CommandInfo;
use std::ops::Range;
use std::sync::Arc;
use token::{Kind, Token};

/// The most rows that are seen at once.
pub const MAX_ROWS: usize = 8;

/// The most files that are offered; more is no choice.
const MAX_OFFERS: usize = 200;

/// A change to the text that completes a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionOutcome {
    /// It is for the composer.
    NotMine,
    /// What is offered looks different or is gone.
    Changed,
    /// This was chosen.
    Accept(Edit),
}

/// What the key for completing came to, with nothing offered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tab {
    /// There is nothing to complete.
    Nothing,
    /// There is a choice now.
    Changed,
    /// There is one possibility.
    Accept(Edit),
    /// Files are to be looked for by this text.
    Ask(String),
}

/// What is offered.
pub struct Completion {
    keymap: Arc<Keymap>,
    commands: Vec<CommandInfo>,
    /// The files that were found last, best first, and by which text.
    files: Vec<String>,
    found_by: Option<String>,
    /// The text that was asked for last.
    asked: Option<String>,
    token: Option<Token>,
    offers: Vec<Offer>,
    marked: usize,
    /// The first offer that is seen.
    top: usize,
    /// The word for which nothing is offered any more.
    closed: Option<Closed>,
    /// Whether a path is being completed because somebody asked for it.
    wanted: bool,
    /// Whether somebody pressed the key for completing and waits for files.
    awaited: bool,
    names: Fuzzy,
    paths: Fuzzy,
}

/// A word for which the offers were closed.
struct Closed {
    /// Where it begins.
    start: usize,
    /// What it says, where it is closed only as long as it says that.
    says: Option<String>,
}

/// A word that could be meant.
struct Offer {
    /// What goes into the text, without marks and quotes.
    value: String,
    /// What is shown of it, clean.
    label: String,
    /// What is said about it, clean.
    detail: String,
    /// Which characters of the label match.
    matched: Vec<usize>,
    /// Whether something follows it: arguments.
    open: bool,
}

impl Completion {
    /// Returns a completion that offers nothing yet.
    pub fn new(keymap: Arc<Keymap>) -> Self {
        Self {
            keymap,
            commands: Vec::new(),
            files: Vec::new(),
            found_by: None,
            asked: None,
            token: None,
            offers: Vec::new(),
            marked: 0,
            top: 0,
            closed: None,
            wanted: false,
            awaited: false,
            names: Fuzzy::new(),
            paths: Fuzzy::for_paths(),
        }
    }

    /// Changes the slash commands, in the order of the help.
    pub fn set_commands(&mut self, commands: Vec<CommandInfo>) {
        self.commands = commands;
        self.refresh();
    }

    /// Looks at the composer after each thing that was done in it: what is written is completed,
    /// and whoever moves or goes through the history is left in peace. Returns a text by which
    /// files are to be looked for, where that is needed.
    pub fn follow(&mut self, composer: &Composer) -> Option<String> {
        if composer.is_writing() {
            return self.update(composer.edited(), composer.caret());
        }
        self.close_while(self.token.as_ref().map(|token| token.query.clone()));
        None
    }

    /// Looks at a text after something was written at its caret; [`Self::follow`] also knows when
    /// nothing was.
    pub fn update(&mut self, text: &str, caret: usize) -> Option<String> {
        let token = token::at(text, caret, self.wanted);
        self.awaited = false;
        let same_word = match (&token, &self.token) {
            (Some(now), Some(before)) => now.kind == before.kind && now.start() == before.start(),
            _ => false,
        };
        if !same_word {
            if self.wanted && !token.as_ref().is_some_and(|token| token.kind.is_typed()) {
                self.close();
                return None;
            }
            self.wanted = false;
            self.files.clear();
            self.found_by = None;
            self.asked = None;
        }
        self.closed = self.closed.take().filter(|closed| {
            token.as_ref().is_some_and(|token| {
                let says = closed.says.as_ref().is_none_or(|says| *says == token.query);
                says && closed.start == token.start()
            })
        });
        if token.as_ref().map(|token| &token.query) != self.token.as_ref().map(|token| &token.query)
        {
            (self.marked, self.top) = (0, 0);
        }
        self.token = token;
        self.refresh();
        self.question()
    }

    /// Offers to complete the word at the caret, whatever it is.
    pub fn tab(&mut self, text: &str, caret: usize) -> Tab {
        self.closed = None;
        self.wanted = true;
        self.token = token::at(text, caret, /*wanted*/ true);
        self.refresh();
        if let Some(question) = self.question() {
            self.awaited = true;
            return Tab::Ask(question);
        }
        match self.only_offer() {
            Some(edit) => Tab::Accept(edit),
            None if self.is_open() => Tab::Changed,
            None => {
                self.wanted = false;
                Tab::Nothing
            }
        }
    }

    /// Takes the files that were found by a text, best first. Returns a change where somebody
    /// waits for the only one.
    pub fn found(&mut self, query: &str, files: Vec<String>) -> Option<Edit> {
        if self.asked.as_deref() != Some(query) {
            return None;
        }
        self.files = files;
        self.found_by = Some(query.to_owned());
        self.refresh();
        let awaited = std::mem::take(&mut self.awaited);
        let edit = if awaited { self.only_offer() } else { None };
        if self.offers.is_empty() {
            self.wanted = false;
        }
        edit
    }

    /// Returns whether something is offered.
    pub fn is_open(&self) -> bool {
        !self.offers.is_empty() && self.closed.is_none()
    }

    /// Offers nothing any more: the text was sent or dropped, and the next one begins.
    pub fn close(&mut self) {
        self.close_while(None);
        self.closed = None;
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> CompletionOutcome {
        if !self.is_open() {
            return CompletionOutcome::NotMine;
        }
        let keys = [key];
        let bound = |context| self.keymap.find(&[context], &keys);
        if bound(Context::Everywhere) != Found::Nothing {
            return CompletionOutcome::NotMine;
        }
        if bound(Context::Composer) == Found::Action(Action::Complete) {
            return self.accept().map_or(CompletionOutcome::NotMine, CompletionOutcome::Accept);
        }
        let last = self.offers.len().saturating_sub(1);
        let marked = match bound(Context::Picker) {
            Found::Action(Action::Choose) => return self.choose(),
            Found::Action(Action::Cancel) => {
                self.close_while(None);
                return CompletionOutcome::Changed;
            }
            Found::Action(Action::Previous) if self.marked == 0 => last,
            Found::Action(Action::Previous) => self.marked - 1,
            Found::Action(Action::Next) if self.marked == last => 0,
            Found::Action(Action::Next) => self.marked + 1,
            Found::Action(Action::PageUp) => self.marked.saturating_sub(MAX_ROWS),
            Found::Action(Action::PageDown) => (self.marked + MAX_ROWS).min(last),
            _ => return CompletionOutcome::NotMine,
        };
        self.marked = marked;
        CompletionOutcome::Changed
    }

    /// Returns what is offered as at most [`MAX_ROWS`] rows.
    pub fn view(&mut self, columns: usize, max_rows: usize) -> Vec<Line> {
        view::view(self, columns, max_rows.min(MAX_ROWS))
    }

    /// Takes the marked offer where it says something new; else the text is as it should be.
    fn choose(&mut self) -> CompletionOutcome {
        let changes = match (&self.token, self.offers.get(self.marked)) {
            (Some(token), Some(offer)) => token.query != offer.value,
            _ => false,
        };
        if changes && let Some(edit) = self.accept() {
            return CompletionOutcome::Accept(edit);
        }
        self.close_while(self.token.as_ref().map(|token| token.query.clone()));
        CompletionOutcome::NotMine
    }

    fn accept(&mut self) -> Option<Edit> {
        let token = self.token.as_ref()?;
        let offer = self.offers.get(self.marked)?;
        let edit = token.edit(&offer.value, offer.open);
        // A folder is gone on with.
        if !offer.value.ends_with('/') {
            self.close_while(Some(offer.value.clone()));
        }
        Some(edit)
    }

    /// Offers nothing for this word, as long as it says `says` where that is given.
    fn close_while(&mut self, says: Option<String>) {
        if let Some(token) = self.token.take() {
            self.closed = Some(Closed { start: token.start(), says });
        }
        self.wanted = false;
        self.offers.clear();
    }

    fn only_offer(&mut self) -> Option<Edit> {
        if self.offers.len() != 1 {
            return None;
        }
        self.marked = 0;
        self.accept()
    }

    /// Returns what files are to be looked for by, unless that has been asked already.
    fn question(&mut self) -> Option<String> {
        let token = self.token.as_ref().filter(|_| self.closed.is_none())?;
        if token.kind == Kind::Command || self.asked.as_ref() == Some(&token.query) {
            return None;
        }
        self.asked = Some(token.query.clone());
        self.asked.clone()
    }

    fn refresh(&mut self) {
        self.offers = match &self.token {
            None => Vec::new(),
            Some(token) if token.kind == Kind::Command => {
                offered_commands(&self.commands, &token.query, &mut self.names)
            }
            Some(token) => {
                // What was found by a shorter text bridges the time until the answer is there.
                let fresh = self.found_by.as_ref() == Some(&token.query);
                offered_files(&self.files, &token.query, fresh, &mut self.paths)
            }
        };
        self.marked = self.marked.min(self.offers.len().saturating_sub(1));
    }
}

fn offered_commands(commands: &[CommandInfo], query: &str, names: &mut Fuzzy) -> Vec<Offer> {
    names.set_query(query);
    let mut scored = Vec::new();
    for command in commands {
        // The many that belong to another command are shown once something is typed.
        if query.is_empty() && command.name.contains(':') {
            continue;
        }
        let name = sanitize::one_line(&command.name);
        if let Some(score) = names.score(&name) {
            scored.push((command.name.starts_with(query), score, command));
        }
    }
    if !query.is_empty() {
        scored.sort_by_key(|(begins, score, _)| std::cmp::Reverse((*begins, *score)));
    }
    let offer = |(_, _, command): (bool, u32, &CommandInfo)| {
        let label = sanitize::one_line(&command.name).into_owned();
        let detail = format!("{}  {}", command.arguments, command.help);
        Offer {
            value: command.name.clone(),
            matched: names.matched(&label),
            detail: sanitize::one_line(detail.trim()).into_owned(),
            label,
            open: !command.arguments.is_empty(),
        }
    };
    scored.into_iter().map(offer).collect()
}

fn offered_files(files: &[String], query: &str, fresh: bool, paths: &mut Fuzzy) -> Vec<Offer> {
    paths.set_query(query);
    let mut offers = Vec::new();
    for file in files {
        if offers.len() == MAX_OFFERS {
            break;
        }
        let label = sanitize::one_line(file).into_owned();
        if !fresh && paths.score(&label).is_none() {
            continue;
        }
        let matched = paths.matched(&label);
        let value = file.clone();
        offers.push(Offer { value, label, detail: String::new(), matched, open: true });
    }
    offers
}

#[cfg(test)]
mod tests;
