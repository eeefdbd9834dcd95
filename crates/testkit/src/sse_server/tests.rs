//! The server over real sockets, seen by a client that knows only bytes.

use super::*;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

/// No test waits longer than this; reaching it is a failure.
const LIMIT: Duration = Duration::from_secs(20);

fn connect(server: &SseServer) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

fn body(text: &str) -> Value {
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": text}]})
}

fn ask(stream: &mut TcpStream, body: &Value) {
    post(stream, "/v1/chat/completions", &body.to_string());
}

fn post(stream: &mut TcpStream, target: &str, body: &str) {
    let length = body.len();
    let head = format!("POST {target} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

/// Reads exactly as many bytes as `expected` has and compares.
#[track_caller]
fn expect_bytes(stream: &mut TcpStream, expected: &[u8]) {
    let mut got = vec![0; expected.len()];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(expected));
}

fn rendered(answer: Value) -> Vec<u8> {
    Answer::from_json(answer).unwrap().whole()
}

/// Returns the answer's bytes before its event number `events`.
fn rendered_up_to(answer: Value, events: usize) -> Vec<u8> {
    let answer::Content::Stream(stream) = Answer::from_json(answer).unwrap().content else {
        panic!("no stream");
    };
    let end = if events == 0 { 0 } else { stream.ends[events - 1] };
    [&stream.head, &stream.body[..end]].concat()
}

#[track_caller]
fn expect_end(stream: &mut TcpStream) {
    assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn one_connection_carries_many_answers() {
    let (first, second) = (json!({"text": ["a", "b"]}), json!({"status": 503, "body": "busy"}));
    let server = SseServer::start(json!([first, second]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("1"));
    expect_bytes(&mut stream, &rendered(first));
    ask(&mut stream, &body("2"));
    expect_bytes(&mut stream, &rendered(second));
    assert_eq!(server.chat_bodies(), [body("1"), body("2")]);
    let expected = Progress { connections: 1, requests: 2, abandoned: 0, paused: 0 };
    assert_eq!(server.progress(), expected);
}

#[test]
fn the_request_is_recorded_as_it_came() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    let text = body("x").to_string();
    let request = format!(
        "POST /chat/completions?api-version=1 HTTP/1.1\r\nAuthorization: Bearer k\r\n\
         X-A: 1\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    expect_bytes(&mut stream, &rendered(json!({"text": "ok"})));
    let requests = server.requests();
    let request = &requests[0];
    assert_eq!(request.target, "/chat/completions?api-version=1");
    assert_eq!(request.header("authorization"), Some("Bearer k"));
    assert_eq!(request.body, text.into_bytes());
    assert!(request.is_chat());
}

#[test]
fn other_paths() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    stream.write_all(b"GET /v1/models HTTP/1.1\r\n\r\n").unwrap();
    expect_bytes(&mut stream, b"HTTP/1.1 200 OK\r\n");
    let mut stream = connect(&server);
    post(&mut stream, "/v1/v1/chat/completions", "{}");
    expect_bytes(&mut stream, b"HTTP/1.1 404 Not Found\r\n");
    let mut stream = connect(&server);
    stream.write_all(b"GET /v1/chat/completions HTTP/1.1\r\n\r\n").unwrap();
    expect_bytes(&mut stream, b"HTTP/1.1 404 Not Found\r\n");
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.chat_bodies(), [Value::Null; 0]);
}

#[test]
fn raw_bytes_end_with_the_connection_unless_it_is_kept() {
    let server = SseServer::start(json!([
        {"raw": "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx", "keep_open": true},
        {"raw_b64": "/w=="},
    ]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("1"));
    expect_bytes(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx");
    ask(&mut stream, &body("2"));
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    assert_eq!(byte, [0xff]);
    expect_end(&mut stream);
}

#[test]
fn a_connection_that_the_client_wants_closed_is_closed() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    let text = body("x").to_string();
    let head = format!("connection: close\r\ncontent-length: {}\r\n", text.len());
    let request = format!("POST /chat/completions HTTP/1.1\r\n{head}\r\n{text}");
    stream.write_all(request.as_bytes()).unwrap();
    expect_bytes(&mut stream, &rendered(json!({"text": "ok"})));
    expect_end(&mut stream);
}

#[test]
fn a_client_may_ask_before_it_sends_the_body() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    let text = body("x").to_string();
    let head = format!("expect: 100-continue\r\ncontent-length: {}\r\n", text.len());
    write!(stream, "POST /chat/completions HTTP/1.1\r\n{head}\r\n").unwrap();
    expect_bytes(&mut stream, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    expect_bytes(&mut stream, &rendered(json!({"text": "ok"})));
}

#[test]
fn disconnect_after_closes_between_events() {
    for after in 0..=5 {
        let answer = json!({"text": ["a", "b"], "usage": null, "disconnect_after": after});
        let server = SseServer::start(json!([answer]));
        let mut stream = connect(&server);
        ask(&mut stream, &body("x"));
        expect_bytes(&mut stream, &rendered_up_to(answer, after));
        expect_end(&mut stream);
    }
}

#[test]
fn disconnect_rst_resets_after_what_was_sent() {
    let answer = json!({"text": ["a", "b"], "disconnect_after": 2, "disconnect_mode": "rst"});
    let server = SseServer::start(json!([answer]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    expect_bytes(&mut stream, &rendered_up_to(answer, 2));
    let error = stream.read(&mut [0; 1]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

#[test]
fn hang_after_sends_nothing_more_until_the_client_leaves() {
    let answer = json!({"text": ["a", "b"], "hang_after": 2});
    let server = SseServer::start(json!([answer]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    expect_bytes(&mut stream, &rendered_up_to(answer, 2));
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let error = stream.read(&mut [0; 1]).unwrap_err();
    assert!(matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut));
    assert_eq!(server.progress().abandoned, 0);
    stream.shutdown(Shutdown::Both).unwrap();
    assert!(server.wait_until(LIMIT, |progress| progress.abandoned == 1));
}

#[test]
fn pause_after_waits_for_the_test() {
    let answer = json!({"text": ["a", "b"], "pause_after": 2});
    let server = SseServer::start(json!([answer]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    expect_bytes(&mut stream, &rendered_up_to(answer.clone(), 2));
    assert!(server.wait_until(LIMIT, |progress| progress.paused == 1));
    server.resume();
    let whole = rendered(answer.clone());
    expect_bytes(&mut stream, &whole[rendered_up_to(answer, 2).len()..]);
}

#[test]
fn delays_change_nothing_but_time() {
    let answer = json!({"text": ["a", "b"], "delay_ms": 2, "first_delay_ms": 2});
    let server = SseServer::start(json!([answer]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    expect_bytes(&mut stream, &rendered(answer));
}

#[test]
fn a_long_answer_waits_for_a_slow_reader() {
    let answer = json!({"bulk": {"deltas": 50_000}});
    let server = SseServer::start(json!([answer]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    let expected = rendered(answer);
    assert!(expected.len() > 5_000_000);
    let mut got = vec![0; expected.len()];
    stream.read_exact(&mut got).unwrap();
    assert!(got == expected, "the bytes differ");
    assert_eq!(server.progress().abandoned, 0);
}

#[test]
fn load_changes_the_answers_and_keeps_the_record() {
    let server = SseServer::start(json!([{"text": "one"}]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("1"));
    expect_bytes(&mut stream, &rendered(json!({"text": "one"})));
    server.load(json!([{"text": "two"}]));
    ask(&mut stream, &body("2"));
    expect_bytes(&mut stream, &rendered(json!({"text": "two"})));
    assert_eq!(server.chat_bodies().len(), 2);
}

#[test]
fn an_invalid_request_is_answered_and_reported() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    let mut bad = body("x");
    bad["stream"] = json!(false);
    ask(&mut stream, &bad);
    expect_bytes(&mut stream, b"HTTP/1.1 200 OK\r\n");
    let mut stream = connect(&server);
    post(&mut stream, "/chat/completions", "{");
    expect_bytes(&mut stream, b"HTTP/1.1 200 OK\r\n");
    let mut stream = connect(&server);
    stream.write_all(b"nonsense\r\n\r\n").unwrap();
    expect_end(&mut stream);
    assert_eq!(
        server.take_violations(),
        [
            "chat request 1: `stream` is not true",
            "chat request 2: the body is not JSON: EOF while parsing an object at line 1 column 1",
            "a request is no valid HTTP: the first line is no request line",
        ]
    );
    server.assert_valid();
}

#[test]
#[should_panic(expected = "chat request 1: `model` is no text, or empty")]
fn dropping_the_server_reports_what_nobody_took() {
    let server = SseServer::start(json!([]));
    let mut stream = connect(&server);
    let mut bad = body("x");
    bad["model"] = json!("");
    ask(&mut stream, &bad);
    expect_bytes(&mut stream, b"HTTP/1.1 200 OK\r\n");
}

#[test]
fn a_refused_request_uses_up_no_answer() {
    let server = SseServer::start(json!([{"text": "one"}]));
    server.be_strict(&[StrictRule::NoStreamOptions]);
    let mut stream = connect(&server);
    let mut with = body("x");
    with["stream_options"] = json!({"include_usage": true});
    ask(&mut stream, &with);
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 422");
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    expect_bytes(&mut stream, &rendered(json!({"text": "one"})));
}

#[tokio::test]
async fn until_waits_inside_a_runtime() {
    let server = SseServer::start(json!([{"text": "a", "pause_after": 0}]));
    let mut stream = connect(&server);
    ask(&mut stream, &body("x"));
    server.until(|progress| progress.requests == 1 && progress.paused == 1).await;
    server.resume();
    expect_bytes(&mut stream, &rendered(json!({"text": "a"})));
}

#[test]
fn wait_until_gives_up_at_its_limit() {
    let server = SseServer::start(json!([]));
    assert!(!server.wait_until(Duration::from_millis(10), |progress| progress.requests == 1));
}
