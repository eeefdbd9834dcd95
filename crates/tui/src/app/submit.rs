//! What becomes of a line that was typed: a slash command, a picker, a prompt, or a change of
//! direction.
//!
//! Owns the commands that only a terminal has. Must not lose a line: what the agent refuses returns
//! to the composer.

use super::replies::{After, Wanted};
use super::{App, Effect, Run};
use crate::composer::Submission;
use letscode_wire::{Command, CommandInfo, CommandKind};
use std::time::Instant;

impl App {
    /// Acts on a line that the user sent.
    pub(super) fn submit(&mut self, line: Submission, now: Instant) {
        let text = line.text.trim();
        if text.is_empty() && line.images.is_empty() {
            if self.run.is_some() {
                self.stop();
            }
            return;
        }
        self.may_retry = false;
        self.remember(&line.text);
        if let Some(command) = text.strip_prefix('/') {
            let (name, arguments) =
                command.split_once(char::is_whitespace).unwrap_or((command, ""));
            if self.slash(name, arguments.trim(), &line, now) {
                return;
            }
        }
        if self.run.is_some() {
            self.redirects.push_back(line);
            self.stop();
        } else {
            self.prompt(line, now);
        }
    }

    /// Queues a line for the end of the run.
    pub(super) fn follow_up(&mut self, line: Submission, now: Instant) {
        if self.run.is_none() {
            return self.submit(line, now);
        }
        if line.text.trim().is_empty() && line.images.is_empty() {
            return;
        }
        if !line.images.is_empty() {
            self.give_back(&line);
            self.hint = Some("a picture cannot wait in the queue: send it now".to_owned());
            return;
        }
        self.remember(&line.text);
        let text = line.text.clone();
        self.ask(Command::FollowUp { text, expand: true }, Wanted::Queued(line));
    }

    /// Sends a line to the model.
    pub(super) fn prompt(&mut self, line: Submission, now: Instant) {
        let Submission { text, images } = line.clone();
        let command = Command::Prompt { text, images, expand: true };
        self.begin(command, Some(line), now);
    }

    /// Sends a command that makes the agent busy.
    pub(super) fn begin(&mut self, command: Command, sent: Option<Submission>, now: Instant) {
        let request = self.ask(command, Wanted::Run);
        self.run = Some(Run { request: Some(request), since: now, sent });
    }

    /// Stops the run, whatever it waits for.
    pub(super) fn stop(&mut self) {
        self.ask(Command::Abort, Wanted::Nothing);
    }

    fn remember(&mut self, text: &str) {
        let add = Some(text.to_owned());
        self.ask(Command::History { add, limit: Some(0) }, Wanted::Nothing);
    }

    /// Acts on a slash command; `false` where there is none of that name here.
    fn slash(&mut self, name: &str, arguments: &str, line: &Submission, now: Instant) -> bool {
        match (name, arguments) {
            ("quit" | "exit", "") => self.effects.push(Effect::Exit),
            ("help", "") => self.help(),
            ("verbose", "") => {
                let verbose = !self.transcript.is_verbose();
                self.transcript.set_verbose(verbose);
                let words = if verbose { "in full" } else { "cut to a few lines" };
                self.transcript.notice(&format!("what tools print is shown {words} from now on"));
            }
            ("footer", "") => self.shows_footer = !self.shows_footer,
            ("edit", _) => {
                // An editor that fails leaves it there.
                self.composer.set_text(arguments);
                self.effects.push(Effect::Edit(arguments.to_owned()));
            }
            ("model", "") if !self.is_plain => self.open_models(),
            ("model", "") => {
                self.ask(Command::Models, Wanted::NumberedModels);
            }
            ("model", number) if self.numbered_model(number).is_some() => {
                let model = self.numbered_model(number).unwrap_or_default();
                self.ask(Command::SetModel { model }, Wanted::Model);
            }
            ("resume", "") if !self.is_plain => self.open_sessions(),
            ("tree", "") if !self.is_plain => self.open_tree(),
            ("fork", "") if !self.is_plain => self.open_fork(),
            ("trust", "") => {
                self.ask(Command::Trust { trust: None }, Wanted::Trust);
            }
            ("trust", "on") => {
                self.ask(Command::Trust { trust: Some(true) }, Wanted::Trusted);
            }
            ("retry", "") if self.run.is_none() => self.begin(Command::Retry, None, now),
            // Nothing is there that it could wait for.
            ("follow-up", text) if self.run.is_none() && !text.is_empty() => {
                self.prompt(Submission { text: text.to_owned(), ..line.clone() }, now);
            }
            ("compact", bias) if self.run.is_none() => {
                let bias = (!bias.is_empty()).then(|| bias.to_owned());
                let request = self.ask(Command::Compact { bias }, Wanted::Compacted);
                let sent = Some(line.clone());
                self.run = Some(Run { request: Some(request), since: now, sent });
            }
            _ if self.is_command(name) => {
                if !line.images.is_empty() {
                    self.give_back(line);
                    self.transcript.failure("a slash command takes no pictures");
                    return true;
                }
                let after = match (name, arguments) {
                    // Nothing was asked of the user, who is to know how to go on.
                    ("resume", "") => After::Say("/resume N goes on with one of them"),
                    ("tree", "") => {
                        After::Say("/goto N goes on behind entry N, /fork N in a new session")
                    }
                    _ => After::of(name),
                };
                let text = line.text.trim().to_owned();
                self.ask(Command::RunCommand { text }, Wanted::Words { line: line.clone(), after });
            }
            // A slip must not stop the run; without one the agent says what is wrong.
            _ if self.run.is_some() && arguments.is_empty() && self.is_unknown(name) => {
                self.give_back(line);
                self.transcript.failure(&format!("there is no command /{name}; /help lists them"));
            }
            _ => return false,
        }
        true
    }

    fn is_command(&self, name: &str) -> bool {
        let is_it = |it: &CommandInfo| it.kind == CommandKind::Command && it.name == name;
        self.names.iter().any(is_it)
    }

    /// Returns whether a word behind a slash is meant as a name and nothing has it.
    fn is_unknown(&self, name: &str) -> bool {
        let is_name = name.starts_with(char::is_alphanumeric)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        is_name && !self.names.iter().any(|known| known.name == name)
    }

    fn help(&mut self) {
        let line = Submission { text: "/help".to_owned(), images: Vec::new() };
        let text = "/help".to_owned();
        let wanted = Wanted::Words { line, after: After::ShowKeys };
        self.ask(Command::RunCommand { text }, wanted);
    }
}
