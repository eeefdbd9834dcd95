//! The agent: a handle that takes commands, and subscriptions that give events.
//!
//! Owns the handle and the parts that an agent is made of. The state lives in one task (`actor`),
//! its rules in a pure state machine (`turn`). Must not read settings or print.

mod actor;
mod bus;
mod questions;
mod queue;
mod runner;
mod schedule;
mod stamp;
mod turn;

pub use bus::{Output, Subscription};
pub use stamp::{Stamp, Stamps, SystemStamps};

use crate::commands::Host;
use crate::env::ExecutionEnv;
use crate::hooks::{AccessInbox, Hooks};
use crate::input::TypingAids;
use crate::model::{Model, ModelSource};
use crate::secrets::Secrets;
use crate::session::{SessionManager, SessionStore};
use crate::tools::ToolRegistry;
use crate::ui::{Ui, UiInbox};
use bus::{Lag, Subscriber};
use letscode_wire::{Command, Control, RequestId, Transcript};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// What an agent is made of.
pub struct AgentParts {
    /// The model that answers.
    pub model: Arc<dyn Model>,
    /// Files and processes for the tools.
    pub env: Arc<dyn ExecutionEnv>,
    /// The tools at hand.
    pub tools: ToolRegistry,
    /// The plugins.
    pub hooks: Hooks,
    /// The way from tools and plugins to the user, both ends of it.
    pub ui: (Ui, UiInbox),
    /// The plugins' way to the agent, its own end of it.
    pub access: AccessInbox,
    /// Where models come from when the user switches; `None` allows no switch.
    pub models: Option<Arc<dyn ModelSource>>,
    /// How hard the model is asked to think.
    pub thinking: String,
    /// Where messages are kept; `None` keeps nothing.
    pub store: Option<Box<dyn SessionStore>>,
    /// The session that `store` belongs to, and the others; `None` where none is kept.
    pub sessions: Option<KeptSession>,
    /// The program around the agent.
    pub host: Arc<dyn Host>,
    /// The system prompt, whole.
    pub system: Arc<str>,
    /// The conversation to go on from.
    pub transcript: Transcript,
    /// What to expand typed text with.
    pub typing: TypingAids,
    /// The keys to hide.
    pub secrets: Arc<Secrets>,
    /// Ids and times for new messages.
    pub stamps: Box<dyn Stamps>,
}

/// The session that is open, and the way to the others of its project.
pub struct KeptSession {
    /// The sessions.
    pub manager: Arc<dyn SessionManager>,
    /// The open one's file.
    pub path: PathBuf,
}

/// A running agent. Cheap to clone; the agent ends when the last handle is gone or
/// [`shut_down`](Self::shut_down) was called.
#[derive(Debug, Clone)]
pub struct Agent {
    inbox: mpsc::UnboundedSender<Inbox>,
    status: watch::Receiver<Status>,
    lag: Arc<Lag>,
}

/// What the agent is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// Whether a run is active, or typed text is being expanded.
    pub busy: bool,
    /// Until when running tools, or plugins that act before a run ends, may be silent without being
    /// hung.
    pub silent_until: Option<Instant>,
}

/// What the actor takes in from handles, in order.
#[derive(Debug)]
pub(crate) enum Inbox {
    /// A command, with the id for its replies.
    Command { id: RequestId, command: Command },
    /// Stop the active run.
    Abort,
    /// A line for the clients, in order with the replies to commands.
    Say(Output),
    /// A new client.
    Subscribe(Subscriber),
    /// End once idle.
    ShutDown,
}

/// Starts an agent on the current runtime.
pub fn start(parts: AgentParts) -> (Agent, JoinHandle<()>) {
    let (inbox, receiver) = mpsc::unbounded_channel();
    let (status_sender, status) = watch::channel(Status::default());
    let lag = Arc::new(Lag::default());
    let actor = actor::Actor::new(parts, receiver, status_sender, Arc::clone(&lag));
    let task = tokio::spawn(actor.run());
    (Agent { inbox, status, lag }, task)
}

impl Agent {
    /// Sends a command. Its replies and effects reach the subscriptions, in order.
    pub fn send(&self, id: RequestId, command: Command) {
        self.post(Inbox::Command { id, command });
    }

    /// Stops the active run, if there is one, without the replies of a command.
    pub fn abort(&self) {
        self.post(Inbox::Abort);
    }

    /// Sends a control message to all clients, behind the replies to earlier commands.
    pub fn say(&self, control: Control) {
        self.post(Inbox::Say(Output::Control(control)));
    }

    /// Waits while so much lies with the clients that they should read before they ask for more.
    pub async fn room(&self) {
        self.lag.room().await;
    }

    /// Returns a subscription to all that happens from now on.
    pub fn subscribe(&self) -> Subscription {
        let (subscription, subscriber) = Subscription::new(Arc::clone(&self.lag));
        self.post(Inbox::Subscribe(subscriber));
        subscription
    }

    /// Lets the active run and all commands before this call come to their end, then ends the
    /// agent; subscriptions end with it.
    pub fn shut_down(&self) {
        self.post(Inbox::ShutDown);
    }

    /// Returns what the agent is doing.
    pub fn status(&self) -> Status {
        *self.status.borrow()
    }

    fn post(&self, item: Inbox) {
        // An ended agent takes nothing in; its subscriptions have told the client so.
        drop(self.inbox.send(item));
    }
}
