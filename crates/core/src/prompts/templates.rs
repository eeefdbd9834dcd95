//! Prompt templates: Markdown files that a person calls for by `/name`.
//!
//! Owns where they are, what in them is replaced, and how arguments are split into words. Must
//! not run or read what a template names: it may come from a stranger's project.

use crate::env::{ExecutionEnv, FileError};
use crate::skills::{Document, one_line, one_warning, readable_text, source_folders};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How much of one file is taken, in bytes.
const SIZE_LIMIT: usize = 64 * 1024;
/// How many files are read.
const FILE_LIMIT: usize = 1_000;

/// A prompt with places for arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// What is typed behind the slash: the file's name without `.md`.
    pub name: String,
    /// What it is for, on one line; empty where the file does not say.
    pub description: String,
    /// The text.
    pub body: String,
    /// Where it is.
    pub path: PathBuf,
}

/// Returns the templates, sorted by name, and what is wrong with them, a line each. Of two with
/// one name the nearest holds. Where there are too many, the one that is `called` for is not left
/// out.
pub async fn load_templates(
    env: &dyn ExecutionEnv,
    home: Option<&Path>,
    called: Option<&str>,
) -> (Vec<Template>, Vec<String>) {
    let mut warnings = Vec::new();
    let folders = source_folders(env.working_dir(), home, "prompts");
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (folder, entries) in folders.iter().zip(env.list_all(&folders).await) {
        match entries {
            Ok(entries) => {
                for entry in entries.into_iter().filter(|entry| !entry.is_dir) {
                    let name = entry.name.strip_suffix(".md").filter(|name| !name.is_empty());
                    if let Some(name) = name {
                        files.insert(name.to_owned(), folder.join(&entry.name));
                    }
                }
            }
            Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => {}
            Err(error) => warnings.push(format!("prompt templates are left out: {error}")),
        }
    }
    let called = called.and_then(|name| files.remove_entry(name));
    let room = FILE_LIMIT - usize::from(called.is_some());
    if let Some(more) = files.len().checked_sub(room).filter(|more| *more > 0) {
        warnings.push(format!("there are more than {FILE_LIMIT} prompts: {more} are left out"));
    }
    let mut files: Vec<(String, PathBuf)> = files.into_iter().take(room).chain(called).collect();
    files.sort_unstable();
    let (names, paths): (Vec<String>, Vec<PathBuf>) = files.into_iter().unzip();
    let heads = env.read_heads(&paths, SIZE_LIMIT).await;
    let mut templates = Vec::with_capacity(names.len());
    for ((name, path), head) in names.into_iter().zip(paths).zip(heads) {
        match head {
            Ok(head) => {
                let mut repairs = Vec::new();
                let text = readable_text(&path, &head, &mut repairs);
                let (template, problem) = Template::read(name, path, &text);
                warnings.extend(one_warning(&template.path, problem, repairs));
                templates.push(template);
            }
            Err(error) => warnings.push(format!("a prompt template is left out: {error}")),
        }
    }
    (templates, warnings)
}

impl Template {
    /// Returns the template, and what is wrong with its front matter.
    fn read(name: String, path: PathBuf, text: &str) -> (Self, Option<String>) {
        let document = Document::read(text);
        // A front matter may be missing; then a line of --- is a rule, not a broken one.
        if !document.is_closed {
            let body = text.to_owned();
            return (Self { name, description: String::new(), body, path }, None);
        }
        let problem = document.problem.as_ref().map(|problem| {
            format!("{}:{}: {}", path.display(), problem.line, one_line(&problem.text))
        });
        let description = document.field("description").map(one_line).unwrap_or_default();
        (Self { name, description, body: document.body.to_owned(), path }, problem)
    }

    /// Returns the text with the arguments in their places: all of them for `{{args}}` and
    /// `{{arg}}`, single words for `{{1}}`, `{{2}}`… (nothing where there are fewer). Arguments
    /// that have no place at all come below the text, so that they are not lost.
    pub fn expand(&self, arguments: &str) -> String {
        let arguments = arguments.trim();
        let words = split_words(arguments);
        let mut text = String::with_capacity(self.body.len() + arguments.len());
        let mut has_place = false;
        let mut rest = self.body.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            text.push_str(before);
            let place = place_at(behind)
                .and_then(|(name, after)| Some((value_of(name.trim(), arguments, &words)?, after)));
            if let Some((value, after)) = place {
                has_place = true;
                text.push_str(value);
                rest = after;
            } else {
                text.push('{');
                rest = behind;
            }
        }
        text.push_str(rest);
        text.truncate(text.trim_end().len());
        if !has_place && !arguments.is_empty() {
            text.push_str("\n\n");
            text.push_str(arguments);
        }
        text
    }
}

/// Returns the name between double braces and what follows them, where `text`, behind a first
/// brace, goes on so.
fn place_at(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find(['{', '}'])?;
    let (name, behind) = inside.split_at_checked(end)?;
    Some((name, behind.strip_prefix("}}")?))
}

/// Returns what stands for `{{name}}`; `None` where that is no place for an argument.
fn value_of<'a>(name: &str, arguments: &'a str, words: &'a [String]) -> Option<&'a str> {
    if matches!(name, "args" | "arg") {
        return Some(arguments);
    }
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let index = is_number.then_some(name)?.parse::<usize>().ok()?.checked_sub(1)?;
    Some(words.get(index).map(String::as_str).unwrap_or_default())
}

/// Splits a text into words as a shell does: quotes join, a backslash takes the next character as
/// it is. Unlike there, a quote that is never closed is an apostrophe, and `#` begins no comment.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                match quoted(rest.as_str(), character) {
                    Some((inside, after)) => {
                        word.push_str(&inside);
                        rest = after.chars();
                    }
                    None => word.push(character),
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next().unwrap_or('\\')),
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// Returns what is inside of a quotation that `quote` closes, and what follows it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut rest = text.chars();
    loop {
        let character = rest.next()?;
        if character == quote {
            return Some((inside, rest.as_str()));
        }
        let escaped = if quote == '"' && character == '\\' { rest.clone().next() } else { None };
        match escaped.filter(|next| matches!(next, '"' | '\\' | '$' | '`')) {
            Some(next) => {
                inside.push(next);
                rest.next();
            }
            None => inside.push(character),
        }
    }
}

#[cfg(test)]
mod tests;
