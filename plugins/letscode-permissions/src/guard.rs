//! The guard: judges each call, asks where it must, and keeps what was answered.
//!
//! Owns what lives as long as the process: answers for the session, refusals in this run, and that
//! there is one question at a time. Must not read or write files itself.

use crate::memory::Memory;
use crate::paths::Surroundings;
use crate::question::{Choice, choices, clean, in_short, words};
use crate::rule::Rule;
use crate::settings::Settings;
use crate::subject::Subject;
use crate::verdict::{Question, Verdict, judge};
use letscode_plugin::{BeforeToolCall, BeforeToolCallReply, Context, ToolCall, UiLevel};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a model should make of a refusal: it tends to try again, or to look for another way.
const NO_OTHER_WAY: &str = "Do not try it again, nor reach the same in another way; go on without \
it, or say what you need and why.";

/// What a model should make of a path that a call before it may change.
const AFTER_THE_OTHERS: &str = "another call of the same message may change where that path leads. \
Make this call again in your next message, when the other has run";

/// Nobody reads a question and declines it as fast as that: it was declined because nobody is there.
const FASTER_THAN_ANYBODY: Duration = Duration::from_secs(1);

/// How long a rule is that the user can be expected to type.
const LONGEST_HINT: usize = 120;

/// All that the handlers share.
pub(crate) struct Guard {
    pub(crate) settings: Settings,
    /// What is remembered; `None` where there is no home.
    pub(crate) memory: Option<Memory>,
    surroundings: Surroundings,
    /// What the user allowed until the process ends.
    session: Mutex<Vec<Rule>>,
    /// The calls that the user refused in this run, in full.
    refused: Mutex<HashSet<String>>,
    /// The texts of calls that were let through since the turn began and may change where paths lead.
    /// All calls of a message are judged before the first of them runs.
    moving: Mutex<Vec<String>>,
    /// Lines that the user was told.
    told: Mutex<HashSet<String>>,
    /// Held while the user is asked.
    asking: Mutex<()>,
}

/// The way to the user.
pub(crate) trait User {
    /// Shows a line.
    fn tell(&self, text: String, level: UiLevel);
    /// Asks for one of several; `None` where nobody answers.
    fn choose(&self, text: String, options: Vec<String>) -> Option<usize>;
    /// Asks for a line of text; `None` where nobody answers.
    fn say(&self, text: &str) -> Option<String>;
    /// Returns whether the call that is asked about was taken back.
    fn is_gone(&self) -> bool;
}

impl User for Context {
    fn tell(&self, text: String, level: UiLevel) {
        self.notify(text, level);
    }

    fn choose(&self, text: String, options: Vec<String>) -> Option<usize> {
        self.select(text, options)
    }

    fn say(&self, text: &str) -> Option<String> {
        self.input(text, None, None)
    }

    fn is_gone(&self) -> bool {
        self.is_cancelled()
    }
}

impl Guard {
    pub(crate) fn new(
        settings: Settings,
        memory: Option<Memory>,
        surroundings: Surroundings,
    ) -> Self {
        Self {
            settings,
            memory,
            surroundings,
            session: Mutex::default(),
            refused: Mutex::default(),
            moving: Mutex::default(),
            told: Mutex::default(),
            asking: Mutex::default(),
        }
    }

    /// Answers whether a call may run.
    pub(crate) fn answer(&self, asked: &BeforeToolCall, user: &dyn User) -> BeforeToolCallReply {
        let call = &asked.tool_call;
        let subject = Subject::of(call, &self.surroundings);
        if locked(&self.moving).iter().any(|text| subject.may_be_moved_by(text)) {
            return blocked(AFTER_THE_OTHERS.to_owned());
        }
        let reply = self.judged(call, &subject, user);
        if reply.block.is_none() {
            locked(&self.moving).extend(subject.may_move_files(call));
        }
        reply
    }

    fn judged(&self, call: &ToolCall, subject: &Subject, user: &dyn User) -> BeforeToolCallReply {
        match self.judge(subject, user) {
            Verdict::Allow => BeforeToolCallReply::default(),
            Verdict::Deny(reason) => blocked(format!("{reason}. {NO_OTHER_WAY}")),
            Verdict::Ask(_) => {
                let _one_at_a_time = locked(&self.asking);
                if user.is_gone() {
                    return blocked("the call was taken back".to_owned());
                }
                // What was answered meanwhile may hold for this call too.
                match self.judge(subject, user) {
                    Verdict::Allow => BeforeToolCallReply::default(),
                    Verdict::Deny(reason) => blocked(format!("{reason}. {NO_OTHER_WAY}")),
                    Verdict::Ask(question) => self.ask(call, &question, user),
                }
            }
        }
    }

    /// A new turn: what its calls follow has run.
    pub(crate) fn turn_begins(&self) {
        locked(&self.moving).clear();
    }

    /// A new prompt: what was refused before may be asked about again.
    pub(crate) fn run_begins(&self) {
        locked(&self.refused).clear();
    }

    /// Returns what was allowed until the process ends.
    pub(crate) fn session_rules(&self) -> Vec<Rule> {
        locked(&self.session).clone()
    }

    /// Takes answers for the session back.
    pub(crate) fn forget_session(&self, rules: &[Rule]) {
        locked(&self.session).retain(|rule| !rules.contains(rule));
    }

    fn judge(&self, subject: &Subject, user: &dyn User) -> Verdict {
        let mut remembered = self.session_rules();
        match self.memory.as_ref().map(Memory::rules).transpose() {
            Ok(rules) => remembered.extend(rules.unwrap_or_default()),
            Err(error) => self.warn(&format!("{error}; what it allows is asked about"), user),
        }
        judge(subject, &self.settings, &remembered, &self.surroundings)
    }

    fn ask(&self, call: &ToolCall, question: &Question, user: &dyn User) -> BeforeToolCallReply {
        let key = serde_json::to_string(&(&call.name, &call.arguments)).unwrap_or_default();
        if locked(&self.refused).contains(&key) {
            return blocked(format!("the user has refused exactly this before. {NO_OTHER_WAY}"));
        }
        let words = words(call, &question.note);
        if let Some(whole) = words.whole {
            user.tell(whole, UiLevel::Info);
        }
        let choices = choices(&question.rules);
        let options = choices.iter().map(|(_, text)| text.clone()).collect();
        let asked = Instant::now();
        let chosen = user.choose(words.text, options).and_then(|place| choices.get(place));
        match chosen.map(|(choice, _)| *choice) {
            Some(Choice::Once) => BeforeToolCallReply::default(),
            Some(Choice::Session) => {
                locked(&self.session).extend(question.rules.iter().cloned());
                BeforeToolCallReply::default()
            }
            Some(Choice::Always) => {
                self.remember(&question.rules, user);
                BeforeToolCallReply::default()
            }
            Some(Choice::NoBecause) => {
                locked(&self.refused).insert(key);
                match user.say("what should the model know?").filter(|why| !why.trim().is_empty()) {
                    Some(why) => blocked(format!("the user refused it and says: {}", why.trim())),
                    None => blocked(format!("the user refused it. {NO_OTHER_WAY}")),
                }
            }
            None if asked.elapsed() < FASTER_THAN_ANYBODY => {
                self.nobody_is_there(call, &question.rules, user);
                blocked(format!("it needs the user's leave, and nobody is there. {NO_OTHER_WAY}"))
            }
            Some(Choice::No) | None => {
                locked(&self.refused).insert(key);
                blocked(format!("the user refused it. {NO_OTHER_WAY}"))
            }
        }
    }

    fn remember(&self, rules: &[Rule], user: &dyn User) {
        let failed: Box<dyn fmt::Display> = match self.memory.as_ref().map(|it| it.add(rules)) {
            Some(Ok(())) => return,
            Some(Err(error)) => Box::new(error),
            None => Box::new("no home directory is known; set HOME"),
        };
        // The answer counts all the same, for as long as it can.
        locked(&self.session).extend(rules.iter().cloned());
        self.warn(&format!("allowed for this session only: {failed}"), user);
    }

    /// Tells the user how such a call could run.
    fn nobody_is_there(&self, call: &ToolCall, rules: &[Rule], user: &dyn User) {
        if user.is_gone() {
            return;
        }
        let as_toml = |rule: &Rule| toml::Value::from(rule.to_string()).to_string();
        let rules = rules.iter().map(as_toml).collect::<Vec<_>>().join(", ");
        let hint = match rules.len() {
            0 => String::new(),
            1..LONGEST_HINT => {
                format!("; to allow it, put {} into the list `allow`", clean(&rules))
            }
            _ => "; to allow it, write a rule".to_owned(),
        };
        let place =
            if hint.is_empty() { "" } else { " below [permissions] in ~/.letscode/config.toml" };
        let call = in_short(call);
        let line =
            format!("permissions: not run, for nobody is there to allow it: {call}{hint}{place}");
        if locked(&self.told).insert(line.clone()) {
            user.tell(line, UiLevel::Warning);
        }
    }

    /// Tells a fault, once.
    fn warn(&self, fault: &str, user: &dyn User) {
        let line = format!("permissions: {fault}");
        if locked(&self.told).insert(line.clone()) {
            user.tell(line, UiLevel::Warning);
        }
    }
}

fn blocked(reason: String) -> BeforeToolCallReply {
    BeforeToolCallReply { block: Some(reason), arguments: None }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
