//! What a plugin asks of the program while it runs: questions to the user, commands, configuration.
//!
//! Owns the work under way for one running plugin; it ends with the plugin. Must not keep the reader
//! of the plugin's lines waiting, unless too much is asked at once.

use crate::connection::Connection;
use crate::settings::Surroundings;
use letscode_core::hooks::{AccessError, CustomNote};
use letscode_wire::{Command, FromPlugin, ToPlugin, UiRequest};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// How many requests of one plugin are worked on at once; more wait, and with them all its lines.
const AT_ONCE: usize = 64;

/// How many lines of one plugin are shown within a second. Whoever shows more floods the user.
const MOST_SHOWN: u32 = 50;

/// How many characters of a line are shown.
const LONGEST_SHOWN: usize = 2000;

/// The requests of one running plugin.
pub(crate) struct Requests {
    connection: Connection,
    surroundings: Surroundings,
    work: JoinSet<u64>,
    under_way: HashMap<u64, AbortHandle>,
    /// When the second began in which so many lines were shown.
    shown: (Instant, u32),
}

impl Requests {
    pub(crate) fn new(connection: Connection, surroundings: Surroundings) -> Self {
        let shown = (Instant::now(), 0);
        Self { connection, surroundings, work: JoinSet::new(), under_way: HashMap::new(), shown }
    }

    /// Begins to work on a request. Lines that are none are left alone.
    pub(crate) async fn take(&mut self, line: FromPlugin) {
        let Surroundings { ui, agent, program, .. } = self.surroundings.clone();
        match line {
            FromPlugin::Ui { request, .. } if !request.is_question() => {
                if self.may_show() {
                    drop(ui.ask(shortened(request)).await);
                }
            }
            FromPlugin::Ui { call, request } => {
                let holds = self.connection.hold_clocks();
                self.answer(call, async move {
                    let answer = ui.ask(request).await;
                    drop(holds);
                    Ok(answer.unwrap_or_default())
                })
                .await;
            }
            FromPlugin::Command { call, command } => {
                // What it asks of the agent may be a whole run.
                let holds = self.connection.hold_clocks();
                // Looked at now: what is sent while the front end is open may be answered later.
                let is_typed = self.connection.has_frontend();
                self.answer(call, async move {
                    let result = if is_typed {
                        agent.run_typed(command).await
                    } else {
                        agent.run(command).await
                    };
                    drop(holds);
                    result.map_err(text)
                })
                .await;
            }
            FromPlugin::SaveMessage { call, kind, payload, meta } => {
                let note = CustomNote { kind, payload, meta };
                self.answer(call, async move {
                    agent.save(note).await.map(|message| json!(message)).map_err(text)
                })
                .await;
            }
            FromPlugin::Config { call, table } => {
                self.answer(call, async move { Ok(program.config(table.as_deref())) }).await;
            }
            FromPlugin::SubagentEnv { call } => {
                self.answer(call, async move {
                    let state = agent.run(Command::State).await.map_err(text)?;
                    let model = state.get("model").and_then(Value::as_str).unwrap_or_default();
                    program.subagent_env(model.to_owned()).await.map(Value::Object)
                })
                .await;
            }
            FromPlugin::Cancel { call } => {
                if let Some(task) = self.under_way.remove(&call) {
                    task.abort();
                }
            }
            FromPlugin::Hello { .. }
            | FromPlugin::Reply { .. }
            | FromPlugin::Progress { .. }
            | FromPlugin::Register { .. }
            | FromPlugin::Goodbye => {}
        }
    }

    fn may_show(&mut self) -> bool {
        let (began, count) = &mut self.shown;
        if began.elapsed() >= Duration::from_secs(1) {
            (*began, *count) = (Instant::now(), 0);
        }
        *count += 1;
        *count <= MOST_SHOWN
    }

    async fn answer(
        &mut self,
        call: u64,
        work: impl Future<Output = Result<Value, String>> + Send + 'static,
    ) {
        while let Some(ended) = self.work.try_join_next() {
            self.forget(ended.ok());
        }
        if self.work.len() >= AT_ONCE
            && let Some(ended) = self.work.join_next().await
        {
            self.forget(ended.ok());
        }
        let connection = self.connection.clone();
        let task = self.work.spawn(async move {
            let (result, error) = match work.await {
                Ok(result) => (result, None),
                Err(error) => (Value::Null, Some(error)),
            };
            // A plugin that is gone needs no answer.
            drop(connection.send(ToPlugin::Reply { call, result, error }).await);
            call
        });
        self.under_way.insert(call, task);
    }

    fn forget(&mut self, ended: Option<u64>) {
        match ended {
            Some(call) => drop(self.under_way.remove(&call)),
            None => self.under_way.retain(|_, task| !task.is_finished()),
        }
    }
}

fn text(error: AccessError) -> String {
    error.message
}

/// Cuts what is only shown.
fn shortened(mut request: UiRequest) -> UiRequest {
    match &mut request {
        UiRequest::Notify { text, .. } => cut(text),
        UiRequest::Status { key, text } => {
            cut(key);
            if let Some(text) = text {
                cut(text);
            }
        }
        UiRequest::Confirm { .. } | UiRequest::Select { .. } | UiRequest::Input { .. } => {}
    }
    request
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_SHOWN) {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_wire::UiLevel;

    #[test]
    fn what_is_only_shown_is_cut_between_characters_with_a_mark() {
        for (length, expected) in [(0, 0), (LONGEST_SHOWN, LONGEST_SHOWN), (4000, 2001)] {
            let text = "é".repeat(length);
            let level = UiLevel::Info;
            let UiRequest::Notify { text: shown, .. } =
                shortened(UiRequest::Notify { text: text.clone(), level })
            else {
                panic!("another request")
            };
            assert_eq!(shown.chars().count(), expected);
            assert_eq!(shown.ends_with('…'), length > LONGEST_SHOWN);
            let status = UiRequest::Status { key: text.clone(), text: Some(text) };
            let status = shortened(status);
            assert_eq!(status, UiRequest::Status { key: shown.clone(), text: Some(shown) });
        }
        let question = UiRequest::Confirm { title: String::new(), text: "x".repeat(4000) };
        assert_eq!(shortened(question.clone()), question, "a question is seen whole");
    }
}
