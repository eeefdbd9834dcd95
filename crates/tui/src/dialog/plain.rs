//! Questions and lists where there is no terminal: lines out, a line in.
//!
//! Owns the form of numbered lists and the reading of answers. Must not read or write itself.

use crate::picker::Item;
use crate::text::sanitize;

/// Returns a list as lines, numbered from 1, its details behind the labels.
pub fn numbered<T>(title: &str, items: &[Item<T>]) -> Vec<String> {
    let digits = items.len().to_string().len();
    let mut lines = vec![sanitize::one_line(title).into_owned()];
    let mut group = "";
    for (index, item) in items.iter().enumerate() {
        if item.group != group {
            group = &item.group;
            lines.push(sanitize::one_line(group).into_owned());
        }
        let label = format!("{}{}", item.guide, item.label);
        let label = sanitize::one_line(&label);
        let detail = sanitize::one_line(&item.detail);
        let line = format!("{:>digits$}  {label}  {detail}", index + 1);
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Returns the item that an answer names: by its number, or by its label, in full or as the only
/// one that begins so, whatever the case. An answer that names none is none.
pub fn numbered_answer<'a, T>(items: &'a [Item<T>], answer: &str) -> Option<&'a Item<T>> {
    let answer = answer.trim();
    if let Ok(number) = answer.parse::<usize>()
        && let Some(item) = number.checked_sub(1).and_then(|index| items.get(index))
    {
        return Some(item);
    }
    if answer.is_empty() {
        return None;
    }
    let answer = answer.to_lowercase();
    if let Some(item) = items.iter().find(|item| item.label.to_lowercase() == answer) {
        return Some(item);
    }
    let mut begins = items.iter().filter(|item| item.label.to_lowercase().starts_with(&answer));
    let first = begins.next()?;
    if begins.next().is_some() { None } else { Some(first) }
}

/// Returns a question of yes or no as one line, the default as a capital letter.
pub fn confirm_prompt(title: &str, default: bool) -> String {
    let title = sanitize::one_line(title);
    let answers = if default { "[Y/n]" } else { "[y/N]" };
    format!("{title} {answers} ")
}

/// Returns what a line answers to a question of yes or no; none where it is neither.
pub fn confirm_line(line: &str, default: bool) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "" => Some(default),
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}
