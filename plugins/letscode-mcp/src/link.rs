//! One connection to a server: made, asked what the server has, used for calls.
//!
//! Owns the handshake and the lists. Calls are in `call`. Must not restart anything.

mod call;
mod catalog;
mod lenient;
mod words;

pub(crate) use call::CallError;
pub(crate) use catalog::Catalog;

use crate::client::Client;
use crate::environment::Environment;
use crate::http::{self, Around};
use crate::journal::Journal;
use crate::program::{self, Program, StartError};
use crate::settings::{Reach, ServerSettings};
use crate::stdio::Stdio;
use crate::transport::Way;
use rmcp::ClientServiceExt as _;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::{ClientLifecycleMode, Peer, RoleClient, RunningService, Subscription};
use std::time::Duration;

/// A connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Link {
    peer: Peer<RoleClient>,
    client: Client,
    call_limit: Duration,
    around: Around,
}

/// A connection with what keeps it open.
pub(crate) struct Connection {
    pub(crate) link: Link,
    pub(crate) service: RunningService<RoleClient, Client>,
    pub(crate) program: Option<Program>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// There is no way over HTTP.
    #[error(transparent)]
    Http(#[from] http::HttpError),
    /// The server did not come to terms.
    #[error("{0}")]
    Handshake(String),
    /// The server did not tell what it has.
    #[error("it does not tell what it has: {0}")]
    Lists(CallError),
    /// All of that took too long.
    #[error("it was not ready within {} s (its `timeout`)", .0.as_secs_f64())]
    Slow(Duration),
}

/// Connects to a server, and asks what it has. Servers of the newest protocol are asked first; one
/// that does not survive the question is asked in the old way, in a new connection.
///
/// # Errors
/// When there is no connection.
pub(crate) async fn connect(
    settings: &ServerSettings,
    environment: &Environment,
    client: &Client,
    journal: &Journal,
) -> Result<(Connection, Catalog), ConnectError> {
    let limit = settings.start_limit;
    let connecting = async {
        let auto = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        let connection = match handshake(settings, environment, client, journal, auto).await {
            Err(ConnectError::Handshake(_)) => {
                journal.clear();
                let old = ClientLifecycleMode::Initialize;
                handshake(settings, environment, client, journal, old).await?
            }
            other => other?,
        };
        let catalog = connection.link.catalog(&settings.tools, journal).await;
        Ok((connection, catalog.map_err(ConnectError::Lists)?))
    };
    tokio::time::timeout(limit, connecting).await.map_err(|_| ConnectError::Slow(limit))?
}

async fn handshake(
    settings: &ServerSettings,
    environment: &Environment,
    client: &Client,
    journal: &Journal,
    lifecycle: ClientLifecycleMode,
) -> Result<Connection, ConnectError> {
    match &settings.reach {
        Reach::Program { command, args, env, cwd } => {
            let (program, pipes) = program::start(command, args, env, cwd, environment)?;
            tokio::spawn(journal.clone().follow(pipes.stderr));
            let way = Way::Stdio(Stdio::new(pipes.stdout, pipes.stdin, journal.clone()));
            match serve(settings, client, way, lifecycle, Around::default()).await {
                Ok(connection) => Ok(Connection { program: Some(program), ..connection }),
                Err(error) => {
                    let how = program.end().await;
                    Err(ConnectError::Handshake(format!("{error} ({how})")))
                }
            }
        }
        Reach::Http { url, headers } => {
            let (transport, around) = http::transport(url, headers, environment).await?;
            let way = Way::Http(transport);
            let served = serve(settings, client, way, lifecycle, around).await;
            served.map_err(ConnectError::Handshake)
        }
    }
}

async fn serve(
    settings: &ServerSettings,
    client: &Client,
    way: Way,
    lifecycle: ClientLifecycleMode,
    around: Around,
) -> Result<Connection, String> {
    let service = client
        .clone()
        .serve_with_lifecycle(way, lifecycle)
        .await
        .map_err(|error| words::of_handshake(&error, &around))?;
    let link = Link {
        peer: service.peer().clone(),
        client: client.clone(),
        call_limit: settings.call_limit,
        around,
    };
    Ok(Connection { link, service, program: None })
}

impl Link {
    /// Returns the version of the protocol that both speak.
    pub(crate) fn protocol(&self) -> String {
        let info = self.peer.peer_info();
        info.map(|info| info.protocol_version.as_str().to_owned()).unwrap_or_default()
    }

    /// Returns whether the connection is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// Asks to be told about changes, where that must be asked for; servers of earlier versions
    /// tell without.
    pub(crate) async fn subscribe(&self) -> Option<Subscription> {
        let info = self.peer.peer_info()?;
        if info.protocol_version.has_initialize() {
            return None;
        }
        let wanted = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed()
            .build()
            .supported_by(&info.capabilities);
        if wanted == SubscriptionFilter::new() {
            return None;
        }
        self.peer.listen(wanted).await.ok()
    }
}
