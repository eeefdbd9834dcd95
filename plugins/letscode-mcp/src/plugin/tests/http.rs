//! A server over streamable HTTP.

use super::*;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server; gone when it is dropped.
pub(super) struct Served {
    child: Child,
    pub(super) url: String,
}

impl Served {
    pub(super) fn start() -> Self {
        Self::start_with("http", &[])
    }

    #[expect(clippy::disallowed_methods, reason = "the server is a real process")]
    pub(super) fn start_with(scheme: &str, options: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/scripted.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg("--http")
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("{scheme}://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn tools_are_called_with_the_headers_of_the_table() {
    let served = Served::start();
    let headers = json!({"Authorization": "Bearer $TOKEN"});
    let stage = Stage::start(json!({"s": {"url": served.url, "headers": headers}}));
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
    assert_eq!(stage.command("s:greet", "Ada"), r#"Greet {"name": "Ada"}"#);
}

#[test]
fn a_server_that_wants_a_key_is_left_out_and_says_so() {
    let served = Served::start();
    let headers = json!({"Authorization": "Bearer wrong-0123456789"});
    let stage = Stage::start(json!({"s": {"url": served.url, "headers": headers}}));
    let listing = stage.command("mcp", "");
    assert!(listing.starts_with("s: left out: it wants to know who you are"), "{listing}");
    assert!(!listing.contains("wrong-0123456789"), "{listing}");
}

#[test]
fn an_address_that_is_not_the_servers_says_so() {
    let served = Served::start();
    for (path, expected) in [
        ("/elsewhere", "s: left out: it answers HTTP 404 Not Found: check the url"),
        ("/page", "s: left out: it answers with text/html, not as an MCP server: check the url"),
    ] {
        let url = served.url.replace("/mcp", path);
        let stage = Stage::start(json!({"s": {"url": url}}));
        assert_eq!(stage.command("mcp", ""), expected);
    }
}

#[test]
fn an_offer_to_sign_in_is_told() {
    let served = Served::start_with("http", &["--oauth"]);
    let stage = Stage::start(json!({"s": {"url": served.url}}));
    let listing = stage.command("mcp", "");
    assert!(listing.contains("set headers.Authorization (it offers to sign in"), "{listing}");
}

#[test]
fn an_address_where_nobody_listens_is_left_out() {
    let mut served = Served::start();
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    let stage = Stage::start(json!({"s": {"url": served.url}}));
    let listing = stage.command("mcp", "");
    assert!(listing.starts_with("s: left out: cannot connect: Connection refused"), "{listing}");
}

#[test]
fn a_server_that_is_gone_in_the_middle_ends_the_call_with_an_error() {
    let mut served = Served::start();
    let headers = json!({"Authorization": "Bearer $TOKEN"});
    let stage = Stage::start(json!({"s": {"url": served.url, "headers": headers}}));
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    let output = stage.call("mcp_s_echo", json!({"text": "hi"}));
    assert!(output.is_error);
    let text = text_of(&output.content);
    assert!(text.starts_with("MCP server s: the server "), "{text}");
}
