//! The guard as a plugin: a hook before each call, and a slash command.
//!
//! Owns the join to the SDK, and what is read of this process's surroundings. Must not judge.
#![expect(clippy::disallowed_methods, reason = "the variables that matter are read here, once")]

use crate::guard::Guard;
use crate::listing;
use crate::memory::Memory;
use crate::paths::Surroundings;
use crate::settings::Settings;
use letscode_plugin::{Context, Event, Plugin, UiLevel};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

/// Speaks with the program over stdin and stdout until it is over.
pub fn serve() -> ExitCode {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
    plugin(home, std::env::temp_dir()).serve()
}

/// Returns the plugin, for a user with this home.
fn plugin(home: Option<PathBuf>, temporary: PathBuf) -> Plugin {
    let guard = Arc::new(OnceLock::new());
    // The program's hello says where we are, so the guard is made when it is first needed.
    let guard = move |context: &Context| -> Arc<Guard> {
        Arc::clone(guard.get_or_init(|| Arc::new(made(home.clone(), &temporary, context))))
    };
    let [starting, judging, listing, beginning] = std::array::from_fn(|_| guard.clone());
    Plugin::new("permissions", env!("CARGO_PKG_VERSION"))
        .fail_closed()
        .on_start(move |context| drop(starting(&context)))
        .before_tool_call(move |asked, context| Ok(judging(context).answer(&asked, context)))
        .on_event(&["turn_start"], move |event, context| {
            let Event::TurnStart { turn } = event else { return };
            let guard = beginning(context);
            guard.turn_begins();
            // Cheaper than `agent_start`, which has the whole transcript.
            if turn == 1 {
                guard.run_begins();
            }
        })
        .command(
            "permissions",
            listing::USAGE,
            "Show which tool calls run unasked",
            move |typed, context| listing::run(&listing(context), typed),
        )
}

fn made(home: Option<PathBuf>, temporary: &std::path::Path, context: &Context) -> Guard {
    // A table that cannot be read as one has no key that is known.
    let table: Map<String, Value> = context
        .config()
        .unwrap_or_else(|_| Map::from_iter([("[permissions]".to_owned(), json!(null))]));
    let (settings, warnings) = Settings::read(&table);
    for warning in warnings {
        context.notify(warning, UiLevel::Warning);
    }
    let surroundings = Surroundings::new(context.working_dir(), home.clone(), temporary);
    let memory = home.map(|home| Memory::new(&home.join(".letscode"), surroundings.project()));
    Guard::new(settings, memory, surroundings)
}

#[cfg(test)]
mod tests;
