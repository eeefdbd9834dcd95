//! A guard: blocks commands that remove too much, and rewrites others.
//!
//! Owns its two rules. To try it: build it (`cargo build -p letscode-plugin --example guard`), put the
//! program and `plugin.toml` into `~/.letscode/plugins/native/guard/`.

use letscode_plugin::{BeforeToolCall, BeforeToolCallReply, Context, Error, Plugin};
use std::process::ExitCode;

fn main() -> ExitCode {
    plugin().serve()
}

fn plugin() -> Plugin {
    Plugin::new("guard", "1.0.0").fail_closed().before_tool_call(judge).command(
        "guard",
        "",
        "Show what the guard minds",
        |_, _| Ok("no recursive removal of / or ~; git push never forces"),
    )
}

fn judge(asked: BeforeToolCall, _: &Context) -> Result<BeforeToolCallReply, Error> {
    let mut call = asked.tool_call;
    let command = call.arguments.get("command").and_then(|command| command.as_str());
    let Some(command) = command.filter(|_| call.name == "bash") else {
        return Ok(BeforeToolCallReply::default());
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    if words.contains(&"rm") && words.iter().any(|word| matches!(*word, "/" | "~" | "/*")) {
        let block = Some("the guard does not let a whole disk or home be removed".to_owned());
        return Ok(BeforeToolCallReply { block, arguments: None });
    }
    if words.starts_with(&["git", "push"]) && words.contains(&"--force") {
        let gentle = command.replace("--force", "--force-with-lease");
        call.arguments.insert("command".to_owned(), gentle.into());
        return Ok(BeforeToolCallReply { block: None, arguments: Some(call.arguments) });
    }
    Ok(BeforeToolCallReply::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_plugin::ToolCall;
    use letscode_plugin::testing::Peer;
    use serde_json::json;

    #[test]
    fn what_removes_too_much_is_blocked_and_force_is_made_gentle() {
        let peer = Peer::start(plugin());
        assert!(peer.capabilities().fail_closed);
        let ask = |name: &str, command: &str| {
            let arguments = json!({"command": command}).as_object().cloned().unwrap();
            let call = ToolCall { id: "c".into(), name: name.to_owned(), arguments };
            peer.before_tool_call(call).unwrap()
        };
        assert_eq!(ask("bash", "rm -r build"), BeforeToolCallReply::default());
        assert!(ask("bash", "rm -rf /").block.is_some());
        assert_eq!(ask("other", "rm -rf /"), BeforeToolCallReply::default());
        let gentle = ask("bash", "git push --force").arguments.unwrap();
        assert_eq!(gentle["command"], "git push --force-with-lease");
    }
}
