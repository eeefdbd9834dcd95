//! What is asked of the model: the next answer, or a summary.
//!
//! Owns the stream under way from its beginning. Must not decide when one is asked for.

use super::Actor;
use crate::agent::bus::Output;
use crate::compaction::{SummaryRequest, shorten, summary_messages};
use crate::context::messages_for_model;
use crate::model::ModelRequest;
use futures_util::FutureExt as _;
use letscode_wire::Transcript;
use std::sync::Arc;

/// What the user is told where requests would not fit.
const CUT: &str = "the model's window is full: the longest texts go to it without their middle";

impl Actor {
    pub(super) fn request(&mut self) {
        let model = Arc::clone(&self.model);
        let (system, tools) = (Arc::clone(&self.system), Arc::clone(&self.specs));
        let transcript = self.machine.transcript().clone();
        let hooks = self.runner.hooks.clone();
        let bound = self.machine.bound();
        if bound.is_some() && !self.cuts_texts {
            self.bus.push(Output::Notice(CUT.to_owned()));
        }
        self.cuts_texts = bound.is_some();
        // The time of tools that have ended must not count for the silence of the model.
        self.status.send_modify(|status| status.silent_until = None);
        let answer = async move {
            let messages = messages_for_model(&transcript, &hooks).await;
            let messages = match bound {
                Some(bound) => shorten(messages, bound),
                None => messages,
            };
            model.stream(ModelRequest { system, messages, tools })
        };
        self.stream = Some(Box::pin(answer.flatten_stream()));
    }

    /// Asks for a summary with the same system prompt, tools and messages as ever: a provider's
    /// cache of them holds.
    pub(super) fn summarise(&mut self, request: SummaryRequest) {
        let model = Arc::clone(&self.model);
        let (system, tools) = (Arc::clone(&self.system), Arc::clone(&self.specs));
        let collapsed = self.machine.transcript().iter().take(request.border);
        let collapsed: Transcript = collapsed.cloned().collect();
        let hooks = self.runner.hooks.clone();
        let answer = async move {
            let messages = messages_for_model(&collapsed, &hooks).await;
            let messages = summary_messages(messages, request.bias.as_deref(), request.budget);
            model.stream(ModelRequest { system, messages, tools })
        };
        self.stream = Some(Box::pin(answer.flatten_stream()));
    }
}
