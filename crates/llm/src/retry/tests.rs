//! Tests of when and how long to wait before another attempt.

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

/// 2026-11-30 12:00:00 UTC.
fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_040_000)
}

fn asked(pairs: &[(&'static str, &str)], text: &str) -> Option<f64> {
    asked_pause(&headers(pairs), text, noon()).map(|pause| pause.as_secs_f64())
}

#[test]
fn pauses_grow_from_one_second_to_ten() {
    let longest: Vec<f64> = (1..8).map(|retry| pause(retry, None, 1.0).as_secs_f64()).collect();
    assert_eq!(longest, [1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]);
    assert_eq!(pause(1, None, 0.0).as_secs_f64(), 0.75);
    assert_eq!(pause(u32::MAX, None, 7.0).as_secs_f64(), 10.0);
}

#[test]
fn w66_what_the_server_asks_for_is_a_lower_bound() {
    assert_eq!(pause(1, Some(Duration::from_secs(30)), 0.0).as_secs_f64(), 30.0);
    assert_eq!(pause(3, Some(Duration::from_secs(1)), 1.0).as_secs_f64(), 4.0);
}

#[test]
fn w66_headers_and_texts() {
    type Case<'a> = (&'a [(&'static str, &'a str)], &'a str, Option<f64>);
    let table: &[Case<'_>] = &[
        (&[], "", None),
        (&[], "slow down", None),
        (&[("retry-after", "2")], "", Some(2.0)),
        (&[("retry-after", " 0.5 ")], "", Some(0.5)),
        (&[("retry-after", "-3")], "", Some(0.0)),
        (&[("retry-after", "soon")], "", None),
        (&[("retry-after", "inf")], "", None),
        (&[("retry-after", "Mon, 30 Nov 2026 12:00:07 GMT")], "", Some(7.0)),
        (&[("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")], "", Some(0.0)),
        (&[("retry-after-ms", "1500")], "", Some(1.5)),
        (&[("retry-after", "2")], "Please try again in 1.5s.", Some(2.0)),
        (&[("retry-after", "1")], "Please try again in 1.5s.", Some(1.5)),
        (&[], "Please try again in 1m2.5s.", Some(62.5)),
        (&[], "try again in 340ms", Some(0.34)),
        (&[], "Please retry in 12.25s.", Some(12.25)),
        (&[], "retry after 20 seconds", Some(20.0)),
        (&[], "try again in 1 hour, 2 minutes.", Some(3720.0)),
        (&[], "try again in a moment", None),
        (&[], "try again in 18000000000000000000s 18000000000000000000s", Some(u64::MAX as f64)),
        (&[], r#"{"retryDelay": "9s"}"#, Some(9.0)),
        (&[("x-ratelimit-reset-requests", "1s")], "", Some(1.0)),
        (
            &[("x-ratelimit-reset-requests", "6m0s"), ("x-ratelimit-reset-tokens", "120ms")],
            "",
            Some(360.0),
        ),
        (
            &[
                ("x-ratelimit-reset-requests", "6m0s"),
                ("x-ratelimit-remaining-requests", "12"),
                ("x-ratelimit-reset-tokens", "120ms"),
                ("x-ratelimit-remaining-tokens", "0"),
            ],
            "",
            Some(0.12),
        ),
        (&[("x-ratelimit-reset", "1796040005")], "", Some(5.0)),
        (&[("x-ratelimit-reset", "1796040005500")], "", Some(5.5)),
        (&[("x-ratelimit-reset", "3")], "", Some(3.0)),
        (&[("x-ratelimit-reset", "1")], "try again in 4s", Some(4.0)),
    ];
    for (headers, text, expected) in table {
        assert_eq!(asked(headers, text), *expected, "{headers:?} {text:?}");
    }
}
