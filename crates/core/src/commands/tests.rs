//! Generic tests that walk the table, and the words of results.

use super::*;
use letscode_wire::CommandsResult;
use std::collections::HashSet;

#[test]
fn every_command_has_a_plain_unique_name_and_one_line_of_help() {
    let mut names = HashSet::new();
    for command in COMMANDS {
        let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(command.name.chars().all(is_plain), "{}", command.name);
        assert!(names.insert(command.name), "{} twice", command.name);
        assert!(!command.help.is_empty() && command.help.lines().count() == 1, "{}", command.name);
        assert!(!command.help.ends_with('.'), "{}", command.name);
    }
}

#[test]
fn the_likeliest_of_the_names_that_begin_alike_is_offered_first() {
    for (beginning, expected) in [("re", "resume"), ("t", "thinking"), ("n", "new")] {
        let first = COMMANDS.iter().find(|command| command.name.starts_with(beginning));
        assert_eq!(first.map(|command| command.name), Some(expected));
    }
}

#[test]
fn arguments_are_taken_where_the_table_says_so() {
    for command in COMMANDS {
        let Some(read) = command.read else { continue };
        let alone = read("");
        match command.arguments.chars().next() {
            None => {
                assert!(alone.is_some(), "/{} takes no argument", command.name);
                assert!(read("x").is_none(), "/{} refuses an argument", command.name);
            }
            Some('[') => assert!(alone.is_some(), "/{} has an optional argument", command.name),
            Some(_) => assert!(alone.is_none(), "/{} needs an argument", command.name),
        }
    }
}

#[test]
fn lines_are_read_with_and_without_the_slash() {
    let fork = |entry| Ok(Command::Fork { entry });
    assert_eq!(read_line("/fork"), fork(None));
    assert_eq!(read_line(" fork  3 "), fork(Some(3)));
    assert_eq!(read_line("/fork x"), Err(SlashError::Usage { usage: "fork [N]".to_owned() }));
    assert_eq!(
        read_line("/compact keep the paths"),
        Ok(Command::Compact { bias: Some("keep the paths".to_owned()) })
    );
    assert_eq!(read_line("/quit"), Err(SlashError::NeedsTerminal { name: "quit".to_owned() }));
}

#[test]
fn trust_is_switched_by_on_and_off_alone() {
    let trust = |trust| Ok(Command::Trust { trust });
    assert_eq!(read_line("/trust"), trust(None));
    assert_eq!(read_line("/trust on"), trust(Some(true)));
    assert_eq!(read_line("/trust off"), trust(Some(false)));
    let usage = SlashError::Usage { usage: "trust [on|off]".to_owned() };
    assert_eq!(read_line("/trust maybe"), Err(usage));
}

#[test]
fn an_unknown_name_gets_names_that_look_like_it() {
    let error = read_line("/tols").expect_err("no such command");
    assert_eq!(
        error.to_string(),
        "there is no command /tols (did you mean /tools?); /help lists them"
    );
    let error = read_line("/xyzzy").expect_err("no such command");
    assert_eq!(error.to_string(), "there is no command /xyzzy; /help lists them");
}

#[test]
fn help_is_the_table_in_words() {
    let result = serde_json::to_value(CommandsResult { commands: list() }).expect("plain data");
    let help = render(&Command::Commands, &result);
    for command in COMMANDS {
        assert!(help.contains(&format!("/{}", command.usage())), "{}", command.name);
        assert!(help.contains(command.help), "{}", command.name);
    }
}

#[test]
fn results_are_put_in_words() {
    use serde_json::json;
    let session = json!({"id": "01a", "label": "Fix it", "path": "/s/01a.jsonl"});
    for (command, result, expected) in [
        (
            Command::Sessions { all: false },
            json!({"sessions": [
                {"number": 1, "session": session, "modified": 0.0, "open": true},
                {"number": 2, "session": {"id": "01b", "label": null, "path": ""}, "modified": 0.0, "open": false},
            ]}),
            "   1  01a Fix it  (open)\n   2  01b",
        ),
        (
            Command::Sessions { all: false },
            json!({"sessions": []}),
            "this project has no sessions yet",
        ),
        (
            Command::Tree,
            json!({"label": null, "entries": [
                {"entry": 1, "id": "a", "parent": null, "role": "user", "kind": null, "text": "hi", "active": true},
                {"entry": 2, "id": "b", "parent": 1, "role": "assistant", "kind": null, "text": "one", "active": false},
                {"entry": 3, "id": "c", "parent": 1, "role": "custom", "kind": "compaction", "text": "two\nlines", "active": true},
            ]}),
            "   1  user       hi\n   2· assistant  one\n   3  compaction  two (behind 1)",
        ),
        (
            Command::Usage,
            json!({"usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 4,
                "reasoning_tokens": 1, "cost_usd": 0.5}, "answers": 1}),
            "10 tokens in (4 of them cached), 5 out (1 of them reasoning), $0.5000",
        ),
        (
            Command::Models,
            json!({"models": [
                {"id": "m", "provider": "p", "context_window": 8000, "input_per_million": 1.5,
                 "output_per_million": 2.0, "usable": false},
            ]}),
            "   1  m  (p), 8000 tokens, $1.5/$2 per million, no key set",
        ),
        (Command::Unqueue, json!({"message": null}), "nothing is queued"),
        (Command::Reset, json!(null), "the conversation is forgotten"),
        (
            Command::Reload,
            json!({"tools": 5, "skills": 1, "templates": 2, "context_files": 3, "model": "m",
                "thinking": "off", "warnings": ["one\nline", "two"]}),
            "reloaded: 5 tools, 1 skill, 2 templates, 3 context files; model m, thinking off\n\
             warning: one\nwarning: two",
        ),
        (
            Command::Trust { trust: None },
            json!({"project": null, "trusted": false, "reason": null, "left_out": [], "effective": true}),
            "nothing here has settings or plugins of its own that would need trust",
        ),
        (
            Command::Trust { trust: None },
            json!({"project": "/p", "trusted": false, "reason": "changed since it was trusted",
                "left_out": ["base_url", "mcp"], "effective": true}),
            "the project /p changed since it was trusted\nleft out: base_url, mcp\n\
             /trust on, then /reload, allows it",
        ),
        (
            Command::Trust { trust: Some(true) },
            json!({"project": "/p", "trusted": true, "reason": null, "left_out": [], "effective": false}),
            "the project /p is trusted\n/reload makes that effective",
        ),
        (
            Command::Trust { trust: Some(false) },
            json!({"project": "/p", "trusted": true, "reason": null, "left_out": [], "effective": true}),
            "trust in /p is taken back, but it still holds for this run",
        ),
    ] {
        assert_eq!(render(&command, &result), expected, "{command:?}");
    }
}
