//! Each matcher: what fits, and what it says of what does not.
#![expect(clippy::needless_pass_by_value, reason = "literals read better without ampersands")]

use super::*;
use serde_json::json;

#[track_caller]
fn fits(matcher: Value, value: Value) {
    assert_eq!(matches(&matcher, &value), Ok(()), "{matcher} {value}");
}

#[track_caller]
fn says(matcher: Value, value: Value, expected: &str) {
    let error = matches(&matcher, &value).expect_err("the value does not fit");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn plain_values() {
    fits(json!(null), json!(null));
    fits(json!("a"), json!("a"));
    fits(json!(1), json!(1));
    fits(json!(1.0), json!(1));
    fits(json!(1), json!(1.0));
    fits(json!(0.1), json!(0.1 + 1e-12));
    says(json!(1), json!(2), "$: 2, want 1");
    says(json!(1), json!("1"), "$: \"1\", want 1");
    says(json!(1), json!(true), "$: true, want 1");
    says(json!(0.1), json!(0.2), "$: 0.2, want 0.1");
    says(json!(0.5), json!("x"), "$: \"x\", want 0.5");
    says(json!(null), json!(false), "$: false, want null");
    says(json!("$other"), json!("x"), "$: \"x\", want \"$other\"");
}

#[test]
fn objects_allow_more_keys_and_lists_do_not() {
    fits(json!({"a": 1}), json!({"b": 2, "a": 1}));
    fits(json!({}), json!({"b": 2}));
    says(json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), "$.a.b: 2, want 1");
    says(json!({"a": 1}), json!({"b": 1}), "$.a: missing (keys [\"b\"])");
    says(json!({"a": 1}), json!([1]), "$: [1], want an object");
    fits(json!([1, "$any"]), json!([1, 2]));
    says(json!([1, {"a": 1}]), json!([1, {"a": 2}]), "$[1].a: 2, want 1");
    says(json!([1]), json!([1, 2]), "$: [1, 2], want a list of 1");
    says(json!([1]), json!("x"), "$: \"x\", want a list of 1");
}

#[test]
fn kinds() {
    let uuid = "0190a6c8-0000-7000-8000-00000000000f";
    fits(json!("$any"), json!(null));
    fits(json!("$str"), json!(""));
    fits(json!("$num"), json!(1.5));
    fits(json!("$uuid"), json!(uuid));
    says(json!("$str"), json!(1), "$: 1 is not $str");
    says(json!("$num"), json!(true), "$: true is not $num");
    for bad in
        [uuid.to_uppercase(), format!("{uuid}0"), uuid.replace('-', ""), uuid.replace('f', "g")]
    {
        assert!(matches(&json!("$uuid"), &json!(bad)).is_err(), "{bad}");
    }
}

#[test]
fn exact_keys() {
    fits(json!({"$exact": {"a": "$num"}}), json!({"a": 1}));
    fits(json!({"$keys": ["b", "a"]}), json!({"a": 1, "b": 1}));
    says(
        json!({"$exact": {"a": 1}}),
        json!({"a": 1, "b": 1}),
        "$: keys {\"a\", \"b\"}, want {\"a\"}",
    );
    says(json!({"$exact": {"a": 1}}), json!({"a": 2}), "$.a: 2, want 1");
    says(json!({"$keys": ["a"]}), json!([]), "$: [] is no object");
    says(json!({"$keys": ["a"]}), json!({}), "$: keys {}, want {\"a\"}");
}

#[test]
fn texts() {
    fits(json!({"$re": "^a.c$"}), json!("a\nc\n"));
    fits(json!({"$re": "\"a\": 1"}), json!({"a": 1}));
    says(json!({"$re": "b"}), json!("a"), "$: \"a\" does not match /b/");
    assert!(matches(&json!({"$re": "("}), &json!("")).unwrap_err().problem.contains("bad pattern"));
    fits(json!({"$has": ["a", "b"]}), json!("ab"));
    fits(json!({"$has": []}), json!(1));
    fits(json!({"$has": "\"k\": [1, 2]"}), json!({"k": [1, 2]}));
    says(json!({"$has": ["a", "c"]}), json!("ab"), "$: \"c\" not in \"ab\"");
    fits(json!({"$lacks": "x"}), json!("ab"));
    says(json!({"$lacks": ["x", "b"]}), json!("ab"), "$: \"b\" is in \"ab\"");
    fits(json!({"$json": {"a": 1}}), json!("{\"a\":1}"));
    says(json!({"$json": {"a": 1}}), json!("{\"a\":2}"), "$:json.a: 2, want 1");
    says(json!({"$json": 1}), json!("x"), "$: \"x\" is not text of JSON");
    says(json!({"$json": 1}), json!(1), "$: 1 is not text of JSON");
}

#[test]
fn combinations() {
    fits(json!({"$all": ["$str", {"$len": 2}]}), json!("éé"));
    says(json!({"$all": ["$str", {"$len": 2}]}), json!("a"), "$: the length of \"a\" is not 2");
    fits(json!({"$all": []}), json!(1));
    fits(json!({"$or": [1, 2]}), json!(2));
    says(json!({"$or": [1, 2]}), json!(3), "$: none fits: $: 3, want 1 | $: 3, want 2");
    says(json!({"$or": []}), json!(3), "$: none fits: ");
}

#[test]
fn lists() {
    fits(json!({"$contains": [1, 3]}), json!([1, 2, 3]));
    fits(json!({"$contains": []}), json!([]));
    says(json!({"$contains": [3, 1]}), json!([1, 2, 3]), "$: nothing (left) fits 1 in [1, 2, 3]");
    says(json!({"$contains": [1, 1]}), json!([1]), "$: nothing (left) fits 1 in [1]");
    says(json!({"$contains": [1]}), json!(1), "$: 1 is no list");
    fits(json!({"$len": 0}), json!([]));
    fits(json!({"$len": 1}), json!({"a": 1}));
    says(json!({"$len": 0}), json!(0), "$: the length of 0 is not 0");
    fits(json!({"$last": {"a": 1}}), json!([0, {"a": 1}]));
    says(json!({"$last": 1}), json!([1, 2]), "$[-1]: 2, want 1");
    says(json!({"$last": 1}), json!([]), "$: [] has no last item");
}

#[test]
fn a_matcher_that_makes_no_sense_fits_nothing() {
    let unknown = "$: the matcher $nope is unknown or has a wrong argument";
    says(json!({"$nope": 1}), json!(1), unknown);
    for name in ["$exact", "$keys", "$re", "$all", "$or", "$contains", "$many"] {
        assert!(matches(&json!({name: 1}), &json!(1)).is_err(), "{name}");
    }
    says(json!({"$has": [1]}), json!("1"), "$: $has takes texts");
}
