//! Servers of the Model Context Protocol through the whole program.

use crate::driver::{HANG, call, configure, offered_tools, program, stderr, stdout};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::json;
use std::path::Path;

/// Writes a config file with a scripted server below `folder`, the home or the project.
fn configure_server(folder: &Path, options: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../plugins/letscode-mcp/tests/servers/scripted.py")
        .canonicalize()
        .unwrap();
    let args: Vec<&str> =
        std::iter::once(script.to_str().unwrap()).chain(options.iter().copied()).collect();
    configure(folder, &format!("[mcp.servers.s]\ncommand = \"python3\"\nargs = {args:?}\n"));
}

#[test]
fn a_servers_tool_is_called_through_the_model() {
    let dir = WorkDir::new();
    configure_server(dir.home(), &[]);
    let server = SseServer::start(json!([
        call("c1", "mcp_s_echo", &json!({"text": "from the server"})),
        {"text": "done"},
    ]));
    let finished = program(&dir, &server).args(["-p", "see @s:test://a"]).run(HANG);
    assert_eq!(stdout(&finished), "done\n", "{}", stderr(&finished));
    assert_eq!(stderr(&finished), "");
    let bodies = server.chat_bodies();
    assert!(offered_tools(&bodies[0]).contains(&"mcp_s_echo"), "{:?}", offered_tools(&bodies[0]));
    assert!(bodies[0].to_string().contains("what is inside"), "{}", bodies[0]["messages"]);
    assert!(bodies[1].to_string().contains("from the server"), "{}", bodies[1]["messages"]);
}

#[test]
fn a_servers_prompt_is_a_command() {
    let dir = WorkDir::new();
    configure_server(dir.home(), &[]);
    let server = SseServer::start(json!([{"text": "hello Ada"}]));
    let finished = program(&dir, &server).args(["-p", "/s:greet Ada"]).run(HANG);
    assert_eq!(stdout(&finished), "hello Ada\n", "{}", stderr(&finished));
    assert!(server.chat_bodies()[0].to_string().contains("Greet"));
}

#[test]
fn a_server_that_cannot_start_is_one_warning_and_the_run_goes_on() {
    let dir = WorkDir::new();
    configure_server(dir.home(), &["--die-at-start", "no key for you"]);
    let server = SseServer::start(json!([{"text": "fine"}]));
    let finished = program(&dir, &server).args(["-p", "hi"]).run(HANG);
    assert_eq!((stdout(&finished), finished.status), ("fine\n", 0), "{}", stderr(&finished));
    let warnings: Vec<&str> = stderr(&finished).lines().collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("MCP server s is left out"), "{warnings:?}");
}

#[test]
fn a_projects_servers_start_only_when_it_is_trusted() {
    let dir = WorkDir::new();
    configure_server(dir.project(), &[]);
    let server = SseServer::start(json!([{"text": "one"}, {"text": "two"}]));
    let untrusted = program(&dir, &server).args(["-p", "hi"]).run(HANG);
    assert!(stderr(&untrusted).contains("mcp"), "{}", stderr(&untrusted));
    let trusted = program(&dir, &server).args(["-p", "--trust", "hi"]).run(HANG);
    assert_eq!(stdout(&trusted), "two\n", "{}", stderr(&trusted));
    let bodies = server.chat_bodies();
    assert!(!offered_tools(&bodies[0]).contains(&"mcp_s_echo"));
    assert!(offered_tools(&bodies[1]).contains(&"mcp_s_echo"));
}

#[test]
fn servers_are_added_listed_tried_and_removed_on_a_clean_home() {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([]));
    let run = |args: &[&str]| program(&dir, &server).args(args.iter().copied()).run(HANG);
    let empty = run(&["mcp", "list"]);
    assert_eq!(stdout(&empty), "No MCP servers; letscode mcp add adds one.\n");
    configure_server(dir.home(), &[]);
    let added = run(&["mcp", "add", "web", "--header", "X=$NOPE", "http://127.0.0.1:9/mcp"]);
    assert!(stdout(&added).starts_with("added web to "), "{}", stderr(&added));
    let listed = run(&["mcp", "list"]);
    assert!(stdout(&listed).contains("\nweb: http://127.0.0.1:9/mcp\n"), "{}", stdout(&listed));
    let tried = run(&["mcp", "test", "s"]);
    assert!(stdout(&tried).starts_with("s: 15 tools"), "{}", stdout(&tried));
    assert_eq!(tried.status, 0);
    assert_eq!(run(&["mcp", "remove", "web"]).status, 0);
    let again = run(&["mcp", "remove", "web"]);
    assert_eq!(again.status, 2);
    assert!(stderr(&again).contains("there is no MCP server web"), "{}", stderr(&again));
    assert_eq!(run(&["mcp", "what"]).status, 2);
}
