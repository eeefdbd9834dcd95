//! The goal as a plugin: `/goal`, and a judgement whenever a run of the agent would end.
//!
//! Owns the goal in force and the seam to the SDK. Handlers run side by side, so a goal may be dropped
//! or replaced while the old one is judged. Must not hold rules about a goal: `goal` does.

#[cfg(test)]
mod tests;

use crate::evaluator::Evaluator;
use crate::excerpt::{MESSAGES, excerpt};
use crate::goal::{Goal, Step};
use crate::settings::{Settings, Table};
use crate::verdict::{self, INSTRUCTIONS, Verdict};
use letscode_plugin::{Command, Context, Error, Event, Plugin, RunCommandReply, UiLevel, warn};
use letscode_wire::{MessagesResult, SessionId};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many bytes a goal may have: it goes to the model in each round.
const MOST_BYTES: usize = 8 * 1024;

/// The key of our line of status.
const STATUS: &str = "goal";

/// How many characters of an answer without a verdict are told.
const MOST_TOLD: usize = 200;

/// Reads a variable.
type Variables = fn(&str) -> Option<String>;

/// Speaks with the program over stdin and stdout until it is over.
#[expect(clippy::disallowed_methods, reason = "our own program and variables are looked up here")]
pub fn serve() -> ExitCode {
    match std::env::current_exe() {
        Ok(program) => plugin(Evaluator::new(program), |name| std::env::var(name).ok()).serve(),
        Err(error) => {
            warn(&format!("goals cannot be judged: the program cannot find itself: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns the plugin.
fn plugin(evaluator: Evaluator, variables: Variables) -> Plugin {
    let desk =
        Arc::new(Desk { evaluator, variables, settings: OnceLock::new(), state: Mutex::default() });
    let [commanding, judging, ending] = std::array::from_fn(|_| Arc::clone(&desk));
    let help = "Work until a condition is met; without one show how it goes, with clear drop it";
    Plugin::new("goal", env!("CARGO_PKG_VERSION"))
        .command("goal", "[CONDITION|clear]", help, move |arguments, context| {
            commanding.command(arguments, context)
        })
        // The `turn_end` at which a run would end comes without being named.
        .holds_end()
        .on_event(&["agent_end"], move |event, context| match event {
            Event::TurnEnd { .. } => judging.judge(context),
            Event::AgentEnd { aborted, .. } => judging.run_ended(aborted, context),
            _ => {}
        })
        .on_end(move || ending.evaluator.end())
}

/// What the handlers share.
struct Desk {
    evaluator: Evaluator,
    variables: Variables,
    settings: OnceLock<Settings>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    active: Option<Active>,
    /// How many goals there were so far: it tells one from another.
    count: u64,
    /// How the last one ended.
    outcome: Option<String>,
}

/// The goal in force.
struct Active {
    goal: Goal,
    number: u64,
    /// The conversation that it belongs to, where that is kept.
    session: Option<SessionId>,
}

impl Desk {
    fn command(&self, arguments: &str, context: &Context) -> Result<RunCommandReply, Error> {
        match arguments.trim() {
            "" => Ok(self.shown()),
            "clear" => Ok(self.clear(context)),
            condition => self.set(condition, context),
        }
    }

    fn shown(&self) -> RunCommandReply {
        let state = self.state();
        let text = match (&state.active, &state.outcome) {
            (Some(active), _) => active.goal.shown(),
            (None, Some(outcome)) => format!("No goal is set. The last one: {outcome}"),
            (None, None) => "No goal is set; /goal CONDITION sets one.".to_owned(),
        };
        RunCommandReply { text, ..RunCommandReply::default() }
    }

    fn clear(&self, context: &Context) -> RunCommandReply {
        let text = match self.state().active.take() {
            Some(_) => "Goal dropped; what the agent is doing goes on.",
            None => "No goal is set.",
        };
        context.status(STATUS, None);
        RunCommandReply { text: text.to_owned(), ..RunCommandReply::default() }
    }

    fn set(&self, condition: &str, context: &Context) -> Result<RunCommandReply, Error> {
        if condition.len() > MOST_BYTES {
            let reason =
                format!("a goal may have {MOST_BYTES} bytes; put it into a file and name that");
            return Err(Error::new(reason));
        }
        let agent = context.state()?;
        let goal = Goal::new(condition.to_owned(), self.settings(context).most_rounds);
        let (opening, round) = (goal.opening(), goal.round());
        let replaced = {
            let mut state = self.state();
            state.count += 1;
            let session = agent.session.map(|session| session.id);
            let active = Active { goal, number: state.count, session };
            state.active.replace(active)
        };
        context.status(STATUS, Some(format!("goal: {round}")));
        let mut text = "Goal set; /goal shows how it goes, /goal clear drops it.".to_owned();
        if let Some(replaced) = replaced {
            text = format!("{text} It takes the place of: {}", replaced.goal.condition);
        }
        // While a run is active a prompt would be refused.
        let prompt = if agent.busy {
            context.follow_up(opening)?;
            None
        } else {
            Some(opening)
        };
        Ok(RunCommandReply { text, prompt, ..RunCommandReply::default() })
    }

    /// Judges the goal in force before the run ends. What is missing goes on with the run.
    fn judge(&self, context: &Context) {
        let Some((number, condition)) = self.goal_of_this_conversation(context) else { return };
        let judgement = match self.verdict(number, &condition, context) {
            Ok(Some(verdict)) => Ok(verdict),
            // The run was stopped, or the goal dropped.
            Ok(None) => return,
            Err(error) => Err(error.to_string()),
        };
        let Some((step, round)) = self.judged(number, judgement) else { return };
        match step {
            Step::Reached { told } => {
                context.status(STATUS, None);
                context.notify(told, UiLevel::Info);
            }
            Step::GivenUp { told } => {
                context.status(STATUS, None);
                context.notify(told, UiLevel::Warning);
            }
            Step::GoesOn { told, message } => {
                context.status(STATUS, Some(format!("goal: {round}")));
                context.notify(told, UiLevel::Info);
                if let Err(error) = context.follow_up(message) {
                    context.notify(format!("the agent cannot go on: {error}"), UiLevel::Warning);
                }
            }
        }
    }

    /// Returns the goal in force. One that was set in another conversation is dropped.
    fn goal_of_this_conversation(&self, context: &Context) -> Option<(u64, String)> {
        // Nothing is asked where there is no goal.
        self.state().active.as_ref()?;
        let session = context.state().ok()?.session.map(|session| session.id);
        let mut state = self.state();
        let active = state.active.as_ref()?;
        if active.session == session {
            return Some((active.number, active.goal.condition.clone()));
        }
        state.active = None;
        drop(state);
        context.status(STATUS, None);
        context.notify("goal dropped: it was set in another conversation", UiLevel::Info);
        None
    }

    /// Asks the evaluator. `None` where the answer is not wanted any more.
    fn verdict(
        &self,
        number: u64,
        condition: &str,
        context: &Context,
    ) -> Result<Option<Verdict>, Error> {
        context.status(STATUS, Some("goal: being judged".to_owned()));
        let newest = context.command(Command::Messages { last: Some(MESSAGES) })?;
        let newest: MessagesResult = serde_json::from_value(newest)?;
        let question = verdict::question(condition, &excerpt(&newest.messages));
        let mut variables = context.subagent_env()?;
        self.settings(context).redirect(&mut variables);
        let is_unwanted = || context.is_cancelled() || !self.is_in_force(number);
        let answer = self.evaluator.ask(INSTRUCTIONS, &question, &variables, is_unwanted)?;
        let Some(answer) = answer else { return Ok(None) };
        let verdict = verdict::read(&answer).ok_or_else(|| {
            let told: String = answer.trim().chars().take(MOST_TOLD).collect();
            Error::new(format!("the evaluator gave no verdict: {told:?}"))
        });
        verdict.map(Some)
    }

    /// Takes in a judgement; `None` where the goal is not in force any more.
    fn judged(&self, number: u64, judgement: Result<Verdict, String>) -> Option<(Step, String)> {
        let mut state = self.state();
        let active = state.active.as_mut().filter(|active| active.number == number)?;
        let step = active.goal.judged(judgement);
        let round = active.goal.round();
        if let Step::Reached { told } | Step::GivenUp { told } = &step {
            state.outcome = Some(told.clone());
            state.active = None;
        }
        Some((step, round))
    }

    /// Takes in that a run is over. Whoever stops a run stops the goal with it; after a failure it
    /// stays for the next try.
    fn run_ended(&self, was_stopped: bool, context: &Context) {
        let mut state = self.state();
        if state.active.is_none() {
            return;
        }
        let told = if was_stopped {
            state.active = None;
            "goal dropped, as the run was stopped; /goal CONDITION sets it again"
        } else {
            "the goal is still set and will be judged when the next run ends; /goal clear drops it"
        };
        drop(state);
        context.status(STATUS, None);
        context.notify(told, UiLevel::Info);
    }

    fn is_in_force(&self, number: u64) -> bool {
        self.state().active.as_ref().is_some_and(|active| active.number == number)
    }

    fn settings(&self, context: &Context) -> &Settings {
        self.settings.get_or_init(|| {
            let mut warnings = Vec::new();
            let table: Table = context.config().unwrap_or_else(|error| {
                warnings.push(format!("[goal] is left out: {error}"));
                Table::default()
            });
            let settings = Settings::new(table, self.variables, &mut warnings);
            warnings.iter().for_each(|warning| warn(warning));
            settings
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
