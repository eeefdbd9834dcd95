//! A guard: blocks commands that remove too much, and rewrites others. A tool tells the model
//! beforehand, and a slash command lets the user make one exception.
//!
//! Owns its two rules. To try it: `letscode install ./examples/plugins/guard`.

use letscode_plugin::{BeforeToolCall, BeforeToolCallReply, Context, Plugin, schemars};
use serde::Deserialize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() -> ExitCode {
    plugin().serve()
}

/// The arguments of the tool; the model reads the comments.
#[derive(Deserialize, schemars::JsonSchema)]
struct Check {
    /// The command, as it would be given to bash.
    command: String,
}

/// What the guard thinks of a command.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passes,
    Blocked(&'static str),
    RunsAs(String),
}

fn plugin() -> Plugin {
    let exception = Arc::new(AtomicBool::new(false));
    let asked_for = Arc::clone(&exception);
    Plugin::new("guard", env!("CARGO_PKG_VERSION"))
        .fail_closed()
        .before_tool_call(move |asked, _| Ok(answer(asked, &exception)))
        .tool("guard_check", "Tells whether the guard lets a command run.", |check: Check, _| {
            Ok(match judge(&check.command) {
                Verdict::Passes => "it runs as it is".to_owned(),
                Verdict::Blocked(reason) => format!("it is blocked: {reason}"),
                Verdict::RunsAs(gentle) => format!("it runs as: {gentle}"),
            })
        })
        .command("guard", "", "Let the guard block as always, or make one exception", {
            move |_, context| Ok(choose(&asked_for, context))
        })
}

/// Asks the user whether the next command that would be blocked may run.
fn choose(exception: &AtomicBool, context: &Context) -> &'static str {
    let choices = ["block it, as always", "let it run, once"].map(str::to_owned).to_vec();
    let Some(place) = context.select("The next command that the guard would block?", choices)
    else {
        return "the guard stays as it is";
    };
    exception.store(place == 1, Ordering::Relaxed);
    if place == 1 { "the next one runs" } else { "the next one is blocked" }
}

fn answer(asked: BeforeToolCall, exception: &AtomicBool) -> BeforeToolCallReply {
    let mut call = asked.tool_call;
    let command = call.arguments.get("command").and_then(|command| command.as_str());
    let Some(command) = command.filter(|_| call.name == "bash") else {
        return BeforeToolCallReply::default();
    };
    match judge(command) {
        Verdict::Blocked(reason) if !exception.swap(false, Ordering::Relaxed) => {
            BeforeToolCallReply { block: Some(reason.to_owned()), arguments: None }
        }
        Verdict::Passes | Verdict::Blocked(_) => BeforeToolCallReply::default(),
        Verdict::RunsAs(gentle) => {
            call.arguments.insert("command".to_owned(), gentle.into());
            BeforeToolCallReply { block: None, arguments: Some(call.arguments) }
        }
    }
}

fn judge(command: &str) -> Verdict {
    let words: Vec<&str> = command.split_whitespace().collect();
    if words.contains(&"rm") && words.iter().any(|word| matches!(*word, "/" | "~" | "/*")) {
        return Verdict::Blocked("the guard does not let a whole disk or home be removed");
    }
    if words.starts_with(&["git", "push"]) && words.contains(&"--force") {
        return Verdict::RunsAs(command.replace("--force", "--force-with-lease"));
    }
    Verdict::Passes
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_plugin::testing::Peer;
    use letscode_plugin::{ToolCall, text_of};
    use serde_json::{Map, Value, json};

    fn ask(peer: &Peer, name: &str, command: &str) -> BeforeToolCallReply {
        let arguments = json!({"command": command}).as_object().cloned().unwrap();
        let call = ToolCall { id: "c".into(), name: name.to_owned(), arguments };
        peer.before_tool_call(call).unwrap()
    }

    #[test]
    fn what_removes_too_much_is_blocked_and_force_is_made_gentle() {
        let peer = Peer::start(plugin());
        assert!(peer.capabilities().fail_closed);
        assert_eq!(ask(&peer, "bash", "rm -r build"), BeforeToolCallReply::default());
        assert!(ask(&peer, "bash", "rm -rf /").block.is_some());
        assert_eq!(ask(&peer, "other", "rm -rf /"), BeforeToolCallReply::default());
        let gentle = ask(&peer, "bash", "git push --force").arguments.unwrap();
        assert_eq!(gentle["command"], "git push --force-with-lease");
    }

    #[test]
    fn the_tool_says_what_the_hook_does() {
        let peer = Peer::start(plugin());
        for (command, expected) in [
            ("ls", "it runs as it is"),
            ("rm -rf ~", "it is blocked: the guard does not let a whole disk or home be removed"),
            ("git push --force", "it runs as: git push --force-with-lease"),
        ] {
            let output = peer.call_tool("guard_check", json!({"command": command})).unwrap();
            assert_eq!(text_of(&output.content), expected);
        }
    }

    #[test]
    fn an_exception_holds_once_and_only_where_the_user_says_so() {
        for (choice, text, is_blocked) in [
            (Value::Null, "the guard stays as it is", true),
            (json!(0), "the next one is blocked", true),
            (json!(1), "the next one runs", false),
        ] {
            let peer = Peer::start_with(plugin(), Map::new(), move |_| Ok(choice.clone()));
            assert_eq!(peer.run_command("guard", "").unwrap().text, text);
            assert_eq!(ask(&peer, "bash", "rm -rf /").block.is_some(), is_blocked);
            assert!(ask(&peer, "bash", "rm -rf /").block.is_some());
        }
    }
}
