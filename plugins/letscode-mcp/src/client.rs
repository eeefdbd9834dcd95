//! What a server may ask of this client, and what it tells it.
//!
//! Owns the client's side of the protocol: roots, questions to the user, progress, changes. Must
//! not send a request.
// Roots and log messages are on their way out of the protocol, but servers of today use them.
#![expect(deprecated, reason = "servers of earlier versions of the protocol ask for roots")]

use crate::content::one_line;
use crate::elicit;
use crate::front::{BoxFuture, Front};
use crate::journal::Journal;
use letscode_wire::{Registrations, UiRequest};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, Root,
    RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, mpsc};

/// The longest line of progress, in characters.
const LONGEST_PROGRESS: usize = 300;

/// The client's side of one connection. Clones share everything.
#[derive(Clone)]
pub(crate) struct Client {
    server: String,
    roots: Vec<Root>,
    front: Arc<dyn Front>,
    journal: Journal,
    /// Where the progress of each call under way goes.
    progress: Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<String>>>>,
    /// How many questions the user has before them.
    asking: Arc<AtomicUsize>,
    /// Woken when the server has other tools or prompts.
    pub(crate) changed: Arc<Notify>,
}

impl Client {
    /// Returns the client for `server`. `root` is the working directory as a `file:` address.
    pub(crate) fn new(
        server: &str,
        root: Option<String>,
        front: Arc<dyn Front>,
        journal: Journal,
    ) -> Self {
        Self {
            server: server.to_owned(),
            roots: root.map(Root::new).into_iter().collect(),
            front,
            journal,
            progress: Arc::default(),
            asking: Arc::default(),
            changed: Arc::default(),
        }
    }

    /// Sends the progress of the call with `token` to `lines`, until the result is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, lines: mpsc::Sender<String>) -> Following {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.insert(token.clone(), lines);
        Following { client: self.clone(), token }
    }

    /// Returns whether the user has a question of this server's before them.
    pub(crate) fn is_asking(&self) -> bool {
        self.asking.load(Ordering::Relaxed) > 0
    }

    /// Asks the user what the server wants to know.
    pub(crate) async fn answer(&self, request: ElicitRequestParams) -> ElicitResult {
        self.asking.fetch_add(1, Ordering::Relaxed);
        let asking = Asking(Arc::clone(&self.asking));
        let front = Discreet { front: Arc::clone(&self.front), journal: self.journal.clone() };
        let result = elicit::ask(&self.server, request, &front).await;
        drop(asking);
        result
    }

    /// Returns where the server may work.
    pub(crate) fn roots(&self) -> ListRootsResult {
        ListRootsResult::new(self.roots.clone())
    }
}

/// The program, which is shown no secret.
struct Discreet {
    front: Arc<dyn Front>,
    journal: Journal,
}

impl Front for Discreet {
    fn ask(&self, request: UiRequest) -> BoxFuture<Option<Value>> {
        let masks = self.journal.masks();
        let masked = match request {
            UiRequest::Confirm { title, text } => {
                UiRequest::Confirm { title, text: masks.apply(&text) }
            }
            UiRequest::Select { text, options } => {
                let options = options.iter().map(|option| masks.apply(option)).collect();
                UiRequest::Select { text: masks.apply(&text), options }
            }
            // What the user leaves as it is goes back to the server.
            UiRequest::Input { text, placeholder, default } => {
                UiRequest::Input { text: masks.apply(&text), placeholder, default }
            }
            shown @ (UiRequest::Notify { .. } | UiRequest::Status { .. }) => shown,
        };
        self.front.ask(masked)
    }

    fn register(&self, registrations: Registrations) {
        self.front.register(registrations);
    }

    fn warn(&self, line: &str) {
        self.front.warn(line);
    }
}

/// Counts a question as long as it is open, whatever becomes of it.
struct Asking(Arc<AtomicUsize>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Keeps the progress of a call coming.
pub(crate) struct Following {
    client: Client,
    token: ProgressToken,
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut progress = self.client.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.remove(&self.token);
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut elicitation = ElicitationCapability::new();
        elicitation.form = Some(FormElicitationCapability::default());
        elicitation.url = Some(UrlElicitationCapability::default());
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(elicitation);
        capabilities.roots = Some(RootsCapabilities::default());
        ClientConfig::new(capabilities, Implementation::new("letscode", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            result = self.answer(request) => Ok(result),
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("the question was taken back", None))
            }
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let lines = {
            let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.get(&params.progress_token).cloned()
        };
        if let Some(lines) = lines {
            // Only the newest counts; one that finds no room has others before it.
            drop(lines.try_send(self.journal.masks().apply(&progress_line(&params))));
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = match &params.data {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.journal.add(&text);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

/// Returns how far a call is, in one line.
fn progress_line(params: &ProgressNotificationParam) -> String {
    let figures = match params.total.filter(|total| *total > 0.0) {
        Some(total) => format!("{} of {total}", params.progress),
        None => params.progress.to_string(),
    };
    match &params.message {
        Some(message) => one_line(&format!("{figures}: {message}"), LONGEST_PROGRESS),
        None => figures,
    }
}
