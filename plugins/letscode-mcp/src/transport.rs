//! One kind of transport, whatever the way to a server is.
//!
//! Owns nothing but the choice. What the library makes of a transport is large, and made for each
//! kind; so there is one.

use crate::http::HttpTransport;
use crate::stdio::Stdio;
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use std::pin::Pin;

/// The way to a server.
pub(crate) enum Way {
    Stdio(Stdio),
    Http(HttpTransport),
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("{0}")]
    Stdio(#[source] io::Error),
    #[error("{0}")]
    Http(#[source] <HttpTransport as Transport<RoleClient>>::Error),
}

type Sending = Pin<Box<dyn Future<Output = Result<(), SendError>> + Send>>;

impl Transport<RoleClient> for Way {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let sending: Sending = match self {
            Self::Stdio(stdio) => {
                let sending = stdio.send(message);
                Box::pin(async { sending.await.map_err(SendError::Stdio) })
            }
            Self::Http(http) => {
                let sending = http.send(message);
                Box::pin(async { sending.await.map_err(SendError::Http) })
            }
        };
        sending
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        match self {
            Self::Stdio(stdio) => stdio.receive().await,
            Self::Http(http) => http.receive().await,
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        match self {
            Self::Stdio(stdio) => stdio.close().await.map_err(SendError::Stdio),
            Self::Http(http) => http.close().await.map_err(SendError::Http),
        }
    }
}
