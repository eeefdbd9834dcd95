//! What a key means at this moment.
//!
//! Owns the order in which a key is offered: what lies over the composer, then the popup, then the
//! composer, whose leftovers are about the run or the screen. Must not know where an action's key is
//! set: the key map does.

use super::choices::Overlay;
use super::replies::Wanted;
use super::{App, Effect, QUESTION_DELAY, RETRY_DELAY, SECOND_INTERRUPT};
use crate::completion::{CompletionOutcome, Edit, Tab};
use crate::composer::Outcome;
use crate::keymap::{Action, Context, Found};
use crate::keys::{Code, Key};
use letscode_wire::Command;
use std::time::Instant;

/// The hint while a run that is to stop has not ended yet.
pub(super) const STOPPING: &str = "stopping; once more to leave";
/// The hint once it has.
pub(super) const STOPPED: &str = "stopped; once more to leave";

impl App {
    pub(super) fn key(&mut self, key: Key, now: Instant) {
        let is_letter_alone = self.retries_at.take().is_some();
        if is_letter_alone && key.code == Code::Enter {
            return self.retry_by_letter(now);
        }
        let everywhere = self.action(Context::Everywhere, key);
        if everywhere != Some(Action::Interrupt) {
            self.forget_hint();
        }
        if self.overlay.is_some() {
            match everywhere {
                Some(action @ (Action::Interrupt | Action::Suspend | Action::Redraw)) => {
                    self.act(action, now);
                }
                _ if self.was_meant_beneath(now) => self.write(key, now),
                _ if key.typed().is_none() && key.code != Code::Backspace => {
                    self.key_for_overlay(key, now);
                }
                _ if self.lets_writing_through() => self.write(key, now),
                _ => self.key_for_overlay(key, now),
            }
            return;
        }
        let may_retry = self.may_retry && self.run.is_none() && self.composer.is_empty();
        if may_retry && self.action(Context::Failed, key) == Some(Action::Retry) {
            return self.retry_key(key, now);
        }
        self.write(key, now);
    }

    /// Tries again; with a letter only once it is clear that it begins no text.
    fn retry_key(&mut self, key: Key, now: Instant) {
        if let Some(letter) = key.typed() {
            self.write(key, now);
            if self.composer.text() == letter.to_string() {
                self.retries_at = Some(now + RETRY_DELAY);
                return;
            }
            // It was no text, such as in the normal mode of vi: nothing of it may wait there.
            self.composer.take();
        }
        self.may_retry = false;
        self.begin(Command::Retry, None, now);
    }

    /// Tries again by the letter that stands in the composer, which goes.
    pub(super) fn retry_by_letter(&mut self, now: Instant) {
        if std::mem::take(&mut self.may_retry) && self.run.is_none() {
            self.composer.key(Key::new(Code::Backspace));
            self.completion.close();
            self.begin(Command::Retry, None, now);
        }
    }

    /// Gives a key to the popup and the composer, whatever lies over them.
    fn write(&mut self, key: Key, now: Instant) {
        match self.completion.key(key) {
            CompletionOutcome::NotMine => {}
            CompletionOutcome::Changed => return,
            CompletionOutcome::Accept(edit) => return self.complete(edit),
        }
        match self.composer.key(key) {
            Outcome::Nothing | Outcome::Unhandled(_) => {}
            Outcome::Changed => self.changed(),
            Outcome::Send(submission) => {
                self.completion.close();
                self.submit(submission, now);
            }
            // Without a text these are about the run, which has a question.
            Outcome::Action(Action::Send | Action::Stop) if self.overlay.is_some() => {}
            Outcome::Action(action) => self.act(action, now),
        }
    }

    /// Returns whether a key came too soon to be about the question that came up by itself.
    fn was_meant_beneath(&self, now: Instant) -> bool {
        let is_unbidden = self.overlay.as_ref().is_some_and(Overlay::is_unbidden);
        let is_new = self.overlay_seen.is_none_or(|seen| now < seen + QUESTION_DELAY);
        is_unbidden && is_new && !self.is_next_field()
    }

    /// Returns whether a line is asked for right behind the user's answer to the question before: whoever
    /// fills in a form goes on writing, and a line that is not sent does nothing.
    fn is_next_field(&self) -> bool {
        let follows = |seen| self.answered_at.is_some_and(|at| seen < at + QUESTION_DELAY);
        self.composer.is_empty()
            && self.overlay.as_ref().is_some_and(Overlay::asks_for_line)
            && self.overlay_seen.is_some_and(follows)
    }

    fn lets_writing_through(&self) -> bool {
        self.overlay.as_ref().is_some_and(Overlay::lets_writing_through)
    }

    pub(super) fn paste(&mut self, text: &str, now: Instant) {
        self.forget_hint();
        self.retries_at = None;
        let is_for_overlay = !self.was_meant_beneath(now) && !self.lets_writing_through();
        if self.overlay.is_some() && is_for_overlay {
            return self.paste_for_overlay(text);
        }
        match dropped_pictures(text) {
            Some(mentions) => self.composer.paste(&mentions),
            None => self.composer.paste(text),
        };
        self.changed();
    }

    /// Does what the composer leaves to the rest.
    fn act(&mut self, action: Action, now: Instant) {
        match action {
            // Enter with nothing written, and Escape.
            Action::Send | Action::Stop if self.run.is_some() => self.stop(),
            Action::Interrupt => self.interrupt(now),
            Action::QueueFollowUp => {
                let line = self.composer.take();
                self.completion.close();
                self.follow_up(line, now);
            }
            Action::TakeBack => {
                // What goes next was written last.
                if let Some(line) = self.redirects.pop_back() {
                    return self.composer.put_back(line);
                }
                self.ask(Command::Unqueue, Wanted::Unqueued);
            }
            Action::Editor => self.effects.push(Effect::Edit(self.composer.text())),
            Action::PasteImage => self.effects.push(Effect::PastePicture),
            Action::Complete => self.tab(),
            Action::ToggleThinking => {
                let shows = !self.transcript.shows_thinking();
                let how = if shows { "is shown" } else { "stays folded" };
                self.transcript.notice(&format!("what the model thinks {how} from now on"));
                self.transcript.set_shows_thinking(shows);
            }
            Action::Unfold => {
                self.transcript.unfold_last();
            }
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Exit => self.effects.push(Effect::Exit),
            _ => {}
        }
    }

    /// Stops what is under way; a second time within a moment, the program.
    fn interrupt(&mut self, now: Instant) {
        let again = self.interrupted.is_some_and(|at| now < at + SECOND_INTERRUPT);
        if again {
            return self.effects.push(Effect::ExitInterrupted);
        }
        self.interrupted = Some(now);
        let what = if self.overlay.is_some() {
            self.dismiss_overlay();
            "closed"
        } else if self.run.is_some() {
            while let Some(line) = self.redirects.pop_back() {
                self.give_back(&line);
            }
            self.stop();
            self.hint = Some(STOPPING.to_owned());
            return;
        } else if !self.composer.is_empty() {
            // It stays within reach: the history has it.
            self.composer.take();
            self.completion.close();
            "cleared, the up key brings it back"
        } else {
            "nothing is under way"
        };
        self.hint = Some(format!("{what}; once more to leave"));
    }

    fn forget_hint(&mut self) {
        self.interrupted = None;
        self.hint = None;
    }

    fn tab(&mut self) {
        match self.completion.tab(self.composer.edited(), self.composer.caret()) {
            Tab::Nothing | Tab::Changed => {}
            Tab::Accept(edit) => self.complete(edit),
            Tab::Ask(query) => self.look_for_files(query),
        }
    }

    /// Puts a completed word into the text.
    pub(super) fn complete(&mut self, edit: Edit) {
        self.composer.replace(edit.range, &edit.text);
        self.changed();
    }

    /// The composer's text is another: the popup follows it.
    pub(super) fn changed(&mut self) {
        if let Some(query) = self.completion.follow(&self.composer) {
            self.look_for_files(query);
        }
    }

    fn look_for_files(&mut self, query: String) {
        if std::mem::replace(&mut self.file_search.is_under_way, true) {
            self.file_search.next = Some(query);
            return;
        }
        let wanted = Wanted::Files(query.clone());
        self.ask(Command::Files { query, limit: None }, wanted);
    }

    /// Goes on after a search for files with what has been typed since.
    pub(super) fn files_answered(&mut self) {
        self.file_search.is_under_way = false;
        if let Some(query) = self.file_search.next.take() {
            self.look_for_files(query);
        }
    }

    fn action(&self, context: Context, key: Key) -> Option<Action> {
        match self.keymap.find(&[context], &[key]) {
            Found::Action(action) => Some(action),
            Found::Prefix | Found::Nothing => None,
        }
    }
}

/// Returns the mentions of what was dropped on the window, where all of it is paths of pictures.
fn dropped_pictures(text: &str) -> Option<String> {
    let paths: Option<Vec<String>> = words(text.trim())?.iter().map(|word| picture(word)).collect();
    let mentions = paths?
        .into_iter()
        .map(|path| if path.contains(' ') { format!("@\"{path}\" ") } else { format!("@{path} ") });
    Some(mentions.collect())
}

/// Returns the absolute path of a picture that a word names.
fn picture(word: &str) -> Option<String> {
    const ENDINGS: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];
    let path = match word.strip_prefix("file://") {
        Some(address) => address.replace("%20", " "),
        None => word.to_owned(),
    };
    let name = path.to_ascii_lowercase();
    let is_picture = ENDINGS.iter().any(|ending| name.ends_with(ending));
    (path.starts_with('/') && is_picture && !path.contains('"')).then_some(path)
}

/// Returns the words of a line as a terminal writes dropped paths: in quotes, or with a backslash
/// before each blank. `None` where that is not what it is.
fn words(line: &str) -> Option<Vec<String>> {
    if line.is_empty() || line.contains('\n') {
        return None;
    }
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let word = words.last_mut()?;
        match (character, quote) {
            ('\\', None) => word.push(characters.next()?),
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => quote = Some(character),
            (' ', None) => words.push(String::new()),
            _ => word.push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    (quote.is_none() && !words.is_empty()).then_some(words)
}
