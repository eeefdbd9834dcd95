//! What went wrong, classified once and said in one line.
//!
//! Owns the reading of error bodies, the mapping to kinds, and the words. The key never gets into
//! a message, and foreign text only cleaned and cut. Must not decide about retries.
#![expect(
    clippy::disallowed_methods,
    reason = "a server that asks for a pause may name the hour of its end"
)]

mod body;
mod classify;
mod overflow;

#[cfg(test)]
mod tests;

pub(crate) use body::ErrorBody;

use crate::config::Secret;
use crate::retry;
use letscode_core::model::{ModelError, ModelErrorKind};
use letscode_core::secrets::MASK;
use letscode_http::{Fault, FaultKind, Surroundings};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime};

/// How many bytes of foreign text a message may hold.
const FOREIGN_LIMIT: usize = 500;

/// One attempt's failure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) kind: ModelErrorKind,
    /// One line: what happened, where, and what to do.
    pub(crate) message: String,
    /// The pause that the server asks for.
    pub(crate) wait: Option<Duration>,
    /// What the server says against the request as it is, where it refuses it (400, 422).
    pub(crate) refusal: Option<Refusal>,
    /// Whether it may be that the path is wrong and not the request.
    pub(crate) wrong_path: bool,
    /// The model's context window in tokens, where the server tells it because it is too small.
    pub(crate) context_window: Option<u64>,
}

/// What a server says against a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Its words, parameter and place in lower case; empty for an empty body.
    pub(crate) named: String,
}

impl From<Failure> for ModelError {
    fn from(failure: Failure) -> Self {
        Self { kind: failure.kind, message: failure.message }
    }
}

/// Where a request went: what messages name, and what they must not show.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) model: String,
    pub(crate) provider: String,
    /// The final URL, fit to be shown.
    pub(crate) url: String,
    pub(crate) key: Option<Secret>,
    /// The names of the tools sent, in order.
    pub(crate) tools: Vec<String>,
}

impl Scene {
    /// Returns a failure of this kind: `what` happened, then where, then what to do about it.
    pub(crate) fn failure(&self, kind: ModelErrorKind, what: &str, hint: &str) -> Failure {
        let place = format!("({} at {})", self.model, self.url);
        let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
        let message = self.masked(&format!("{what} {place}{hint}"));
        Failure {
            kind,
            message,
            wait: None,
            refusal: None,
            wrong_path: false,
            context_window: None,
        }
    }

    /// Returns foreign text as one clean line of at most 500 bytes, without the key.
    pub(crate) fn clean(&self, text: &str) -> String {
        let masked = self.masked(text);
        let spaced: String = masked
            .chars()
            .map(|character| if character.is_control() { ' ' } else { character })
            .collect();
        let mut line = String::new();
        for word in spaced.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            if line.len() > FOREIGN_LIMIT {
                break;
            }
        }
        if line.len() > FOREIGN_LIMIT {
            let fits = |end: &usize| line.is_char_boundary(*end);
            let end = (0..=FOREIGN_LIMIT - '…'.len_utf8()).rev().find(fits);
            line.truncate(end.unwrap_or_default());
            line.push('…');
        }
        line
    }

    /// Returns `text` with the key replaced wherever it stands.
    fn masked(&self, text: &str) -> String {
        match self.key.as_ref().map(Secret::expose) {
            // A shorter one is no secret, and would mask ordinary words.
            Some(key) if key.len() >= 10 => text.replace(key, MASK),
            _ => text.to_owned(),
        }
    }

    /// Returns what to do about a failure of this kind, where one can say.
    fn hint(&self, kind: ModelErrorKind, status: Option<StatusCode>) -> String {
        let provider = &self.provider;
        match kind {
            ModelErrorKind::Authentication if self.key.is_none() => {
                format!("no API key was sent: set the one for {provider}")
            }
            ModelErrorKind::Authentication if status == Some(StatusCode::FORBIDDEN) => {
                format!("check that the API key for {provider} may use this model")
            }
            ModelErrorKind::Authentication => format!("check the API key for {provider}"),
            ModelErrorKind::Quota => format!("check credit and billing at {provider}"),
            ModelErrorKind::ContextOverflow => {
                "the conversation is too long for the model: compact it or begin a new one".into()
            }
            ModelErrorKind::Rejected if status == Some(StatusCode::NOT_FOUND) => {
                "check the base URL and the model's name".into()
            }
            ModelErrorKind::NotAnEndpoint => "check the base URL".into(),
            ModelErrorKind::Rejected
            | ModelErrorKind::RateLimited
            | ModelErrorKind::Server
            | ModelErrorKind::Network
            | ModelErrorKind::Tls
            | ModelErrorKind::Stalled
            | ModelErrorKind::BrokenStream
            | ModelErrorKind::EmptyAnswer
            | ModelErrorKind::Filtered => String::new(),
        }
    }
}

/// Returns the failure that a response other than a success is.
pub(crate) fn from_response(
    scene: &Scene,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Failure {
    let error = ErrorBody::read(body);
    let wait = retry::asked_pause(headers, &error.hints, SystemTime::now());
    let kind = classify::kind(Some(status), &error, wait);
    let mut what = status_in_words(status);
    let text = if status.is_redirection() {
        let target = headers.get("location").and_then(|target| target.to_str().ok());
        format!("the server redirects to {}", target.unwrap_or("nowhere"))
    } else {
        error.message.clone()
    };
    what.push_str(": ");
    what.push_str(&described(scene, &error, &text));
    let request_id = ["x-request-id", "request-id", "cf-ray", "x-amzn-requestid"]
        .iter()
        .find_map(|name| headers.get(*name))
        .and_then(|id| id.to_str().ok());
    if let Some(id) = request_id {
        what.push_str(&format!(" [request {}]", scene.clean(id)));
    }
    let mut failure = scene.failure(kind, &what, &scene.hint(kind, Some(status)));
    failure.wait = wait;
    failure.context_window = overflow::window(kind, &error);
    if matches!(status.as_u16(), 400 | 422) && kind == ModelErrorKind::Rejected {
        failure.refusal = Some(Refusal { named: error.named });
    }
    let names_model = error.hints.to_ascii_lowercase().contains("model");
    failure.wrong_path = matches!(status.as_u16(), 404 | 405) && !names_model;
    failure
}

/// Returns the failure that an error object within a successful response is.
pub(crate) fn from_error_object(scene: &Scene, json: &[u8]) -> Failure {
    let error = ErrorBody::read(json);
    let status = error.status();
    let wait = retry::asked_pause(&HeaderMap::new(), &error.hints, SystemTime::now());
    let kind = classify::kind(status, &error, wait);
    let prefix = status.map_or_else(String::new, |status| format!("{} ", status_in_words(status)));
    let what = format!("{prefix}error in the answer: {}", described(scene, &error, &error.message));
    let mut failure = scene.failure(kind, &what, &scene.hint(kind, status));
    failure.wait = wait;
    failure.context_window = overflow::window(kind, &error);
    if kind == ModelErrorKind::Rejected {
        failure.refusal = Some(Refusal { named: error.named });
    }
    failure.wrong_path = error.hints.to_ascii_lowercase().contains("unexpected endpoint");
    failure
}

/// Returns the failure that a page in place of an answer is.
pub(crate) fn from_page(scene: &Scene, page: &[u8]) -> Failure {
    let title = scene.clean(&ErrorBody::read(page).message);
    let what = if title.is_empty() {
        "the server answers with a web page, not as a model".to_owned()
    } else {
        format!("the server answers with a web page, not as a model: {title}")
    };
    let kind = ModelErrorKind::NotAnEndpoint;
    Failure { wrong_path: true, ..scene.failure(kind, &what, &scene.hint(kind, None)) }
}

/// Returns the failure that a successful response with some other JSON is.
pub(crate) fn from_other_json(scene: &Scene, json: &[u8]) -> Failure {
    let text = scene.clean(&ErrorBody::read(json).message);
    let what = format!("the server answers, but not as a model: {text}");
    let kind = ModelErrorKind::NotAnEndpoint;
    Failure { wrong_path: true, ..scene.failure(kind, &what, &scene.hint(kind, None)) }
}

/// Returns the failure that a broken or impossible connection is. `roots_problem` tells what is
/// wrong with the user's own certificates, if something is.
pub(crate) fn from_transport(
    scene: &Scene,
    error: &reqwest::Error,
    proxy: Option<&str>,
    roots_problem: Option<&str>,
) -> Failure {
    let around = Surroundings { setting: "base URL", proxy, roots_problem };
    let fault = Fault::of(error, around);
    let kind = match fault.kind {
        FaultKind::Tls => ModelErrorKind::Tls,
        FaultKind::Network => ModelErrorKind::Network,
    };
    scene.failure(kind, &scene.clean(&fault.what), &scene.clean(&fault.hint))
}

fn status_in_words(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("HTTP {} {reason}", status.as_u16()),
        None => format!("HTTP {}", status.as_u16()),
    }
}

fn described(scene: &Scene, error: &ErrorBody, text: &str) -> String {
    let text = scene.clean(text);
    if text.is_empty() {
        return "the server gives no reason".to_owned();
    }
    match error.tool_index().and_then(|index| scene.tools.get(index)) {
        Some(tool) => format!("{text} [tool `{tool}`]"),
        None => text,
    }
}
