//! Tests of the notice about a newer version.

use super::*;
use crate::args::{self, Invocation};
use crate::settings;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

/// A newer version than any.
const NEWER: &str = "4000000000.0.0";

fn start(home: &Path, url: &str, variables: &[(&str, &str)]) -> (Settings, Environment) {
    let own = home.join(".letscode");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("config.toml"), format!("update_url = '{url}'\n")).unwrap();
    let environment = Environment::of(variables, home, home);
    let Ok(Invocation::Run(args)) = args::parse(&[]) else { panic!("no run") };
    let resolved = settings::resolve(*args, &environment);
    assert_eq!(resolved.warnings, [""; 0]);
    (resolved.settings, environment)
}

/// Answers one request with `body` and returns what was asked.
fn serve_once(listener: TcpListener, body: &'static str) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 2048];
        let length = stream.read(&mut asked).unwrap();
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length:";
        write!(stream, "{head} {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8_lossy(&asked[..length]).into_owned()
    })
}

#[tokio::test]
async fn a_newer_version_is_said_at_the_start_after_the_look() {
    let home = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/latest", listener.local_addr().unwrap());
    let server = serve_once(listener, r#"{"tag_name":"v4000000000.0.0"}"#);
    let (settings, environment) = start(home.path(), &url, &[]);

    assert_eq!(notice(&settings, &environment), None);
    let path = home.path().join(".letscode/cache/update-check.json");
    let kept = async {
        while last_look(&path).is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), kept).await.expect("the look is kept");
    assert!(server.join().unwrap().starts_with("GET /latest "));

    // The server is gone: nobody is asked a second time on the same day.
    let said = notice(&settings, &environment).unwrap();
    assert!(said.contains(NEWER) && said.contains(VERSION), "{said}");
}

#[tokio::test]
async fn nothing_is_said_or_asked_where_it_is_off() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".letscode/cache/update-check.json");
    let look = json!({"checked_at": 0, "latest": NEWER}).to_string();
    write_private(&path, &look, Existing::Replace).unwrap();
    let closed = "http://127.0.0.1:9/";
    for variables in [&[("LETSCODE_NO_UPDATE_CHECK", "1")], &[("CI", "true")]] {
        let (settings, environment) = start(home.path(), closed, variables);
        assert_eq!(notice(&settings, &environment), None, "{variables:?}");
    }
    let (settings, environment) = start(home.path(), "", &[]);
    assert_eq!(notice(&settings, &environment), None);
    let (settings, environment) = start(home.path(), closed, &[]);
    assert!(notice(&settings, &environment).is_some(), "the test can tell");
}

#[test]
fn a_version_is_three_numbers_and_nothing_else() {
    for (document, expected) in [
        (json!({"version": "1.2.3"}), Some("1.2.3")),
        (json!({"tag_name": "v10.0.1", "name": "x"}), Some("10.0.1")),
        (json!("0.9.0\n"), Some("0.9.0")),
        (json!({"version": "1.2.3-rc1"}), None),
        (json!({"version": "1.2"}), None),
        (json!({"version": "1.2.3.4"}), None),
        (json!({"version": "1.2.\u{1b}[31m3"}), None),
        (json!({"version": 3}), None),
        (json!(["1.2.3"]), None),
    ] {
        assert_eq!(version_in(&document).as_deref(), expected, "{document}");
    }
}

#[test]
fn newer_means_a_greater_number_not_a_later_letter() {
    for (candidate, current, expected) in [
        ("0.10.0", "0.9.9", true),
        ("1.0.0", "0.99.99", true),
        ("0.9.0", "0.9.0", false),
        ("0.8.9", "0.9.0", false),
        ("nonsense", "0.9.0", false),
    ] {
        assert_eq!(is_newer(candidate, current), expected, "{candidate}");
    }
}
