//! Tests of telling what an error answer means.

use super::*;
use ModelErrorKind::{
    Authentication, ContextOverflow, Filtered, NotAnEndpoint, Quota, RateLimited, Rejected, Server,
};

fn scene() -> Scene {
    Scene {
        model: "m".to_owned(),
        provider: "acme".to_owned(),
        url: "http://h:1/v1/chat/completions".to_owned(),
        key: Some(Secret::new("sk-0123456789")),
        tools: vec!["read".to_owned(), "odd".to_owned()],
    }
}

fn failure(status: u16, body: &str) -> Failure {
    let status = StatusCode::from_u16(status).unwrap();
    from_response(&scene(), status, &HeaderMap::new(), body.as_bytes())
}

fn message(status: u16, body: &str) -> String {
    failure(status, body).message
}

fn in_stream(body: &str) -> Failure {
    from_error_object(&scene(), body.as_bytes())
}

#[test]
fn w67_the_best_message_of_every_shape() {
    let table = [
        (400, r#"[{"error":{"code":400,"message":"A","status":"INVALID_ARGUMENT"}}]"#, "A"),
        (
            422,
            r#"{"object":"error","message":{"detail":[{"loc":["body","x"],"msg":"B"}]}}"#,
            "body.x: B",
        ),
        (400, r#"{"error_code":"INVALID_PARAMETER_VALUE","message":"C"}"#, "C"),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,
                "metadata":{"raw":"{\"message\":\"D\"}","provider_name":"Mistral"}}}"#,
            "D (from Mistral)",
        ),
        (400, "", "the server gives no reason"),
        (400, " \n", "the server gives no reason"),
        (502, "<html><body>Bad gateway</body></html>", "Bad gateway"),
        (
            502,
            "<!DOCTYPE html><html><head><style>b{}</style><title> 502 Oops </title></head>x</html>",
            "502 Oops",
        ),
        (500, "<p>one</p><script>var x = '<b>';</script><p>two", "one two"),
        (422, r#"{"detail":"E"}"#, "E"),
        (
            422,
            r#"{"detail":[{"loc":["body","a"],"msg":"F"},{"loc":["body",0],"msg":"G"}]}"#,
            "body.a: F; body.0: G",
        ),
        (400, r#"{"error":"H"}"#, "H"),
        (400, r#"{"error":{"message":"{\"error\":{\"message\":\"I\"}}"}}"#, "I"),
        (400, r#"{"errors":["J","K"]}"#, "J; K"),
        (400, r#"{"error":{"type":"odd_error"}}"#, "odd_error"),
        (400, r#"{"title":"L","status":400}"#, "L"),
        (503, "busy", "busy"),
        (400, r#"{"unheard":"of"}"#, r#"{"unheard":"of"}"#),
        (400, r#"{"error":{"message":"{not json"}}"#, "{not json"),
        (400, "null", "null"),
    ];
    for (status, body, expected) in table {
        let found = message(status, body);
        let reason = StatusCode::from_u16(status).unwrap();
        let start = format!("HTTP {reason}: {expected} (m at http://h:1/v1/chat/completions)");
        assert!(found.starts_with(&start), "{body}\n{found}");
    }
}

#[test]
fn w67_one_clean_line_of_bounded_length() {
    let body = format!("a\r\n\tb\u{1b}[31m\u{0}{}", "é".repeat(4000));
    let found = message(400, &body);
    assert!(!found.chars().any(char::is_control), "{found}");
    assert!(found.contains(": a b [31m é"), "{found}");
    assert!(found.len() < 640, "{}", found.len());
    assert!(found.contains('…'));
    assert!(
        from_response(&scene(), StatusCode::BAD_REQUEST, &HeaderMap::new(), &[0xff, 0xfe])
            .message
            .starts_with("HTTP 400")
    );
}

#[test]
fn a_status_without_a_phrase_is_its_number() {
    assert!(message(599, "x").starts_with("HTTP 599: x"), "{}", message(599, "x"));
    assert!(message(503, "x").starts_with("HTTP 503 Service Unavailable: x"));
    let found = in_stream(r#"{"error":{"code":598,"message":"x"}}"#).message;
    assert!(found.starts_with("HTTP 598 error in the answer: x"), "{found}");
}

#[test]
fn w67_the_request_id_helps_support() {
    let mut headers = HeaderMap::new();
    headers.insert("x-request-id", "req_7".parse().unwrap());
    let failure = from_response(&scene(), StatusCode::BAD_GATEWAY, &headers, b"x");
    assert!(failure.message.contains("x [request req_7] (m at"), "{}", failure.message);
}

#[test]
fn the_key_is_masked_wherever_a_server_echoes_it() {
    let body = r#"{"error":{"message":"bad key sk-0123456789 (sk-0123456789)"}}"#;
    assert!(
        message(401, body).contains("bad key [key hidden] ([key hidden])"),
        "{}",
        message(401, body)
    );
    let long = format!("{} sk-0123456789", "x".repeat(490));
    assert!(!message(400, &long).contains("sk-0"));
    assert!(!in_stream(r#"{"error":"sk-0123456789"}"#).message.contains("sk-0"));
    let mut short = scene();
    short.key = Some(Secret::new("bad"));
    let found = from_response(&short, StatusCode::UNAUTHORIZED, &HeaderMap::new(), b"bad key");
    assert!(found.message.contains("bad key"), "{}", found.message);
}

#[test]
fn hints_say_what_to_do() {
    assert!(message(401, "x").ends_with("; check the API key for acme"));
    assert!(message(403, "x").ends_with("; check that the API key for acme may use this model"));
    assert!(message(404, "x").ends_with("; check the base URL and the model's name"));
    assert!(message(402, "x").ends_with("; check credit and billing at acme"));
    let keyless = Scene { key: None, ..scene() };
    let found = from_response(&keyless, StatusCode::UNAUTHORIZED, &HeaderMap::new(), b"x");
    assert!(found.message.ends_with("; no API key was sent: set the one for acme"));
}

#[test]
fn w65_overflow_and_what_only_looks_like_it() {
    let table = [
        (
            400,
            r#"{"error":{"message":"You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}"#,
            ContextOverflow,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"request (180283 tokens) exceeds the available context size (180224 tokens)","type":"exceed_context_size_error","n_prompt_tokens":180283,"n_ctx":180224}}"#,
            ContextOverflow,
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens","type":"BadRequestError","code":400}}"#,
            ContextOverflow,
        ),
        (400, r#"{"error":{"message":"x","code":"string_above_max_length"}}"#, ContextOverflow),
        (413, "", ContextOverflow),
        (500, r#"{"error":{"message":"the prompt is too long"}}"#, ContextOverflow),
        (422, r#"{"detail":"too many tokens in the prompt"}"#, ContextOverflow),
        (400, "input length and max_tokens exceed the limit", ContextOverflow),
        (
            429,
            r#"{"error":{"message":"Request too large: tokens per minute limit 6000","code":"rate_limit_exceeded"}}"#,
            RateLimited,
        ),
        (400, "too many tokens per minute", Rejected),
        (400, r#"{"error":{"message":"no such model"}}"#, Rejected),
    ];
    for (status, body, expected) in table {
        assert_eq!(failure(status, body).kind, expected, "{body}");
    }
    let found = in_stream(r#"{"error":{"code":400,"message":"maximum context length is 5"}}"#);
    assert_eq!(found.kind, ContextOverflow);
    assert_eq!(found.refusal, None);
}

#[test]
fn w66_quota_is_final_and_a_rate_limit_is_not() {
    let table = [
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
            Quota,
        ),
        (402, r#"{"error":"pay"}"#, Quota),
        (429, r#"{"error":{"code":"1113","message":"Insufficient balance or no package"}}"#, Quota),
        (403, "Your credit balance is too low", Quota),
        (429, r#"{"error":{"message":"You exceeded your current quota, check billing"}}"#, Quota),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"9s"}]}}]"#,
            RateLimited,
        ),
        (429, r#"{"error":{"message":"slow down"}}"#, RateLimited),
        (429, "", RateLimited),
    ];
    for (status, body, expected) in table {
        assert_eq!(failure(status, body).kind, expected, "{body}");
    }
    let waiting =
        failure(429, r#"{"error":{"message":"Rate limit reached. Please try again in 1.5s."}}"#);
    assert_eq!(waiting.wait, Some(Duration::from_millis(1500)));
}

#[test]
fn w68_statuses() {
    for status in [408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529] {
        assert_eq!(failure(status, "x").kind, Server, "{status}");
        assert!(failure(status, "x").kind.is_retryable());
    }
    for status in [400, 404, 405, 406, 410, 415, 422, 501] {
        assert_eq!(failure(status, "x").kind, Rejected, "{status}");
    }
    for status in [401, 403, 407] {
        assert_eq!(failure(status, "x").kind, Authentication, "{status}");
    }
}

#[test]
fn keys_and_filters_behind_unusual_statuses() {
    let google =
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#;
    assert_eq!(failure(400, google).kind, Authentication);
    assert_eq!(failure(403, r#"{"error":"your input was flagged"}"#).kind, Filtered);
    assert_eq!(failure(400, r#"{"error":{"message":"x","code":"content_filter"}}"#).kind, Filtered);
}

#[test]
fn redirects_are_shown_not_followed() {
    let mut headers = HeaderMap::new();
    headers.insert("location", "https://elsewhere/v1".parse().unwrap());
    let found = from_response(&scene(), StatusCode::MOVED_PERMANENTLY, &headers, b"");
    assert_eq!(found.kind, NotAnEndpoint);
    assert!(found.message.contains("redirects to https://elsewhere/v1"), "{}", found.message);
}

#[test]
fn w39_errors_in_a_stream_are_classified_like_a_status() {
    let table = [
        (r#"{"error":{"code":502,"message":"Provider disconnected"}}"#, Server, "HTTP 502"),
        (r#"{"error":{"code":"429","message":"slow"}}"#, RateLimited, "HTTP 429"),
        (r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, Server, "Overloaded"),
        (r#"{"error":"quota exceeded"}"#, Quota, "quota exceeded"),
        (r#"{"error":{"code":"insufficient_quota","message":"x"}}"#, Quota, "x"),
        (r#"{"error":{"type":"invalid_request_error","message":"bad"}}"#, Rejected, "bad"),
        (r#"{"error":{"code":400,"message":"bad"}}"#, Rejected, "HTTP 400"),
        (r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#, RateLimited, "x"),
        (r#"{"error":{"code":401,"message":"x"}}"#, Authentication, "HTTP 401"),
        (r#"{"error":{"type":"authentication_error"}}"#, Authentication, "authentication_error"),
        (r#"{"error":"something broke"}"#, Server, "something broke"),
        ("plain words", Server, "plain words"),
        ("", Server, "the server gives no reason"),
    ];
    for (body, kind, words) in table {
        let found = in_stream(body);
        assert_eq!(found.kind, kind, "{body}");
        assert!(found.message.contains(words), "{body}: {}", found.message);
    }
}

#[test]
fn w58_a_bad_tool_is_named() {
    let body = r#"{"error":{"message":"Invalid schema","param":"tools[1].function.parameters"}}"#;
    assert!(message(400, body).contains("Invalid schema [tool `odd`]"), "{}", message(400, body));
    let google = r#"[{"error":{"message":"tools[0].function_declarations[1].parameters: bad"}}]"#;
    assert!(message(400, google).contains("[tool `"), "{}", message(400, google));
    assert!(!message(400, r#"{"error":"tools[9] is bad"}"#).contains("[tool"));
}

#[test]
fn refusals_come_with_what_they_name() {
    let found = failure(
        422,
        r#"{"message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra","input":{"reasoning_effort":1}}]}}"#,
    );
    let named = found.refusal.unwrap().named;
    assert!(named.contains("body.stream_options: extra"), "{named}");
    assert!(!named.contains("reasoning_effort"), "an echo of the request is no reason");
    assert_eq!(failure(400, "").refusal, Some(Refusal { named: String::new() }));
    assert_eq!(failure(401, "x").refusal, None);
    assert_eq!(failure(500, "x").refusal, None);
}

#[test]
fn w47_only_a_missing_path_is_a_wrong_path() {
    assert!(failure(404, "404 page not found").wrong_path);
    assert!(failure(405, "<html>Method Not Allowed</html>").wrong_path);
    assert!(failure(404, "").wrong_path);
    assert!(!failure(404, r#"{"error":{"message":"model 'x' not found"}}"#).wrong_path);
    assert!(!failure(400, "x").wrong_path);
    assert!(
        in_stream(r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#)
            .wrong_path
    );
    let page = from_page(&scene(), b"<html><title>Welcome</title>");
    assert!(page.wrong_path && page.kind == NotAnEndpoint);
    assert!(page.message.contains("web page, not as a model: Welcome (m at http://h:1/v1"));
}
