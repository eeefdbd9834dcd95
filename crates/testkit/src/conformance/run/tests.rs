//! The runner against small shell programs: right ones pass, wrong ones fail, for each kind of
//! expectation and for every case of the repository.

use super::*;
use std::fs;
use std::path::PathBuf;

fn cases_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases")
}

/// Makes a program of a shell script.
fn program(dir: &WorkDir, shell: &str, script: &str) -> PathBuf {
    let bytes = format!("#!{shell}\n{script}\n").into_bytes();
    let path = dir.resolve("letscode");
    crate::workdir::FileSpec::Regular { bytes, mode: Some(0o755) }.put(&path).unwrap();
    path
}

fn run_script(case: &Case, script: &str) -> Vec<String> {
    let dir = WorkDir::new();
    run_case(case, &program(&dir, "/bin/sh", script))
}

#[track_caller]
fn passes(case: Value, script: &str) {
    let case = Case::from_json("case", case).unwrap();
    assert_eq!(run_script(&case, script), [""; 0]);
}

/// Checks the problems of a run, without the outputs that follow them.
#[track_caller]
fn fails(case: Value, script: &str, expected: &[&str]) {
    let case = Case::from_json("case", case).unwrap();
    let mut problems = run_script(&case, script);
    assert!(problems.last().is_some_and(|text| text.contains("--- stderr ---")), "{problems:?}");
    problems.truncate(problems.len() - 2);
    assert_eq!(problems, expected);
}

#[track_caller]
fn passes_file(name: &str, script: &str) {
    let case = Case::load(&cases_dir().join(format!("{name}.json"))).unwrap();
    assert_eq!(run_script(&case, script), [""; 0]);
}

#[test]
fn exit_and_outputs() {
    let script = "echo out; echo err >&2; exit 3";
    passes(json!({"expect": {"exit": 3, "stdout": "out\n", "stderr": {"$has": "rr"}}}), script);
    fails(
        json!({"expect": {"exit": 0, "stdout": "", "stderr": {"$lacks": "rr"}}}),
        script,
        &[
            "exit: $: 3, want 0",
            "stdout: $: \"out\\n\", want \"\"",
            "stderr: $: \"rr\" is in \"err\\n\"",
        ],
    );
    fails(json!({"expect": {"exit": 0}}), "kill -KILL $$", &["exit: $: -9, want 0"]);
}

#[test]
fn lines_are_complete_json() {
    let expect = json!({"expect": {"lines": [{"a": 1}, "..."]}});
    passes(expect.clone(), "echo '{\"a\":1}'; echo 2");
    passes(json!({"expect": {"lines": []}}), "");
    fails(expect.clone(), "printf '{\"a\":1}'", &["lines: the only line has no end"]);
    fails(expect.clone(), "printf '{\"a\":1}\\n2'", &["lines: the last line has no end"]);
    fails(
        expect.clone(),
        "echo '{\"a\":1}'; echo oops",
        &["lines: \"oops\" is not JSON: expected value at line 1 column 1"],
    );
    fails(expect, "", &["lines: the output ended after 0 lines; matcher 1 wants {\"a\": 1}"]);
}

#[test]
fn arguments_environment_and_directory() {
    let case = json!({
        "args": ["{CWD}"],
        "env": {"EXTRA": "{HOME}", "TERM": null},
        "cwd": "sub",
        "files": {"sub/x": ""},
        "expect": {"exit": 0},
    });
    passes(
        case,
        r#"[ "$PWD" = "$1/sub" ] && [ "$EXTRA" = "$HOME" ] && [ -z "$(env | grep ^TERM=)" ] &&
           [ "$2" = --base-url ] && [ "$4" = --model ] && [ "$5" = mock-model ] && [ -z "$6" ]"#,
    );
    passes(json!({"endpoint": false, "expect": {"exit": 0}}), "exit $#");
}

#[test]
fn files_modes_and_what_must_not_be_there() {
    let case = json!({
        "files": {"a": {"b64": "/w=="}, "gone": ""},
        "home": {"h": "{PORT}"},
        "expect": {
            "files": {"b": "text", "~/h": {"$re": "^\\d+$"}},
            "modes": {"b": "640"},
            "absent": ["gone"],
        },
    });
    passes(case.clone(), "printf text > b; chmod 640 b; rm gone");
    fails(
        case,
        "printf x > b; chmod 600 b; rm ~/h",
        &[
            "b: $: \"x\", want \"text\"",
            "~/h: No such file or directory (os error 2)",
            "b: $: \"600\", want \"640\"",
            "gone: is there",
        ],
    );
}

#[test]
fn steps_drive_stdin() {
    let case = json!({
        "steps": [
            {"wait": {"type": "ready"}},
            {"send": {"a": 1}},
            {"wait": {"got": {"a": 1}}},
            {"raw": "x\n"},
            {"raw_b64": "eQo="},
            {"wait": {"$has": "got y"}},
            {"eof": true},
        ],
        "expect": {"exit": 0, "stdout": {"$has": "end"}},
    });
    let echo = r#"echo '{"type":"ready"}'; read -r a; echo "{\"got\":$a}"; read -r b
                  while read -r c; do echo got $c; done; echo end"#;
    passes(case.clone(), echo);
    fails(
        case,
        "echo '{\"type\":\"ready\"}'; read -r a; echo 'no answer'; exec >&-; sleep 600",
        &[
            "waited in vain for {\"got\":{\"a\":1}}",
            "exit: $: -9, want 0",
            "stdout: $: \"end\" not in \"{\\\"type\\\":\\\"ready\\\"}\\nno answer\\n\"",
        ],
    );
    // More than a pipe holds: the process of another test may have our pipe open until its exec.
    let long = "x".repeat(200_000);
    let early = json!({"steps": [{"wait": 1}, {"raw": long}], "expect": {}});
    let closed = "exec <&-; echo 1; sleep 600";
    let shown = "x".repeat(120);
    fails(
        early,
        closed,
        &[&format!("stdin was closed before {shown:?} (Broken pipe (os error 32))")],
    );
}

#[test]
fn signals_and_time() {
    let case = json!({
        "steps": [{"wait": 1}, {"sleep": 0.01}, {"signal": "INT"}],
        "expect": {"exit": 130, "max_seconds": 20},
    });
    passes(case, "trap 'exit 130' INT; echo 1; while :; do sleep 0.05; done");
    fails(json!({"timeout": 0.1, "expect": {}}), "sleep 600", &["still running after 0.1 s"]);
    let slow = json!({"expect": {"max_seconds": 0.0}});
    let problems = run_script(&Case::from_json("slow", slow).unwrap(), "");
    assert!(problems[0].starts_with("max_seconds: took "), "{problems:?}");
}

#[test]
fn the_newest_session_is_checked_with_its_folder() {
    let case = json!({"expect": {"session": [{"n": 1}, {"n": 2}]}});
    let write = "write() { mkdir -p ~/.letscode/sessions/$1; printf \"$2\" > ~/.letscode/sessions/$1/$3.jsonl; }
        here=$(printf %s \"$PWD\" | (sha256sum 2>/dev/null || shasum -a 256) | cut -c1-12)\n";
    passes(case.clone(), &format!("{write} write $here '{{\"n\":1}}\\n{{\"n\":2}}\\n' a"));
    fails(case.clone(), "", &["session: no file"]);
    let lines = format!("{write} write $here '{{\"n\":1}}\\n{{\"n\":3}}\\n' a");
    fails(
        case.clone(),
        &lines,
        &[
            "session: matcher 2 {\"n\": 2} fits no line from line 2 on; nearest, line 2: $.n: 3, want 2",
        ],
    );
    let dir = WorkDir::new();
    let case = Case::from_json("folder", case).unwrap();
    let script = format!("{write} write 000000000000 '{{\"n\":1}}\\n{{\"n\":2}}\\n' a");
    let problems = run_case(&case, &program(&dir, "/bin/sh", &script));
    assert!(problems[0].starts_with("session: folder 000000000000, want "), "{problems:?}");
}

#[test]
fn further_runs_share_the_home_and_stop_at_the_first_problem() {
    let case = json!({
        "files": {"n": "1"},
        "expect": {"exit": 0, "files": {"n": "11"}},
        "then": [
            {"expect": {"files": {"n": "111"}}},
            {"files": {"n": "2"}, "expect": {"files": {"n": "21"}}},
        ],
    });
    passes(case, "printf 1 >> n");
    let case = json!({
        "expect": {"exit": 0},
        "then": [{"expect": {"exit": 1}}, {"expect": {"files": {"never": "run"}}}],
    });
    let problems = run_script(&Case::from_json("stop", case).unwrap(), "exit 0");
    assert_eq!(problems[0], "run 2: exit: $: 0, want 1");
    assert_eq!(problems.len(), 3, "{problems:?}");
}

/// Asks as a right program would, with a shell that can open sockets.
const ASK: &str = r#"
    url=${2#http://}; exec 3<>/dev/tcp/${url%%:*}/$(echo ${url#*:} | cut -d/ -f1)
    printf 'POST /v1/chat/completions HTTP/1.1\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s' ${#BODY} "$BODY" >&3
    cat <&3 | grep -o '"content":"[a-z][^"]*"'"#;

#[test]
fn requests_are_answered_matched_and_checked() {
    let run = |body: Value, case: Value| {
        let dir = WorkDir::new();
        let bash = program(&dir, "/usr/bin/env bash", &format!("BODY='{body}'{ASK}"));
        run_case(&Case::from_json("case", case).unwrap(), &bash)
    };
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]});
    let case = json!({
        "llm": [{"text": "one"}],
        "expect": {"requests": [{"model": "m"}], "stdout": "\"content\":\"one\"\n"},
        "then": [
            {"llm": [{"text": "two"}], "rules": [{"contains": "zzz", "response": {"text": "no"}}],
             "expect": {"requests": [{"model": "m"}], "stdout": "\"content\":\"two\"\n"}},
            {"expect": {"requests": ["$any"], "stdout": "\"content\":\"two\"\n"}},
        ],
    });
    assert_eq!(run(body.clone(), case.clone()), [""; 0]);
    let none = json!({"expect": {"requests": []}});
    assert!(run(body.clone(), none)[0].starts_with("requests: $: [{\"model\": \"m\""));
    let mut invalid = body;
    invalid["store"] = json!(true);
    let problems = run(invalid, case);
    assert_eq!(problems[0], "run 1: chat request 1: the request has the unknown key `store`");
}

#[test]
fn right_programs_pass_the_repositorys_cases() {
    passes_file(
        "rpc-handshake-and-bye",
        r#"say() { echo "$1"; }; both() { say "{\"type\":\"ack\",$1}"; say "{\"type\":\"done\",$1}"; }
           say '{"type":"ready","protocol":"letscode-rpc/1","letscode":"0.8.0"}'
           read -r a; both '"id":7'; read -r b; both '"id":null'; say '{"type":"bye"}'"#,
    );
    passes_file(
        "rpc-hello-major-mismatch",
        r#"echo '{"type":"ready","protocol":"letscode-rpc/1","letscode":"0.8.0"}'; read -r a
           echo '{"type":"error","id":"h","recoverable":false,"fatal":true,"error":"no"}'; exit 2"#,
    );
    passes_file("cli-sigint", "trap 'exit 130' INT; while :; do sleep 0.05; done");
    passes_file(
        "cli-init-version",
        r#"case "$1" in --version) echo letscode 0.8.0;; --init)
           c=~/.letscode/config.toml; [ -e $c ] || { mkdir -p ~/.letscode; echo model > $c; };; esac"#,
    );
}

/// Checks that a program passes no case of the repository.
fn fails_every_case(script: &str) {
    let files = fs::read_dir(cases_dir()).unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<Case> = files.map(|path| Case::load(&path).unwrap()).collect();
    assert!(cases.len() >= 36, "only {} cases", cases.len());
    let passed = cases.iter().filter(|case| run_script(case, script).is_empty());
    assert_eq!(passed.map(|case| case.name.as_str()).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_program_that_does_nothing_fails_every_case() {
    fails_every_case("exit 0");
}

#[test]
fn a_program_that_talks_nonsense_fails_every_case() {
    fails_every_case("echo '{\"type\":\"nonsense\"}'; echo oops >&2; exit 7");
}
