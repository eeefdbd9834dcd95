//! How large the context is, from the refusal of a request that did not fit.
//!
//! Owns the words in which servers say it. Must not decide that a request did not fit.

use super::ErrorBody;
use crate::models::is_plausible;
use letscode_core::model::ModelErrorKind;

/// What stands before the number.
const BEFORE: [&str; 9] = [
    "maximum context length is ",
    "maximum context length of ",
    "max context length is ",
    "context length is only ",
    "context length of only ",
    "context window of ",
    "context window is ",
    "maximum number of tokens allowed (",
    "available context size (",
];

/// What stands behind the number, where nothing telling stands before it.
const BEHIND: [&str; 2] = [" maximum", " token context window"];

/// Returns the context window in tokens, where a failure of this kind tells it.
pub(super) fn window(kind: ModelErrorKind, error: &ErrorBody) -> Option<u64> {
    if kind != ModelErrorKind::ContextOverflow {
        return None;
    }
    let text = error.named.as_str();
    let before = || BEFORE.iter().find_map(|words| leading_number(text.split_once(words)?.1));
    let behind = || BEHIND.iter().find_map(|words| number_before(text, words));
    error.context_size.or_else(before).or_else(behind).filter(|tokens| is_plausible(*tokens))
}

/// Returns the number that a text begins with; it may be written with commas.
fn leading_number(text: &str) -> Option<u64> {
    let is_part = |character: &char| character.is_ascii_digit() || *character == ',';
    let digits: String = text.chars().take_while(is_part).filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Returns the number in front of these words, with the word `tokens` between them or not.
fn number_before(text: &str, words: &str) -> Option<u64> {
    let (front, _) = text.split_once(words)?;
    let front = front.strip_suffix(" tokens").unwrap_or(front);
    let number = front.rsplit(|character: char| character.is_whitespace()).next()?;
    leading_number(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_read_from_every_known_wording() {
        for (body, expected) in [
            (
                r#"{"error":{"code":400,"message":"request (180283 tokens) exceeds the available context size (180224 tokens)","type":"exceed_context_size_error","n_prompt_tokens":180283,"n_ctx":180224}}"#,
                Some(180_224),
            ),
            (
                r#"{"error":{"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it"}}"#,
                Some(8192),
            ),
            (
                r#"{"error":{"message":"This model's maximum context length is 128,000 tokens. However, you requested 130000 tokens"}}"#,
                Some(128_000),
            ),
            (
                r#"{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
                Some(1_048_576),
            ),
            (
                r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                Some(200_000),
            ),
            (r#"{"error":{"message":"prompt is too long"}}"#, None),
            (r#"{"error":{"message":"context length exceeded","n_ctx":0}}"#, None),
            (r#"{"error":{"message":"context length exceeded","n_ctx":-1}}"#, None),
            (r#"{"error":{"message":"maximum context length is unknown"}}"#, None),
            (r#"{"error":{"message":"maximum context length is 99999999999999999999999"}}"#, None),
        ] {
            let error = ErrorBody::read(body.as_bytes());
            assert_eq!(window(ModelErrorKind::ContextOverflow, &error), expected, "{body}");
        }
    }

    #[test]
    fn another_failure_tells_no_window() {
        let error = ErrorBody::read(br#"{"error":{"message":"slow down","n_ctx":4096}}"#);
        assert_eq!(window(ModelErrorKind::RateLimited, &error), None);
    }
}
