//! One server from its start to its end: connected, watched, started again once.
//!
//! Owns its phases. Must not know other servers, or how its tools are named.

use crate::client::Client;
use crate::environment::Environment;
use crate::front::Front;
use crate::journal::Journal;
use crate::link::{CallError, Catalog, Connection, Link, connect};
use crate::settings::ServerSettings;
use rmcp::service::Subscription;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// How many lines of a server's journal are told when it fails.
pub(crate) const LAST_WORDS: usize = 3;

/// A configured server.
pub(crate) struct Server {
    settings: ServerSettings,
    environment: Environment,
    client: Client,
    journal: Journal,
    front: Arc<dyn Front>,
    state: watch::Sender<State>,
    /// Woken when the server has other tools or prompts, or is in another phase.
    news: Arc<Notify>,
}

/// What a server is at.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    /// What it has; that of a server that ended is kept, so that the model's tools stay the same.
    pub(crate) catalog: Arc<Catalog>,
    link: Option<Link>,
}

/// How far a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is being connected to, for the first time or again.
    Starting,
    /// It can be called.
    Ready,
    /// It is left out, for this reason.
    Failed(String),
}

/// Why a connection is over.
enum End {
    /// The plugin ends.
    Stopped,
    /// The server is gone, and how it ended where that is known.
    Gone(Option<String>),
}

impl Server {
    pub(crate) fn new(
        settings: ServerSettings,
        environment: Environment,
        working_dir: &Path,
        front: Arc<dyn Front>,
        news: Arc<Notify>,
    ) -> Self {
        let journal = Journal::new(settings.masks.clone());
        let root = url::Url::from_directory_path(working_dir).ok();
        // Servers take the address of a folder without the slash at its end.
        let root = root.map(|url| url.as_str().trim_end_matches('/').to_owned());
        let client = Client::new(&settings.name, root, Arc::clone(&front), journal.clone());
        let state = State { phase: Phase::Starting, catalog: Arc::default(), link: None };
        let state = watch::Sender::new(state);
        Self { settings, environment, client, journal, front, state, news }
    }

    pub(crate) fn name(&self) -> &str {
        &self.settings.name
    }

    pub(crate) fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns what the server is at.
    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Returns the version of the protocol in use, where there is a connection.
    pub(crate) fn protocol(&self) -> Option<String> {
        self.state.borrow().link.as_ref().map(Link::protocol)
    }

    /// Waits until the server is ready or left out.
    pub(crate) async fn settled(&self) {
        let mut state = self.state.subscribe();
        // The sender lives as long as this server does.
        drop(state.wait_for(|state| state.phase != Phase::Starting).await);
    }

    /// Returns the connection, once there is one.
    ///
    /// # Errors
    /// When the server is left out, in words for whoever called it.
    pub(crate) async fn link(&self) -> Result<Link, String> {
        let mut states = self.state.subscribe();
        // A connection that has just ended is about to be replaced.
        let usable = states.wait_for(|state| match (&state.phase, &state.link) {
            (Phase::Starting, _) => false,
            (Phase::Ready, Some(link)) => !link.is_closed(),
            (Phase::Ready, None) | (Phase::Failed(_), _) => true,
        });
        drop(usable.await);
        let state = self.state();
        match (state.phase, state.link) {
            (Phase::Ready, Some(link)) => Ok(link),
            (Phase::Failed(reason), _) => {
                Err(format!("the MCP server {} does not run: {reason}", self.name()))
            }
            _ => Err(format!("the MCP server {} does not run", self.name())),
        }
    }

    /// Returns an error of a call in words for whoever called.
    pub(crate) fn words(&self, error: &CallError) -> String {
        let words = match error {
            CallError::Refused(text) => {
                format!("the MCP server {} refuses: {text}", self.name())
            }
            other => format!("MCP server {}: {other}", self.name()),
        };
        self.settings.masks.apply(&words)
    }

    /// Runs the server until `stop`, or until it is gone for the second time.
    pub(crate) async fn run(&self, stop: CancellationToken) {
        for again in [false, true] {
            let connected = tokio::select! {
                connected =
                    connect(&self.settings, &self.environment, &self.client, &self.journal) => connected,
                () = stop.cancelled() => return,
            };
            let (connection, catalog) = match connected {
                Ok(connected) => connected,
                Err(error) => return self.fail(&error.to_string()),
            };
            match self.live(connection, catalog, &stop).await {
                End::Stopped => return,
                End::Gone(how) => {
                    let how = how.map(|how| format!(" ({how})")).unwrap_or_default();
                    if again {
                        return self.fail(&format!("it ended again{how}"));
                    }
                    self.warn(&format!("ended{how} and is started again"));
                    self.journal.add(&format!("(ended{how})"));
                }
            }
        }
    }

    /// Keeps a connection until it is over.
    async fn live(
        &self,
        connection: Connection,
        catalog: Catalog,
        stop: &CancellationToken,
    ) -> End {
        let Connection { link, service, program } = connection;
        self.state.send_modify(|state| state.catalog = Arc::new(catalog));
        self.enter(Phase::Ready, Some(link.clone()));
        let token = service.cancellation_token();
        let mut over = Box::pin(service.waiting());
        let mut subscription = link.subscribe().await;
        let stopped = loop {
            tokio::select! {
                _ = &mut over => break false,
                () = stop.cancelled() => break true,
                () = self.client.changed.notified() => {}
                () = told(&mut subscription) => {}
            }
            tokio::select! {
                () = self.look_again(&link) => {}
                () = stop.cancelled() => break true,
            }
        };
        // Calls that come from now on wait for what follows.
        let phase = if stopped { Phase::Failed("it was ended".into()) } else { Phase::Starting };
        self.enter(phase, None);
        token.cancel();
        drop(subscription);
        if stopped {
            drop(tokio::time::timeout(Duration::from_millis(500), over).await);
        }
        let how = match program {
            Some(program) => Some(program.end().await),
            None => None,
        };
        if stopped { End::Stopped } else { End::Gone(how) }
    }

    /// Asks the server anew what it has.
    async fn look_again(&self, link: &Link) {
        let asking = link.catalog(&self.settings.tools, &self.journal);
        match tokio::time::timeout(self.settings.start_limit, asking).await {
            Ok(Ok(catalog)) if catalog == *self.state.borrow().catalog => {}
            Ok(Ok(catalog)) => {
                self.state.send_modify(|state| state.catalog = Arc::new(catalog));
                self.news.notify_one();
            }
            Ok(Err(error)) => self.journal.add(&format!("its tools are not known anew: {error}")),
            Err(_) => self.journal.add("its tools are not known anew: no answer in time"),
        }
    }

    fn enter(&self, phase: Phase, link: Option<Link>) {
        self.state.send_modify(|state| {
            state.phase = phase;
            state.link = link;
        });
        self.news.notify_one();
    }

    fn fail(&self, reason: &str) {
        let mut reason = self.settings.masks.apply(reason);
        let last = self.journal.newest(LAST_WORDS);
        if !last.is_empty() {
            reason.push_str("; its last words: ");
            reason.push_str(&last.join(" | "));
        }
        self.warn(&format!("is left out: {reason}"));
        self.enter(Phase::Failed(reason), None);
    }

    fn warn(&self, text: &str) {
        self.front.warn(&format!("MCP server {} {text}", self.name()));
    }
}

/// Waits until a subscription tells of a change; for ever where there is none.
async fn told(subscription: &mut Option<Subscription>) {
    if let Some(open) = subscription {
        if let Ok(Some(_)) = open.next().await {
            return;
        }
        *subscription = None;
    }
    std::future::pending::<()>().await;
}
