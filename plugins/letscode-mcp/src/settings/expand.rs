//! `$VAR` and `${VAR}` in a value.
//!
//! Owns the syntax. Must not read the environment itself.

/// A value with its variables put in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    /// The value.
    pub(super) text: String,
    /// What was put in.
    pub(super) inserted: Vec<String>,
    /// The variables that are not set; nothing was put in for them.
    pub(super) unset: Vec<String>,
}

/// Puts variables into `value`. What is put in is not looked at again; a `$` that begins no name
/// stays.
pub(super) fn expand(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Expanded {
    let mut expanded = Expanded::default();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.text.push_str(before);
        let Some((name, behind)) = name_at(after) else {
            expanded.text.push('$');
            rest = after;
            continue;
        };
        match variable(name) {
            Some(found) => {
                expanded.text.push_str(&found);
                expanded.inserted.push(found);
            }
            None => expanded.unset.push(name.to_owned()),
        }
        rest = behind;
    }
    expanded.text.push_str(rest);
    expanded
}

/// Returns the name at the start of `text`, bare or in braces, and what is behind it.
fn name_at(text: &str) -> Option<(&str, &str)> {
    if let Some(inside) = text.strip_prefix('{') {
        let (name, behind) = inside.split_once('}')?;
        return (length_of_name(name) == name.len() && !name.is_empty()).then_some((name, behind));
    }
    let length = length_of_name(text);
    (length > 0).then(|| text.split_at(length))
}

fn length_of_name(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
}
