//! Why there is no connection or no answer, in one line for the user.
//!
//! Owns the look into the library's errors. Must not decide what follows.

use crate::content::one_line;
use crate::http::Around;
use crate::transport::SendError;
use letscode_http::Fault;
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use std::error::Error;
use std::io::ErrorKind;

/// How much of what a server answers in place of an answer is shown, in characters.
const LONGEST_ANSWER: usize = 200;

const ENDED_EARLY: &str = "it ended before it was ready";

/// Returns why a handshake failed.
pub(super) fn of_handshake(error: &ClientInitializeError, around: &Around) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => ENDED_EARLY.into(),
        ClientInitializeError::JsonRpcError(error) => format!("it refuses: {}", error.message),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(|v| v.as_str()).collect();
            format!("it speaks no version that is known here, only {}", versions.join(", "))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            of_handshake(fallback, around)
        }
        ClientInitializeError::TransportError { error, .. } if is_gone(error.error.as_ref()) => {
            ENDED_EARLY.into()
        }
        ClientInitializeError::TransportError { error, .. } => {
            of_transport(error.error.as_ref(), around)
        }
        other => format!("it does not follow the protocol: {other}"),
    }
}

/// Returns whether something could not be sent because the server does not read any more.
pub(super) fn is_gone(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.any(|cause| {
        let error = cause.downcast_ref::<SendError>();
        matches!(error, Some(SendError::Stdio(error)) if error.kind() == ErrorKind::BrokenPipe)
    })
}

/// Returns why something could not be sent.
pub(super) fn of_transport(error: &(dyn Error + 'static), around: &Around) -> String {
    let mut innermost = error;
    loop {
        if let Some(error) = innermost.downcast_ref::<StreamableHttpError<reqwest::Error>>()
            && let Some(words) = of_http(error, around)
        {
            return words;
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => return innermost.to_string(),
        }
    }
}

/// Returns what became of a request, where there is more to say than the library says.
fn of_http(error: &StreamableHttpError<reqwest::Error>, around: &Around) -> Option<String> {
    match error {
        StreamableHttpError::Client(client) => Some(of_client(client, around)),
        StreamableHttpError::AuthRequired(wanted) => Some(sign_in(&wanted.www_authenticate_header)),
        StreamableHttpError::InsufficientScope(_) => Some(MAY_NOT.into()),
        StreamableHttpError::UnexpectedServerResponse(text) => {
            text.strip_prefix("HTTP ").map(of_status)
        }
        StreamableHttpError::HttpStatus(error) => Some(format!("it answers {error}")),
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("nothing that is named");
            Some(format!("it answers with {kind}, not as an MCP server: check the url"))
        }
        _ => None,
    }
}

const WHO_ARE_YOU: &str = "it wants to know who you are: set headers.Authorization";

const MAY_NOT: &str = "it does not let you in: check headers.Authorization";

/// Returns what a challenge asks for.
fn sign_in(challenge: &str) -> String {
    if challenge.contains("resource_metadata") {
        format!("{WHO_ARE_YOU} (it offers to sign in with OAuth, which letscode does not do)")
    } else {
        WHO_ARE_YOU.into()
    }
}

/// Returns what an answer means that begins with this status.
fn of_status(text: &str) -> String {
    let (status, said) = text.split_once(": ").unwrap_or((text, ""));
    match status.split(' ').next().unwrap_or_default() {
        "401" => WHO_ARE_YOU.into(),
        "403" => MAY_NOT.into(),
        "404" | "405" => format!("it answers HTTP {status}: check the url"),
        redirect if redirect.starts_with('3') => {
            format!("it sends elsewhere (HTTP {status}), where headers do not go: check the url")
        }
        _ if said.is_empty() => format!("it answers HTTP {status}"),
        _ => format!("it answers HTTP {status}: {}", one_line(said, LONGEST_ANSWER)),
    }
}

fn of_client(error: &reqwest::Error, around: &Around) -> String {
    if let Some(status) = error.status() {
        return of_status(&status.to_string());
    }
    let Fault { what, hint, .. } = Fault::of(error, around.surroundings());
    if hint.is_empty() { what } else { format!("{what}; {hint}") }
}
