//! The front end against a small fake of the agent: keys and replies in, commands and rows out.

mod lists;
mod run;
mod typing;

use super::*;
use crate::keys::Key;
use letscode_wire::{CustomMessage, RequestId, UiRequest, UiRequestId};
use serde_json::{Value, json};

/// A front end whose clock and whose agent the test moves.
struct Scene {
    app: App,
    now: Instant,
    /// What was sent and has no reply yet, oldest first.
    sent: Vec<(u64, Command)>,
    /// What else was to be done.
    effects: Vec<Effect>,
}

impl Scene {
    fn new() -> Self {
        Self::with(Options { footer: true, ..Options::default() })
    }

    fn with(options: Options) -> Self {
        let app = App::new(options);
        let mut scene = Self { app, now: Instant::now(), sent: Vec::new(), effects: Vec::new() };
        let started = scene.app.start();
        scene.take(started);
        scene.answer(
            "commands",
            json!({ "commands": [
                { "name": "help", "arguments": "", "help": "Show this list" },
                { "name": "model", "arguments": "[NAME]", "help": "Show the models" },
                { "name": "compact", "arguments": "[BIAS]", "help": "Summarise" },
                { "name": "retry", "arguments": "", "help": "Ask again" },
                { "name": "usage", "arguments": "", "help": "Show what it cost" },
                { "name": "new", "arguments": "", "help": "Begin a new session" },
                { "name": "resume", "arguments": "[N|ID]", "help": "Go on with a session" },
                { "name": "trust", "arguments": "[on|off]", "help": "Show trust" },
                { "name": "steer", "arguments": "TEXT", "help": "Queue" },
                { "name": "verbose", "arguments": "", "help": "In full" },
                { "name": "review", "arguments": "[TEXT]", "help": "of the user", "kind": "template" },
                { "name": "skill:pdf", "arguments": "[TEXT]", "help": "Reads PDF files", "kind": "skill" },
            ]}),
        );
        scene.effects.clear();
        scene
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { id, command } => self.sent.push((id, command)),
                other => self.effects.push(other),
            }
        }
    }

    fn update(&mut self, msg: Msg) {
        let effects = self.app.update(msg, self.now);
        self.take(effects);
    }

    /// Presses keys, written as in a config, with blanks between them.
    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.update(Msg::Input(InputEvent::Key(key.parse().expect(key))));
        }
    }

    fn types(&mut self, text: &str) {
        for character in text.chars() {
            self.update(Msg::Input(InputEvent::Key(Key::char(character))));
        }
    }

    /// Types a line and sends it.
    fn sends(&mut self, line: &str) {
        self.update(Msg::Input(InputEvent::Paste(line.to_owned())));
        self.press("enter");
    }

    /// Takes out the oldest command of that name that waits for a reply.
    #[track_caller]
    fn asked(&mut self, name: &str) -> (u64, Command) {
        let at = self.sent.iter().position(|(_, command)| name_of(command) == name);
        let at = at.unwrap_or_else(|| panic!("no {name} among {:?}", self.sent));
        self.sent.remove(at)
    }

    fn is_asked(&self, name: &str) -> bool {
        self.sent.iter().any(|(_, command)| name_of(command) == name)
    }

    #[track_caller]
    fn ack(&mut self, name: &str) {
        let waiting = self.sent.iter().find(|(_, command)| name_of(command) == name);
        let id = waiting.expect(name).0;
        self.control(Control::Ack { id: request(id) });
    }

    /// Answers the oldest command of that name.
    #[track_caller]
    fn answer(&mut self, name: &str, result: Value) -> Command {
        let (id, command) = self.asked(name);
        self.control(Control::Done { id: request(id), result: Some(result) });
        command
    }

    #[track_caller]
    fn refuse(&mut self, name: &str, error: &str) {
        let (id, _) = self.asked(name);
        let error = error.to_owned();
        self.control(Control::Error { id: request(id), error, recoverable: true, fatal: false });
    }

    fn control(&mut self, control: Control) {
        self.update(Msg::Agent(AgentOutput::Control(control)));
    }

    fn event(&mut self, event: Event) {
        self.update(Msg::Agent(AgentOutput::Event(Arc::new(event))));
    }

    fn waits(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    /// Sends a line that the agent takes.
    fn begins_run(&mut self, line: &str) {
        self.sends(line);
        self.ack("prompt");
        self.event(Event::AgentStart { messages: Vec::new() });
    }

    fn ends_run(&mut self) {
        self.event(Event::AgentEnd { messages: Vec::new(), error: None, aborted: false });
        let (id, _) = self.asked("prompt");
        self.control(Control::Done { id: request(id), result: None });
    }

    /// Returns what is new in the scrollback and the live region, row by row.
    fn rows(&mut self) -> String {
        let frame = self.app.view(70, 24, self.now);
        let rows = frame.finished.iter().chain(&frame.live).map(Line::text);
        rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn text(&self) -> String {
        self.app.composer.text()
    }
}

use crate::text::Line;

fn request(id: u64) -> RequestId {
    Value::from(id).into()
}

fn name_of(command: &Command) -> String {
    let value = serde_json::to_value(command).expect("a command can be written");
    value["cmd"].as_str().expect("a command has a name").to_owned()
}
