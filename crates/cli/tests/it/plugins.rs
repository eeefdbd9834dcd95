//! Plugins in processes of their own: what they add, what they may ask, and that none of them can
//! end or hang a run.

use crate::driver::{
    HANG, call, configure, end, lines, offered_tools, program, prompt, rpc, send, stderr, stdout,
    tool_results, wait_for, write_plugin,
};
#[cfg(unix)]
use letscode_testkit::program::Signal;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Short limits: what hangs in these tests hangs for good.
const LIMITS: &str = "[plugins.timeouts]\ndefault = 0.4\nhello = 1.5\nregister = 1.5\n\
                      turn_end = 0.4\ncall_tool = 10\nrun_command = 2\n";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugins").canonicalize().unwrap()
}

fn install_misbehave(dir: &WorkDir, mode: &str) {
    let script = examples().join("misbehave/misbehave.sh");
    write_plugin(dir.home(), "misbehave", &["sh", script.to_str().unwrap(), mode]);
    configure(dir.home(), LIMITS);
}

fn install_echo(folder: &Path) {
    let script = examples().join("echo/echo.py");
    write_plugin(folder, "echo", &["python3", script.to_str().unwrap()]);
}

#[test]
fn a_plugins_tool_is_in_the_first_request_and_runs_through_its_hook() {
    let dir = WorkDir::new();
    install_echo(dir.home());
    let scenario =
        json!([call("c1", "echo", &json!({"text": "the secret word"})), {"text": "well said"}]);
    let server = SseServer::start(scenario);
    let finished = program(&dir, &server).args(["-p", "say it"]).run(HANG);
    assert_eq!(stdout(&finished), "well said\n", "{}", stderr(&finished));
    let bodies = server.chat_bodies();
    assert_eq!(offered_tools(&bodies[0]), ["read", "write", "edit", "bash", "echo"]);
    assert_eq!(tool_results(&bodies[1]), ["the … word"]);
    let system = bodies[0]["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("echo"), "the tool is not in the system prompt: {system}");
    assert_eq!(stderr(&finished), "");
}

#[test]
fn a_plugins_slash_command_works_on_the_command_line_and_over_rpc() {
    let dir = WorkDir::new();
    install_echo(dir.home());
    let server = SseServer::start(json!([{"text": "asked"}, {"text": "asked again"}]));
    let run = |args: &[&str]| program(&dir, &server).args(args.iter().copied()).run(HANG);
    let said = run(&["/echo:loud", "hello", "there"]);
    assert_eq!((stdout(&said), said.status), ("HELLO THERE\n", 0), "{}", stderr(&said));
    let asked = run(&["-p", "/echo:ask what is here?"]);
    assert_eq!((stdout(&asked), asked.status), ("asked\n", 0), "{}", stderr(&asked));
    let help = run(&["/help"]);
    assert!(stdout(&help).contains("/echo:loud TEXT"), "{}", stdout(&help));
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "run_command", "id": 1, "text": "/echo hi"}));
    send(&mut host, &json!({"cmd": "prompt", "id": 2, "text": "/echo:loud hi", "expand": true}));
    send(&mut host, &json!({"cmd": "run_command", "id": 3, "text": "/nothing"}));
    host.close_stdin();
    let lines = lines(&end(&mut host));
    let answer = |id: u64| {
        let is_answer = |line: &&Value| line["id"] == id && line["type"] != "ack";
        lines.iter().find(is_answer).unwrap_or_else(|| panic!("no answer to {id}"))
    };
    assert_eq!(answer(1)["result"], json!({"command": "echo", "text": "hi"}));
    assert_eq!(answer(2)["result"], json!({"command": "echo:loud", "text": "HI"}));
    assert_eq!(answer(3)["type"], "error");
}

#[test]
fn lists_name_a_plugin_with_version_origin_state_and_last_error() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "exits-before-hello");
    write_plugin(dir.home(), "absent", &["/nowhere/absent"]);
    install_echo(dir.home());
    let server = SseServer::start(json!([]));
    let finished = program(&dir, &server).args(["/plugins"]).run(HANG);
    let text = stdout(&finished);
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("echo").contains("1.0.0, running"), "{text}");
    assert!(line("echo").contains("plugins/native/echo"), "{text}");
    assert!(line("misbehave").contains("failed") && line("misbehave").contains("hello"), "{text}");
    assert!(line("absent").contains("cannot be started"), "{text}");
    assert_eq!(finished.status, 0);
}

#[test]
fn isolation_leaves_the_users_plugins_out_and_distrust_the_projects() {
    let server = SseServer::start(json!([]));
    let tools_of = |dir: &WorkDir, args: &[&str]| {
        let finished = program(dir, &server).args(args.iter().copied().chain(["/tools"])).run(HANG);
        (stdout(&finished).contains("echo"), stderr(&finished).to_owned())
    };
    let dir = WorkDir::new();
    install_echo(dir.home());
    assert!(tools_of(&dir, &[]).0);
    assert!(!tools_of(&dir, &["--isolated"]).0);
    let dir = WorkDir::new();
    install_echo(dir.project());
    let (is_there, told) = tools_of(&dir, &[]);
    assert!(!is_there && told.contains("is not trusted"), "{told}");
    assert!(tools_of(&dir, &["--trust"]).0);
    configure(dir.home(), "[plugins]\necho = false\n");
    assert!(!tools_of(&dir, &["--trust"]).0, "a plugin that is switched off runs");
}

/// What becomes of a run with a plugin that misbehaves.
struct Case {
    mode: &'static str,
    /// What the tool gave, in part; `None` where the model has no such tool.
    result: Option<&'static str>,
    /// What is told on stderr, in part; empty for nothing.
    told: &'static str,
}

const fn case(mode: &'static str, result: Option<&'static str>, told: &'static str) -> Case {
    Case { mode, result, told }
}

const CASES: &[Case] = &[
    case("well", Some("poked"), ""),
    case("exits-before-hello", None, "it ended before it said hello"),
    case("chats-before-hello", None, "no line of the protocol"),
    case("never-says-hello", None, "no hello within 1.5 s"),
    case("closes-stdout", None, "it ended before it said hello"),
    case("wrong-version", None, "it speaks \"letscode-plugin/2\""),
    case("never-registers", None, "it registered nothing within 1.5 s"),
    case("floods-stderr", Some("poked"), "a line of the log"),
    case("floods-stdout", Some(""), "flood"),
    case("floods-with-calls", Some(""), ""),
    case("leaves-a-child", Some("poked"), ""),
    case("asks-forever", Some("poked"), ""),
    case("ignores-goodbye", Some("poked"), ""),
    case("dies-in-call_tool", Some("ended before it answered"), "starting it again"),
    case("hangs-in-call_tool", Some("gave no sign of life within 10 s"), ""),
    case("writes-no-json", Some("ended before it answered"), "no line of the protocol"),
    case("writes-half-a-line", Some("ended before it answered"), "starting it again"),
    case("writes-a-huge-line", Some("ended before it answered"), "longer than"),
    case("answers-nonsense", Some("result cannot be read"), ""),
    case("answers-others", Some("ended before it answered"), "starting it again"),
    case("answers-hugely", Some("aaaa"), ""),
    case("refuses", Some("not today"), ""),
    case("hangs-in-system_prompt", Some("poked"), "no answer to system_prompt within 0.4 s"),
    case("hangs-in-before_tool_call", Some("poked"), "no answer to before_tool_call within 0.4 s"),
    case("hangs-in-after_tool_call", Some("poked"), "no answer to after_tool_call within 0.4 s"),
    case(
        "hangs-in-transform_context",
        Some("poked"),
        "no answer to transform_context within 0.4 s",
    ),
    case("hangs-in-convert_to_llm", Some("poked"), "no answer to convert_to_llm within 0.4 s"),
    case(
        "hangs-in-render_custom_message",
        Some("poked"),
        "no answer to render_custom_message within",
    ),
    case("hangs-in-event", Some("poked"), "no answer to turn_end within 0.4 s"),
    case("hangs-in-hooks", Some(""), "no answer 3 times in a row"),
    case("dies-in-before_tool_call", Some("not running"), "starting it again"),
    case("dies-in-system_prompt", Some(""), "starting it again"),
    case("dies-in-after_tool_call", Some("poked"), "starting it again"),
    case("dies-in-transform_context", Some(""), "starting it again"),
    case("dies-in-convert_to_llm", Some(""), "starting it again"),
    case("dies-in-render_custom_message", Some(""), "starting it again"),
    case("dies-in-event", Some("poked"), "starting it again"),
    case("answers-nonsense-to-hooks", Some("poked"), "its reply cannot be read"),
    case("dies-as-a-guard", Some("guard"), "it ended (exit status: 4)"),
];

#[test]
fn a_run_ends_well_whatever_a_plugin_does() {
    for &Case { mode, result, told } in CASES {
        let dir = WorkDir::new();
        install_misbehave(&dir, mode);
        // A guard that is gone guards every tool.
        let tool = if mode == "dies-as-a-guard" { "bash" } else { "poke" };
        let arguments = if tool == "bash" { json!({"command": "true"}) } else { json!({}) };
        let server = SseServer::start(json!([call("c1", tool, &arguments), {"text": "the end"}]));
        let finished = program(&dir, &server).args(["-p", "poke it"]).run(HANG);
        let words = stderr(&finished);
        assert_eq!(stdout(&finished), "the end\n", "{mode}: {words}");
        assert_eq!(finished.status, 0, "{mode}: {words}");
        let bodies = server.chat_bodies();
        let given = tool_results(&bodies[1])[0];
        let expected = result.unwrap_or("There is no tool named");
        assert!(given.contains(expected), "{mode}: the tool gave {given:.200}");
        match told {
            "" if mode != "floods-with-calls" => assert_eq!(words, "", "{mode}"),
            told => assert!(words.contains(told), "{mode}: {words:.2000}"),
        }
        server.assert_valid();
    }
}

#[test]
fn an_abort_ends_a_call_that_a_plugin_never_answers() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "hangs-in-call_tool");
    std::fs::remove_file(dir.home().join(".letscode/config.toml")).unwrap();
    let server = SseServer::start(json!([call("c1", "poke", &json!({})), {"text": "on we go"}]));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "poke it");
    wait_for(&mut host, "tool_execution_start");
    send(&mut host, &json!({"cmd": "abort"}));
    wait_for(&mut host, "agent_end");
    prompt(&mut host, "and now?");
    host.close_stdin();
    let finished = end(&mut host);
    assert_eq!(finished.status, 0);
    assert_eq!(server.chat_bodies().len(), 2);
}

#[test]
fn a_slash_command_that_a_plugin_never_answers_or_dies_in_is_an_error_in_time() {
    for (mode, told) in [
        ("hangs-in-run_command", "did not answer within 2 s"),
        ("dies-in-run_command", "ended before it answered"),
    ] {
        let dir = WorkDir::new();
        install_misbehave(&dir, mode);
        let server = SseServer::start(json!([]));
        let finished = program(&dir, &server).args(["/poke"]).run(HANG);
        assert_ne!(finished.status, 0, "{mode}");
        assert!(stderr(&finished).contains(told), "{mode}: {}", stderr(&finished));
    }
}

#[test]
fn an_abort_takes_a_plugins_question_back_before_the_run_ends() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "asks");
    let server = SseServer::start(json!([call("c1", "poke", &json!({}))]));
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "hello", "ui": true}));
    prompt(&mut host, "poke it");
    wait_for(&mut host, "ui_request");
    send(&mut host, &json!({"cmd": "abort"}));
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    let lines = lines(&end(&mut host));
    let of = |kind: &str| {
        let place = lines.iter().position(|line| line["type"] == kind);
        place.unwrap_or_else(|| panic!("no {kind}"))
    };
    let (asked, withdrawn) = (of("ui_request"), of("ui_withdrawn"));
    assert_eq!(lines[withdrawn]["request_id"], lines[asked]["request_id"]);
    assert!(asked < withdrawn && withdrawn < of("agent_end"));
    assert_eq!(lines.iter().filter(|line| line["type"] == "ui_request").count(), 1);
}

#[test]
fn questions_are_declined_in_print_mode_and_answered_over_rpc() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "asks");
    let server = SseServer::start(json!([
        call("c1", "poke", &json!({})),
        {"text": "first"},
        call("c2", "poke", &json!({})),
        {"text": "second"}
    ]));
    let finished = program(&dir, &server).args(["-p", "poke it"]).run(HANG);
    assert_eq!(stdout(&finished), "first\n");
    assert_eq!(tool_results(&server.chat_bodies()[1]), ["null"]);
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "hello", "ui": true}));
    prompt(&mut host, "poke it");
    let mut question = None;
    host.wait_for_line(HANG, |line| {
        let line: Value = serde_json::from_slice(line).unwrap();
        let is_question = line["type"] == "ui_request" && line["request"]["kind"] == "select";
        question = is_question.then(|| line["request_id"].clone());
        is_question
    });
    // The clock of the hook stands still for longer than its limit.
    std::thread::sleep(std::time::Duration::from_millis(800));
    let answer = json!({"cmd": "ui_response", "request_id": question.unwrap(), "value": 1});
    send(&mut host, &answer);
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    assert_eq!(tool_results(server.chat_bodies().last().unwrap()), ["1"]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_of_a_plugin_outlives_the_program() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "leaves-its-numbers");
    let server = SseServer::start(json!([{"text": "ok"}]));
    let finished = program(&dir, &server).args(["-p", "hi"]).run(HANG);
    assert_eq!(stdout(&finished), "ok\n");
    let numbers = crate::driver::wait_for_file(&dir.project().join("numbers"));
    assert_eq!(numbers.lines().count(), 2);
    numbers.lines().for_each(crate::driver::assert_gone);
}

#[test]
fn a_reload_keeps_a_plugin_that_is_the_same_and_starts_one_that_is_new() {
    let dir = WorkDir::new();
    install_misbehave(&dir, "well");
    let server = SseServer::start(json!([{"text": "one"}, {"text": "two"}]));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "hi");
    wait_for(&mut host, "done");
    install_echo(dir.home());
    send(&mut host, &json!({"cmd": "reload", "id": "r"}));
    wait_for(&mut host, "done");
    prompt(&mut host, "hi");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    let bodies = server.chat_bodies();
    assert_eq!(offered_tools(&bodies[0]), ["read", "write", "edit", "bash", "poke"]);
    assert_eq!(offered_tools(&bodies[1]), ["read", "write", "edit", "bash", "echo", "poke"]);
}

#[test]
fn a_plugin_cannot_trust_the_project_or_pass_text_off_as_typed() {
    const ASKS: &str = include_str!("plugins/asks.py");
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let tries = json!([
        {"cmd": "trust", "trust": true},
        {"cmd": "run_command", "text": "/trust on"},
        {"cmd": "run_command", "text": "trust on"},
        {"cmd": "prompt", "text": "/trust on", "expand": true},
        {"cmd": "prompt", "text": "!touch pwned", "expand": true},
        {"cmd": "steer", "text": "!touch pwned", "expand": true},
        {"cmd": "run_command", "text": "/follow-up !touch pwned"},
    ]);
    let count = tries.as_array().unwrap().len();
    write_plugin(dir.home(), "asks", &["python3", "-c", ASKS, &tries.to_string()]);
    dir.write(".letscode/config.toml", "frontend = 'basic'\n");
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "run_command", "id": 1, "text": "/asks"}));
    send(&mut host, &json!({"cmd": "trust", "id": 2}));
    host.close_stdin();
    let lines = lines(&end(&mut host));
    let result = |id: u64| {
        let is_answer = |line: &&Value| line["id"] == id && line["type"] == "done";
        lines.iter().find(is_answer).unwrap_or_else(|| panic!("{lines:?}"))["result"].clone()
    };
    let answers: Vec<Option<String>> =
        serde_json::from_str(result(1)["text"].as_str().unwrap()).unwrap();
    assert_eq!(answers.len(), count);
    for answer in answers {
        assert!(answer.as_deref().is_some_and(|text| text.contains("unless")), "{answer:?}");
    }
    assert_eq!(result(2)["trusted"], false);
    assert!(!dir.project().join("pwned").exists() && server.chat_bodies().is_empty());
}

#[cfg(unix)]
#[test]
fn a_signal_waits_for_no_plugin_that_has_not_said_hello() {
    for arguments in [["-p", "hi"], ["--no-session", "/unknown"]] {
        for (signal, status) in [(Signal::Interrupt, 130), (Signal::Terminate, 143)] {
            let dir = WorkDir::new();
            let heard = dir.project().join("heard");
            let command = ["sh", "-c", "exec 3>&1; exec cat > \"$0\"", heard.to_str().unwrap()];
            write_plugin(dir.home(), "silent", &command);
            let server = SseServer::start(json!([]));
            let mut running = program(&dir, &server).args(arguments).start().unwrap();
            running.close_stdin();
            let hello = crate::driver::wait_for_file(&heard);
            running.signal(signal).unwrap();
            assert_eq!(end(&mut running).status, status, "{arguments:?}");
            // One that is given time to end would be told that it should.
            assert_eq!(std::fs::read_to_string(&heard).unwrap(), hello);
        }
    }
}

#[test]
fn print_mode_says_that_a_plugin_stopped_the_run() {
    const STOPS: &str = r#"
import json, sys
for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "hello":
        said = {"type": "hello", "protocol": line["protocol"], "name": "stops",
                "capabilities": {"hooks": ["before_tool_call"]}}
    elif line["type"] == "before_tool_call":
        said = {"type": "command", "call": 1, "command": {"cmd": "abort"}}
    else:
        continue
    print(json.dumps(said), flush=True)
"#;
    let dir = WorkDir::new();
    write_plugin(dir.home(), "stops", &["python3", "-c", STOPS]);
    let server = SseServer::start(json!([call("c1", "bash", &json!({"command": "true"}))]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (1, ""));
    assert_eq!(stderr(&finished), "letscode: a plugin stopped the run\n");
}

#[test]
fn names_that_the_configuration_needs_are_no_plugins() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let run = |args: &[&str]| program(&dir, &server).args(args.iter().copied()).run(HANG);
    for name in ["timeouts", "python", "permissions", "letscode-permissions"] {
        dir.write(name, "#!/bin/sh\n");
        let path = dir.project().join(name);
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        let refused = run(&["install", path.to_str().unwrap()]);
        let told = stderr(&refused);
        assert!(told.contains(&format!("no plugin can be named {name}")), "{told}");
        assert_eq!(refused.status, 2);
        write_plugin(dir.home(), name, &["/nowhere"]);
    }
    let disabled = run(&["plugins", "disable", "timeouts"]);
    assert!(stderr(&disabled).contains("no plugin is named \"timeouts\""), "{}", stderr(&disabled));
    let listed = run(&["/plugins"]);
    assert!(!stdout(&listed).contains("nowhere"), "{}", stdout(&listed));
    assert_eq!(stderr(&listed).matches("no plugin can be named").count(), 4, "{}", stderr(&listed));
}
