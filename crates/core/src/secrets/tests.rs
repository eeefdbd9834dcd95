//! Tests of hiding secrets in text.

use super::{MASK, Secrets};
use proptest::prelude::*;
use std::borrow::Cow;

fn secrets(values: &[&str]) -> Secrets {
    Secrets::new(values, [])
}

#[test]
fn a50_a_key_is_masked_wherever_it_stands() {
    let key = "sk-0123456789";
    let secrets = secrets(&[key]);
    for (text, expected) in [
        (format!("Authorization: Bearer {key}"), format!("Authorization: Bearer {MASK}")),
        (key.to_owned(), MASK.to_owned()),
        (format!("{key}{key}"), format!("{MASK}{MASK}")),
        (format!("ä{key}ö"), format!("ä{MASK}ö")),
        (format!("{{\"env\":\"K={key}\\n\"}}"), format!("{{\"env\":\"K={MASK}\\n\"}}")),
    ] {
        assert_eq!(secrets.mask(text), expected);
    }
}

#[test]
fn a50_a_key_is_masked_inside_json_too() {
    let key = r#"a"b\c/d-0123456789"#;
    let secrets = secrets(&[key]);
    let json = serde_json::json!({ "out": format!("<{key}>") }).to_string();
    assert_eq!(secrets.mask(&json), format!("{{\"out\":\"<{MASK}>\"}}"));
    assert_eq!(secrets.mask(json.replace('/', "\\/")), format!("{{\"out\":\"<{MASK}>\"}}"));
}

#[test]
fn a_key_that_starts_or_ends_with_a_quote_is_masked_inside_json() {
    let key = "\"0123456789\"";
    let json = serde_json::json!(format!("<{key}>")).to_string();
    assert!(!secrets(&[key]).mask(&json).contains("0123456789"), "{json}");
}

#[test]
fn short_values_and_other_text_stay_and_cost_no_copy() {
    let secrets = secrets(&["ollama", "123456789", "  ", "sk-0123456789"]);
    let text = "ollama 123456789 sk-012345678";
    assert!(matches!(secrets.mask(text), Cow::Borrowed(same) if same == text));
}

#[test]
fn the_longer_of_two_nested_keys_goes_as_a_whole() {
    let secrets = secrets(&["0123456789", "0123456789-admin"]);
    assert_eq!(secrets.mask("0123456789-admin 0123456789"), format!("{MASK} {MASK}"));
}

#[test]
fn values_are_trimmed_before_they_are_looked_for() {
    assert_eq!(secrets(&[" sk-0123456789\n"]).mask("sk-0123456789"), MASK);
}

#[test]
fn variables_come_sorted_and_once() {
    let names = ["B_KEY", "A_KEY", "B_KEY"].map(str::to_owned);
    assert_eq!(Secrets::new([""; 0], names).variables(), ["A_KEY", "B_KEY"]);
}

#[test]
fn a50_keys_that_come_later_are_hidden_beside_those_before() {
    let hidden = Secrets::new(["sk-0123456789"], ["A_KEY".to_owned()]);
    hidden.extend(Secrets::new(["sk-0123456789-long", "sk-0123456789"], ["B_KEY".to_owned()]));
    assert_eq!(hidden.mask("sk-0123456789-long"), MASK, "the longest goes first");
    assert_eq!(hidden.mask("a sk-0123456789 b"), format!("a {MASK} b"));
    assert!(hidden.are_in(b"x sk-0123456789-long"));
    assert_eq!(hidden.variables(), ["A_KEY", "B_KEY"]);
}

#[test]
fn a50_debug_output_shows_no_key() {
    assert!(!format!("{:?}", secrets(&["sk-0123456789"])).contains("0123456789"));
}

proptest! {
    #[test]
    fn no_key_survives_masking(
        key in "[a-z0-9/\"\\\\-]{10,24}",
        before in ".{0,20}",
        after in ".{0,20}",
    ) {
        let secrets = secrets(&[&key]);
        let text = format!("{before}{key}{after}");
        prop_assert!(!secrets.mask(&text).contains(&key));
        let mut value = serde_json::Value::from(text);
        let escaped = serde_json::Value::from(key.as_str()).to_string();
        let masked = secrets.mask(value.to_string()).into_owned();
        prop_assert!(!masked.contains(&escaped[1..escaped.len() - 1]));
        secrets.mask_value(&mut value);
        prop_assert!(!value.as_str().unwrap_or_default().contains(&key));
    }
}

#[test]
fn a50_a_key_inside_a_value_is_masked_and_escapes_stay_whole() {
    let secrets = Secrets::new(["nsecret-key-1"], []);
    let mut value = serde_json::json!({"a": ["x\nsecret-key-1", "nsecret-key-1"], "b": 1});
    secrets.mask_value(&mut value);
    assert_eq!(value, serde_json::json!({"a": ["x\nsecret-key-1", MASK], "b": 1}));
}
