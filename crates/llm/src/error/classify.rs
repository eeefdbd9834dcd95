//! From a status and an error body to a kind of failure.
//!
//! Owns the words and codes by which failures are told apart. Must not word messages.

use super::ErrorBody;
use letscode_core::model::ModelErrorKind;
use reqwest::StatusCode;
use std::time::Duration;

/// Returns the kind of a failure. `status` is missing for an error within a stream that names
/// none; `wait` is the pause that the server asks for.
pub(super) fn kind(
    status: Option<StatusCode>,
    error: &ErrorBody,
    wait: Option<Duration>,
) -> ModelErrorKind {
    let status = status.map(|status| status.as_u16());
    let text = error.named.as_str();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let has_code = |codes: &[&str]| error.codes.iter().any(|code| codes.contains(&code.as_str()));

    if is_quota(status, error, wait) {
        return ModelErrorKind::Quota;
    }
    let rate_limited = status == Some(429)
        || has_code(&["rate_limit_exceeded", "rate_limit_error", "too_many_requests"])
        || has_code(&["resource_exhausted", "rate_limit"])
        || says(&["per minute", "per second", "rate limit", "too many requests"]);
    if !rate_limited && is_overflow(status, error) {
        return ModelErrorKind::ContextOverflow;
    }
    if has_code(&["content_filter", "content_policy_violation", "data_inspection_failed"])
        || (status == Some(403) && says(&["moderation", "flagged", "content policy"]))
    {
        return ModelErrorKind::Filtered;
    }
    let bad_key = says(&["api key", "api_key", "api-key", "apikey"])
        && says(&["invalid", "not valid", "incorrect", "expired", "missing", "required"]);
    match status {
        Some(401 | 403 | 407) => ModelErrorKind::Authentication,
        Some(429) => ModelErrorKind::RateLimited,
        Some(400 | 422) if bad_key => ModelErrorKind::Authentication,
        Some(408 | 409 | 425) => ModelErrorKind::Server,
        Some(501 | 505 | 511) => ModelErrorKind::Rejected,
        Some(500..) => ModelErrorKind::Server,
        Some(400..500) => ModelErrorKind::Rejected,
        Some(_) => ModelErrorKind::NotAnEndpoint,
        None if rate_limited => ModelErrorKind::RateLimited,
        None if bad_key
            || has_code(&["authentication_error", "invalid_api_key", "permission_error"])
            || has_code(&["unauthorized", "permission_denied", "unauthenticated"]) =>
        {
            ModelErrorKind::Authentication
        }
        None if has_code(&["invalid_request_error", "invalid_argument", "not_found_error"])
            || has_code(&["bad_request", "badrequesterror", "model_not_found"])
            || says(&["unexpected endpoint"]) =>
        {
            ModelErrorKind::Rejected
        }
        // The request was taken, so what failed then is the server.
        None => ModelErrorKind::Server,
    }
}

fn is_quota(status: Option<u16>, error: &ErrorBody, wait: Option<Duration>) -> bool {
    const CODES: [&str; 8] = [
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_credits",
        "billing_hard_limit_reached",
        "billing_not_active",
        "payment_required",
        "credits_exhausted",
        "quota_exhausted",
    ];
    const WORDS: [&str; 11] = [
        "exceeded your current quota",
        "quota exceeded",
        "insufficient quota",
        "insufficient balance",
        "insufficient credit",
        "insufficient fund",
        "not enough credit",
        "credit balance",
        "out of credit",
        "billing hard limit",
        "payment required",
    ];
    if status == Some(402) || error.codes.iter().any(|code| CODES.contains(&code.as_str())) {
        return true;
    }
    // Some say "quota" for a limit per minute, and then tell when it is over.
    matches!(status, None | Some(400 | 403 | 429))
        && wait.is_none()
        && WORDS.iter().any(|word| error.named.contains(word))
}

fn is_overflow(status: Option<u16>, error: &ErrorBody) -> bool {
    const CODES: [&str; 4] = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "string_above_max_length",
        "context_window_exceeded",
    ];
    const WORDS: [&str; 12] = [
        "maximum context length",
        "context length is only",
        "context length exceeded",
        "context window",
        "exceeds the available context",
        "exceeds the context",
        "prompt is too long",
        "prompt too long",
        "input is too long",
        "input length and max_tokens exceed",
        "input token count exceeds",
        "too many tokens",
    ];
    if matches!(status, Some(401 | 403 | 404)) {
        return false;
    }
    status == Some(413)
        || error.codes.iter().any(|code| CODES.contains(&code.as_str()))
        || WORDS.iter().any(|word| error.named.contains(word))
}
