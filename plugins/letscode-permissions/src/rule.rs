//! One rule: a tool, and which of its calls.
//!
//! Owns how a rule is written and which calls it is about. Must not know what follows from it.

use crate::paths::{Place, Surroundings, guarded};
use crate::pattern::{matches, may_match};
use crate::subject::Subject;
use std::fmt;
use std::path::Path;

/// The tools whose calls have something to hold a pattern against.
const WITH_PATTERN: [&str; 4] = ["bash", "read", "write", "edit"];

/// A rule as it is written: `tool`, `tool:pattern` or `tool=text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    tool: String,
    calls: Calls,
}

/// Which calls of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Calls {
    All,
    /// Those whose command or path is like the pattern.
    Like(String),
    /// Those with exactly this command or path.
    With(String),
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    /// There is no tool's name before the pattern.
    #[error("{0:?} begins with no tool's name")]
    NoTool(String),
    /// The pattern can be held against nothing.
    #[error("{0:?} has a pattern, which only bash, read, write and edit can have")]
    NoPattern(String),
    /// What stands behind the tool's name is empty.
    #[error("{0:?} ends where a pattern should be")]
    Empty(String),
}

/// Whether a rule is about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bearing {
    /// It is not.
    None,
    /// It may be: a part of the call is known only when it runs.
    Maybe,
    /// It is.
    Sure,
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// When the text is none.
    pub(crate) fn parse(text: &str) -> Result<Self, RuleError> {
        let at = text.find([':', '=']).unwrap_or(text.len());
        let (tool, rest) = text.split_at(at);
        let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '*');
        if tool.is_empty() || !tool.chars().all(is_legal) {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        let calls = match (rest.strip_prefix(':'), rest.strip_prefix('=')) {
            (Some(pattern), _) => Calls::Like(pattern.to_owned()),
            (_, Some(exact)) => Calls::With(exact.to_owned()),
            (None, None) => Calls::All,
        };
        match &calls {
            Calls::Like(pattern) | Calls::With(pattern) => {
                if pattern.trim().is_empty() {
                    return Err(RuleError::Empty(text.to_owned()));
                }
                if !WITH_PATTERN.contains(&tool) {
                    return Err(RuleError::NoPattern(text.to_owned()));
                }
            }
            Calls::All => {}
        }
        Ok(Self { tool: tool.to_owned(), calls })
    }

    /// Returns the rule about all calls of a tool whose name any extension may have chosen; `None`
    /// where the name would be read as something else.
    pub(crate) fn all_of_this(tool: &str) -> Option<Self> {
        let rule = Self::all(tool);
        let is_its_name = !tool.contains('*') && !WITH_PATTERN.contains(&tool);
        (is_its_name && rule.can_be_written()).then_some(rule)
    }

    /// Returns the rule about all calls of a tool.
    pub(crate) fn all(tool: &str) -> Self {
        Self { tool: tool.to_owned(), calls: Calls::All }
    }

    /// Returns the rule about calls that are like a pattern.
    pub(crate) fn like(tool: &str, pattern: String) -> Self {
        Self { tool: tool.to_owned(), calls: Calls::Like(pattern) }
    }

    /// Returns the rule about calls with this command or path.
    pub(crate) fn with(tool: &str, text: String) -> Self {
        Self { tool: tool.to_owned(), calls: Calls::With(text) }
    }

    /// Returns whether the rule is about a call that it would keep from running: if any reading of it
    /// is meant.
    pub(crate) fn bears_on(&self, subject: &Subject, surroundings: &Surroundings) -> Bearing {
        if !matches(&self.tool, subject.tool()) {
            return Bearing::None;
        }
        let (pattern, is_exact) = match &self.calls {
            Calls::All => return Bearing::Sure,
            Calls::Like(pattern) => (pattern, false),
            Calls::With(text) => (text, true),
        };
        match subject {
            Subject::Command { command, reading, .. } => {
                let bearing = |text: &str| match is_exact {
                    true if text == pattern => Bearing::Sure,
                    true => Bearing::None,
                    false if matches(pattern, text) => Bearing::Sure,
                    false if may_match(pattern, text) => Bearing::Maybe,
                    false => Bearing::None,
                };
                let suspects = reading.suspects.for_pattern(pattern);
                let all = suspects.chain(std::iter::once(command.as_str()));
                let surely = all.map(bearing).max().unwrap_or(Bearing::None);
                let mut likely = reading.likely.for_pattern(pattern);
                match surely {
                    Bearing::None if likely.any(|text| bearing(text) > Bearing::None) => {
                        Bearing::Maybe
                    }
                    surely => surely,
                }
            }
            Subject::File { target, .. } => {
                let pattern = surroundings.pattern(pattern);
                let is_it = |place: &Place| {
                    let texts = place.inside.iter().chain(std::iter::once(&place.absolute));
                    texts.into_iter().any(|text| fits(&pattern, is_exact, text))
                };
                if target.places.iter().any(is_it) { Bearing::Sure } else { Bearing::None }
            }
            Subject::Other { .. } => Bearing::Maybe,
        }
    }

    /// Returns whether the rule lets a file's tool reach a place.
    pub(crate) fn admits_place(
        &self,
        tool: &str,
        place: &Place,
        surroundings: &Surroundings,
    ) -> bool {
        if !matches(&self.tool, tool) {
            return false;
        }
        let is_reading = tool == "read";
        let names_it = |pattern: &str| guarded(Path::new(pattern)) == place.guarded;
        match &self.calls {
            Calls::All => place.inside.is_some() && (is_reading || place.guarded.is_none()),
            Calls::Like(pattern) | Calls::With(pattern) => {
                let pattern = surroundings.pattern(pattern);
                let is_exact = matches!(self.calls, Calls::With(_));
                let is_absolute = Path::new(&pattern).is_absolute();
                let text = if is_absolute { Some(&place.absolute) } else { place.inside.as_ref() };
                let may_write = is_reading || place.guarded.is_none() || names_it(&pattern);
                may_write && text.is_some_and(|text| fits(&pattern, is_exact, text))
            }
        }
    }

    /// Returns whether the rule lets one simple command run.
    pub(crate) fn admits_command(&self, text: &str) -> bool {
        let admits = match &self.calls {
            Calls::All => true,
            Calls::Like(pattern) => matches(pattern, text),
            Calls::With(exact) => exact == text,
        };
        admits && matches(&self.tool, "bash")
    }

    /// Returns whether the rule lets a whole command run, whatever is in it.
    pub(crate) fn admits_whole(&self, command: &str) -> bool {
        let admits = match &self.calls {
            Calls::All => true,
            Calls::Like(_) => false,
            Calls::With(exact) => exact == command,
        };
        admits && matches(&self.tool, "bash")
    }

    /// Returns what the rule is about, for somebody who has to decide.
    pub(crate) fn in_words(&self) -> String {
        match &self.calls {
            Calls::All => format!("every {}", self.tool),
            Calls::Like(pattern) => match pattern.strip_suffix("/*") {
                Some(folder) if self.tool != "bash" => {
                    format!("{} all files in {folder}", self.tool)
                }
                _ => self.to_string(),
            },
            Calls::With(_) => self.to_string(),
        }
    }

    /// Returns what an exact rule is about where its text has been seen already.
    pub(crate) fn exactly_this(&self) -> String {
        match self.tool.as_str() {
            "bash" => "exactly this".to_owned(),
            tool => format!("every {tool} of exactly this file"),
        }
    }

    /// Returns whether the rule can be about commands.
    pub(crate) fn is_about_commands(&self) -> bool {
        matches(&self.tool, "bash")
    }

    /// Returns whether the rule is about one text and no other.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.calls, Calls::With(_))
    }

    /// Returns whether what is written for the rule is read as the same rule.
    pub(crate) fn can_be_written(&self) -> bool {
        Self::parse(&self.to_string()).as_ref() == Ok(self)
    }

    /// Returns whether the rule is about all calls of a tool.
    pub(crate) fn admits_all_of(&self, tool: &str) -> bool {
        self.calls == Calls::All && matches(&self.tool, tool)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.calls {
            Calls::All => f.write_str(&self.tool),
            Calls::Like(pattern) => write!(f, "{}:{pattern}", self.tool),
            Calls::With(text) => write!(f, "{}={text}", self.tool),
        }
    }
}

/// Returns whether a place is meant, or a folder that it is in.
fn fits(pattern: &str, is_exact: bool, text: &str) -> bool {
    if is_exact {
        return pattern == text;
    }
    matches(pattern, text) || matches(&format!("{}/*", pattern.trim_end_matches('/')), text)
}
