//! What tools and plugins show the user, and ask.
//!
//! Owns who gets it: clients that said that they answer; without one, a notice is a line like any
//! other and a question is declined. Must not wait for an answer.

use super::Actor;
use crate::agent::bus::Output;
use crate::agent::questions::UiNews;
use crate::ui::Asked;
use letscode_wire::{Event, RequestId, UiRequest, UiRequestId};
use serde_json::Value;
use std::sync::Arc;

impl Actor {
    pub(super) fn ui_news(&mut self, news: UiNews) {
        match news {
            UiNews::Asked(asked) => self.asked(asked),
            UiNews::GivenUp(request_id) => self.tell(Event::UiWithdrawn { request_id }),
        }
    }

    /// Notes whether a client answers from now on.
    pub(super) fn expect_answers(&mut self, is_answered: bool) {
        self.answers_ui = is_answered;
        if !is_answered {
            self.withdraw_questions();
        }
    }

    pub(super) fn take_answer(&mut self, id: RequestId, question: &UiRequestId, value: Value) {
        match self.questions.answer(question, value) {
            Ok(()) => {
                self.ack(&id);
                self.finish(id, None);
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }

    /// Takes back all questions: whoever asked goes on as if the user had declined.
    pub(super) fn withdraw_questions(&mut self) {
        for request_id in self.questions.withdraw_all() {
            self.tell(Event::UiWithdrawn { request_id });
        }
    }

    fn asked(&mut self, asked: Asked) {
        let is_question = asked.request.is_question();
        if !self.answers_ui {
            if let UiRequest::Notify { text, .. } = asked.request {
                let text = self.secrets().mask(text).into_owned();
                self.bus.push(Output::Notice(text));
            }
            return;
        }
        // Dropping a question declines it.
        if is_question && (asked.answer.is_closed() || !self.may_ask()) {
            return;
        }
        let request_id = self.questions.new_id();
        let request = self.without_keys(asked.request.clone());
        if is_question {
            self.questions.open(request_id.clone(), asked);
        }
        self.tell(Event::UiRequest { request_id, request });
    }

    /// Returns whether an answer can come and is of use: not at the end of the program, nor while
    /// calls end because the user stopped the run.
    fn may_ask(&self) -> bool {
        let is_stopping = !self.machine.is_idle() && self.cancel_tools.is_cancelled();
        !self.closing && !is_stopping
    }

    /// Tells the clients, and no plugin: one that shows a line for every event would hear of that
    /// line too, without end.
    fn tell(&mut self, event: Event) {
        self.bus.push(Output::Event(Arc::new(event)));
    }

    fn without_keys(&self, request: UiRequest) -> UiRequest {
        let Ok(mut value) = serde_json::to_value(&request) else { return request };
        self.secrets().mask_value(&mut value);
        serde_json::from_value(value).unwrap_or(request)
    }
}
