//! What a source line of Markdown begins with.
//!
//! Owns the recognition of markers: pure functions of one line without its indentation. Must not
//! know what came before.

use crate::layout::Align;

/// What has more columns is no table that anybody could read.
const MAX_COLUMNS: usize = 40;

/// The beginning of a fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FenceMark {
    /// The backtick or the tilde.
    pub(super) mark: char,
    /// How many of them.
    pub(super) count: usize,
    /// The first word behind them.
    pub(super) language: String,
}

/// The beginning of a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemMark {
    /// What is shown for it.
    pub(super) shown: String,
    /// The columns of the marker and the blanks behind it.
    pub(super) width: usize,
    /// Whether it may stand right below a paragraph.
    pub(super) interrupts: bool,
}

/// Returns the number of blanks that a line begins with.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns a line without its first blanks, at most `columns` of them.
pub(super) fn dedented(line: &str, columns: usize) -> &str {
    line.get(indent(line).min(columns)..).unwrap_or_default()
}

/// Returns the fence that a line opens.
pub(super) fn fence(line: &str) -> Option<FenceMark> {
    let mark = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let count = line.len() - info.len();
    if count < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let language = info.split([' ', ',', '{', ':']).find(|word| !word.is_empty());
    Some(FenceMark { mark, count, language: language.unwrap_or_default().to_owned() })
}

/// Returns whether a line closes a fence of so many marks.
pub(super) fn closes_fence(line: &str, mark: char, count: usize) -> bool {
    let text = line.trim_matches(' ');
    indent(line) < 4 && text.len() >= count && text.chars().all(|other| other == mark)
}

/// Returns the text of a heading.
pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with(' ')) {
        return None;
    }
    let text = text.trim();
    let bare = text.trim_end_matches('#');
    Some(if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { text })
}

/// Returns whether a line makes a heading of the paragraph above it.
pub(super) fn underlines(line: &str) -> bool {
    let text = line.trim_end();
    !text.is_empty() && (text.bytes().all(|b| b == b'=') || text.bytes().all(|b| b == b'-'))
}

/// Returns whether a line is a rule.
pub(super) fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|character| *character != ' ');
    let Some(mark) = marks.next().filter(|mark| matches!(mark, '*' | '-' | '_')) else {
        return false;
    };
    let mut count = 1;
    for other in marks {
        if other != mark {
            return false;
        }
        count += 1;
    }
    count >= 3
}

/// Returns the marker of a list item.
pub(super) fn item(line: &str) -> Option<ItemMark> {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (shown, length) = match (digits, line.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => ("•".to_owned(), 1),
        (1..=9, Some(b'.' | b')')) => (line.get(..=digits)?.to_owned(), digits + 1),
        _ => return None,
    };
    let rest = line.get(length..).unwrap_or_default();
    let is_empty = rest.trim().is_empty();
    if !is_empty && !rest.starts_with(' ') {
        return None;
    }
    let blanks = if is_empty || indent(rest) > 4 { 1 } else { indent(rest) };
    let starts_list = digits == 0 || line.get(..digits) == Some("1");
    Some(ItemMark { shown, width: length + blanks, interrupts: starts_list && !is_empty })
}

/// Returns the cells of a row of a table.
pub(super) fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '\\' if characters.peek() == Some(&'|') => {
                characters.next();
                cell.push('|');
            }
            '|' if characters.peek().is_none() => break,
            '|' => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Returns the columns that a row of dashes below a table's header declares.
pub(super) fn alignments(line: &str) -> Option<Vec<Align>> {
    if !line.contains('-') || !line.bytes().all(|byte| matches!(byte, b'-' | b':' | b'|' | b' ')) {
        return None;
    }
    let align = |cell: &String| {
        let dashes = cell.trim_matches(':');
        let is_column = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
        is_column.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Align::Center,
            (false, true) => Align::Right,
            _ => Align::Left,
        })
    };
    let cells = cells(line);
    if cells.len() > MAX_COLUMNS {
        return None;
    }
    cells.iter().map(align).collect()
}

/// Returns whether a line, as far as it is known, is nothing but the beginning of a marker that says
/// nothing yet.
pub(super) fn is_mark_only(line: &str) -> bool {
    let text = line.trim();
    let is_number =
        text.strip_suffix(['.', ')']).unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
    text.len() <= 10
        && (is_number
            || text
                .bytes()
                .all(|b| matches!(b, b'#' | b'-' | b'*' | b'+' | b'_' | b'=' | b'>' | b'|'))
            || text.bytes().all(|b| matches!(b, b'`' | b'~')))
}
