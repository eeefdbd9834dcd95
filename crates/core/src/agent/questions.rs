//! The questions that wait for the user.
//!
//! Owns which are open, their ids, and whether an answer fits. Must not decide who may be asked.

use crate::ui::{Asked, UiInbox};
use letscode_wire::{UiRequest, UiRequestId};
use serde_json::Value;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// The open questions, oldest first, and the way on which new ones come.
pub(crate) struct Questions {
    inbox: UiInbox,
    open: Vec<Open>,
    /// How many requests have got an id.
    count: u64,
}

struct Open {
    id: UiRequestId,
    request: UiRequest,
    answer: oneshot::Sender<Value>,
}

/// What can happen to questions from the side of those who ask.
pub(crate) enum UiNews {
    /// Somebody asks, or shows something.
    Asked(Asked),
    /// Whoever asked does not wait any more. The question is not open any more.
    GivenUp(UiRequestId),
}

/// Why an answer is not taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// Nobody waits for it.
    #[error("no question {id:?} is open: it was answered or withdrawn, or there never was one")]
    NotOpen { id: String },
    /// The question stays open.
    #[error("the answer to {id} must be {expected}, or null to decline")]
    Misfit { id: UiRequestId, expected: String },
}

impl Questions {
    pub(crate) fn new(inbox: UiInbox) -> Self {
        Self { inbox, open: Vec::new(), count: 0 }
    }

    /// Waits for news. Nothing is lost when the wait is given up.
    pub(crate) async fn next(&mut self) -> UiNews {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<UiNews> {
        let is_left = |open: &mut Open| open.answer.poll_closed(context).is_ready();
        if let Some(place) = self.open.iter_mut().position(is_left) {
            return Poll::Ready(UiNews::GivenUp(self.open.remove(place).id));
        }
        match self.inbox.0.poll_recv(context) {
            Poll::Ready(Some(asked)) => Poll::Ready(UiNews::Asked(asked)),
            // Without any handle left nobody can ask.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    /// Returns an id that no request had before.
    pub(crate) fn new_id(&mut self) -> UiRequestId {
        self.count += 1;
        UiRequestId::from(format!("ui{}", self.count))
    }

    /// Keeps a question until it is answered or withdrawn.
    pub(crate) fn open(&mut self, id: UiRequestId, asked: Asked) {
        self.open.push(Open { id, request: asked.request, answer: asked.answer });
    }

    /// Hands an answer to whoever asked; `null` is that the user declined.
    ///
    /// # Errors
    /// When no such question is open, or the answer is of another kind than it.
    pub(crate) fn answer(&mut self, id: &UiRequestId, value: Value) -> Result<(), AnswerError> {
        let not_open = || AnswerError::NotOpen { id: id.to_string() };
        let is_it = |open: &Open| open.id == *id && !open.answer.is_closed();
        let place = self.open.iter().position(is_it).ok_or_else(not_open)?;
        let question = self.open.get(place).ok_or_else(not_open)?;
        if let Some(expected) = misfit(&question.request, &value) {
            return Err(AnswerError::Misfit { id: id.clone(), expected });
        }
        let question = self.open.remove(place);
        if !value.is_null() {
            question.answer.send(value).map_err(|_| not_open())?;
        }
        Ok(())
    }

    /// Closes all questions, as if the user had declined, and returns their ids.
    pub(crate) fn withdraw_all(&mut self) -> Vec<UiRequestId> {
        std::mem::take(&mut self.open).into_iter().map(|open| open.id).collect()
    }
}

/// Returns what an answer should have been, where it does not fit.
fn misfit(request: &UiRequest, value: &Value) -> Option<String> {
    let (fits, expected) = match request {
        UiRequest::Confirm { .. } => (value.is_boolean(), "true or false".to_owned()),
        UiRequest::Select { options, .. } => {
            let place = value.as_u64().and_then(|place| usize::try_from(place).ok());
            let fits = place.is_some_and(|place| place < options.len());
            (fits, format!("the place of an option, a number from 0 below {}", options.len()))
        }
        UiRequest::Input { .. } => (value.is_string(), "a text".to_owned()),
        // Never opened.
        UiRequest::Notify { .. } | UiRequest::Status { .. } => (false, "none".to_owned()),
    };
    (!fits && !value.is_null()).then_some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_must_be_of_the_kind_of_its_question() {
        let confirm = UiRequest::Confirm { title: String::new(), text: "sure?".to_owned() };
        let options = vec!["a".to_owned(), "b".to_owned()];
        let select = UiRequest::Select { text: "which?".to_owned(), options };
        let input = UiRequest::Input { text: "name?".to_owned(), placeholder: None, default: None };
        for (request, value, fits) in [
            (&confirm, json!(true), true),
            (&confirm, json!(false), true),
            (&confirm, json!(null), true),
            (&confirm, json!("yes"), false),
            (&confirm, json!(1), false),
            (&select, json!(0), true),
            (&select, json!(1), true),
            (&select, json!(2), false),
            (&select, json!(-1), false),
            (&select, json!(0.5), false),
            (&select, json!("a"), false),
            (&select, json!(null), true),
            (&input, json!(""), true),
            (&input, json!("x"), true),
            (&input, json!(1), false),
            (&input, json!(null), true),
        ] {
            assert_eq!(misfit(request, &value).is_none(), fits, "{request:?} {value}");
        }
    }
}
