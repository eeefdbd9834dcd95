//! Reading files again in the middle of a conversation, and trust that is given meanwhile.

use crate::driver::{HANG, KEY, call, end, program, prompt, rpc, send, stderr, stdout, wait_for};
use letscode_testkit::program::{Program, Running};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// Writes a file below `~/.letscode`.
fn write_home(dir: &WorkDir, name: &str, text: &str) {
    let path = dir.home().join(".letscode").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Sends a command and returns its answer, or why it was refused.
#[track_caller]
fn ask(running: &mut Running, mut command: Value) -> Result<Value, String> {
    command["id"] = json!("ask");
    send(running, &command);
    let mut answer = None;
    running.wait_for_line(HANG, |line| {
        let line: Value = serde_json::from_slice(line).unwrap();
        answer = match line["type"].as_str() {
            Some("done") if line["id"] == "ask" => Some(Ok(line["result"].clone())),
            Some("error") if line["id"] == "ask" => Some(Err(line["error"].to_string())),
            _ => return false,
        };
        true
    });
    answer.expect("an answer comes")
}

/// Returns the names of the tools in a request.
fn tools(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

#[test]
fn what_files_say_now_is_in_the_next_request() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}, {"text": "ok"}])));
    let mut host = rpc(&dir, &server, &["--no-session"]);
    prompt(&mut host, "first");
    wait_for(&mut host, "done");
    dir.write("AGENTS.md", "NEW-RULE");
    dir.write(".letscode/skills/late/SKILL.md", "---\nname: late\ndescription: Late.\n---\nbody");
    dir.write(".letscode/prompts/greet.md", "Greet {{args}}");
    write_home(
        &dir,
        "catalog.toml",
        "[[models]]\nid = \"tiny\"\nprovider = \"openai\"\ncontext_window = 4321\n",
    );
    let result = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    assert_eq!(
        result,
        json!({"tools": 5, "skills": 1, "templates": 1, "context_files": 1,
               "model": "gpt-4o-mini", "thinking": "off", "warnings": []})
    );
    let skills = ask(&mut host, json!({"cmd": "skills"})).unwrap();
    assert_eq!(skills["skills"][0]["name"], "late");
    prompt(&mut host, "second");
    wait_for(&mut host, "done");
    ask(&mut host, json!({"cmd": "set_model", "model": "tiny"})).unwrap();
    let state = ask(&mut host, json!({"cmd": "state"})).unwrap();
    assert_eq!(state["context_window"], 4321);
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    let bodies = server.chat_bodies();
    assert_eq!(tools(&bodies[0]), ["read", "write", "edit", "bash"]);
    assert_eq!(tools(&bodies[1]), ["read", "write", "edit", "bash", "skill_late"]);
    let system = |body: &Value| body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(!system(&bodies[0]).contains("NEW-RULE"));
    assert!(system(&bodies[1]).contains("NEW-RULE"));
    // The conversation went on.
    assert_eq!(bodies[1]["messages"].as_array().unwrap().len(), 4);
}

#[test]
fn a_file_that_is_broken_leaves_the_settings_as_they_were() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    write_home(&dir, "config.toml", "tools = [\"read\"]\n");
    let mut host = rpc(&dir, &server, &["--no-session"]);
    for (name, text) in [
        ("config.toml", "tools = = \"sk-\""),
        ("config.toml", "tools = [\"read\", \"bash\"]\n[a\n"),
        ("catalog.toml", "[[models]\n"),
    ] {
        write_home(&dir, name, text);
        let result = ask(&mut host, json!({"cmd": "reload"})).unwrap();
        assert_eq!(result["tools"], 1, "{text}: {result}");
        let [warning] = &result["warnings"].as_array().unwrap()[..] else { panic!("{result}") };
        let warning = warning.as_str().unwrap();
        assert!(warning.starts_with("the settings stay as they were: "), "{warning}");
        assert!(warning.contains(name) && !warning.contains('\n'), "{warning}");
        write_home(&dir, "config.toml", "tools = [\"read\"]\n");
        write_home(&dir, "catalog.toml", "");
    }
    // Skills and their like are read all the same.
    dir.write("AGENTS.md", "rule");
    write_home(&dir, "config.toml", "broken");
    let text = ask(&mut host, json!({"cmd": "run_command", "text": "/reload"})).unwrap();
    let text = text["text"].as_str().unwrap();
    assert!(text.contains("1 tool,") && text.contains("1 context file;"), "{text}");
    assert!(text.contains("\nwarning: the settings stay as they were"), "{text}");
    write_home(&dir, "config.toml", "tools = [\"read\", \"bash\", \"nope\"]\n");
    let result = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    assert_eq!(result["tools"], 2, "{result}");
    assert!(result["warnings"][0].as_str().unwrap().contains("\"nope\""), "{result}");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
}

#[test]
fn a_tool_of_the_command_line_that_is_gone_is_a_warning() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let skill = dir.write(".letscode/skills/s/SKILL.md", "---\nname: s\ndescription: D.\n---\nb");
    let mut host = rpc(&dir, &server, &["--no-session", "--tools", "read,skill_s"]);
    std::fs::remove_file(skill).unwrap();
    let result = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    assert_eq!(result["tools"], 1, "{result}");
    assert!(result["warnings"][0].as_str().unwrap().contains("\"skill_s\""), "{result}");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
}

#[cfg(unix)]
#[test]
fn a50_a_key_that_a_reload_brings_is_hidden_like_the_others() {
    let key = "mine-0123456789-secret";
    let print = |id: &str| call(id, "bash", &json!({"command": "echo \"key:$MINE_KEY.\""}));
    let scenario = json!([print("a"), {"text": "ok"}, print("b"), {"text": "ok"}]);
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let program = program(&dir, &server).env("MINE_KEY", key);
    let mut host = program.args(["--mode", "rpc", "--no-session"]).start().unwrap();
    wait_for(&mut host, "ready");
    prompt(&mut host, "before");
    wait_for(&mut host, "done");
    let provider = "[[providers]]\nname = \"mine\"\nbase_url = \"http://127.0.0.1:9\"\n\
                    api_key_env = \"MINE_KEY\"\n";
    write_home(&dir, "catalog.toml", provider);
    dir.write("AGENTS.md", "nothing");
    ask(&mut host, json!({"cmd": "reload"})).unwrap();
    prompt(&mut host, "after");
    wait_for(&mut host, "done");
    // What says the key is masked, wherever it comes from.
    let error = ask(&mut host, json!({"cmd": "resume", "session": key})).unwrap_err();
    assert!(!error.contains(key), "{error}");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    let bodies = server.chat_bodies();
    let last = |body: &Value| body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(last(&bodies[1]).contains(&format!("key:{key}.")), "{}", last(&bodies[1]));
    assert!(last(&bodies[3]).contains("key:."), "{}", last(&bodies[3]));
}

#[test]
fn trust_is_shown_given_made_effective_and_taken_back() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let config = format!("base_url = \"{}\"\nfrontend = \"basic\"\n", server.base_url());
    dir.write(".letscode/config.toml", config);
    let mut host = Program::new(env!("CARGO_BIN_EXE_letscode"), &dir)
        .env("OPENAI_API_KEY", KEY)
        .args(["--mode", "rpc", "--no-session"])
        .start()
        .unwrap();
    wait_for(&mut host, "ready");
    let project = dir.project().canonicalize().unwrap().display().to_string();
    let left_out = json!(["base_url", "frontend"]);
    let status = |trusted: bool, left_out: &Value, effective: bool| {
        let reason = if trusted { json!(null) } else { json!("is not trusted") };
        json!({"project": project, "trusted": trusted, "reason": reason, "left_out": left_out,
               "effective": effective})
    };
    let show = json!({"cmd": "trust"});
    assert_eq!(ask(&mut host, show.clone()).unwrap(), status(false, &left_out, true));
    let given = ask(&mut host, json!({"cmd": "trust", "trust": true})).unwrap();
    assert_eq!(given, status(true, &json!([]), false));
    let words = ask(&mut host, json!({"cmd": "run_command", "text": "/trust"})).unwrap();
    let expected = format!("the project {project} is trusted\n/reload makes that effective");
    assert_eq!(words["text"], expected);
    let reloaded = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    assert_eq!(reloaded["warnings"], json!([]));
    assert_eq!(ask(&mut host, show.clone()).unwrap(), status(true, &json!([]), true));
    // Only now does the project's address count.
    prompt(&mut host, "hi");
    wait_for(&mut host, "done");
    assert_eq!(server.chat_bodies().len(), 1);
    let taken = ask(&mut host, json!({"cmd": "trust", "trust": false})).unwrap();
    assert_eq!(taken, status(false, &left_out, false));
    let reloaded = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    let warning = reloaded["warnings"][0].as_str().unwrap();
    assert!(warning.contains("is not trusted; left out: base_url, frontend"), "{warning}");
    assert_eq!(ask(&mut host, show).unwrap(), status(false, &left_out, true));
    // A reload that stands behind a change of trust finds it done.
    send(&mut host, &json!({"cmd": "trust", "trust": true}));
    let reloaded = ask(&mut host, json!({"cmd": "reload"})).unwrap();
    assert_eq!(reloaded["warnings"], json!([]));
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
}

#[test]
fn on_the_command_line_trust_works_and_a_reload_has_no_effect() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let run = |command: &str| program(&dir, &server).args([command]).run(HANG);
    let nothing = run("/trust");
    assert_eq!(nothing.status, 0, "{}", stderr(&nothing));
    assert!(stdout(&nothing).starts_with("nothing here has settings"), "{}", stdout(&nothing));
    let refused = run("/trust on");
    assert_eq!((refused.status, stdout(&refused)), (2, ""));
    assert!(stderr(&refused).contains(".letscode/config.toml"), "{}", stderr(&refused));
    dir.write(".letscode/config.toml", "frontend = \"basic\"\n");
    assert!(stdout(&run("/trust")).contains("is not trusted\nleft out: frontend\n/trust on"));
    assert!(stdout(&run("/trust on")).contains("is trusted"));
    assert!(stderr(&run("/tools")).is_empty());
    dir.write(".letscode/config.toml", "frontend = \"other\"\n");
    assert!(stdout(&run("/trust")).contains("changed since it was trusted"));
    assert!(stdout(&run("/trust off")).contains("is not trusted"));
    let reload = run("/reload");
    assert_eq!((reload.status, stdout(&reload)), (2, ""));
    assert!(stderr(&reload).contains("/reload has no effect"), "{}", stderr(&reload));
    assert_eq!(run("/trust maybe").status, 2);
}
