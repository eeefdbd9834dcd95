//! What calls give, in every version of the protocol.

use super::*;
use letscode_wire::{Message, MessageId, UserMessage};

#[test]
fn tools_have_legal_names_and_plain_schemas() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let registrations = stage.peer.registrations();
    let names = names(&registrations);
    assert!(names.contains(&"mcp_s_echo") && names.contains(&"mcp_s_add_numbers"), "{names:?}");
    for tool in &registrations.tools {
        assert_eq!(tool.parameters["type"], "object");
        assert!(tool.parameters.get("$schema").is_none());
        assert!(tool.description.starts_with("Does "));
    }
    assert_eq!(stage.text("mcp_s_add_numbers", json!({"a": 1})), r#"{"a": 1}"#);
}

#[test]
fn todays_protocol_and_those_before_it() {
    for version in ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let stage = Stage::start(json!({"s": scripted(&["--protocol", version])}));
        assert_eq!(stage.text("mcp_s_echo", json!({"text": version})), version);
        let listing = stage.command("mcp", "");
        assert!(listing.ends_with(&format!("resources; protocol {version}")), "{listing}");
    }
}

#[test]
fn a_server_that_dies_of_the_newest_protocols_question_is_asked_in_the_old_way() {
    let stage = Stage::start(json!({"s": scripted(&["--die-on-probe"])}));
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
}

#[test]
fn pictures_structure_errors_and_odd_parts() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let picture = stage.call("mcp_s_picture", json!({}));
    assert!(matches!(&picture.content[..],
        [ContentPart::Image { mime_type, data }] if mime_type == "image/png" && data.len() > 50));
    let structured = stage.call("mcp_s_structured", json!({}));
    assert_eq!(text_of(&structured.content), r#"{"answer":42}"#);
    assert_eq!(structured.details["structured_content"], json!({"answer": 42}));
    let failed = stage.call("mcp_s_fail", json!({}));
    assert_eq!((text_of(&failed.content).as_str(), failed.is_error), ("that went wrong", true));
    assert_eq!(stage.text("mcp_s_odd", json!({})), "oddgood");
}

#[test]
fn a_huge_answer_is_cut() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let text = stage.text("mcp_s_huge", json!({}));
    assert!(text.len() < 60_000 && text.contains("[cut here: "), "{} bytes", text.len());
}

#[test]
fn progress_is_shown_while_the_call_runs() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    assert_eq!(stage.text("mcp_s_progress", json!({})), "done");
    let shown: Vec<String> =
        stage.peer.partials().iter().map(|partial| text_of(&partial.content)).collect();
    assert!(shown.iter().any(|line| line.ends_with("of 3: step 3")), "{shown:?}");
}

#[test]
fn a_server_asks_the_user_in_either_way() {
    for (version, tool) in [("2025-11-25", "mcp_s_ask"), ("2026-07-28", "mcp_s_input")] {
        let servers = json!({"s": scripted(&["--protocol", version])});
        let stage = Stage::start_answering(servers, json!("blue"));
        let text = stage.text(tool, json!({}));
        assert!(text.contains(r#""colour": "blue""#) && text.contains("accept"), "{text}");
        assert_eq!(stage.asked.lock().unwrap().len(), 1);
    }
}

#[test]
fn nobody_there_to_answer_declines() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let text = stage.text("mcp_s_ask", json!({}));
    assert!(text.contains(r#""action": "decline""#), "{text}");
}

#[test]
fn the_root_is_the_working_directory() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let roots = stage.text("mcp_s_roots", json!({}));
    assert!(roots.contains(r#""uri": "file:///project""#), "{roots}");
}

#[test]
fn prompts_are_commands_with_arguments() {
    let stage = Stage::start_answering(json!({"s": scripted(&[])}), json!("Grace"));
    let registrations = stage.peer.registrations();
    let greet = registrations.commands.iter().find(|command| command.name == "s:greet").unwrap();
    assert_eq!((greet.usage.as_str(), greet.description.as_str()), ("<name> [style]", "Greets"));
    assert_eq!(stage.command("s:greet", "Ada"), r#"Greet {"name": "Ada"}"#);
    assert_eq!(stage.command("s:greet", ""), r#"Greet {"name": "Grace"}"#, "asked for");
}

#[test]
fn a_prompt_without_what_it_needs_is_an_error() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let error = stage.peer.run_command("s:greet", "").unwrap_err().to_string();
    assert_eq!(error, "name is missing: /s:greet <name> [style]");
}

#[test]
fn a_named_resource_stands_behind_the_message() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let message = |id: &str, text: &str| {
        Arc::new(Message::User(UserMessage {
            id: MessageId::from(id),
            content: vec![ContentPart::text(text)],
            timestamp: 0.0,
            meta: Map::new(),
        }))
    };
    let plain = vec![message("1", "mail me@s:x or @other:x")];
    assert_eq!(stage.peer.transform_context(plain).unwrap(), None);
    let two = vec![message("1", "see @s:test://a."), message("2", "and @s:test://missing")];
    let changed = stage.peer.transform_context(two.clone()).unwrap().unwrap();
    let text = |at: usize| text_of(changed[at].content());
    assert_eq!(text(0), "see @s:test://a.[resource test://a]\nwhat is inside");
    assert!(text(1).contains("[resource s:test://missing cannot be read: "), "{}", text(1));
    assert_eq!(stage.peer.transform_context(two).unwrap().unwrap(), changed, "the same again");
}

#[test]
fn servers_get_few_variables_and_their_secrets_do_not_come_back() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let text = stage.text("mcp_s_env", json!({}));
    assert!(text.contains("SECRET_KEY") && text.contains("PATH"), "{text}");
    assert!(!text.contains("OPENAI_API_KEY") && !text.contains("tok-1234567890"), "{text}");
    let journal = stage.command("mcp", "s");
    assert!(journal.contains("SECRET_KEY is [masked]"), "{journal}");
}

#[test]
fn nothing_that_a_server_says_shows_its_secret() {
    let stage =
        Stage::start_answering(json!({"s": scripted(&["--leak"])}), json!("tok-1234567890"));
    let mut said = vec![format!("{:?}", stage.peer.registrations())];
    assert_eq!(stage.text("mcp_s_progress", json!({})), "done");
    for tool in ["ask", "env"] {
        said.push(stage.text(&format!("mcp_s_{tool}"), json!({})));
    }
    said.push(format!("{:?}", stage.peer.partials()));
    said.push(format!("{:?}", stage.asked.lock().unwrap()));
    said.push(stage.command("mcp", ""));
    said.push(stage.command("mcp", "s"));
    for text in said {
        assert!(!text.contains("tok-1234567890"), "{text}");
        assert!(text.contains("[masked]") || text.starts_with("s: "), "{text}");
    }
}

#[test]
fn tools_come_in_pages_and_a_filter_chooses() {
    let table = with(scripted(&["--tools", "35"]), "tools", json!(["extra_*", "!extra_3"]));
    let table = with(table, "prefix", json!("x_"));
    let stage = Stage::start(json!({"s": table}));
    let registrations = stage.peer.registrations();
    let names = names(&registrations);
    assert_eq!(names.len(), 34);
    assert!(names.contains(&"x_extra_34") && !names.contains(&"x_extra_3"), "{names:?}");
}
