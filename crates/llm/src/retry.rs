//! How long to wait before a request is sent again, and when not to.
//!
//! Owns the pauses and the reading of what servers say about them. Must not sleep.

#[cfg(test)]
mod tests;

use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime};

/// A server that asks for a longer pause than this gets no further request: the user decides.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Returns the pause before the `retry`th retry (from 1). `asked` is what the server asked for,
/// a lower bound; `random` (0 to 1) spreads clients that failed together.
pub(crate) fn pause(retry: u32, asked: Option<Duration>, random: f64) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << retry.saturating_sub(1).min(16));
    let own = doubled.min(LONGEST_PAUSE).mul_f64(0.75 + random.clamp(0.0, 1.0) / 4.0);
    own.max(asked.unwrap_or_default())
}

/// Returns the pause that the server asks for, by headers or in its message.
pub(crate) fn asked_pause(headers: &HeaderMap, text: &str, now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let milliseconds = header("retry-after-ms")
        .and_then(|value| value.trim().parse::<f64>().ok())
        .and_then(|value| seconds(value / 1000.0));
    let after = header("retry-after").and_then(|value| retry_after(value.trim(), now));
    let explicit = [milliseconds, after, pause_in_text(text)].into_iter().flatten().max();
    explicit.or_else(|| reset_pause(headers, now))
}

/// Reads `Retry-After`: seconds or a date.
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(value) = value.parse::<f64>() {
        return seconds(value);
    }
    if let Some(duration) = duration(value) {
        return Some(duration);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads the `x-ratelimit-reset*` headers. Each limit has its own; the ones that are not used up
/// do not matter.
fn reset_pause(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let resets = headers.iter().filter_map(|(name, value)| {
        let kind = name.as_str().strip_prefix("x-ratelimit-reset")?;
        let left = headers.get(format!("x-ratelimit-remaining{kind}").as_str());
        let left = left.and_then(|value| value.to_str().ok());
        let left = left.and_then(|value| value.trim().parse::<f64>().ok());
        if left.is_some_and(|left| left > 0.0) {
            return None;
        }
        let value = value.to_str().ok()?.trim();
        value.parse::<f64>().map_or_else(|_| duration(value), |number| reset_number(number, now))
    });
    resets.max()
}

/// Reads a bare number: seconds to wait, or a point in time in seconds or milliseconds.
fn reset_number(number: f64, now: SystemTime) -> Option<Duration> {
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let until = |at: Option<Duration>| at.map(|at| at.saturating_sub(since_epoch));
    if number > 1e11 {
        until(seconds(number / 1000.0))
    } else if number > 1e8 {
        until(seconds(number))
    } else {
        seconds(number)
    }
}

/// Reads phrases such as `try again in 1m2.5s`, `retry after 20 seconds` or `"retryDelay": "9s"`.
fn pause_in_text(text: &str) -> Option<Duration> {
    const PHRASES: [&str; 6] =
        ["try again in", "retry in", "retry after", "try again after", "wait for", "retrydelay"];
    let text = text.to_ascii_lowercase();
    let found = PHRASES.iter().filter_map(|phrase| {
        let (_, rest) = text.split_once(phrase)?;
        let filler = |character: char| matches!(character, ' ' | ':' | '"' | '\\' | '=');
        duration(rest.trim_start_matches(filler))
    });
    found.max()
}

/// Reads the duration at the start of `text`: `1m2.5s`, `120ms`, `6 minutes`, `1 hour 2 min`.
fn duration(text: &str) -> Option<Duration> {
    let mut total = None;
    let mut rest = text;
    loop {
        let number_end = rest
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(number_end);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else { return total };
        let behind = behind.trim_start_matches(' ');
        let unit_end =
            behind.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(unit_end);
        let unit = match unit {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            _ => return total,
        };
        total = Some(total.unwrap_or_default().saturating_add(seconds(number * unit)?));
        rest = behind.trim_start_matches([' ', ',']);
    }
}

/// Returns a duration, if the number is one.
fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value.max(0.0)).ok()
}
