//! Finds a block of lines whose indentation as a whole is another, and moves a text by the same
//! amount.
//!
//! Owns what "the same indentation but shifted" means. Works on folded texts: lines end in LF.

use std::ops::Range;

/// How far a block in the file stands from the block that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// The file has this in front of every line.
    Deeper(String),
    /// The file lacks this in front of every line.
    Shallower(String),
    /// One of them uses tabs: `columns` to the right, with tabs of `tab` columns, written with
    /// tabs or with spaces.
    Columns {
        /// The width of a tab.
        tab: usize,
        /// How many columns to the right; negative: to the left.
        columns: isize,
        /// Whether the file's block is indented by tabs.
        with_tabs: bool,
    },
}

/// Returns where whole lines of `file` are those of `wanted` but for a shift, at most `limit` of
/// them.
pub(super) fn find(file: &[u8], wanted: &[u8], limit: usize) -> Vec<(Range<usize>, Shift)> {
    let wanted_lines = lines(wanted);
    let file_lines = lines(file);
    let ends_in_newline = wanted.ends_with(b"\n");
    let block_of = |window: &[Range<usize>]| {
        let (first, last) = (window.first()?, window.last()?);
        let end = last.end + usize::from(ends_in_newline);
        if end > file.len() {
            return None;
        }
        let pairs = window
            .iter()
            .zip(&wanted_lines)
            .map(|(file_line, wanted_line)| (slice(file, file_line), slice(wanted, wanted_line)));
        Some((first.start..end, shift_between(pairs)?))
    };
    let windows = file_lines.windows(wanted_lines.len().max(1));
    windows.filter_map(block_of).take(limit).collect()
}

/// Returns `text` with every line that is not blank moved by `shift`.
pub(super) fn moved(text: &str, shift: &Shift) -> String {
    let mut moved = String::with_capacity(text.len() * 2);
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        let indentation = line.strip_suffix(content).unwrap_or_default();
        if content.trim_ascii().is_empty() {
            moved.push_str(line);
        } else {
            shift.push_moved(indentation, &mut moved);
            moved.push_str(content);
        }
    }
    moved
}

impl Shift {
    fn push_moved(&self, indentation: &str, moved: &mut String) {
        match self {
            Self::Deeper(more) => {
                moved.push_str(more);
                moved.push_str(indentation);
            }
            Self::Shallower(less) => {
                let rest = indentation.strip_prefix(less.as_str());
                moved.push_str(rest.unwrap_or_default());
            }
            Self::Columns { tab, columns, with_tabs } => {
                let width = width(indentation.as_bytes(), *tab).saturating_add_signed(*columns);
                if *with_tabs {
                    moved.extend(std::iter::repeat_n('\t', width / tab));
                    moved.extend(std::iter::repeat_n(' ', width % tab));
                } else {
                    moved.extend(std::iter::repeat_n(' ', width));
                }
            }
        }
    }
}

/// Returns the one shift between all lines, given as pairs of a file's line and a wanted one;
/// nothing where the contents differ or there is no such shift.
fn shift_between<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Option<Shift> {
    let mut indentations = Vec::new();
    for (file_line, wanted_line) in pairs {
        let (file_indentation, file_content) = split_indentation(file_line);
        let (wanted_indentation, wanted_content) = split_indentation(wanted_line);
        if file_content != wanted_content {
            return None;
        }
        if !file_content.is_empty() {
            indentations.push((file_indentation, wanted_indentation));
        }
    }
    let &(first_file, first_wanted) = indentations.first()?;
    if let Some(more) = first_file.strip_suffix(first_wanted)
        && indentations.iter().all(|(file, wanted)| file.strip_prefix(more) == Some(*wanted))
    {
        return Some(Shift::Deeper(String::from_utf8_lossy(more).into_owned()));
    }
    if let Some(less) = first_wanted.strip_suffix(first_file)
        && indentations.iter().all(|(file, wanted)| wanted.strip_prefix(less) == Some(*file))
    {
        return Some(Shift::Shallower(String::from_utf8_lossy(less).into_owned()));
    }
    shift_by_columns(&indentations)
}

/// Returns the shift between two blocks of which one uses tabs. A width at which the blocks
/// stand in the same column is the likeliest.
fn shift_by_columns(indentations: &[(&[u8], &[u8])]) -> Option<Shift> {
    let with_tabs = indentations.iter().any(|(file, _)| file.contains(&b'\t'));
    let candidates = [4, 2, 8].into_iter().filter_map(|tab| {
        let mut distances = indentations.iter().map(|(file, wanted)| {
            width(file, tab).cast_signed() - width(wanted, tab).cast_signed()
        });
        let columns = distances.next()?;
        distances.all(|distance| distance == columns).then_some(Shift::Columns {
            tab,
            columns,
            with_tabs,
        })
    });
    candidates.min_by_key(|shift| match shift {
        Shift::Columns { columns, .. } => columns.unsigned_abs(),
        Shift::Deeper(_) | Shift::Shallower(_) => 0,
    })
}

/// Returns the column that an indentation leads to.
fn width(indentation: &[u8], tab: usize) -> usize {
    indentation.iter().fold(
        0,
        |column, byte| {
            if *byte == b'\t' { (column / tab + 1) * tab } else { column + 1 }
        },
    )
}

fn split_indentation(line: &[u8]) -> (&[u8], &[u8]) {
    let content = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    line.split_at(content.unwrap_or(line.len()))
}

/// Returns where the lines are, without their newlines.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for newline in memchr::memchr_iter(b'\n', text) {
        lines.push(start..newline);
        start = newline + 1;
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}

fn slice<'a>(text: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    text.get(range.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, wanted: &str, new: &str) -> Vec<(String, String)> {
        find(file.as_bytes(), wanted.as_bytes(), 10)
            .into_iter()
            .map(|(range, shift)| (file[range].to_owned(), moved(new, &shift)))
            .collect()
    }

    fn one(file: &str, wanted: &str, new: &str) -> (String, String) {
        let mut found = check(file, wanted, new);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a17_a_block_may_stand_deeper_or_shallower() {
        let (block, new) =
            one("x\n    if a:\n        b\ny\n", "if a:\n    b\n", "if a:\n\n    c\n");
        assert_eq!(block, "    if a:\n        b\n");
        assert_eq!(new, "    if a:\n\n        c\n");
        let (block, new) = one("if a:\n    b", "  if a:\n      b", "  if c:\nd");
        assert_eq!((block.as_str(), new.as_str()), ("if a:\n    b", "if c:\nd"));
    }

    #[test]
    fn a17_tabs_and_spaces() {
        let (_, new) =
            one("f {\n\tif a {\n\t\tb\n", "  if a {\n    b\n", "  if a {\n    b\n      c\n");
        assert_eq!(new, "\tif a {\n\t\tb\n\t\t\tc\n");
        let (_, new) = one("    if a {\n        b", "\tif a {\n\t\tb", "\tif a {\n\t\tc");
        assert_eq!(new, "    if a {\n        c");
        let (_, new) = one("\tb", "        b", "        c");
        assert_eq!(new, "\tc", "a tab may be eight columns wide");
    }

    #[test]
    fn a17_lines_that_moved_apart_are_no_block() {
        assert_eq!(check("a\n  b\n", " a\n b\n", "c"), []);
        assert_eq!(check("a\n b\n", "a\nb\n", "c"), []);
        assert_eq!(check("  a", "a\n", "c"), [], "the newline is missing");
        assert_eq!(check("  a b", "a", "c"), [], "only whole lines");
        assert_eq!(check("x", " \n", "c"), []);
        assert_eq!(check("", "a", "c"), []);
    }

    #[test]
    fn a17_every_block_is_reported() {
        assert_eq!(check("  a\n    a\n", "\ta\n", "b").len(), 2);
    }
}
