//! The one owner of the agent's state: takes inputs in, carries effects out, in order.
//!
//! Owns the loop and its single `select!`. A message is on disk before the event that follows it
//! goes out; commands are answered at any time, whatever the model, a tool or a client does. Must
//! not hold rules of a run: those are in `turn`.

mod commands;
mod conversation;
mod equipping;
mod names;
mod plugins;
mod reloading;
mod requesting;
mod saving;
mod typed;
mod user;
mod words;

use super::bus::{Bus, Lag, Output};
use super::questions::{Questions, UiNews};
use super::runner::{Batch, ToolNews, ToolReport, ToolRunner};
use super::turn::{Effect, Input, Limits, Machine};
use super::{AgentParts, Inbox, KeptSession, Status};
use crate::commands::Host;
use crate::compaction::estimate_overhead;
use crate::hooks::{AccessAnswer, AccessInbox, Wanted};
use crate::input::TypingAids;
use crate::model::{Model, ModelError, ModelErrorKind, ModelEvent, ModelSource, ModelStream};
use crate::secrets::Secrets;
use crate::session::{SessionStore, add_usage};
use crate::tools::FileLedger;
use commands::{Called, Reply};
use equipping::{Equipping, Made, Pending};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, FuturesUnordered};
use futures_util::{FutureExt as _, StreamExt as _};
use letscode_wire::{
    CompactResult, Event, Message, RequestId, RetryNotice, StreamEvent, ToolCall, ToolSpec, Usage,
    UsageResult,
};
use names::Names;
use plugins::PluginCall;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use typed::{Attached, Expansion};

/// How many pieces of a stream are taken in a row before commands are looked at again.
const BURST: usize = 64;

pub(crate) struct Actor {
    machine: Machine,
    model: Arc<dyn Model>,
    models: Option<Arc<dyn ModelSource>>,
    /// How hard the model is asked to think.
    thinking: String,
    /// The level that the user chose since the start.
    chosen_thinking: Option<String>,
    system: Arc<str>,
    specs: Arc<[ToolSpec]>,
    /// How many tokens `system` and `specs` take.
    overhead: u64,
    runner: Arc<ToolRunner>,
    store: Option<Box<dyn SessionStore>>,
    sessions: Option<KeptSession>,
    host: Arc<dyn Host>,
    /// What the plugins had registered when tools and system prompt were made.
    equipped: Option<u64>,
    /// Tools and system prompt being made anew, and the request that waits for them.
    equipping: Option<Equipping>,
    /// The plugins' requests to the agent.
    access: AccessInbox,
    /// The plugins whose commands are under way.
    asked_by_plugins: Vec<(RequestId, AccessAnswer)>,
    /// Slash commands of plugins that are under way.
    plugin_calls: FuturesUnordered<BoxFuture<'static, PluginCall>>,
    /// Slash commands, until their results are put in words.
    called: Vec<Called>,
    typing: TypingAids,
    /// What was told that is wrong with templates.
    warned: HashSet<String>,
    /// Typed texts that are being expanded, in the order in which they came.
    expansions: FuturesOrdered<BoxFuture<'static, Expansion>>,
    stop_expansions: CancellationToken,
    /// Messages with files that the conversation does not have yet.
    attached: Vec<Attached>,
    /// What the conversation cost, for where no session tells.
    spent: UsageResult,
    /// What goes into a new session before its first message: the model that is in use.
    owed: Option<Arc<Message>>,
    /// Whether the last request had texts cut.
    cuts_texts: bool,
    /// Whether the session cannot be written, which the user is told once.
    store_failed: bool,
    /// What is to be told of that.
    store_failure: Option<String>,
    /// Whether the session's file turned out to be no longer ours.
    session_lost: bool,
    inbox: mpsc::UnboundedReceiver<Inbox>,
    reports: mpsc::UnboundedReceiver<ToolReport>,
    reports_sender: mpsc::UnboundedSender<ToolReport>,
    /// The answer under way.
    stream: Option<ModelStream>,
    /// What plugins do before the run ends, under way.
    settling: Option<BoxFuture<'static, ()>>,
    /// The calls under way.
    cancel_tools: CancellationToken,
    batch: u64,
    /// The id of the command whose run or compaction is active.
    run_id: Option<RequestId>,
    /// Commands that wait for the disk, beside whatever else goes on.
    lookups: FuturesUnordered<BoxFuture<'static, Reply>>,
    /// Lists of what can be called by a slash, under way.
    listings: FuturesUnordered<BoxFuture<'static, (RequestId, Names)>>,
    /// What the user is asked.
    questions: Questions,
    /// Whether a client answers.
    answers_ui: bool,
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
    Found(Reply),
    Named(RequestId, Names),
    Expanded(Expansion),
    Equipped(Made),
    Wanted(Wanted),
    Called(PluginCall),
    Ui(UiNews),
    Settled,
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
        let (ui, requests) = parts.ui;
        let files = Arc::new(FileLedger::default());
        files.restore(&parts.transcript);
        for file in &parts.typing.shown {
            files.record(&file.path, file.fingerprint);
        }
        let mut spent = UsageResult { usage: Usage::default(), answers: 0 };
        parts.transcript.iter().for_each(|message| add_usage(&mut spent, message));
        let runner = ToolRunner {
            tools: parts.tools,
            hooks: parts.hooks,
            env: parts.env,
            files,
            secrets: parts.secrets,
            ui,
        };
        let specs = runner.tools.specs();
        Self {
            machine: Machine::new(parts.transcript, parts.stamps),
            model: parts.model,
            models: parts.models,
            thinking: parts.thinking,
            chosen_thinking: None,
            overhead: estimate_overhead(&parts.system, &specs),
            system: parts.system,
            specs,
            runner: Arc::new(runner),
            store: parts.store,
            sessions: parts.sessions,
            host: parts.host,
            equipped: Some(0),
            equipping: None,
            access: parts.access,
            asked_by_plugins: Vec::new(),
            plugin_calls: FuturesUnordered::new(),
            called: Vec::new(),
            typing: parts.typing,
            warned: HashSet::new(),
            expansions: FuturesOrdered::new(),
            stop_expansions: CancellationToken::new(),
            attached: Vec::new(),
            spent,
            owed: None,
            cuts_texts: false,
            store_failed: false,
            store_failure: None,
            session_lost: false,
            inbox,
            reports,
            reports_sender,
            stream: None,
            settling: None,
            cancel_tools: CancellationToken::new(),
            batch: 0,
            run_id: None,
            lookups: FuturesUnordered::new(),
            listings: FuturesUnordered::new(),
            questions: Questions::new(requests),
            answers_ui: false,
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
            if self.closing && !self.is_busy() && self.owes_nothing() {
                return self.save_at_the_end().await;
            }
            match self.wake().await {
                Wake::Inbox(Some(item)) => self.take(item).await,
                // No handle is left: nobody can ask for more, or abort.
                Wake::Inbox(None) => self.close().await,
                Wake::Tool(report) => self.report(report).await,
                Wake::Piece(piece) => self.piece(piece).await,
                Wake::Found(reply) => self.reply(reply),
                Wake::Named(id, names) => self.named(id, names),
                Wake::Expanded(expansion) => self.expanded(expansion).await,
                Wake::Equipped(made) => self.equipped(made),
                Wake::Wanted(wanted) => self.wanted(wanted).await,
                Wake::Called(call) => self.plugin_called(call).await,
                Wake::Ui(news) => self.ui_news(news),
                Wake::Settled => self.settled().await,
                Wake::ClientsCaughtUp => {}
            }
            self.tell_store_failure();
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
        let equipped = async {
            match &mut self.equipping {
                Some(equipping) => equipping.made().await,
                None => std::future::pending().await,
            }
        };
        let settled = async {
            match &mut self.settling {
                Some(settling) => settling.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            item = self.inbox.recv(), if !(self.closing && self.inbox.is_closed()) => Wake::Inbox(item),
            // Before the reports: what a tool shows at its end comes before that.
            news = self.questions.next(), if has_room => Wake::Ui(news),
            Some(report) = self.reports.recv() => Wake::Tool(report),
            Some(reply) = self.lookups.next() => Wake::Found(reply),
            Some((id, names)) = self.listings.next() => Wake::Named(id, names),
            Some(expansion) = self.expansions.next() => Wake::Expanded(expansion),
            Some(call) = self.plugin_calls.next() => Wake::Called(call),
            Some(wanted) = self.access.next() => Wake::Wanted(wanted),
            // Behind what plugins asked before: a message of theirs goes on with the run.
            () = settled => Wake::Settled,
            made = equipped => Wake::Equipped(made),
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
            Inbox::Abort => self.abort().await,
            Inbox::Say(output) => self.bus.push(output),
            Inbox::Subscribe(subscriber) => self.bus.subscribe(subscriber),
            Inbox::ShutDown => {
                self.closing = true;
                // Nobody takes commands any more, so no answer can come.
                self.withdraw_questions();
            }
        }
    }

    async fn close(&mut self) {
        self.closing = true;
        self.abort().await;
    }

    async fn abort(&mut self) {
        self.stop_expansions();
        self.step(Input::Abort).await;
    }

    /// Returns whether every command has its answer but those that a run has yet to give.
    fn owes_nothing(&self) -> bool {
        self.lookups.is_empty()
            && self.listings.is_empty()
            && self.plugin_calls.is_empty()
            && self.equipping.is_none()
    }

    /// Returns whether what would change the conversation has to wait.
    fn is_busy(&self) -> bool {
        !self.machine.is_idle() || !self.expansions.is_empty()
    }

    async fn report(&mut self, report: ToolReport) {
        if report.batch != self.batch {
            return;
        }
        match report.news {
            ToolNews::Started { until } => {
                self.status
                    .send_modify(|status| status.silent_until = status.silent_until.max(until));
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
        if matches!(input, Input::Abort) {
            self.withdraw_questions();
        }
        if !matches!(input, Input::Piece(_) | Input::Shown { .. }) {
            self.update_limits();
        }
        let mut effects = std::mem::take(&mut self.effects);
        self.machine.step(input, &mut effects);
        for effect in effects.drain(..) {
            self.carry_out(effect).await;
        }
        self.effects = effects;
        self.restore_where_lost().await;
        self.tell_status();
    }

    fn settle(&mut self, event: Event) {
        let event = Arc::new(event);
        let hooks = &self.runner.hooks;
        self.settling = Some(hooks.before_end(&event));
        let until = Instant::now().checked_add(hooks.end_limit());
        self.status.send_modify(|status| status.silent_until = until);
        self.bus.push(Output::Event(event));
    }

    async fn settled(&mut self) {
        self.settling = None;
        self.step(Input::Settled).await;
    }

    fn tell_status(&self) {
        let busy = self.is_busy();
        self.status.send_if_modified(|status| std::mem::replace(&mut status.busy, busy) != busy);
    }

    /// Tells the machine the window, which a model may learn while it is in use, and whether a plugin
    /// acts before the end.
    fn update_limits(&mut self) {
        self.machine.set_limits(self.limits());
        self.machine.set_holds_end(self.runner.hooks.hold_end());
    }

    fn limits(&self) -> Limits {
        Limits { window: self.model.info().context_window, overhead: self.overhead }
    }

    async fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Keep(message) => self.keep(message).await,
            Effect::Emit(event) => self.emit(event),
            Effect::Settle(event) => self.settle(event),
            Effect::StopSettling => self.settling = None,
            Effect::Request => self.when_equipped(Pending::Request),
            Effect::Summarise(request) => self.when_equipped(Pending::Summary(request)),
            Effect::Compacted(result) => self.compacted(&result),
            Effect::StopRequest => {
                self.stream = None;
                self.stop_waiting();
            }
            Effect::RunTools { calls, rejected } => self.run_tools(calls, rejected),
            Effect::CancelTools => self.cancel_tools.cancel(),
        }
    }

    fn emit(&mut self, event: Event) {
        if let Event::MessageEnd { message } = &event {
            add_usage(&mut self.spent, message);
        }
        let ends_run = matches!(event, Event::AgentEnd { .. });
        let event = Arc::new(event);
        self.runner.hooks.on_event(&event);
        self.bus.push(Output::Event(event));
        if ends_run && let Some(id) = self.run_id.take() {
            self.finish(id, None);
        }
    }

    fn compacted(&mut self, result: &CompactResult) {
        if let Some(id) = self.run_id.take() {
            self.done(id, result);
        }
    }

    fn run_tools(&mut self, calls: Vec<ToolCall>, rejected: Vec<Option<String>>) {
        self.batch += 1;
        self.cancel_tools = CancellationToken::new();
        self.status.send_modify(|status| status.silent_until = None);
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
