//! What `docs/plugins/any-language.md` shows: its program works as the page says, and what it quotes
//! stands in the examples.

use crate::driver::{HANG, NeededInCi, call, is_there, program, stderr, stdout};
use letscode_testkit::program::Program;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../../docs/plugins/any-language.md");
const ECHO: &str = include_str!("../../../../examples/plugins/echo/echo.py");
const TODO: &str = include_str!("../../../../examples/plugins/todo/todo.mjs");

/// Returns the blocks of a language, in their order.
fn blocks(language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    let behind = PAGE.split(&begin).skip(1);
    behind.map(|text| text.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_program_of_the_page_is_a_plugin() {
    if !is_there("python3", NeededInCi::Yes) {
        return;
    }
    let dir = WorkDir::new();
    dir.write("greeter.py", blocks("python").swap_remove(0));
    let by_hand = Program::new("sh", &dir).args(["-ec", &blocks("sh")[0]]).run(HANG);
    assert_eq!(stdout(&by_hand), blocks("json")[0], "{}", stderr(&by_hand));
    let server = SseServer::start(json!([
        call("c1", "greet", &json!({"name": "Ada"})),
        {"text": "done"},
    ]));
    let installed = program(&dir, &server)
        .env("TMPDIR", dir.home())
        .args(["install", "./greeter.py"])
        .run(HANG);
    assert_eq!(installed.status, 0, "{}", stderr(&installed));
    let finished = program(&dir, &server).args(["-p", "greet Ada"]).run(HANG);
    assert_eq!(stdout(&finished), "done\n", "{}", stderr(&finished));
    let messages = server.chat_bodies().pop().unwrap()["messages"].clone();
    let is_greeted = |message: &Value| message["content"] == "Hello, Ada!";
    assert!(messages.as_array().unwrap().iter().any(is_greeted), "{messages}");
}

#[test]
fn what_the_page_quotes_stands_in_the_examples() {
    let quoted = |language, example: &str| {
        blocks(language).into_iter().filter(|block| example.contains(block)).count()
    };
    // The first in Python is the page's own.
    assert_eq!(quoted("python", ECHO), blocks("python").len() - 1);
    assert_eq!((quoted("js", TODO), blocks("js").len()), (1, 1));
}
