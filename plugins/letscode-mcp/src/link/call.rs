//! Calls over a connection: tools, prompts, resources.
//!
//! Owns their clocks and their end: whoever stops waiting makes the server hear of it. Must not
//! know what an answer is for.

use super::{Link, lenient, words};
use crate::http::Around;
use rmcp::ServiceError;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, GetPromptRequest,
    GetPromptRequestParams, GetPromptResult, InputRequest, InputRequiredResult, InputResponses,
    JsonObject, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How often a server may ask for more before it answers.
const MOST_ROUNDS: usize = 10;

/// How many lines of progress wait to be shown.
const MOST_LINES: usize = 16;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The server was silent for too long; it was told that nobody waits any more.
    #[error("no answer within {} s (its `call_timeout`); the call was cancelled", .0.as_secs_f64())]
    Silent(Duration),
    /// The connection is gone.
    #[error("the server ended")]
    Ended,
    /// The server said no.
    #[error("{0}")]
    Refused(String),
    /// The call could not be sent.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The answer is none that the protocol knows.
    #[error("the answer does not follow the protocol")]
    Unreadable,
    /// The server wants what this client does not have.
    #[error("the server asks for {0}, which is not offered")]
    NotOffered(&'static str),
}

impl Link {
    /// Calls a tool. `progress` gets lines to show. Dropping the future cancels the call.
    ///
    /// # Errors
    /// When there is no answer. A tool that failed is an answer.
    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: JsonObject,
        progress: &(dyn Fn(String) + Send + Sync),
    ) -> Result<CallToolResult, CallError> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = Some(arguments);
        let answer = self
            .ask(progress, |responses, state| {
                params.input_responses = responses;
                params.request_state = state;
                ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()))
            })
            .await?;
        lenient::tool_result(answer).ok_or(CallError::Unreadable)
    }

    /// Asks for a prompt with its arguments put in.
    ///
    /// # Errors
    /// When there is no answer.
    pub(crate) async fn get_prompt(
        &self,
        name: &str,
        arguments: JsonObject,
    ) -> Result<GetPromptResult, CallError> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = (!arguments.is_empty()).then_some(arguments);
        let answer = self
            .ask(&|_| {}, |responses, state| {
                params.input_responses = responses;
                params.request_state = state;
                ClientRequest::GetPromptRequest(GetPromptRequest::new(params.clone()))
            })
            .await?;
        match answer {
            ServerResult::GetPromptResult(result) => Ok(result),
            _ => Err(CallError::Unreadable),
        }
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// When there is no answer.
    pub(crate) async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallError> {
        let mut params = ReadResourceRequestParams::new(uri);
        let answer = self
            .ask(&|_| {}, |responses, state| {
                params.input_responses = responses;
                params.request_state = state;
                ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params.clone()))
            })
            .await?;
        match answer {
            ServerResult::ReadResourceResult(result) => Ok(result),
            _ => Err(CallError::Unreadable),
        }
    }

    /// Sends what `make` makes until the server needs nothing more for its answer.
    async fn ask(
        &self,
        progress: &(dyn Fn(String) + Send + Sync),
        mut make: impl FnMut(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<ServerResult, CallError> {
        let (mut responses, mut state) = (None, None);
        for _ in 0..MOST_ROUNDS {
            let request = make(responses.take(), state.take());
            match self.send(request, progress).await? {
                ServerResult::InputRequiredResult(needed) => {
                    let InputRequiredResult { input_requests, request_state, .. } = needed;
                    let mut given = InputResponses::new();
                    for (key, request) in input_requests.unwrap_or_default() {
                        given.insert(key, self.input(request).await?);
                    }
                    responses = (!given.is_empty()).then_some(given);
                    state = request_state;
                }
                answer => return Ok(answer),
            }
        }
        Err(CallError::Unreadable)
    }

    /// Returns what the server needs before it can answer.
    async fn input(&self, request: InputRequest) -> Result<Value, CallError> {
        let value = match request {
            InputRequest::Elicitation(request) => {
                serde_json::to_value(self.client.answer(request.params).await)
            }
            InputRequest::ListRoots(_) => serde_json::to_value(self.client.roots()),
            _ => return Err(CallError::NotOffered("a model")),
        };
        value.map_err(|_| CallError::Unreadable)
    }

    /// Sends one request and waits for its answer. The clock begins anew with each sign of life,
    /// and stands still while the user is asked.
    pub(super) async fn send(
        &self,
        request: ClientRequest,
        progress: &(dyn Fn(String) + Send + Sync),
    ) -> Result<ServerResult, CallError> {
        let options = PeerRequestOptions::no_options();
        let failed = |error| call_error(error, &self.around);
        let handle = self.peer.send_request_with_option(request, options).await.map_err(failed)?;
        let (sender, mut lines) = mpsc::channel(MOST_LINES);
        let _following = self.client.follow(handle.progress_token.clone(), sender);
        let mut open = OpenCall(Some(handle));
        let mut deadline = Instant::now() + self.call_limit;
        loop {
            let Some(handle) = open.0.as_mut() else { return Err(CallError::Ended) };
            tokio::select! {
                biased;
                answer = &mut handle.rx => {
                    open.0 = None;
                    return answer.map_err(|_| CallError::Ended)?.map_err(failed);
                }
                Some(line) = lines.recv() => {
                    progress(line);
                    deadline = Instant::now() + self.call_limit;
                }
                () = sleep_until(deadline) => {
                    if !self.client.is_asking() {
                        return Err(CallError::Silent(self.call_limit));
                    }
                    deadline = Instant::now() + self.call_limit;
                }
            }
        }
    }
}

/// A call under way; the server hears of it when nobody waits any more.
struct OpenCall(Option<RequestHandle<RoleClient>>);

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let reason = Some("nobody waits for the answer any more".to_owned());
            runtime.spawn(handle.cancel(reason));
        }
    }
}

fn call_error(error: ServiceError, around: &Around) -> CallError {
    match error {
        ServiceError::McpError(error) => CallError::Refused(error.message.into_owned()),
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => CallError::Ended,
        ServiceError::TransportSend(error) if words::is_gone(error.error.as_ref()) => {
            CallError::Ended
        }
        ServiceError::TransportSend(error) => {
            CallError::Unreachable(words::of_transport(error.error.as_ref(), around))
        }
        _ => CallError::Unreadable,
    }
}
