//! Tests of the exported page: what it shows, and that it runs and loads nothing.

use super::outline::{self, Entry};
use super::samples::{self, HOSTILE, answer, hostile_everywhere, result, user};
use super::{ExportInput, to_html};
use html5gum::{DefaultEmitter, Token, Tokenizer};
use letscode_core::secrets::Secrets;
use letscode_wire::Message;
use serde_json::json;
use std::sync::Arc;

const ADDRESS: &str = "http://127.0.0.1:9";

/// The elements that a page may have, each with the attributes that it may have.
const ALLOWED: [(&str, &[&str]); 55] = [
    ("html", &["lang"]),
    ("head", &[]),
    ("meta", &["charset", "http-equiv", "content", "name"]),
    ("title", &[]),
    ("style", &[]),
    ("body", &[]),
    ("header", &["class"]),
    ("main", &[]),
    ("footer", &[]),
    ("article", &["class", "id"]),
    ("div", &["class", "dir"]),
    ("span", &["class"]),
    ("time", &["datetime"]),
    ("h1", &["dir"]),
    ("h2", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("p", &["class"]),
    ("a", &["href", "rel"]),
    ("img", &["alt", "src"]),
    ("details", &["class", "open"]),
    ("summary", &[]),
    ("dl", &["class"]),
    ("dt", &[]),
    ("dd", &[]),
    ("pre", &["class"]),
    ("code", &[]),
    ("bdi", &[]),
    ("mark", &[]),
    ("strong", &[]),
    ("em", &[]),
    ("b", &[]),
    ("i", &[]),
    ("ins", &[]),
    ("del", &[]),
    ("br", &[]),
    ("hr", &[]),
    ("blockquote", &[]),
    ("ul", &[]),
    ("ol", &["start"]),
    ("li", &[]),
    ("table", &[]),
    ("thead", &[]),
    ("tbody", &[]),
    ("tr", &[]),
    ("th", &["class"]),
    ("td", &["class"]),
    // Kept apart: these have no end tag.
    ("!void", &["meta"]),
    ("!void", &["img"]),
    ("!void", &["br"]),
    ("!void", &["hr"]),
    ("!picture", &["data:image/png;base64,"]),
    ("!policy", &["default-src 'none'; style-src 'sha256-"]),
];

fn page(title: &str, model: &str, transcript: &[Arc<Message>], secrets: &Secrets) -> String {
    to_html(&ExportInput {
        title,
        model,
        date: "2026-11-30",
        version: "1.2.3",
        transcript,
        secrets,
    })
}

/// Reads a page as a browser does and checks that nothing in it can run or load anything.
fn check_inert(page: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let name = utf8(&tag.name);
                let attributes: Vec<(String, String)> =
                    tag.attributes.iter().map(|(key, value)| (utf8(key), utf8(value))).collect();
                check_start(&name, &attributes);
                if !ALLOWED.iter().any(|(key, names)| *key == "!void" && names.contains(&&*name)) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop(), Some(utf8(&tag.name)), "in {page}"),
            Token::Comment(comment) => panic!("a comment: {:?}", utf8(&comment)),
            Token::Error(error) => panic!("{error:?} in {page}"),
            Token::String(text) => {
                let text = utf8(&text);
                let is_odd =
                    |character: char| character.is_control() && !"\t\n".contains(character);
                assert!(!text.contains(is_odd), "{text:?}");
                assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{text:?}");
            }
            Token::Doctype(_) => {}
        }
    }
    assert_eq!(open, [""; 0], "never closed");
}

fn check_start(name: &str, attributes: &[(String, String)]) {
    let allowed = ALLOWED.iter().find(|(element, _)| *element == name);
    let (_, allowed) = allowed.unwrap_or_else(|| panic!("<{name}> in the page"));
    for (key, value) in attributes {
        assert!(allowed.contains(&key.as_str()), "{key}={value:?} in <{name}>");
        let is_fine = match key.as_str() {
            "href" => ["http://", "https://", "mailto:", "#m"]
                .iter()
                .any(|start| value.starts_with(start)),
            "src" => value.starts_with("data:image/png;base64,iVBOR"),
            "http-equiv" => value == "Content-Security-Policy",
            "rel" => value == "noopener noreferrer nofollow",
            "id" => value.strip_prefix('m').is_some_and(|number| number.parse::<u64>().is_ok()),
            _ => true,
        };
        assert!(is_fine, "{key}={value:?} in <{name}>");
    }
    let is_outward = |value: &str| name == "a" && !value.starts_with('#');
    if attributes.iter().any(|(key, value)| key == "href" && is_outward(value)) {
        assert!(attributes.iter().any(|(key, _)| key == "rel"), "a link without rel");
    }
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn hostile_text_is_text_wherever_it_stands() {
    for text in HOSTILE {
        let text = text.replace("ADDRESS", ADDRESS);
        check_inert(&page(&text, &text, &hostile_everywhere(&text), &Secrets::default()));
    }
}

#[test]
fn hostile_texts_that_meet_are_still_text() {
    check_inert(&page("", "", &samples::hostile(ADDRESS), &Secrets::default()));
    let joined = HOSTILE.join("").replace("ADDRESS", ADDRESS);
    check_inert(&page(&joined, &joined, &hostile_everywhere(&joined), &Secrets::default()));
}

#[test]
fn the_check_of_pages_sees_what_is_active() {
    for bad in ["<script></script>", "<p onclick=x></p>", "<img src=http://a/>", "<p>", "<!---->"] {
        let bad = bad.to_owned();
        assert!(std::panic::catch_unwind(|| check_inert(&bad)).is_err(), "{bad}");
    }
}

#[test]
fn the_policy_names_the_style_sheet_of_the_page() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let page = page("", "", &[], &Secrets::default());
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let hash = base64::prelude::BASE64_STANDARD.encode(sha2::Sha256::digest(style));
    let policy = format!(
        "default-src &#39;none&#39;; style-src &#39;sha256-{hash}&#39;; img-src data:; \
         base-uri &#39;none&#39;; form-action &#39;none&#39;"
    );
    assert!(page.contains(&policy), "{page}");
    assert!(page.find("Content-Security-Policy").unwrap() < page.find("<style>").unwrap());
    for active in ["url(", "@import", "expression", "http"] {
        assert!(!style.contains(active), "{active}");
    }
}

#[test]
fn a_small_session_is_shown_whole() {
    let page = page("Fix the parser", "demo-model", &samples::small(), &Secrets::default());
    check_inert(&page);
    let body = page.split_once("<body>").unwrap().1.replace(samples::PIXEL, "PIXEL");
    insta::assert_snapshot!(body);
}

#[test]
fn a50_no_key_is_on_the_page() {
    let key = "sk-test_0123456789";
    let secrets = Secrets::new([key], []);
    let text = format!("before {key} after, `{key}`, [x](https://example.org/?key={key})");
    let page = page(&text, &text, &hostile_everywhere(&text), &secrets);
    assert!(page.contains("[key hidden]"));
    assert!(!page.contains(key));
    // A key where a long text is cut must not leave its half.
    let cut =
        format!("{}{key}{}", "x".repeat(super::clip::LONGEST_TEXT / 4 * 3 - 8), "y".repeat(9000));
    let transcript =
        [answer("", "", &[("bash", json!({"command": cut}))]), result(0, &cut, &json!({}))];
    let page = self::page("", "", &transcript, &secrets);
    assert!(!page.contains("sk-test"), "a part of the key is left");
}

#[test]
fn results_go_to_their_calls_even_where_ids_come_again() {
    let call = [("bash", json!({"command": "a"})), ("bash", json!({"command": "b"}))];
    let transcript = [
        result(0, "lost", &json!({})),
        answer("", "", &call),
        result(1, "b1", &json!({})),
        result(0, "a1", &json!({})),
        result(0, "again", &json!({})),
        answer("", "", &call),
        result(0, "a2", &json!({})),
        user("next"),
        result(1, "late", &json!({})),
    ];
    let shown: Vec<String> = outline::entries(&transcript)
        .iter()
        .map(|entry| match entry {
            Entry::User(_) => "user".to_owned(),
            Entry::Custom(_) => "custom".to_owned(),
            Entry::LooseResult(result) => {
                format!("loose {}", letscode_wire::text_of(&result.content))
            }
            Entry::Answer(_, calls) => {
                let results = calls.iter().map(|call| {
                    call.result
                        .map_or("none".to_owned(), |result| letscode_wire::text_of(&result.content))
                });
                format!("answer {}", results.collect::<Vec<_>>().join(" "))
            }
        })
        .collect();
    assert_eq!(
        shown,
        ["loose lost", "answer a1 b1", "loose again", "answer a2 none", "user", "loose late"]
    );
}

#[test]
fn five_thousand_messages_make_a_page_in_proportion() {
    let output = "test result: ok. 12 passed <in> 0.4 s & more\n".repeat(2_000);
    let call = [("bash", json!({"command": "cargo test"}))];
    let turn = [
        user("Go on."),
        answer("## Next\n\nSome **text** with `code`.\n\n- a\n- b\n", "thinking", &call),
        result(0, &output, &json!({"exit_code": 0})),
        answer("Done.", "", &[]),
    ];
    let transcript: Vec<Arc<Message>> = turn.iter().cycle().take(5_000).cloned().collect();
    let page = page("", "", &transcript, &Secrets::default());
    assert!(page.contains("id=\"m3750\""), "every entry is there");
    // 90 KB went into each result; 16 KiB of it, escaped, are shown.
    assert!(page.len() < 1_250 * 24 * 1024, "{}", page.len());
}

/// Not a test: writes pages to look at in a browser into the folder that `EXPORT_PAGES` names.
/// `EXPORT_ADDRESS` is what the hostile texts try to reach.
#[test]
#[ignore = "writes pages to look at"]
#[expect(clippy::disallowed_methods, reason = "the one who runs it says where the pages go")]
fn pages_for_a_browser() {
    let folder = std::path::PathBuf::from(std::env::var_os("EXPORT_PAGES").unwrap());
    let address = std::env::var("EXPORT_ADDRESS").unwrap_or_else(|_| ADDRESS.to_owned());
    let title = "</title><script>alert(1)</script> \u{202e}Hostile";
    let write = |name: &str, title: &str, transcript: &[Arc<Message>]| {
        let page = page(title, "demo-model", transcript, &Secrets::default());
        std::fs::write(folder.join(name), page).unwrap();
    };
    write("small.html", "Fix the parser", &samples::small());
    write("hostile.html", title, &samples::hostile(&address));
}
