//! Colours for code.
//!
//! Owns which syntax a name means, and which of the theme's colours a part of it gets. Syntaxes are
//! loaded when the first code needs them. What is parsed stays parsed: a line costs what it holds, and
//! a line or a block that is too long stays plain. Must not know Markdown.

use crate::text::{Color, Line, Span, Style};
use std::sync::OnceLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// A longer line is not looked into.
const MAX_CHARACTERS: usize = 1_000;
/// After so many lines the rest of a block is plain.
const MAX_LINES: usize = 2_000;

/// Code that comes line by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Highlighter {
    /// What is open at the end of the last line; `None` where the rest is plain.
    state: Option<Box<State>>,
    lines: usize,
}

#[derive(Debug, Clone)]
struct State {
    parser: ParseState,
    scopes: ScopeStack,
}

impl Highlighter {
    /// Returns a block in the language of that name: plain where there is none.
    pub(crate) fn new(language: &str) -> Self {
        let syntax = (!language.is_empty()).then(|| syntax(language)).flatten();
        let state = syntax.map(|syntax| {
            Box::new(State { parser: ParseState::new(syntax), scopes: ScopeStack::new() })
        });
        Self { state, lines: 0 }
    }

    /// Returns a block in the language that files of that name have.
    pub(crate) fn of_file(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
        Self::new(extension)
    }

    /// Returns the next line, clean and without its end, in colours.
    pub(crate) fn line(&mut self, text: &str) -> Line {
        self.lines += 1;
        if self.lines > MAX_LINES || text.len() > MAX_CHARACTERS * 4 {
            self.state = None;
        }
        let is_short = text.chars().nth(MAX_CHARACTERS).is_none();
        let colored = match &mut self.state {
            Some(state) if is_short => state.line(text),
            _ => None,
        };
        colored.unwrap_or_else(|| {
            self.state = None;
            Line::plain(text.to_owned())
        })
    }
}

impl State {
    /// Returns `None` where the syntax fails.
    fn line(&mut self, text: &str) -> Option<Line> {
        let source = format!("{text}\n");
        let changes = self.parser.parse_line(&source, &tables().syntaxes).ok()?;
        let mut line = Line::empty();
        let mut start = 0;
        for (at, change) in changes {
            let at = at.min(text.len());
            if at > start {
                let piece = text.get(start..at)?;
                line.push(Span::new(piece.to_owned(), self.style()));
                start = at;
            }
            self.scopes.apply(&change).ok()?;
        }
        line.push(Span::new(text.get(start..)?.to_owned(), self.style()));
        Some(line)
    }

    fn style(&self) -> Style {
        let styles = &tables().styles;
        let innermost_first = self.scopes.as_slice().iter().rev();
        let found = innermost_first.filter_map(|scope| {
            let known = styles.iter().find(|(known, _)| known.is_prefix_of(*scope));
            known.map(|(_, style)| *style)
        });
        found.into_iter().next().unwrap_or(Style::PLAIN)
    }
}

/// What scopes look like; the first that fits counts.
const STYLES: [(&str, Style); 24] = [
    ("comment", Style::PLAIN.color(Color::Gray)),
    ("constant.character.escape", Style::PLAIN.color(Color::Cyan)),
    ("constant", Style::PLAIN.color(Color::Magenta)),
    ("string", Style::PLAIN.color(Color::Green)),
    ("punctuation.definition.string", Style::PLAIN.color(Color::Green)),
    ("punctuation.definition.comment", Style::PLAIN.color(Color::Gray)),
    ("keyword.operator", Style::PLAIN),
    ("keyword", Style::PLAIN.color(Color::Blue)),
    ("storage.type.numeric", Style::PLAIN.color(Color::Magenta)),
    ("storage", Style::PLAIN.color(Color::Blue)),
    ("variable.language", Style::PLAIN.color(Color::Magenta)),
    ("variable.function", Style::PLAIN.color(Color::Cyan)),
    ("entity.name.tag", Style::PLAIN.color(Color::Blue)),
    ("entity.other.attribute-name", Style::PLAIN.color(Color::Yellow)),
    ("entity.name.function", Style::PLAIN.color(Color::Cyan)),
    ("entity.name", Style::PLAIN.color(Color::Yellow)),
    ("entity.other.inherited-class", Style::PLAIN.color(Color::Yellow)),
    ("support.function", Style::PLAIN.color(Color::Cyan)),
    ("support.type", Style::PLAIN.color(Color::Yellow)),
    ("support.constant", Style::PLAIN.color(Color::Magenta)),
    ("markup.inserted", Style::PLAIN.color(Color::Green)),
    ("markup.deleted", Style::PLAIN.color(Color::Red)),
    ("markup.heading", Style::PLAIN.bold()),
    ("meta.annotation", Style::PLAIN.color(Color::Yellow)),
];

/// Names of languages that have no syntax of that name: the nearest that has.
const ALIASES: [(&str, &str); 27] = [
    ("shell", "sh"),
    ("console", "sh"),
    ("shell-session", "sh"),
    ("fish", "sh"),
    ("dockerfile", "sh"),
    ("docker", "sh"),
    ("ts", "js"),
    ("tsx", "js"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("mts", "js"),
    ("cts", "js"),
    ("typescript", "js"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("jsonl", "json"),
    ("toml", "properties"),
    ("ini", "properties"),
    ("conf", "properties"),
    ("cfg", "properties"),
    ("py3", "py"),
    ("golang", "go"),
    ("kt", "java"),
    ("kotlin", "java"),
    ("patch", "diff"),
    ("vue", "html"),
];

struct Tables {
    syntaxes: SyntaxSet,
    styles: Vec<(Scope, Style)>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let scope = |(name, style): &(&str, Style)| Some((Scope::new(name).ok()?, *style));
        let styles = STYLES.iter().filter_map(scope).collect();
        Tables { syntaxes: SyntaxSet::load_defaults_newlines(), styles }
    })
}

fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let name = language.to_ascii_lowercase();
    if matches!(name.as_str(), "text" | "txt" | "plain" | "plaintext" | "output") {
        return None;
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name.as_str(), |(_, known)| known);
    tables().syntaxes.find_syntax_by_token(name)
}

#[cfg(test)]
mod tests;
