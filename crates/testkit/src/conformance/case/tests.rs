//! Reading of cases, and of what is none.

use super::*;

const VALUES: &[(&str, &str)] = &[("PORT", "1"), ("HOME", "/h"), ("CWD", "/h/w")];

fn read(json: Value) -> Result<Run, CaseError> {
    let case = Case::from_json("case", json)?;
    Run::read(&case.runs[0], VALUES, "http://127.0.0.1:1/v1")
}

#[test]
fn an_empty_run_has_defaults() {
    let run = read(json!({"about": "nothing"})).unwrap();
    assert_eq!(run.args, ["--base-url", "http://127.0.0.1:1/v1", "--model", "mock-model"]);
    assert_eq!(run.steps, [Step::Close]);
    assert_eq!((run.limit, run.cwd.as_str()), (Duration::from_secs(30), "."));
}

#[test]
fn values_are_filled_in_everywhere_but_in_answers() {
    let run = read(json!({
        "endpoint": false,
        "args": ["{PORT}", "{NAME}", "a{HOME}b{CWD}"],
        "env": {"A": "{PORT}", "B": null},
        "files": {"f": "{CWD}", "g": {"text": "{HOME}", "mode": "600"}},
        "home": {"h": "{PORT}"},
        "llm": [{"text": "{PORT}"}],
        "steps": [{"raw": "{PORT}"}],
    }));
    let run = run.unwrap();
    assert_eq!(run.args, ["1", "{NAME}", "a/hb/h/w"]);
    assert_eq!(run.env, [("A".to_owned(), Some("1".to_owned())), ("B".to_owned(), None)]);
    let regular = |text: &str, mode| FileSpec::Regular { bytes: text.into(), mode };
    assert_eq!(
        run.files,
        [
            ("~/h".to_owned(), regular("1", None)),
            ("f".to_owned(), regular("/h/w", None)),
            ("g".to_owned(), regular("/h", Some(0o600))),
        ]
    );
    assert_eq!(run.steps, [Step::Write(b"1".to_vec())]);
}

#[test]
fn every_step() {
    let second = Duration::from_secs(1);
    for (json, expected) in [
        (json!({"send": {"cmd": "bye"}}), Step::Write(b"{\"cmd\":\"bye\"}\n".to_vec())),
        (json!({"raw": "a\n"}), Step::Write(b"a\n".to_vec())),
        (json!({"raw_b64": "/w=="}), Step::Write(b"\xff".to_vec())),
        (json!({"eof": true}), Step::Close),
        (json!({"wait": {"a": 1}}), Step::Wait { matcher: json!({"a": 1}), limit: second * 15 }),
        (
            json!({"wait": "$any", "timeout": 1}),
            Step::Wait { matcher: json!("$any"), limit: second },
        ),
        (json!({"sleep": 0.5}), Step::Sleep(second / 2)),
        (json!({"signal": "INT"}), Step::Signal(Signal::Interrupt)),
        (json!({"signal": "TERM"}), Step::Signal(Signal::Terminate)),
    ] {
        assert_eq!(Step::from_json(&json).unwrap(), expected);
    }
}

#[test]
fn what_is_no_case_is_refused() {
    for json in [
        json!([]),
        json!({"abuot": "a typo"}),
        json!({"expect": {"exist": 0}}),
        json!({"args": "x"}),
        json!({"env": {"A": 1}}),
        json!({"then": {}}),
        json!({"steps": [{"sned": 1}]}),
        json!({"steps": [{"send": 1, "timeout": 2}]}),
        json!({"steps": [{"wait": 1, "timeout": "2"}]}),
        json!({"steps": [{"signal": "NOPE"}]}),
        json!({"steps": [{}]}),
        json!({"steps": ["eof"]}),
        json!({"files": {"a": 1}}),
        json!({"home": {"a": {"b64": "?"}}}),
        json!({"llm": [{"txt": "a"}]}),
        json!({"then": [{"rules": [{"contains": "a"}]}]}),
    ] {
        assert!(read(json.clone()).is_err(), "{json}");
    }
}

#[test]
fn further_runs_follow() {
    let case = Case::from_json("c", json!({"args": ["1"], "then": [{"args": ["2"]}, {}]})).unwrap();
    assert_eq!(case.runs.len(), 3);
}
