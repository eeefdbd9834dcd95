//! The keys in use, so that no text that leaves the program shows one.
//!
//! Owns the values to hide, the names of the variables they come from, and the masking. Must not
//! read the environment: who starts the program says what the keys are.

#[cfg(test)]
mod tests;

use memchr::memmem::Finder;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// What stands in the place of a key.
pub const MASK: &str = "[key hidden]";

/// Shorter values are too likely to be ordinary words (`ollama`, `none`) and are left alone.
const SHORTEST_SECRET: usize = 10;

/// The keys in use and the variables that hold them.
///
/// Invariant: a key's value appears in no log, error, session, export or tool result; each of
/// them passes its text through [`Secrets::mask`] first.
#[derive(Default)]
pub struct Secrets {
    hidden: RwLock<Hidden>,
}

#[derive(Default)]
struct Hidden {
    /// One searcher per spelling of a key, longest first, so that a key which contains another
    /// goes as a whole.
    finders: Vec<Finder<'static>>,
    variables: Vec<String>,
}

impl Secrets {
    /// Takes the values of the keys in use and the names of all variables that may hold one.
    pub fn new(
        values: impl IntoIterator<Item = impl AsRef<str>>,
        variables: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut spellings: Vec<String> = values
            .into_iter()
            .filter(|value| value.as_ref().trim().chars().count() >= SHORTEST_SECRET)
            .flat_map(|value| spellings(value.as_ref().trim()))
            .collect();
        spellings.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        spellings.dedup();
        let finders = spellings.iter().map(|text| Finder::new(text).into_owned()).collect();
        let mut variables: Vec<String> = variables.into_iter().collect();
        variables.sort();
        variables.dedup();
        Self { hidden: RwLock::new(Hidden { finders, variables }) }
    }

    /// Hides what `more` hides too, wherever these keys are in use; what was hidden stays so.
    pub fn extend(&self, more: Self) {
        let more = more.hidden.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut hidden = self.hidden.write().unwrap_or_else(PoisonError::into_inner);
        hidden.finders.extend(more.finders);
        hidden.finders.sort_by(|a, b| {
            let (a, b) = (a.needle(), b.needle());
            b.len().cmp(&a.len()).then_with(|| a.cmp(b))
        });
        hidden.finders.dedup_by(|a, b| a.needle() == b.needle());
        hidden.variables.extend(more.variables);
        hidden.variables.sort();
        hidden.variables.dedup();
    }

    /// Returns `text` with every key replaced by [`MASK`], plain or inside JSON. Text without
    /// one comes back as it went in.
    pub fn mask<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        let mut text = text.into();
        for finder in &self.hidden().finders {
            if let Some(masked) = replace(finder, &text) {
                text = Cow::Owned(masked);
            }
        }
        text
    }

    /// Returns whether `bytes` hold a key.
    pub fn are_in(&self, bytes: &[u8]) -> bool {
        self.hidden().finders.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Masks every text inside `value`. For a value that must stay what it is: masking its JSON
    /// text could cut an escape in two.
    pub fn mask_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.mask(text.as_str()) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(members) => members.values_mut().for_each(|item| self.mask_value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Returns the names of all variables that may hold a key, sorted; a command that a tool
    /// runs does not inherit them.
    pub fn variables(&self) -> Vec<String> {
        self.hidden().variables.clone()
    }

    fn hidden(&self) -> RwLockReadGuard<'_, Hidden> {
        self.hidden.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.hidden();
        formatter
            .debug_struct("Secrets")
            .field("values", &format_args!("{} hidden", hidden.finders.len()))
            .field("variables", &hidden.variables)
            .finish()
    }
}

/// Returns `text` without what `finder` looks for, or `None` where it holds none.
fn replace(finder: &Finder<'static>, text: &str) -> Option<String> {
    let mut found = finder.find_iter(text.as_bytes()).peekable();
    found.peek()?;
    let mut masked = String::with_capacity(text.len());
    let mut kept_to = 0;
    for start in found {
        masked.push_str(text.get(kept_to..start)?);
        masked.push_str(MASK);
        kept_to = start + finder.needle().len();
    }
    masked.push_str(text.get(kept_to..)?);
    Some(masked)
}

/// Returns a key as it is, as JSON writes it, and as JSON with escaped slashes writes it.
///
/// A slash at the very start is not given as an escaped one: after a backslash that belongs to
/// other text, cutting it away would leave a broken escape.
fn spellings(key: &str) -> [String; 3] {
    let quoted = Value::from(key).to_string();
    let escaped = quoted.get(1..quoted.len() - 1).unwrap_or(&quoted).to_owned();
    let slashes = match escaped.split_at_checked(1) {
        Some((first, rest)) => format!("{first}{}", rest.replace('/', "\\/")),
        None => escaped.clone(),
    };
    [key.to_owned(), escaped, slashes]
}
