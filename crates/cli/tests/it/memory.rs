//! The plugin of memories through the whole program.

use crate::driver::{HANG, call, configure, files_below, program, stderr, stdout};
use letscode_testkit::program::Finished;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// Runs the program to its end.
fn run(dir: &WorkDir, server: &SseServer, args: &[&str]) -> Finished {
    let finished = program(dir, server).args(args.iter().copied()).run(HANG);
    assert_eq!(stderr(&finished), "", "{args:?}");
    finished
}

/// Switches the plugin on, with this table in the config file.
fn enable(dir: &WorkDir, server: &SseServer, table: &str) {
    configure(dir.home(), table);
    let told = run(dir, server, &["plugins", "enable", "memory"]);
    assert!(stdout(&told).starts_with("memory runs from the next start on"), "{}", stdout(&told));
}

/// Returns the texts of the messages behind the system prompt.
fn texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap().iter().skip(1);
    messages.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_one_run_remembers_the_next_one_tells_the_model_until_it_is_forgotten() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([
        call("c1", "bash", &json!({"command": "true"})),
        {"text": "with tea"},
        {"text": "without"},
    ]));
    enable(&dir, &server, "");
    let told = run(&dir, &server, &["/remember", "The user likes tea."]);
    assert!(stdout(&told).starts_with("Remembered as 20"), "{}", stdout(&told));
    assert_eq!(stdout(&run(&dir, &server, &["-p", "make something"])), "with tea\n");
    let bodies = server.chat_bodies();
    for body in &bodies {
        let texts = texts(body);
        assert!(texts[0].contains("\n- The user likes tea."), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("make something")), "{texts:?}");
    }
    let kept = files_below(&dir.home().join(".letscode/sessions"), |path| path.is_file());
    let session = std::fs::read_to_string(kept.last().unwrap()).unwrap();
    assert!(!session.contains("likes tea"), "what is told is no part of the conversation");
    let listed = run(&dir, &server, &["/memories"]);
    let id = stdout(&listed).split_whitespace().next().unwrap().to_owned();
    assert_eq!(stdout(&run(&dir, &server, &["/forget", &id])), format!("Forgot {id}.\n"));
    run(&dir, &server, &["-p", "and now?"]);
    assert_eq!(texts(server.chat_bodies().last().unwrap()), ["and now?"]);
}

#[test]
fn with_relevance_only_what_fits_the_message_stands_before_it() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([{"text": "one"}, {"text": "two"}, {"text": "three"}]));
    enable(&dir, &server, "[memory]\nrelevance = true\nrelevance_top_n = 1\n");
    run(&dir, &server, &["/remember", "Tests run with pytest."]);
    run(&dir, &server, &["/remember", "The user likes green tea."]);
    run(&dir, &server, &["-p", "hello"]);
    run(&dir, &server, &["-p", "-c", "which tests?"]);
    let bodies = server.chat_bodies();
    assert_eq!(texts(&bodies[0]), ["hello"]);
    let texts = texts(&bodies[1]);
    assert_eq!((&*texts[0], &*texts[1]), ("hello", "one"));
    assert!(
        texts[2].contains("\n- Tests run with pytest.") && !texts[2].contains("tea"),
        "{texts:?}"
    );
    assert!(texts.last().unwrap().ends_with("which tests?"), "{texts:?}");
}

#[test]
fn a_memory_that_cannot_be_written_is_one_clear_line() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([{"text": "fine"}]));
    enable(&dir, &server, "");
    std::fs::write(dir.home().join(".letscode/memory"), "a file in its place").unwrap();
    let told = program(&dir, &server).args(["/remember", "this"]).run(HANG);
    let line = "/remember: not remembered: ";
    assert!(stderr(&told).contains(line) && told.status != 0, "{}", stderr(&told));
    assert_eq!(stderr(&told).lines().count(), 1, "{}", stderr(&told));
    // A folder that cannot be read fails no turn.
    assert_eq!(stdout(&run(&dir, &server, &["-p", "hi"])), "fine\n");
}
