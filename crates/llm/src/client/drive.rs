//! One request from its first attempt to its answer or its last error.
//!
//! Owns the order of attempts: retries after a pause, and resends with what a refusal taught,
//! which cost no retry. Must not read responses.

use super::Shared;
use super::exchange::{self, Exchange};
use super::outlet::Outlet;
use crate::assemble::Finished;
use crate::error::Failure;
use crate::fallback::{self, Change};
use crate::request::{self, BodyContext};
use crate::retry;
use letscode_core::model::{Answer, ModelErrorKind, ModelEvent, ModelRequest};
use letscode_wire::{RetryNotice, StreamEvent};
use std::sync::Arc;
use std::time::Duration;

/// Fills `outlet` with what `request` gives.
pub(super) async fn drive(shared: Arc<Shared>, request: Arc<ModelRequest>, outlet: Outlet) {
    let total_attempts = shared.config.max_retries.saturating_add(1);
    let mut attempt = 1;
    loop {
        let failure = match answer(&shared, &request, &outlet).await {
            Ok(answer) => return outlet.push(Ok(ModelEvent::Done(Box::new(answer)))),
            Err(failure) => failure,
        };
        tracing::debug!(kind = ?failure.kind, attempt, reason = failure.message, "request failed");
        if !failure.kind.is_retryable() || attempt >= total_attempts {
            return outlet.push(Err(last_words(failure, attempt).into()));
        }
        if let Some(wait) = failure.wait.filter(|wait| *wait > retry::LONGEST_WAIT) {
            return outlet.push(Err(too_long_a_wait(failure, wait).into()));
        }
        let delay = retry::pause(attempt, failure.wait, random());
        attempt += 1;
        tracing::debug!(attempt, ?delay, "retry");
        outlet.push(Ok(ModelEvent::Stream(StreamEvent::Retry(RetryNotice {
            attempt,
            total_attempts,
            delay_seconds: delay.as_secs_f64(),
            reason: failure.message,
        }))));
        outlet.flush().await;
        tokio::time::sleep(delay).await;
    }
}

/// Makes one attempt, resending at once where the path or an optional part of the request turns
/// out to be wrong.
async fn answer(
    shared: &Arc<Shared>,
    request: &Arc<ModelRequest>,
    outlet: &Outlet,
) -> Result<Answer, Failure> {
    let mut changes: Vec<Change> = Vec::new();
    let mut at_first_path: Option<Failure> = None;
    loop {
        let learned = *shared.learned();
        let versioned = learned.versioned || at_first_path.is_some();
        // A change that the server did not name is only kept once it has helped.
        let profile = changes.iter().fold(learned.profile, |it, change| change.apply(it));
        let url = shared.url(versioned);
        let scene = shared.scene(url, request);
        let body = request::build(
            request,
            BodyContext {
                model: &shared.config.model,
                host: &shared.host,
                thinking: shared.config.thinking.as_deref(),
                vision: shared.config.vision,
                profile: &profile,
            },
        );
        let sent = body.sent;
        let exchange = Exchange { shared, scene: &scene, url, request, outlet };
        let opened = exchange::open(exchange, body.json).await;
        let is_endpoint = opened.as_ref().err().is_none_or(speaks_for_path);
        if at_first_path.is_some() && is_endpoint {
            at_first_path = None;
            shared.learned().versioned = true;
            outlet.push(Ok(ModelEvent::Notice(format!(
                "the endpoint is {}: better write /v1 at the end of the base URL",
                scene.url
            ))));
        }
        let read = match opened {
            Ok(opened) => exchange::read(exchange, opened).await,
            Err(failure) => Err(exchange::Broken { failure, shown: false }),
        };
        let broken = match read {
            Ok(finished) => {
                shared.learned().answered = true;
                changes.into_iter().for_each(|change| shared.learn(change));
                shared.learn_window();
                return Ok(complete(shared, finished, outlet));
            }
            Err(broken) => broken,
        };
        let failure = broken.failure;
        if failure.context_window.is_some() {
            shared.learned().context_window = failure.context_window;
        }
        if failure.wrong_path && !broken.shown {
            if let Some(first) = at_first_path {
                return Err(first);
            }
            if !versioned && shared.endpoint.versioned.is_some() {
                at_first_path = Some(failure);
                continue;
            }
        }
        let change = failure
            .refusal
            .as_ref()
            .filter(|_| !broken.shown)
            .and_then(|refusal| fallback::change_for(refusal, sent, &profile, !learned.answered))
            .filter(|change| !changes.contains(change));
        let Some(change) = change else { return Err(failure) };
        tracing::debug!(?change, reason = failure.message, "resending a changed request");
        if failure.refusal.is_some_and(|refusal| !refusal.named.is_empty()) {
            shared.learn(change);
        }
        if let Some(notice) = change.notice(&shared.config.model) {
            outlet.push(Ok(ModelEvent::Notice(notice)));
        }
        changes.push(change);
    }
}

/// Returns whether a failure shows that there is an endpoint at the path, if an unwilling one.
fn speaks_for_path(failure: &Failure) -> bool {
    use ModelErrorKind::{BrokenStream, Network, Stalled, Tls};
    !failure.wrong_path && !matches!(failure.kind, Network | Tls | Stalled | BrokenStream)
}

/// Passes on what the user should be told and completes the answer.
fn complete(shared: &Shared, finished: Finished, outlet: &Outlet) -> Answer {
    let Finished { mut answer, notices } = finished;
    outlet.extend(notices.into_iter().map(|notice| Ok(ModelEvent::Notice(notice))));
    if let Some(usage) = &mut answer.usage {
        shared.price(usage);
    }
    // Reasoning and signatures may go back only to where they came from.
    answer.meta.insert("provider".to_owned(), shared.host.clone().into());
    answer.meta.insert("model".to_owned(), shared.config.model.clone().into());
    answer
}

fn last_words(mut failure: Failure, attempts: u32) -> Failure {
    if attempts > 1 {
        failure.message.push_str(&format!("; given up after {attempts} attempts"));
    }
    failure
}

fn too_long_a_wait(mut failure: Failure, wait: Duration) -> Failure {
    let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
    let wait = match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (24.., _, _) => "more than a day".to_owned(),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    };
    failure.message.push_str(&format!("; the server asks to wait for {wait}: try again then"));
    failure
}

/// Returns a number from 0 to 1.
fn random() -> f64 {
    let (_, bits) = uuid::Uuid::new_v4().as_u64_pair();
    f64::from(bits as u32) / f64::from(u32::MAX)
}
