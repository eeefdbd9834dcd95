//! What a key means at this moment.
//!
//! Owns the order in which a key is offered: what lies over the composer, then the run, then the
//! popup, then the composer. Must not know where an action's key is set: the key map does.

use super::replies::Wanted;
use super::submit::Pending;
use super::{App, Effect, SECOND_INTERRUPT};
use crate::completion::CompletionOutcome;
use crate::composer::{Outcome, Submission};
use crate::keymap::Action;
use crate::keys::Key;
use letscode_wire::Command;
use std::time::Instant;

impl App {
    pub(super) fn key(&mut self, key: Key, now: Instant) {
        let action = self.keymap.everywhere(key);
        if action != Some(Action::Interrupt) && self.interrupted.take().is_some() {
            self.hint = None;
        }
        match action {
            Some(Action::Interrupt) => return self.interrupt(now),
            Some(Action::Suspend) => return self.effects.push(Effect::Suspend),
            Some(Action::Redraw) => return self.effects.push(Effect::Redraw),
            Some(Action::ToggleThinking) => return self.transcript.toggle_thinking(),
            Some(Action::Unfold) => return self.transcript.unfold_last(),
            _ => {}
        }
        if self.overlay.is_some() {
            return self.key_for_overlay(key, now);
        }
        match self.completion.key(key, &self.keymap) {
            CompletionOutcome::Ignored => {}
            CompletionOutcome::Used => return,
            CompletionOutcome::Replace { range, text } => {
                self.composer.replace(range, &text);
                return self.changed();
            }
        }
        if key == Key::char('r') && self.may_retry && self.run.is_none() && self.composer.is_empty() {
            self.may_retry = false;
            return self.begin(Command::Retry, None, now);
        }
        match self.composer.key(key) {
            Outcome::Nothing => {}
            Outcome::Changed => self.changed(),
            Outcome::Send(submission) => {
                self.completion.close();
                self.submit(pending(submission), now);
            }
            Outcome::Action(action) => self.act(action, now),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if self.overlay.is_some() {
            return self.paste_for_overlay(text);
        }
        self.composer.paste(text);
        self.changed();
    }

    /// Does what the composer leaves to the rest.
    fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Stop if self.run.is_some() => self.stop(),
            Action::FollowUp => {
                let line = pending(self.composer.take());
                self.completion.close();
                self.follow_up(line, now);
            }
            Action::TakeBack => {
                self.ask(Command::Unqueue, Wanted::Unqueued);
            }
            Action::Editor => self.effects.push(Effect::Edit(self.composer.text())),
            Action::SearchHistory => self.open_history(),
            Action::Exit => self.effects.push(Effect::Exit),
            _ => {}
        }
    }

    /// Stops what is under way; a second time within a moment, the program.
    fn interrupt(&mut self, now: Instant) {
        let again = self.interrupted.is_some_and(|at| now < at + SECOND_INTERRUPT);
        if again {
            return self.effects.push(Effect::Exit);
        }
        self.interrupted = Some(now);
        let what = if self.run.is_some() {
            self.redirect = None;
            self.stop();
            "stopping"
        } else if self.overlay.is_some() {
            self.dismiss_overlay();
            "closed"
        } else if !self.composer.is_empty() {
            // It stays within reach: an arrow key or undo brings it back.
            self.composer.discard();
            self.completion.close();
            "cleared"
        } else {
            "nothing runs"
        };
        self.hint = Some(format!("{what}; press it again to leave"));
    }

    /// The composer's text is another: the popup follows it.
    pub(super) fn changed(&mut self) {
        let wanted = self.completion.follow(&self.composer.text_before_caret());
        if let Some(query) = wanted {
            self.ask(Command::Files { query, limit: None }, Wanted::Files);
        }
    }
}

fn pending(submission: Submission) -> Pending {
    Pending { text: submission.text, images: submission.images }
}
