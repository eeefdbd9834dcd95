//! Tests of counting tokens.

use super::*;

/// Returns the usage after all of `objects`, oldest first.
fn usage_of(objects: &[&str]) -> Option<Usage> {
    let mut tally = UsageTally::default();
    for json in objects {
        if let Some(figures) = serde_json::from_str::<Object<UsageFigures>>(json).unwrap().0 {
            tally.take(&figures);
        }
    }
    tally.usage()
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

#[test]
fn w34_partial_or_no_figures() {
    let none = ["{}", "null", "[]", "7", r#"{"prompt_tokens":null,"total_tokens":3}"#];
    for json in none {
        assert_eq!(usage_of(&[json]), None, "{json}");
    }
    assert_eq!(usage_of(&[r#"{"prompt_tokens":5}"#]), Some(usage(5, 0)));
    assert_eq!(usage_of(&[r#"{"completion_tokens":2,"prompt_tokens":null}"#]), Some(usage(0, 2)));
    let odd = r#"{"prompt_tokens":"5","completion_tokens":2.0,"prompt_tokens_details":[],"completion_tokens_details":null,"cost":"x"}"#;
    assert_eq!(usage_of(&[odd]), Some(usage(5, 2)));
    assert_eq!(usage_of(&[r#"{"prompt_tokens":-5,"completion_tokens":true}"#]), None);
}

#[test]
fn w33_newest_figure_counts() {
    let first = r#"{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}"#;
    let second = r#"{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}"#;
    assert_eq!(usage_of(&[first, second, "null", "{}"]), Some(usage(5, 2)));
    assert_eq!(usage_of(&[first, r#"{"completion_tokens":9}"#]), Some(usage(5, 9)));
}

#[test]
fn w36_cached_tokens_under_all_names() {
    let objects = [
        r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90}}"#,
        r#"{"prompt_tokens":100,"completion_tokens":5,"cached_tokens":90}"#,
        r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":90,"prompt_cache_miss_tokens":10}"#,
        r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90},"cached_tokens":80,"prompt_cache_hit_tokens":70}"#,
    ];
    for json in objects {
        let expected = Usage { cache_read_tokens: 90, ..usage(100, 5) };
        assert_eq!(usage_of(&[json]), Some(expected), "{json}");
    }
}

#[test]
fn w36_cache_figures_are_part_of_the_prompt() {
    let json = r#"{"prompt_tokens":10,"cached_tokens":90,"prompt_tokens_details":{"cache_write_tokens":20}}"#;
    let expected = Usage { cache_read_tokens: 10, cache_creation_tokens: 10, ..usage(10, 0) };
    assert_eq!(usage_of(&[json]), Some(expected));
    let json = r#"{"input_tokens":50,"output_tokens":4,"cache_creation_input_tokens":20}"#;
    assert_eq!(usage_of(&[json]), Some(Usage { cache_creation_tokens: 20, ..usage(50, 4) }));
}

#[test]
fn reasoning_tokens_and_cost() {
    let json = r#"{"prompt_tokens":1,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":7,"audio_tokens":0},"cost":0.0125,"is_byok":false}"#;
    let expected = Usage { reasoning_tokens: 7, cost_usd: Some(0.0125), ..usage(1, 9) };
    assert_eq!(usage_of(&[json]), Some(expected));
    assert_eq!(usage_of(&[r#"{"prompt_tokens":1,"cost":0}"#]).unwrap().cost_usd, Some(0.0));
    assert_eq!(usage_of(&[r#"{"prompt_tokens":1,"cost":-1}"#]).unwrap().cost_usd, None);
    assert_eq!(usage_of(&[r#"{"prompt_tokens":1,"cost":null}"#]).unwrap().cost_usd, None);
}
