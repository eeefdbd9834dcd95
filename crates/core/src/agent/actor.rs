//! The one owner of the agent's state: takes inputs in, carries effects out, in order.
//!
//! Owns the loop and its single `select!`. A message is on disk before the event that follows it
//! goes out; commands are answered at any time, whatever the model, a tool or a client does. Must
//! not hold rules of a run: those are in `turn`.

use super::bus::{Bus, Lag, Output};
use super::runner::{Batch, ToolNews, ToolReport, ToolRunner};
use super::turn::{Effect, Input, Machine};
use super::{AgentParts, Inbox, Status};
use crate::context::messages_for_model;
use crate::model::{Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ModelStream};
use crate::secrets::Secrets;
use crate::session::SessionStore;
use crate::tools::FileLedger;
use futures_util::{FutureExt as _, StreamExt as _};
use letscode_wire::{
    Command, ContentPart, Control, Event, ImageData, Message, RequestId, RetryNotice, StreamEvent,
    ToolCall, ToolSpec,
};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// How many pieces of a stream are taken in a row before commands are looked at again.
const BURST: usize = 64;

pub(crate) struct Actor {
    machine: Machine,
    model: Arc<dyn Model>,
    system: Arc<str>,
    specs: Arc<[ToolSpec]>,
    runner: Arc<ToolRunner>,
    store: Option<Box<dyn SessionStore>>,
    /// Whether the user was told that the session cannot be written.
    store_failed: bool,
    inbox: mpsc::UnboundedReceiver<Inbox>,
    reports: mpsc::UnboundedReceiver<ToolReport>,
    reports_sender: mpsc::UnboundedSender<ToolReport>,
    /// The answer under way.
    stream: Option<ModelStream>,
    /// The calls under way.
    cancel_tools: CancellationToken,
    batch: u64,
    /// The id of the prompt whose run is active.
    prompt_id: Option<RequestId>,
    bus: Bus,
    lag: Arc<Lag>,
    status: watch::Sender<Status>,
    /// Whether the agent ends once it is idle.
    closing: bool,
    effects: Vec<Effect>,
}

/// What the loop woke up for; the closed set of all that can reach the agent.
enum Wake {
    Inbox(Option<Inbox>),
    Tool(ToolReport),
    Piece(Option<Result<ModelEvent, ModelError>>),
    ClientsCaughtUp,
}

impl Actor {
    pub(crate) fn new(
        parts: AgentParts,
        inbox: mpsc::UnboundedReceiver<Inbox>,
        status: watch::Sender<Status>,
        lag: Arc<Lag>,
    ) -> Self {
        let (reports_sender, reports) = mpsc::unbounded_channel();
        let files = Arc::new(FileLedger::default());
        files.restore(&parts.transcript);
        let runner = ToolRunner {
            tools: parts.tools,
            hooks: parts.hooks,
            env: parts.env,
            files,
            secrets: parts.secrets,
        };
        Self {
            machine: Machine::new(parts.transcript, parts.stamps),
            model: parts.model,
            system: parts.system,
            specs: runner.tools.specs(),
            runner: Arc::new(runner),
            store: parts.store,
            store_failed: false,
            inbox,
            reports,
            reports_sender,
            stream: None,
            cancel_tools: CancellationToken::new(),
            batch: 0,
            prompt_id: None,
            bus: Bus::new(Arc::clone(&lag)),
            lag,
            status,
            closing: false,
            effects: Vec::new(),
        }
    }

    pub(crate) async fn run(mut self) {
        loop {
            self.take_ready_pieces().await;
            self.bus.flush();
            if self.closing && self.machine.is_idle() {
                return;
            }
            match self.wake().await {
                Wake::Inbox(Some(item)) => self.take(item).await,
                // No handle is left: nobody can ask for more, or abort.
                Wake::Inbox(None) => self.close().await,
                Wake::Tool(report) => self.report(report).await,
                Wake::Piece(piece) => self.piece(piece).await,
                Wake::ClientsCaughtUp => {}
            }
            self.warn_of_faults();
        }
    }

    async fn wake(&mut self) -> Wake {
        let has_room = self.bus.has_room();
        let piece = async {
            match &mut self.stream {
                Some(stream) => stream.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            item = self.inbox.recv(), if !(self.closing && self.inbox.is_closed()) => Wake::Inbox(item),
            Some(report) = self.reports.recv() => Wake::Tool(report),
            piece = piece, if has_room => Wake::Piece(piece),
            () = self.lag.less(), if !has_room => Wake::ClientsCaughtUp,
        }
    }

    /// Takes in what the stream has ready, up to a burst, so that many small pieces cost one
    /// wake-up of the clients.
    async fn take_ready_pieces(&mut self) {
        for _ in 0..BURST {
            let Some(stream) = &mut self.stream else { return };
            if !self.bus.has_room() {
                return;
            }
            let Some(piece) = stream.next().now_or_never() else { return };
            self.piece(piece).await;
        }
    }

    async fn take(&mut self, item: Inbox) {
        match item {
            Inbox::Command { id, command } => self.command(id, command).await,
            Inbox::Abort => self.step(Input::Abort).await,
            Inbox::Say(output) => self.bus.push(output),
            Inbox::Subscribe(subscriber) => self.bus.subscribe(subscriber),
            Inbox::ShutDown => self.closing = true,
        }
    }

    async fn close(&mut self) {
        self.closing = true;
        self.step(Input::Abort).await;
    }

    async fn command(&mut self, id: RequestId, command: Command) {
        let needs_idle = matches!(command, Command::Prompt { .. } | Command::Reset);
        if needs_idle && !self.machine.is_idle() {
            let error = "a run is active; wait for its done, or abort it".to_owned();
            let refusal = Control::Error { id, error, recoverable: true, fatal: false };
            self.bus.push(Output::Control(refusal));
            return;
        }
        self.bus.push(Output::Control(Control::Ack { id: id.clone() }));
        let input = match command {
            Command::Prompt { text, images } => {
                self.prompt_id = Some(id);
                self.step(Input::Prompt(prompt_content(text, images))).await;
                return;
            }
            Command::Steer { text } => Some(Input::Steer(vec![ContentPart::text(text)])),
            Command::FollowUp { text } => Some(Input::FollowUp(vec![ContentPart::text(text)])),
            Command::Abort => Some(Input::Abort),
            Command::Reset => Some(Input::Reset),
            // The connection's own business: whoever owns it acts on them.
            Command::Hello { .. } | Command::Bye => None,
        };
        if let Some(input) = input {
            self.step(input).await;
        }
        self.bus.push(Output::Control(Control::Done { id, result: None }));
    }

    async fn report(&mut self, report: ToolReport) {
        if report.batch != self.batch {
            return;
        }
        match report.news {
            ToolNews::Started { until } => {
                self.status
                    .send_modify(|status| status.tools_until = status.tools_until.max(until));
            }
            ToolNews::Shown(partial) => {
                self.step(Input::Shown { index: report.index, partial }).await;
            }
            ToolNews::Finished(outcome) => {
                self.step(Input::Finished { index: report.index, outcome }).await;
            }
        }
    }

    async fn piece(&mut self, piece: Option<Result<ModelEvent, ModelError>>) {
        let input = match piece {
            Some(Ok(ModelEvent::Stream(StreamEvent::Retry(notice)))) => {
                let reason = self.secrets().mask(notice.reason).into_owned();
                Input::Piece(StreamEvent::Retry(RetryNotice { reason, ..notice }))
            }
            Some(Ok(ModelEvent::Stream(piece))) => Input::Piece(piece),
            Some(Ok(ModelEvent::Notice(text))) => {
                let text = self.secrets().mask(text).into_owned();
                self.bus.push(Output::Notice(text));
                return;
            }
            Some(Ok(ModelEvent::Done(answer))) => {
                self.stream = None;
                Input::Answered(answer)
            }
            Some(Err(error)) => {
                self.stream = None;
                let message = self.secrets().mask(error.message).into_owned();
                Input::Failed(ModelError { message, ..error })
            }
            None => {
                self.stream = None;
                Input::Failed(ModelError {
                    kind: ModelErrorKind::BrokenStream,
                    message: "the model's answer ended without an end".to_owned(),
                })
            }
        };
        self.step(input).await;
    }

    async fn step(&mut self, input: Input) {
        let mut effects = std::mem::take(&mut self.effects);
        self.machine.step(input, &mut effects);
        for effect in effects.drain(..) {
            self.carry_out(effect).await;
        }
        self.effects = effects;
        self.status.send_if_modified(|status| {
            let busy = !self.machine.is_idle();
            std::mem::replace(&mut status.busy, busy) != busy
        });
    }

    async fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Keep(message) => self.keep(message).await,
            Effect::Emit(event) => self.emit(event),
            Effect::Request => self.request(),
            Effect::StopRequest => self.stream = None,
            Effect::RunTools { calls, rejected } => self.run_tools(calls, rejected),
            Effect::CancelTools => self.cancel_tools.cancel(),
        }
    }

    fn emit(&mut self, event: Event) {
        let ends_run = matches!(event, Event::AgentEnd { .. });
        let event = Arc::new(event);
        self.runner.hooks.on_event(&event);
        self.bus.push(Output::Event(event));
        if ends_run && let Some(id) = self.prompt_id.take() {
            self.bus.push(Output::Control(Control::Done { id, result: None }));
        }
    }

    async fn keep(&mut self, message: Arc<Message>) {
        let message = without_keys(message, self.secrets());
        let Some(store) = &self.store else { return };
        match store.append(message).await {
            Ok(()) => self.store_failed = false,
            Err(error) => {
                if !std::mem::replace(&mut self.store_failed, true) {
                    let text = format!("{error}; going on, and trying again with the next message");
                    self.bus.push(Output::Notice(text));
                }
            }
        }
    }

    fn request(&mut self) {
        let model = Arc::clone(&self.model);
        let (system, tools) = (Arc::clone(&self.system), Arc::clone(&self.specs));
        let transcript = self.machine.transcript().clone();
        let hooks = self.runner.hooks.clone();
        // The time of tools that have ended must not count for the silence of the model.
        self.status.send_modify(|status| status.tools_until = None);
        let answer = async move {
            let messages = messages_for_model(&transcript, &hooks).await;
            model.stream(ModelRequest { system, messages, tools })
        };
        self.stream = Some(Box::pin(answer.flatten_stream()));
    }

    fn run_tools(&mut self, calls: Vec<ToolCall>, rejected: Vec<Option<String>>) {
        self.batch += 1;
        self.cancel_tools = CancellationToken::new();
        self.status.send_modify(|status| status.tools_until = None);
        let batch = Batch {
            number: self.batch,
            calls,
            rejected,
            vision: self.model.info().vision,
            cancel: self.cancel_tools.clone(),
            reports: self.reports_sender.clone(),
        };
        tokio::spawn(Arc::clone(&self.runner).run(Arc::new(batch)));
    }

    fn warn_of_faults(&mut self) {
        for fault in self.runner.hooks.take_faults() {
            self.bus.push(Output::Notice(fault.to_string()));
        }
    }

    fn secrets(&self) -> &Secrets {
        &self.runner.secrets
    }
}

/// Returns a prompt's text and pictures; no empty text part beside pictures, which some servers
/// refuse.
fn prompt_content(text: String, images: Vec<ImageData>) -> Vec<ContentPart> {
    let words = (!text.is_empty() || images.is_empty()).then(|| ContentPart::text(text));
    let pictures = images
        .into_iter()
        .map(|ImageData { data, mime_type }| ContentPart::Image { data, mime_type });
    words.into_iter().chain(pictures).collect()
}

/// Returns the message with keys masked; the same one where it holds none.
fn without_keys(message: Arc<Message>, secrets: &Secrets) -> Arc<Message> {
    let Ok(text) = serde_json::to_string(&*message) else { return message };
    if matches!(secrets.mask(text.as_str()), Cow::Borrowed(_)) {
        return message;
    }
    let Ok(mut value) = serde_json::to_value(&*message) else { return message };
    secrets.mask_value(&mut value);
    serde_json::from_value(value).map_or(message, Arc::new)
}
