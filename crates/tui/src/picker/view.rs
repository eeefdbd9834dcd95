//! What a list looks like.
//!
//! Owns its rows on the screen: title and filter, the part of the list around the mark, the hint.
//! Must not change what is marked.

use super::{Item, Picker};
use crate::fuzzy::push_matched;
use crate::text::{Cursor, Line, Span, Style, sanitize, width};
use crate::theme;

/// The most rows of the list that are seen at once: the answer above stays in sight.
const MAX_ROWS: usize = 15;

/// Returns the list as rows, and where the caret stands.
pub(super) fn view<T: Clone + PartialEq>(
    picker: &mut Picker<T>,
    columns: usize,
    max_rows: usize,
) -> (Vec<Line>, Option<Cursor>) {
    if max_rows == 0 || columns == 0 {
        return (Vec::new(), None);
    }
    let (head, column) = head(picker, columns);
    let mut rows = vec![head];
    let with_hint = !picker.hint.is_empty() && max_rows > 4;
    let room = (max_rows - 1 - usize::from(with_hint)).min(MAX_ROWS);
    if picker.filter.matching().is_empty() {
        let note = Span::foreign(&picker.empty, theme::QUIET);
        rows.extend((room > 0).then(|| Line::plain("  ").with(note).clipped(columns)));
    } else {
        rows.extend(list(picker, columns, room));
    }
    if with_hint {
        let hint = Span::foreign(&picker.hint, theme::QUIET);
        rows.push(Line::plain("  ").with(hint).clipped(columns));
    }
    let cursor = Cursor { row: 0, column: column.min(columns - 1) };
    (rows, Some(cursor))
}

/// Returns the row with title, filter and count, and the caret's column.
fn head<T: Clone + PartialEq>(picker: &Picker<T>, columns: usize) -> (Line, usize) {
    let (matching, all) = (picker.filter.matching().len(), picker.items.len());
    let count = match (matching, all) {
        (_, 0) => String::new(),
        (matching, all) if matching == all => format!("  {all}"),
        (matching, all) => format!("  {matching} of {all}"),
    };
    let mut line = Line::empty();
    let title = sanitize::one_line(&picker.title);
    // On a narrow screen, what is typed goes first.
    if columns >= width::of(&title) + 12 {
        let end = if title.ends_with(['?', ':', '.', '!']) { " " } else { ": " };
        line.push(Span::new(title.into_owned(), theme::HEADING));
        line.push(Span::new(end, theme::HEADING));
    }
    let begun = line.width();
    let count = if columns >= begun + count.len() + 10 { count } else { String::new() };
    let (text, column) = picker.field.view(columns - begun - count.len(), Style::PLAIN);
    for span in text.spans {
        line.push(span);
    }
    let gap = columns.saturating_sub(line.width() + count.len());
    if !count.is_empty() {
        line.push(Span::plain(" ".repeat(gap)));
        line.push(Span::new(count, theme::QUIET));
    }
    (line, begun + column)
}

/// Returns the rows of the list that are seen, the marked one among them.
fn list<T: Clone + PartialEq>(picker: &mut Picker<T>, columns: usize, room: usize) -> Vec<Line> {
    if room == 0 {
        return Vec::new();
    }
    let matching = picker.filter.matching().len();
    picker.top = picker.top.min(picker.marked).min(matching.saturating_sub(1));
    picker.top = picker.top.max((picker.marked + 1).saturating_sub(room));
    // Headings take room too.
    let mut end = last_seen(picker, room);
    while end <= picker.marked && picker.top < picker.marked {
        picker.top += 1;
        end = last_seen(picker, room);
    }
    let end = end.max(picker.marked + 1);
    picker.page = end - picker.top;
    let seen: Vec<usize> =
        picker.filter.matching().get(picker.top..end).unwrap_or_default().to_vec();
    let label_columns = label_columns(picker, &seen, columns);
    let mut rows = Vec::new();
    let mut group = "";
    for (number, index) in (picker.top..).zip(seen) {
        let Some(item) = picker.items.get(index) else { continue };
        if shows_group(picker.search) && item.group != group && room > 1 {
            let heading = Span::foreign(&item.group, theme::QUIET.bold());
            rows.push(Line::from(heading).clipped(columns));
        }
        group = &item.group;
        let (matched, first) = picker.filter.matched(index);
        let texts = picker.filter.texts(index);
        let marked = number == picker.marked;
        rows.push(row(item, texts, (&matched, first), marked, label_columns).clipped(columns));
    }
    rows.truncate(room);
    rows
}

fn shows_group(search: super::Search) -> bool {
    search != super::Search::Best
}

/// Returns the end of what is seen from the top on, counted among the rows that match.
fn last_seen<T>(picker: &Picker<T>, room: usize) -> usize {
    let mut left = room;
    let mut group = "";
    let matching = picker.filter.matching();
    for (number, index) in matching.iter().enumerate().skip(picker.top) {
        let Some(item) = picker.items.get(*index) else { continue };
        let heading = shows_group(picker.search) && item.group != group && room > 1;
        let wanted = 1 + usize::from(heading);
        if wanted > left {
            return number;
        }
        left -= wanted;
        group = &item.group;
    }
    matching.len()
}

/// Returns how wide the column of labels is: as the widest that is seen, but not most of the row.
fn label_columns<T>(picker: &Picker<T>, seen: &[usize], columns: usize) -> usize {
    let wide = |index: &usize| {
        let guide = picker.items.get(*index).map_or(0, |item| width::of(&item.guide));
        guide + width::of(picker.filter.texts(*index).0)
    };
    let widest = seen.iter().map(wide).max().unwrap_or_default();
    widest.min(columns * 3 / 5)
}

fn row<T>(
    item: &Item<T>,
    (label, detail): (&str, &str),
    (matched, first): (&[usize], usize),
    marked: bool,
    label_columns: usize,
) -> Line {
    let base = if item.quiet { theme::QUIET } else { Style::PLAIN };
    let look = if marked { base.with(theme::CHOSEN) } else { base };
    let mut line = match marked {
        true => Line::new("> ", theme::USER),
        false => Line::plain("  "),
    };
    let mut left = Line::from(Span::foreign(&item.guide, theme::QUIET));
    push_matched(&mut left, label, look, matched, 0);
    let has_detail = !detail.is_empty();
    let left = if has_detail { left.clipped(label_columns) } else { left };
    let gap = label_columns.saturating_sub(left.width()) + 2;
    for span in left.spans {
        line.push(span);
    }
    if has_detail {
        line.push(Span::plain(" ".repeat(gap)));
        push_matched(&mut line, detail, theme::QUIET, matched, first);
    }
    line
}
