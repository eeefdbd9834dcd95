//! Tests of making URLs from a base URL.

use super::*;

fn urls(base: &str) -> (String, Option<String>) {
    let endpoint = resolve(base).unwrap();
    (endpoint.url.to_string(), endpoint.versioned.map(|url| url.to_string()))
}

#[test]
fn w47_base_url_table() {
    let table: &[(&str, &str, Option<&str>)] = &[
        ("http://h:1", "http://h:1/chat/completions", Some("http://h:1/v1/chat/completions")),
        ("http://h:1/", "http://h:1/chat/completions", Some("http://h:1/v1/chat/completions")),
        (" http://h:1// \n", "http://h:1/chat/completions", Some("http://h:1/v1/chat/completions")),
        ("http://h:1/v1", "http://h:1/v1/chat/completions", None),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions", None),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions", None),
        ("https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions", None),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions", None),
        ("https://h/v1/chat/completions/", "https://h/v1/chat/completions", None),
        (
            "http://h/chat/completions",
            "http://h/chat/completions",
            Some("http://h/v1/chat/completions"),
        ),
        (
            "https://h/api",
            "https://h/api/chat/completions",
            Some("https://h/api/v1/chat/completions"),
        ),
        (
            "https://h/vllm/",
            "https://h/vllm/chat/completions",
            Some("https://h/vllm/v1/chat/completions"),
        ),
        (
            "https://h/openai/deployments/d?api-version=2024-10-21",
            "https://h/openai/deployments/d/chat/completions?api-version=2024-10-21",
            None,
        ),
        ("http://h:1/v1#part", "http://h:1/v1/chat/completions", None),
        (
            "http://h:1/x?a=b",
            "http://h:1/x/chat/completions?a=b",
            Some("http://h:1/x/v1/chat/completions?a=b"),
        ),
    ];
    for (base, url, versioned) in table {
        assert_eq!(urls(base), ((*url).to_owned(), versioned.map(str::to_owned)), "{base}");
    }
}

#[test]
fn w47_unusable_base_urls_say_what_to_do() {
    for base in ["", "localhost:11434", "ftp://h/v1", "http://", "h/v1"] {
        let error = resolve(base).unwrap_err().to_string();
        assert!(error.starts_with("the base URL `"), "{error}");
        assert!(!error.contains('\n'));
    }
    let error = resolve("localhost:11434").unwrap_err().to_string();
    assert!(error.contains("must begin with http://"), "{error}");
}

#[test]
fn shown_urls_hide_secrets() {
    let url = Url::parse("https://me:pass@h/v1?api-version=1&api_key=k1&sig=s1").unwrap();
    assert_eq!(shown(&url), "https://h/v1?api-version=1&api_key=***&sig=***");
    let error = resolve("ftp://me:pass@h/v1").unwrap_err().to_string();
    assert!(!error.contains("pass"), "{error}");
}

#[test]
fn host_and_loopback() {
    let table = [
        ("http://localhost:11434/v1", "localhost:11434", true),
        ("http://127.0.0.1/v1", "127.0.0.1", true),
        ("http://127.8.9.1:80/v1", "127.8.9.1", true),
        ("http://[::1]:8080/v1", "[::1]:8080", true),
        ("http://models.localhost/v1", "models.localhost", true),
        ("http://0.0.0.0:8000/v1", "0.0.0.0:8000", true),
        ("https://api.openai.com/v1", "api.openai.com", false),
        ("http://192.168.1.5:8000/v1", "192.168.1.5:8000", false),
        ("http://localhost.example.com/v1", "localhost.example.com", false),
    ];
    for (base, host, loopback) in table {
        let endpoint = resolve(base).unwrap();
        assert_eq!((endpoint.host().as_str(), endpoint.is_loopback()), (host, loopback), "{base}");
    }
}
