//! Tests of choosing a proxy.

use super::*;

fn settings(http: &str, https: &str, all: &str, no_proxy: &str) -> ProxySettings {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ProxySettings { http: text(http), https: text(https), all: text(all), no_proxy: text(no_proxy) }
}

fn through(base: &str, settings: &ProxySettings) -> Option<String> {
    proxy_for(&base.parse().unwrap(), settings).unwrap()
}

#[test]
fn w50_each_scheme_has_its_proxy_and_one_for_all() {
    let own = settings("http://p:1", "http://p:2", "socks5://p:3", "");
    assert_eq!(through("http://h/v1", &own).as_deref(), Some("http://p:1"));
    assert_eq!(through("https://h/v1", &own).as_deref(), Some("http://p:2"));
    let all = settings("", "", "socks5h://p:3", "");
    assert_eq!(through("http://h/v1", &all).as_deref(), Some("socks5h://p:3"));
    assert_eq!(through("https://h/v1", &all).as_deref(), Some("socks5h://p:3"));
    assert_eq!(through("https://h/v1", &ProxySettings::default()), None);
    assert_eq!(through("https://h/v1", &settings("http://p:1", " ", "", "")), None);
}

#[test]
fn w50_proxy_schemes() {
    let table = [
        ("socks://p:1", Some("socks5://p:1")),
        ("p:1", Some("http://p:1")),
        ("https://p", Some("https://p")),
        ("socks4a://p", Some("socks4a://p")),
        ("ftp://p", None),
    ];
    for (proxy, expected) in table {
        let found = proxy_for(&"http://h/v1".parse().unwrap(), &settings("", "", proxy, ""));
        assert_eq!(found.ok().flatten().as_deref(), expected, "{proxy}");
    }
}

#[test]
fn w50_loopback_never_goes_through_a_proxy() {
    let all = settings("", "", "http://127.0.0.1:9", "");
    for base in ["http://127.0.0.1:1/v1", "http://localhost/v1", "https://[::1]/v1"] {
        assert_eq!(through(base, &all), None, "{base}");
    }
}

#[test]
fn w50_exceptions() {
    let table = [
        ("http://api.example.com/v1", "example.com", true),
        ("http://api.example.com/v1", ".example.com", true),
        ("http://api.example.com/v1", "*.example.com", true),
        ("http://API.Example.com/v1", "other, EXAMPLE.com", true),
        ("http://api.example.com/v1", "ample.com", false),
        ("http://api.example.com/v1", "*", true),
        ("http://api.example.com/v1", "", false),
        ("http://api.example.com/v1", " , ,", false),
        ("http://api.example.com:8080/v1", "example.com:8080", true),
        ("http://api.example.com:8080/v1", "example.com:80", false),
        ("http://10.1.2.3/v1", "10.0.0.0/8", true),
        ("http://11.1.2.3/v1", "10.0.0.0/8", false),
        ("http://10.1.2.3/v1", "10.1.2.3", true),
        ("http://10.1.2.3/v1", "0.0.0.0/0", true),
        ("http://10.1.2.3/v1", "10.1.2.3/33", false),
        ("http://[fd00::5]/v1", "fd00::/8", true),
        ("http://[fd00::5]:80/v1", "[fd00::5]:80", true),
        ("http://[fd00::5]/v1", "fe80::/10", false),
        ("http://192.168.0.7:8000/v1", "192.168.0.0/16:8000", true),
    ];
    for (base, no_proxy, exempt) in table {
        let found = through(base, &settings("http://p:1", "", "", no_proxy));
        assert_eq!(found.is_none(), exempt, "{base} {no_proxy}");
    }
}

#[test]
fn shown_proxies_have_no_password() {
    assert_eq!(shown("http://me:p@ss@host:3128/"), "http://host:3128");
    assert_eq!(shown("socks5://host:1080"), "socks5://host:1080");
}
