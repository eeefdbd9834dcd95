//! What is typed: commands, files, pictures, the history, and lines that come back.

use super::*;
use crate::text::Color;

#[test]
fn a_line_is_sent_as_it_was_typed_and_kept_in_the_history() {
    let mut scene = Scene::new();
    scene.types("  fix it");
    scene.press("enter");
    let (_, command) = scene.asked("prompt");
    let text = "  fix it".to_owned();
    assert_eq!(command, Command::Prompt { text: text.clone(), images: Vec::new(), expand: true });
    let kept: Vec<&Command> = scene.sent.iter().map(|(_, command)| command).collect();
    assert!(kept.contains(&&Command::History { add: Some(text), limit: Some(0) }), "{kept:?}");
}

#[test]
fn the_history_of_before_is_recalled() {
    let mut scene = Scene::new();
    scene.answer("history", json!({ "entries": ["newest", "older"] }));
    scene.press("up up");
    assert_eq!(scene.text(), "older");
    scene.press("down");
    assert_eq!(scene.text(), "newest");
    scene.press("down ctrl+r");
    scene.types("old");
    scene.press("enter");
    assert_eq!(scene.text(), "older");
}

#[test]
fn a_large_paste_is_folded_and_sent_whole() {
    let mut scene = Scene::new();
    let pasted = "line\n".repeat(240);
    scene.update(Msg::Input(InputEvent::Paste(pasted.clone())));
    assert!(scene.rows().contains("[paste 1: 240 lines]"));
    scene.press("enter");
    let (_, command) = scene.asked("prompt");
    let Command::Prompt { text, .. } = command else { panic!("{command:?}") };
    assert_eq!(text, pasted);
}

#[test]
fn what_the_agent_refuses_returns_to_the_composer() {
    let mut scene = Scene::new();
    scene.sends("@missing.txt what is it");
    scene.refuse("prompt", "missing.txt is not there");
    assert_eq!(scene.text(), "@missing.txt what is it");
    assert!(scene.rows().contains("✗ missing.txt is not there"));
    assert!(scene.app.run.is_none());
    // A mere name is not: the next words are not its arguments.
    scene.press("ctrl+a ctrl+k");
    scene.sends("/compact");
    scene.refuse("compact", "there is nothing to compact");
    scene.sends("/frobnicate");
    scene.refuse("prompt", "there is no command /frobnicate");
    assert_eq!(scene.text(), "");
    // What was taken in is in the conversation already.
    scene.press("ctrl+u");
    scene.begins_run("go");
    scene.refuse("prompt", "the model is gone");
    assert_eq!(scene.text(), "");
}

#[test]
fn commands_skills_and_templates_are_offered() {
    let mut scene = Scene::new();
    for (typed, offered, completed) in [
        ("/mod", "Show the models", "/model "),
        ("/rev", "of the user", "/review "),
        ("/skill:", "Reads PDF files", "/skill:pdf "),
    ] {
        scene.types(typed);
        assert!(scene.rows().contains(offered), "{typed}");
        scene.press("tab");
        assert_eq!(scene.text(), completed);
        scene.press("ctrl+a ctrl+k");
    }
}

#[test]
fn one_search_for_files_at_a_time_and_stale_answers_are_left_out() {
    let mut scene = Scene::new();
    scene.types("@mai");
    let asked: Vec<&Command> =
        scene.sent.iter().map(|(_, c)| c).filter(|c| name_of(c) == "files").collect();
    assert_eq!(asked, [&Command::Files { query: String::new(), limit: None }]);
    scene.answer("files", json!({ "paths": ["a.txt", "src/main.rs"], "complete": true }));
    // Only what is wanted by now is looked for next.
    let again = scene.answer("files", json!({ "paths": ["src/main.rs"], "complete": true }));
    assert_eq!(again, Command::Files { query: "mai".to_owned(), limit: None });
    assert!(!scene.is_asked("files"));
    let rows = scene.rows();
    assert!(rows.contains("src/main.rs") && !rows.contains("a.txt"), "{rows}");
    scene.press("tab");
    assert_eq!(scene.text(), "@src/main.rs ");
    // A search that fails does not end all others.
    scene.types("@x");
    scene.refuse("files", "the folder is gone");
    assert!(scene.is_asked("files"));
}

#[test]
fn dropped_pictures_become_mentions() {
    for (dropped, text) in [
        ("/tmp/shot.png", "@/tmp/shot.png "),
        ("'/tmp/my shot.PNG'", "@\"/tmp/my shot.PNG\" "),
        ("/tmp/my\\ shot.jpg ", "@\"/tmp/my shot.jpg\" "),
        ("file:///tmp/my%20shot.webp", "@\"/tmp/my shot.webp\" "),
        ("/tmp/a.png /tmp/b.gif", "@/tmp/a.png @/tmp/b.gif "),
        ("/tmp/notes.txt", "/tmp/notes.txt"),
        ("see /tmp/a.png", "see /tmp/a.png"),
        ("/tmp/a.png\nand more", "/tmp/a.png\nand more"),
    ] {
        let mut scene = Scene::new();
        scene.update(Msg::Input(InputEvent::Paste(dropped.to_owned())));
        assert_eq!(scene.text(), text, "{dropped}");
    }
}

#[test]
fn a_picture_from_the_clipboard_goes_with_the_message() {
    let mut scene = Scene::new();
    scene.press("ctrl+v");
    assert_eq!(scene.effects, [Effect::PastePicture]);
    let picture = ImageData { data: "QUJD".to_owned(), mime_type: "image/png".to_owned() };
    scene.update(Msg::Picture(Ok(picture.clone())));
    scene.types(" what is it");
    scene.press("enter");
    let (_, command) = scene.asked("prompt");
    let Command::Prompt { images, .. } = command else { panic!("{command:?}") };
    assert_eq!(images, std::slice::from_ref(&picture));
    scene.update(Msg::Picture(Err("there is no picture".to_owned())));
    assert!(scene.rows().contains("✗ there is no picture"));
    // One cannot wait in the queue: it is not lost either.
    scene.update(Msg::Picture(Ok(picture)));
    scene.types(" and this");
    scene.press("ctrl+q");
    assert!(!scene.is_asked("follow_up"));
    assert!(scene.text().ends_with(" and this"));
    assert!(scene.rows().contains("cannot wait in the queue"));
}

#[test]
fn commands_of_the_terminals_own() {
    let mut scene = Scene::new();
    scene.sends("/verbose");
    assert!(scene.rows().contains("in full from now on"));
    assert!(scene.app.transcript.is_verbose());
    scene.sends("/footer");
    assert!(!scene.app.shows_footer);
    scene.sends("/edit a draft");
    assert_eq!(scene.effects, [Effect::Edit("a draft".to_owned())]);
    scene.update(Msg::Edited(Ok("what I mean".to_owned())));
    assert_eq!(scene.text(), "what I mean");
    scene.update(Msg::Edited(Err("\"vi\" ended with 1".to_owned())));
    assert_eq!(scene.text(), "what I mean");
    scene.press("ctrl+a ctrl+k");
    scene.sends("/quit");
    assert_eq!(scene.effects.last(), Some(&Effect::Exit));
}

#[test]
fn help_shows_the_commands_and_the_keys_that_are_bound() {
    let changes = [("unfold".to_owned(), vec!["alt+o".to_owned()])];
    let keymap = Keymap::shared(&changes);
    let mut scene = Scene::with(Options { keymap, ..Options::default() });
    scene.sends("/help");
    let shown = json!({ "command": "help", "text": "/help  Show this list" });
    assert_eq!(
        scene.answer("run_command", shown),
        Command::RunCommand { text: "/help".to_owned() }
    );
    let rows = scene.app.view(100, 200, scene.now).finished;
    let rows: Vec<String> = rows.iter().map(Line::text).collect();
    let rows = rows.join("\n");
    assert!(rows.contains("/help  Show this list"), "{rows}");
    assert!(rows.contains("alt+o ") && !rows.contains("ctrl+o "), "{rows}");
}

#[test]
fn a_slash_command_goes_to_the_agent_and_its_words_are_shown() {
    let mut scene = Scene::new();
    scene.sends("/usage");
    scene.answer("run_command", json!({ "command": "usage", "text": "12 tokens in" }));
    assert!(scene.rows().contains("12 tokens in"));
    // What is none goes as a message does: the agent says what it makes of it.
    scene.sends("/etc/hosts what is that");
    assert!(scene.is_asked("prompt"));
}

#[test]
fn what_a_plugins_command_answers_is_shown_in_its_colours() {
    let mut scene = Scene::new();
    scene.sends("/usage");
    let styled = "\u{1b}[31mred\u{1b}[0m \u{1b}[2Jplain";
    scene.answer("run_command", json!({ "command": "x", "text": "red plain", "styled": styled }));
    let rows = scene.app.view(100, 200, scene.now).finished;
    let row = rows.iter().find(|row| row.text().contains("red")).unwrap();
    assert_eq!(row.text(), "red [2Jplain");
    let looks: Vec<_> = row.spans.iter().map(|span| span.style.color).collect();
    assert_eq!(looks, [Some(Color::Red), None]);
}

#[test]
fn a_command_of_a_plugin_may_end_the_program_as_quit_does() {
    for (sent, command) in [("/usage", "run_command"), ("/far:bye", "prompt")] {
        let mut scene = Scene::new();
        scene.sends(sent);
        scene.answer(command, json!({ "command": "bye", "text": "farewell", "exit": true }));
        assert!(scene.rows().contains("farewell"));
        assert!(scene.effects.contains(&Effect::Exit), "{sent}");
    }
}

#[test]
fn a_newcomer_sees_where_to_begin() {
    let welcome = "letscode 1 · demo · /help shows commands and keys".to_owned();
    let mut scene = Scene::with(Options { welcome, footer: true, ..Options::default() });
    let rows = scene.rows();
    assert!(rows.starts_with("letscode 1 · demo · /help shows"), "{rows}");
    assert!(rows.contains("/ for commands, @ for files"), "{rows}");
    scene.types("x");
    assert!(!scene.rows().contains("/ for commands"));
}

#[test]
fn keys_of_vi_where_they_are_wanted() {
    let mut scene = Scene::with(Options { vi: true, ..Options::default() });
    scene.types("one two");
    scene.press("esc");
    scene.types("bx");
    assert_eq!(scene.text(), "one wo");
    scene.types("dd");
    assert_eq!(scene.text(), "");
    scene.types("ix");
    scene.press("enter");
    assert!(scene.is_asked("prompt"));
}
