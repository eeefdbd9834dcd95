//! The way to a server over its stdin and stdout.
//!
//! Owns what the library's own transport leaves open: an answer to the first question that comes
//! after the question was given up must not be taken for the answer to the second. Must not know
//! processes.

use crate::journal::Journal;
use crate::stray::Noting;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::io;
use tokio::process::{ChildStdin, ChildStdout};

/// Messages as lines.
pub(crate) struct Stdio {
    lines: AsyncRwTransport<RoleClient, Noting<ChildStdout>, ChildStdin>,
    /// The question whether the server knows the newest protocol, while it is open.
    probe: Option<RequestId>,
    /// The same question once it was given up.
    stale: Option<RequestId>,
}

impl Stdio {
    pub(crate) fn new(stdout: ChildStdout, stdin: ChildStdin, journal: Journal) -> Self {
        let stdout = Noting::new(stdout, journal);
        Self { lines: AsyncRwTransport::new(stdout, stdin), probe: None, stale: None }
    }

    fn is_stale(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let Some(stale) = &self.stale else { return false };
        match message {
            JsonRpcMessage::Response(response) => response.id == *stale,
            JsonRpcMessage::Error(error) => error.id.as_ref() == Some(stale),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.stale = self.probe.take(),
                _ => {}
            }
        }
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.lines.receive().await?;
            if !self.is_stale(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close().await
    }
}
