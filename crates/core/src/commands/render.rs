//! Results of commands in words, for people.
//!
//! Owns the plain-text form of each result. Hosts that want the data take the result itself.
//! Must not style: no colour, no width.

use letscode_wire::{
    Command, CommandKind, CommandsResult, CompactResult, CopyResult, DeleteResult, ExportResult,
    FilesResult, HistoryResult, MessagesResult, ModelEntry, ModelResult, ModelsResult, NameResult,
    PluginInfo, PluginsResult, QueueResult, ReloadResult, RunCommandResult, SearchResult,
    SessionInfo, SessionResult, SessionsResult, ShareResult, SkillsResult, StateResult,
    ToolsResult, TreeResult, TrustResult, UnqueueResult, Usage, UsageResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Write as _;

/// Returns what a person sees of `command`'s result, without a newline at its end.
pub fn render(command: &Command, result: &Value) -> String {
    let text = match command {
        Command::Commands => typed(result, help),
        Command::Compact { .. } => typed(result, compact),
        Command::State => typed(result, state),
        Command::Messages { .. } => {
            typed(result, |it: MessagesResult| counted(it.messages.len(), "message"))
        }
        Command::Usage => typed(result, |it: UsageResult| usage(&it.usage)),
        Command::Queue => typed(result, queue),
        Command::Unqueue => typed(result, |it: UnqueueResult| {
            it.message.map_or("nothing is queued".to_owned(), |text| format!("taken back: {text}"))
        }),
        Command::Tools => typed(result, |it: ToolsResult| {
            let lines =
                it.tools.iter().map(|tool| (tool.name.clone(), first_sentence(&tool.description)));
            columns(lines, "no tools are at hand")
        }),
        Command::Skills => typed(result, |it: SkillsResult| {
            let lines = it.skills.iter().map(|it| (it.name.clone(), first_line(&it.description)));
            columns(lines, "no skills were found")
        }),
        Command::Plugins => typed(result, |it: PluginsResult| plugins(&it)),
        Command::RunCommand { .. } => typed(result, |it: RunCommandResult| it.text),
        Command::Name { .. } | Command::Rename { .. } => typed(result, |it: NameResult| {
            it.label.unwrap_or_else(|| "this session has no label yet".to_owned())
        }),
        Command::Tree => typed(result, tree),
        Command::Fork { .. }
        | Command::Clone
        | Command::New
        | Command::Resume { .. }
        | Command::GoTo { .. } => typed(result, session),
        Command::Sessions { .. } => typed(result, sessions),
        Command::Search { .. } => typed(result, search),
        Command::Delete { .. } => {
            typed(result, |it: DeleteResult| format!("moved to {}", it.trash))
        }
        Command::SetModel { .. } | Command::SetThinking { .. } => {
            typed(result, |it: ModelResult| format!("model {}, thinking {}", it.model, it.thinking))
        }
        Command::Models => typed(result, models),
        Command::Export { .. } => typed(result, |it: ExportResult| format!("wrote {}", it.path)),
        Command::Copy => typed(result, |it: CopyResult| format!("copied ({})", it.by)),
        Command::Share => typed(result, |it: ShareResult| it.url),
        Command::Reload => typed(result, |it: ReloadResult| reload(&it)),
        Command::Trust { trust } => typed(result, |it: TrustResult| self::trust(*trust, it)),
        Command::Steer { .. } | Command::FollowUp { .. } => Some("queued".to_owned()),
        Command::Reset => Some("the conversation is forgotten".to_owned()),
        Command::Files { .. } => typed(result, |it: FilesResult| it.paths.join("\n")),
        Command::History { .. } => typed(result, |it: HistoryResult| it.entries.join("\n")),
        Command::Hello { .. }
        | Command::Prompt { .. }
        | Command::Abort
        | Command::Retry
        | Command::UiResponse { .. }
        | Command::Bye => None,
    };
    text.unwrap_or_default()
}

/// Reads a result and puts it in words; nothing where the command gave none.
fn typed<T: DeserializeOwned>(result: &Value, words: impl FnOnce(T) -> String) -> Option<String> {
    T::deserialize(result).ok().map(words)
}

/// Returns a number of things in words.
fn counted(count: usize, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

fn help(result: CommandsResult) -> String {
    // There may be many skills: they have a list of their own.
    let shown = result.commands.into_iter().filter(|command| command.kind != CommandKind::Skill);
    let lines = shown.map(|command| {
        (format!("/{} {}", command.name, command.arguments).trim_end().to_owned(), command.help)
    });
    let more = "\n\nA message queued by /steer or /follow-up does not interrupt a run: abort does \
                (Esc in the terminal).";
    columns(lines, "") + more
}

fn compact(result: CompactResult) -> String {
    match (result.error, result.aborted) {
        (Some(error), _) => format!("no summary was made: {error}"),
        (None, true) => "stopped: the conversation is as it was".to_owned(),
        (None, false) => {
            let count = result.collapsed_count;
            let verb = if count == 1 { "is" } else { "are" };
            format!("{} {verb} now one summary", counted(count, "message"))
        }
    }
}

fn state(result: StateResult) -> String {
    let context = match result.context_window {
        Some(window) => format!("{} of {window} tokens", result.context_tokens),
        None => format!("{} tokens", result.context_tokens),
    };
    let session = result.session.map_or("not kept".to_owned(), |session| session_words(&session));
    let unsaved = match result.unsaved {
        0 => String::new(),
        count => format!(" ({count} not saved)"),
    };
    format!(
        "model     {} (thinking {})\nsession   {session}\nmessages  {}{unsaved}\ncontext   {context}\nqueued    {}",
        result.model,
        result.thinking,
        result.message_count,
        result.steering + result.follow_ups,
    )
}

fn usage(usage: &Usage) -> String {
    let cost = usage.cost_usd.map_or(String::new(), |cost| format!(", ${cost:.4}"));
    format!(
        "{} tokens in ({} of them cached), {} out ({} of them reasoning){cost}",
        usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, usage.reasoning_tokens
    )
}

fn queue(result: QueueResult) -> String {
    let steering = result.steering.into_iter().map(|text| ("steer".to_owned(), first_line(&text)));
    let later =
        result.follow_ups.into_iter().map(|text| ("follow-up".to_owned(), first_line(&text)));
    columns(steering.chain(later), "nothing is queued")
}

fn tree(result: TreeResult) -> String {
    let mut text = String::new();
    for entry in result.entries {
        let mark = if entry.active { ' ' } else { '·' };
        let what = entry.kind.unwrap_or(entry.role);
        let behind = match entry.parent {
            Some(parent) if parent + 1 != entry.entry => format!(" (behind {parent})"),
            Some(_) | None => String::new(),
        };
        let line =
            format!("{:>4}{mark} {what:<9}  {}{behind}", entry.entry, first_line(&entry.text));
        push_line(&mut text, &line);
    }
    if text.is_empty() { "the session has no entries yet".to_owned() } else { text }
}

fn session(SessionResult { session, message_count, model }: SessionResult) -> String {
    let count = counted(message_count, "message");
    format!("session {} ({count}, model {model})", session_words(&session))
}

fn sessions(result: SessionsResult) -> String {
    let mut text = String::new();
    for entry in result.sessions {
        let open = if entry.open { "  (open)" } else { "" };
        push_line(
            &mut text,
            &format!("{:>4}  {}{open}", entry.number, session_words(&entry.session)),
        );
    }
    if text.is_empty() { "this project has no sessions yet".to_owned() } else { text }
}

fn search(result: SearchResult) -> String {
    let mut text = String::new();
    for hit in result.hits {
        let words = first_line(&hit.text);
        push_line(
            &mut text,
            &format!("{}, {} {}: {words}", session_words(&hit.session), hit.role, hit.entry),
        );
    }
    if result.truncated {
        push_line(&mut text, "… and more");
    }
    if text.is_empty() { "nothing was found".to_owned() } else { text }
}

fn models(result: ModelsResult) -> String {
    let mut text = String::new();
    for (index, model) in result.models.into_iter().enumerate() {
        let mark = if model.in_use { '*' } else { ' ' };
        push_line(&mut text, &format!("{:>4}{mark} {}", index + 1, model_words(&model)));
    }
    text
}

fn model_words(model: &ModelEntry) -> String {
    let mut words = format!("{}  ({})", model.id, model.provider);
    if let Some(window) = model.context_window {
        let _ = write!(words, ", {window} tokens");
    }
    if let (Some(input), Some(output)) = (model.input_per_million, model.output_per_million) {
        let _ = write!(words, ", ${input}/${output} per million");
    }
    if !model.usable {
        words.push_str(", no key set");
    }
    words
}

fn session_words(session: &SessionInfo) -> String {
    match &session.label {
        Some(label) => format!("{} {}", session.id, first_line(label)),
        None => session.id.to_string(),
    }
}

fn reload(result: &ReloadResult) -> String {
    let mut text = format!(
        "reloaded: {}, {}, {}, {}; model {}, thinking {}",
        counted(result.tools, "tool"),
        counted(result.skills, "skill"),
        counted(result.templates, "template"),
        counted(result.context_files, "context file"),
        result.model,
        result.thinking,
    );
    for warning in &result.warnings {
        push_line(&mut text, &format!("warning: {}", first_line(warning)));
    }
    text
}

/// `asked` is what was to be done.
fn trust(asked: Option<bool>, result: TrustResult) -> String {
    let Some(project) = result.project else {
        return "nothing here has settings or plugins of its own that would need trust".to_owned();
    };
    let mut text = match (asked, result.trusted, result.reason) {
        (Some(false), true, _) => {
            format!("trust in {project} is taken back, but it still holds for this run")
        }
        (_, true, _) => format!("the project {project} is trusted"),
        (_, false, reason) => {
            format!("the project {project} {}", reason.unwrap_or("is not trusted".to_owned()))
        }
    };
    if !result.left_out.is_empty() {
        push_line(&mut text, &format!("left out: {}", result.left_out.join(", ")));
    }
    if !result.effective {
        push_line(&mut text, "/reload makes that effective");
    } else if !result.trusted && !result.left_out.is_empty() {
        push_line(&mut text, "/trust on, then /reload, allows it");
    }
    text
}

/// Returns lines of two columns.
fn columns(lines: impl Iterator<Item = (String, String)>, nothing: &str) -> String {
    let lines: Vec<(String, String)> = lines.collect();
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, words) in &lines {
        push_line(&mut text, format!("{name:<width$}  {words}").trim_end());
    }
    if text.is_empty() { nothing.to_owned() } else { text }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// Lists the plugins, with what went wrong below each.
fn plugins(it: &PluginsResult) -> String {
    if it.details.is_empty() {
        return it.plugins.join("\n");
    }
    let words = |it: &PluginInfo| {
        let words = [it.version.as_str(), it.state.as_str(), it.origin.as_str()];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let error = it.error.as_ref().map(|error| format!("; {error}")).unwrap_or_default();
        format!("{}{error}", words.join(", "))
    };
    columns(it.details.iter().map(|it| (it.name.clone(), words(it))), "no plugins are there")
}

fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(". ").map_or_else(|| line.to_owned(), |(sentence, _)| format!("{sentence}."))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
