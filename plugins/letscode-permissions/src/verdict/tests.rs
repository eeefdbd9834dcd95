//! Tests of the order of rules.

use super::*;
use letscode_plugin::ToolCall;
use serde_json::json;
use std::path::Path;

fn verdict(settings: &serde_json::Value, tool: &str, argument: &str) -> Verdict {
    let surroundings = Surroundings::new(Path::new("/nowhere/project"), None, Path::new("/"));
    let name = if tool == "bash" { "command" } else { "path" };
    let arguments = json!({name: argument}).as_object().cloned().unwrap();
    let call = ToolCall { id: "c".into(), name: tool.to_owned(), arguments };
    let (settings, _) = Settings::read(settings.as_object().unwrap());
    judge(&Subject::of(&call, &surroundings), &settings, &[], &surroundings)
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Deny(_) => "deny",
        Verdict::Ask(question) if question.rules.is_empty() => "ask always",
        Verdict::Ask(_) => "ask",
    }
}

#[test]
fn deny_goes_before_ask_before_allow_before_the_default() {
    for (settings, tool, argument, expected) in [
        (json!({}), "read", "src/a", "allow"),
        (json!({}), "read", "/nowhere/a", "ask"),
        (json!({}), "write", "src/a", "ask"),
        (json!({}), "bash", "ls", "ask"),
        (json!({}), "mcp_x", "", "ask"),
        (json!({"default": "deny"}), "bash", "ls", "deny"),
        (json!({"default": "deny"}), "read", "src/a", "allow"),
        (json!({"default": "deny", "allow": ["bash:ls"]}), "bash", "ls", "allow"),
        (json!({"default": "allow"}), "bash", "ls $(x)", "allow"),
        (json!({"default": "allow"}), "write", "file:///x", "ask always"),
        (json!({"default": "allow", "deny": ["bash:rm *"]}), "bash", "ls $(rm x)", "deny"),
        (
            json!({"default": "allow", "deny": ["bash:git push *"]}),
            "bash",
            "git pus*",
            "ask always",
        ),
        (json!({"default": "allow", "ask": ["bash:rm *"]}), "bash", "a; rm x", "ask always"),
        (json!({"allow": ["bash"], "deny": ["bash:rm *"]}), "bash", "sudo rm x", "deny"),
        (json!({"allow": ["bash"], "deny": ["bash:rm *"]}), "bash", "ls $(x)", "ask"),
        (json!({"allow": ["bash"], "deny": ["write"]}), "bash", "ls $(x)", "allow"),
        (
            json!({"allow": ["bash", "bash=ls $(x)"], "deny": ["bash:rm *"]}),
            "bash",
            "ls $(x)",
            "allow",
        ),
        (json!({"default": "deny", "deny": ["bash:rm *"]}), "bash", "ls $(x)", "deny"),
        (
            json!({"allow": ["bash:git *"], "deny": ["bash:git push *"]}),
            "bash",
            "git {push,x}",
            "ask always",
        ),
        (
            json!({"allow": ["bash:git *"], "deny": ["bash:git push *"]}),
            "bash",
            "git $X",
            "ask always",
        ),
        (
            json!({"allow": ["bash"], "deny": ["bash:git push"]}),
            "bash",
            "git push $X",
            "ask always",
        ),
        (json!({"allow": ["bash"], "deny": ["bash:rm *"]}), "bash", "sudo $X", "ask always"),
        (json!({"allow": ["bash"], "ask": ["bash:rm *"]}), "bash", "rm x", "ask always"),
        (json!({"ask": ["bash"], "deny": ["bash"]}), "bash", "x", "deny"),
        (json!({"deny": ["read:*.env"]}), "read", ".env", "deny"),
        (json!({"deny": ["read:*.env"]}), "read", "/other/.env", "deny"),
        (json!({"deny": ["read:secret/*"]}), "read", "src/../secret/a", "deny"),
        (json!({"deny": ["read:secret/*"]}), "read", "@secret/a", "deny"),
        (json!({"deny": ["read:./secret"]}), "read", "secret/a/b", "deny"),
        (json!({"deny": ["read:secret/"]}), "read", "secret", "deny"),
        (json!({"deny": ["read:/"]}), "read", "src/a", "deny"),
        (json!({"deny": ["read:/nowhere/project/secret/*"]}), "read", "secret/a", "deny"),
        (json!({"deny": ["write"], "allow": ["*"]}), "write", "/x", "deny"),
        (json!({"deny": ["mcp_*"], "allow": ["mcp_x"]}), "mcp_x", "", "deny"),
        // What cannot be read might have been meant to forbid.
        (json!({"default": "allow", "deny": ["bash rm"]}), "read", "src/a", "ask always"),
        (json!({"allow": ["bash"], "denny": []}), "bash", "ls", "ask always"),
        (json!({"deny": ["bash:rm *", 1]}), "bash", "rm x", "deny"),
    ] {
        let verdict = verdict(&settings, tool, argument);
        assert_eq!(word(&verdict), expected, "{settings} {tool} {argument}: {verdict:?}");
    }
}

#[test]
fn what_is_denied_is_never_run_unasked_however_it_is_disguised() {
    for rules in [
        json!({"allow": ["bash"], "deny": ["bash:rm *"]}),
        json!({"allow": ["*"], "ask": ["bash:rm *"]}),
        json!({"default": "allow", "deny": ["bash:rm *"]}),
        json!({"allow": ["bash:*", "bash"], "deny": ["bash:rm F"]}),
    ] {
        for command in [
            "sh -c 'r$@m F'",
            "sh -c 'r${z}m F'",
            "sh -c '/bin/r? F'",
            "eval 'r$@m F'",
            "trap 'r$@m F' EXIT",
            "$'\\x72m' F",
            "$'r\\155' F",
            "sh -c 'r\\\nm F'",
            "env sh -c \"r'm' F\"",
            "env -S \"r'm' F\"",
            "shopt -s expand_aliases; alias zz=rm; zz F",
            "echo rm F | sh",
            "echo rm F | sudo sh",
            "echo rm F | /bin/bash -s",
            "echo F | xargs -I{} r\"\"m {}",
            "echo rm | xargs -I{} {} F",
            "setarch -R rm F",
            "choom -n 5 -- rm F",
            "start-stop-daemon -S -x /bin/rm -- F",
            "/lib64/ld-linux-x86-64.so.2 /bin/rm F",
            "anything --at all /bin/rm F",
            "anything sh -c \"r'm' F\"",
            "find . -exec sh -c \"r'm' F\" +",
            "sudo setarch sh",
            "su -c \"r'm' F\"",
            "mapfile -C 'r\"\"m F' x",
            "jobs -x rm F",
            "./ls /bin/rm F",
            "test -v 'a[$(r\"\"m F)]'",
        ] {
            let verdict = verdict(&rules, "bash", command);
            assert_ne!(word(&verdict), "allow", "{rules} {command}");
        }
    }
}

#[test]
fn a_command_behind_options_is_still_that_command() {
    for rules in [
        json!({"allow": ["bash:git *"], "ask": ["bash:git push *"]}),
        json!({"allow": ["bash"], "deny": ["bash:git push *"]}),
        json!({"allow": ["bash"], "deny": ["bash:git push"]}),
    ] {
        for (command, is_run) in [
            ("git -C . push", false),
            ("git --no-pager push", false),
            ("git -p -C . --no-pager push", false),
            ("/usr/bin/git --git-dir=x push", false),
            ("nice git -C . push", false),
            ("git -c alias.p=push p", false),
            ("git -calias.p=push p", false),
            ("git --config-env=alias.p=X p", false),
            ("git --exec-path=. p", false),
            ("git $X push", false),
            ("git -C . $X", false),
            ("nice git -c alias.p=push p", false),
            ("git -C . status", true),
            ("git --no-pager log -p", true),
            ("git status -c push", true),
            ("git commit -m push", true),
        ] {
            let verdict = verdict(&rules, "bash", command);
            assert_eq!(word(&verdict) == "allow", is_run, "{rules} {command}: {verdict:?}");
        }
    }
}

#[test]
fn what_hides_nothing_runs_beside_rules_against_something() {
    let rules = json!({"allow": ["bash"], "deny": ["bash:rm *"], "ask": ["bash:git push *"]});
    for command in [
        "ls -l $HOME/*",
        "grep -rn 'rm x' src",
        "echo rm x",
        "cargo test -- --nocapture 2>&1 | tail -5",
        "git commit -m 'a; rm x'",
        "git rm x",
        "docker rm x",
        "find . -name '*.rs'",
        "timeout 5 cargo test",
        "python3 -c 'print(1)'",
    ] {
        assert_eq!(word(&verdict(&rules, "bash", command)), "allow", "{command}");
    }
}

#[test]
fn a_denial_names_the_rule_and_a_question_what_is_odd() {
    let deny = verdict(&json!({"deny": ["bash:rm *"]}), "bash", "a; rm x");
    assert_eq!(deny, Verdict::Deny("the user's rule `deny bash:rm *` forbids it".to_owned()));
    for (tool, argument, part) in [
        ("bash", "a > b", "writes into one"),
        ("bash", "a $(b)", "another command prints"),
        ("bash", "a", ""),
        ("read", "/nowhere/x", "outside of the working directory: /nowhere/x"),
        ("write", ".git/x", ".git decides what runs later"),
        ("write", "file:///x", "cannot be known"),
        ("write", "x", ""),
    ] {
        let Verdict::Ask(question) = verdict(&json!({}), tool, argument) else { panic!() };
        assert!(question.note.contains(part), "{question:?}");
        assert_eq!(question.note.is_empty(), part.is_empty(), "{question:?}");
    }
}
