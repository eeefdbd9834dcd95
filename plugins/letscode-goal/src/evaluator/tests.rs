//! The evaluator's process, with a script in its place.
#![cfg(unix)]

use super::*;
use std::sync::Arc;
use tempfile::TempDir;

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluator.sh")
}

/// Returns a folder for notes with this answer in it, and the variables of an evaluator.
fn notes(answer: &str, behaviour: &str) -> (TempDir, HashMap<String, String>) {
    let notes = tempfile::tempdir().unwrap();
    fs::write(notes.path().join("answer"), answer).unwrap();
    let variables = [
        ("NOTES", notes.path().to_str().unwrap()),
        ("EVALUATOR", behaviour),
        ("LETSCODE_MODEL", "judge"),
        ("OPENAI_BASE_URL", "http://server/v1"),
        ("VIRTUAL_ENV", "/plugins"),
        ("LETSCODE_TRUST", "1"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    (notes, variables.into())
}

fn noted(notes: &TempDir, name: &str) -> String {
    fs::read_to_string(notes.path().join(name)).unwrap()
}

/// Returns the number of the process, once it has noted that.
fn number(notes: &Path) -> Option<String> {
    let text = fs::read_to_string(notes.join("number")).unwrap_or_default();
    text.ends_with('\n').then(|| text.trim().to_owned())
}

#[cfg(target_os = "linux")]
fn is_alive(number: &str) -> bool {
    Path::new("/proc").join(number).exists()
}

#[test]
fn it_is_asked_in_an_empty_place_without_tools_session_and_plugins() {
    let (notes, variables) = notes("yes", "");
    let evaluator = Evaluator::new(program());
    // More than a pipe would hold.
    let question = "a line of the question\n".repeat(20_000);
    let answer = evaluator.ask("Be strict.", &question, &variables, || false).unwrap();
    assert_eq!(answer.as_deref(), Some("yes"));
    assert_eq!(noted(&notes, "question"), question);
    let arguments = noted(&notes, "arguments");
    let arguments: Vec<&str> = arguments.lines().collect();
    let expected = [
        "--print",
        "--no-tools",
        "--no-session",
        "--no-context-files",
        "--isolated",
        "--system",
        "Be strict.",
        "--base-url",
        "http://server/v1",
    ];
    assert_eq!(arguments, expected);
    let variables = noted(&notes, "variables");
    let [home, working_dir, virtual_environment, model, address] =
        variables.lines().collect::<Vec<&str>>().try_into().unwrap();
    assert!(Path::new(working_dir).ends_with(format!("{}/work", home.trim_start_matches('/'))));
    assert_eq!([virtual_environment, model, address], ["", "judge", "http://server/v1"]);
    assert!(!Path::new(home).exists(), "the folder stays");
}

#[test]
fn it_works_in_an_empty_project_of_its_own_and_trusts_no_other() {
    let (notes, variables) = notes("yes", "");
    Evaluator::new(program()).ask("", "", &variables, || false).unwrap();
    assert_eq!(noted(&notes, "trust"), "\n");
    let files = noted(&notes, "project");
    assert_eq!(files.split_whitespace().collect::<Vec<_>>(), ["0", ".letscode/config.toml"]);
}

#[test]
fn a_failure_is_told_by_its_last_line() {
    let (_notes, variables) = notes("", "fails");
    let error = Evaluator::new(program()).ask("", "", &variables, || false).unwrap_err();
    assert_eq!(error.to_string(), "the evaluator failed: error: no server at http://server/v1");
    let absent = Evaluator::new("/nowhere/letscode".into());
    let error = absent.ask("", "", &variables, || false).unwrap_err();
    assert!(error.to_string().starts_with("the evaluator cannot be run: "), "{error}");
}

#[test]
fn of_a_flood_only_the_beginning_is_read() {
    let (_notes, variables) = notes("", "floods");
    let answer = Evaluator::new(program()).ask("", "", &variables, || false).unwrap().unwrap();
    assert_eq!(answer.len() as u64, MOST_OUTPUT);
}

#[cfg(target_os = "linux")]
#[test]
fn one_that_hangs_is_ended_after_its_time_on_request_and_with_the_plugin() {
    let (notes, variables) = notes("", "hangs");
    let path = || notes.path();
    let mut hasty = Evaluator::new(program());
    hasty.limit = Duration::from_millis(300);
    let error = hasty.ask("", "", &variables, || false).unwrap_err();
    assert!(matches!(error, EvaluatorError::TimedOut { .. }), "{error}");
    drop(fs::remove_file(path().join("number")));
    let evaluator = Evaluator::new(program());
    let cancelled = evaluator.ask("", "", &variables, || number(path()).is_some());
    assert!(matches!(cancelled, Ok(None)));
    assert!(!is_alive(&number(path()).unwrap()));
    fs::remove_file(path().join("number")).unwrap();
    let evaluator = Arc::new(evaluator);
    let ending = Arc::clone(&evaluator);
    let folder = path().to_owned();
    let end = thread::spawn(move || {
        while number(&folder).is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        ending.end();
        is_alive(&number(&folder).unwrap())
    });
    assert!(matches!(evaluator.ask("", "", &variables, || false), Ok(None)));
    assert!(!end.join().unwrap(), "the process outlived the end");
}
