//! The guard that the program carries: what runs unasked, who is asked, and what becomes of an answer.

use crate::driver::{
    HANG, call, configure, end, program, prompt, rpc, send, stderr, stdout, tool_results, wait_for,
};
#[cfg(unix)]
use crate::driver::{QUESTION_IS_SEEN, in_terminal};
use letscode_testkit::program::Running;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// A home in which the guard is on.
fn guarded(config: &str) -> WorkDir {
    let dir = WorkDir::new();
    configure(dir.home(), &format!("[plugins]\npermissions = true\n{config}"));
    dir
}

fn bash(command: &str) -> Value {
    call("c1", "bash", &json!({ "command": command }))
}

/// Returns the text of the last tool result that the model was sent.
fn last_result(server: &SseServer) -> String {
    let bodies = server.chat_bodies();
    (*tool_results(bodies.last().unwrap()).last().unwrap()).to_owned()
}

/// Starts RPC mode for a host that answers questions.
fn host(dir: &WorkDir, server: &SseServer) -> Running {
    let mut host = rpc(dir, server, &[]);
    send(&mut host, &json!({"cmd": "hello", "ui": true}));
    host
}

/// Waits for a question, and returns its id and itself.
#[track_caller]
fn question(host: &mut Running) -> (Value, Value) {
    let mut found = None;
    host.wait_for_line(HANG, |line| {
        let line: Value = serde_json::from_slice(line).unwrap();
        let kind = line["request"]["kind"].as_str().unwrap_or_default();
        let is_question = line["type"] == "ui_request" && matches!(kind, "select" | "input");
        found = is_question.then(|| (line["request_id"].clone(), line["request"].clone()));
        is_question
    });
    found.expect("a question comes")
}

fn answer(host: &mut Running, id: &Value, value: &Value) {
    send(host, &json!({"cmd": "ui_response", "request_id": id, "value": value}));
}

#[test]
fn it_is_off_until_it_is_enabled_and_then_it_guards() {
    let dir = WorkDir::new();
    let server = SseServer::start(
        json!([bash("echo done"), {"text": "one"}, bash("echo done"), {"text": "two"}]),
    );
    program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(last_result(&server), "done\n");
    let enabled = program(&dir, &server).args(["plugins", "enable", "permissions"]).run(HANG);
    assert_eq!(enabled.status, 0, "{}", stderr(&enabled));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert!(last_result(&server).contains("Blocked: it needs the user's leave"));
    assert_eq!(stdout(&finished), "two\n");
    let told = stderr(&finished);
    assert!(
        told.contains("not run, for nobody is there to allow it: bash echo done; to allow it"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_guard_that_the_config_cannot_tell_about_guards_without_rules() {
    let allow = "[permissions]\nallow = ['bash']\n";
    let cases: [(&[u8], bool); 8] = [
        (b"[plugins]\npermissions=true\n[x\n", true),
        (b"[plugins]\npermissions=true\n# \xff\n", true),
        (b"[plugins]\npermissions = 'true'\n", true),
        (b"[plugins]\npermissions = 1\n", true),
        (b"plugins = ['permissions']\n", true),
        (b"permissions = true\n", true),
        // Who never heard of it goes on.
        (b"model = 'mock-model'\n[x\n", false),
        (b"[plugins]\nother = 'true'\n", false),
    ];
    for (config, is_on) in cases {
        let dir = WorkDir::new();
        configure(dir.home(), "");
        std::fs::write(dir.home().join(".letscode/config.toml"), config).unwrap();
        // A project's rules do not count.
        dir.write(".letscode/config.toml", allow);
        let shown = String::from_utf8_lossy(config);
        let server = SseServer::start(json!([bash("touch done"), {"text": "end"}]));
        let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
        let told = stderr(&finished);
        assert_eq!(stdout(&finished), "end\n", "{shown}: {told}");
        assert_eq!(dir.project().join("done").exists(), !is_on, "{shown}: {told}");
        assert_eq!(told.contains("permissions counts as on"), is_on, "{shown}: {told}");
        assert_eq!(last_result(&server).contains("Blocked"), is_on, "{shown}");
    }
    let dir = WorkDir::new();
    configure(dir.home(), "[plugins]\npermissions = true\n[x\n");
    dir.write(".letscode/config.toml", allow);
    let server = SseServer::start(json!([bash("touch done"), {"text": "end"}]));
    program(&dir, &server).args(["--trust", "-p", "go"]).run(HANG);
    assert!(!dir.project().join("done").exists(), "a trusted project's rules count");
}

#[test]
fn print_mode_runs_what_rules_allow_and_reads_the_project() {
    let rules = "[permissions]\nallow = ['bash:echo *', 'write']\ndeny = ['bash:echo secret *']\n";
    let dir = guarded(rules);
    std::fs::write(dir.project().join("a"), "hello\n").unwrap();
    for (tool, arguments, expected) in [
        ("bash", json!({"command": "echo hi"}), "hi"),
        ("bash", json!({"command": "echo hi && echo ho"}), "ho"),
        ("bash", json!({"command": "echo $(touch pwned)"}), "Blocked: it needs the user's leave"),
        ("bash", json!({"command": "echo hi; touch pwned"}), "Blocked: it needs the user's leave"),
        ("bash", json!({"command": "echo hi\ntouch pwned"}), "Blocked: it needs the user's leave"),
        (
            "bash",
            json!({"command": "echo secret x"}),
            "Blocked: the user's rule `deny bash:echo secret *`",
        ),
        ("read", json!({"path": "a"}), "hello"),
        ("read", json!({"path": "../outside"}), "Blocked: it needs the user's leave"),
        ("write", json!({"path": "b", "content": "x"}), ""),
        ("write", json!({"path": "../b", "content": "x"}), "Blocked: it needs the user's leave"),
        ("edit", json!({"path": "a", "old_string": "h", "new_string": "j"}), "Blocked: it needs"),
    ] {
        let server = SseServer::start(json!([call("c1", tool, &arguments), {"text": "end"}]));
        let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
        assert_eq!(stdout(&finished), "end\n", "{}", stderr(&finished));
        let result = last_result(&server);
        assert!(result.contains(expected), "{arguments}: {result}");
    }
    assert!(!dir.project().join("pwned").exists());
    assert!(dir.project().join("b").exists() && !dir.project().join("../b").exists());
}

#[test]
fn over_rpc_each_answer_does_what_it_says_and_always_outlives_the_program() {
    let dir = guarded("[plugins.timeouts]\ndefault = 3\n");
    let mut script = Vec::new();
    for number in 0..7 {
        script.extend([bash(&format!("git version {number} || true")), json!({"text": "end"})]);
    }
    let server = SseServer::start(json!(script));
    let mut host_one = host(&dir, &server);
    let mut ask = |value: Value| {
        prompt(&mut host_one, "go");
        let (id, request) = question(&mut host_one);
        answer(&mut host_one, &id, &value);
        if value == 4 {
            let (id, _) = question(&mut host_one);
            answer(&mut host_one, &id, &json!("not that one"));
        }
        wait_for(&mut host_one, "agent_end");
        (request, last_result(&server))
    };
    let (request, result) = ask(json!(3));
    let text = request["text"].as_str().unwrap();
    assert!(text.starts_with("Allow bash?\ngit version 0"), "{text}");
    let options: Vec<&str> =
        request["options"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(options[0], "Yes, this once");
    assert_eq!(options[1], "Yes, for this session: bash=git version 0 || true");
    assert!(result.contains("the user refused it"), "{result}");
    assert!(ask(json!(4)).1.contains("the user refused it and says: not that one"));
    assert!(ask(json!(null)).1.contains("nobody is there"));
    assert!(ask(json!(0)).1.contains("git version"));
    host_one.close_stdin();
    assert_eq!(end(&mut host_one).status, 0);

    let git = |number: u32| bash(&format!("git version --build-options {number}"));
    let plain = json!([git(1), {"text": "end"}, git(2), {"text": "end"}, git(3), {"text": "end"}]);
    let server = SseServer::start(plain);
    let mut first = host(&dir, &server);
    prompt(&mut first, "go");
    let (id, request) = question(&mut first);
    assert_eq!(request["options"][2], "Yes, always in this project: bash:git version *");
    answer(&mut first, &id, &json!(2));
    wait_for(&mut first, "agent_end");
    prompt(&mut first, "go");
    wait_for(&mut first, "agent_end");
    first.close_stdin();
    assert_eq!(end(&mut first).status, 0);
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(stderr(&finished), "", "what was allowed always is asked about again");
    assert!(!last_result(&server).contains("Blocked"));
    let finished = program(&dir, &server).args(["/permissions"]).run(HANG);
    let list = stdout(&finished);
    assert!(list.contains("1 allow bash:git version *  (always in this project)"), "{list}");
    let finished = program(&dir, &server).args(["/permissions", "forget", "1"]).run(HANG);
    assert_eq!(stdout(&finished), "forgotten: allow bash:git version *\n", "{}", stderr(&finished));
    let finished = program(&dir, &server).args(["/permissions"]).run(HANG);
    assert!(!stdout(&finished).contains("git version"), "{}", stdout(&finished));
}

#[test]
fn the_clock_stands_still_while_the_user_is_asked() {
    let dir = guarded("[plugins.timeouts]\nbefore_tool_call = 1\n");
    let server = SseServer::start(json!([bash("echo done"), {"text": "end"}]));
    let mut host = host(&dir, &server);
    prompt(&mut host, "go");
    let (id, _) = question(&mut host);
    // Longer than the hook may take.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    answer(&mut host, &id, &json!(0));
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    end(&mut host);
    assert_eq!(last_result(&server), "done\n");
}

#[cfg(unix)]
#[test]
fn in_the_terminal_the_question_shows_the_call_and_takes_an_answer() {
    let dir = guarded("");
    let command = "echo one\necho two > file";
    let server = SseServer::start(json!([bash(command), {"text": "the end"}]));
    let mut pty = in_terminal(&dir, &server).start();
    pty.wait_for_text("mock-model");
    pty.send("go\r");
    for part in ["Allow bash?", "echo two > file", "reads from a file", "> Yes, this once"] {
        pty.wait_for_text(part);
    }
    std::thread::sleep(QUESTION_IS_SEEN);
    pty.send("\r");
    pty.wait_for_text("the end");
    assert!(dir.project().join("file").exists());
    pty.send("\x03\x03");
    assert!(pty.wait().settings_restored);
}

#[test]
fn an_abort_takes_the_question_back() {
    let dir = guarded("");
    let server = SseServer::start(json!([bash("echo done"), bash("echo more"), {"text": "end"}]));
    let mut host = host(&dir, &server);
    prompt(&mut host, "go");
    let (first, _) = question(&mut host);
    send(&mut host, &json!({"cmd": "abort"}));
    wait_for(&mut host, "ui_withdrawn");
    wait_for(&mut host, "agent_end");
    prompt(&mut host, "again");
    let (second, _) = question(&mut host);
    assert_ne!(first, second);
    answer(&mut host, &second, &json!(0));
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    assert_eq!(last_result(&server), "more\n");
}

#[test]
fn a_reload_takes_new_rules() {
    let dir = guarded("");
    let server = SseServer::start(json!([
        bash("echo done"), {"text": "one"}, bash("echo done"), {"text": "two"}
    ]));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "go");
    wait_for(&mut host, "agent_end");
    assert!(last_result(&server).contains("Blocked"));
    let config = "[plugins]\npermissions = true\n[permissions]\nallow = ['bash:echo *']\n";
    configure(dir.home(), config);
    send(&mut host, &json!({"cmd": "reload", "id": "r"}));
    wait_for(&mut host, "done");
    prompt(&mut host, "go");
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    assert_eq!(last_result(&server), "done\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_guard_that_is_killed_while_it_asks_lets_nothing_run() {
    let dir = guarded("[permissions]\nallow = ['bash:touch *']\n");
    let server = SseServer::start(json!([
        bash("echo > pwned"), {"text": "one"}, bash("touch pwned"), {"text": "two"}
    ]));
    let mut host = host(&dir, &server);
    prompt(&mut host, "go");
    question(&mut host);
    kill_guards(host.id());
    wait_for(&mut host, "agent_end");
    // It is started again after a second: what is allowed does not run before.
    prompt(&mut host, "go");
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    end(&mut host);
    let bodies = server.chat_bodies();
    let results = tool_results(bodies.last().unwrap());
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results.iter().all(|it| it.contains("Blocked: the guard")), "{results:?}");
    assert!(!dir.project().join("pwned").exists());
}

/// Kills the processes of guards that a program has started.
#[cfg(target_os = "linux")]
fn kill_guards(program: u32) {
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let Ok(status) = std::fs::read_to_string(path.join("status")) else { continue };
        let is_child = status.lines().any(|line| line == format!("PPid:\t{program}"));
        let command = std::fs::read(path.join("cmdline")).unwrap_or_default();
        if is_child && command.ends_with(b"plugin-run\0permissions\0") {
            let number = path.file_name().unwrap().to_str().unwrap().to_owned();
            std::process::Command::new("kill").args(["-9", &number]).status().unwrap();
        }
    }
}

#[test]
fn a46_no_project_grants_itself_rights() {
    let dir = guarded("");
    let config =
        "[permissions]\ndefault = 'allow'\nallow = ['bash']\n[plugins]\npermissions = false\n";
    configure(dir.project(), config);
    let remembered = format!("[{:?}]\nallow = ['bash']\n", dir.project());
    std::fs::write(dir.project().join(".letscode/permissions.toml"), remembered).unwrap();
    for args in [&["-p", "go"][..], &["--trust", "-p", "go"]] {
        let server = SseServer::start(json!([bash("echo done"), {"text": "end"}]));
        let finished = program(&dir, &server).args(args.iter().copied()).run(HANG);
        assert!(last_result(&server).contains("Blocked"), "{args:?}");
        let told = stderr(&finished);
        assert!(told.contains("permissions is left out"), "{told}");
        assert!(told.contains("plugins.permissions is left out"), "{told}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_is_told_and_nothing_runs_unasked() {
    let dir = guarded("[permissions]\nallow = ['bash:echo *']\ndeny = ['bash echo']\n");
    let server = SseServer::start(json!([bash("echo done"), {"text": "end"}]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert!(last_result(&server).contains("Blocked"));
    assert!(stderr(&finished).contains("nothing is run unasked"), "{}", stderr(&finished));
}
