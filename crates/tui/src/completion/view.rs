//! What offers look like.
//!
//! Owns their rows. Must not change which one is marked.

use super::{Completion, Kind, Offer};
use crate::fuzzy::push_matched;
use crate::text::{Line, Span, Style, width};
use crate::theme;

/// Returns the offers around the marked one as rows.
pub(super) fn view(completion: &mut Completion, columns: usize, room: usize) -> Vec<Line> {
    if !completion.is_open() || room == 0 {
        return Vec::new();
    }
    let (marked, count) = (completion.marked, completion.offers.len());
    let lowest = count.saturating_sub(room).min(marked);
    let highest = (marked + 1).saturating_sub(room);
    completion.top = completion.top.clamp(highest, lowest.max(highest));
    let seen = completion.offers.iter().enumerate().skip(completion.top).take(room);
    let widest = seen.clone().map(|(_, offer)| width::of(&offer.label)).max().unwrap_or_default();
    let label_columns = widest.min(columns / 2);
    let mark = match completion.token.as_ref().map(|token| token.kind) {
        Some(Kind::Command) => "/",
        _ => "",
    };
    seen.map(|(number, offer)| row(offer, mark, number == marked, label_columns).clipped(columns))
        .collect()
}

fn row(offer: &Offer, mark: &'static str, marked: bool, label_columns: usize) -> Line {
    let look = if marked { theme::CHOSEN } else { Style::PLAIN };
    let mut line = Line::plain("  ");
    let mut label = Line::new(mark, look);
    push_matched(&mut label, &offer.label, look, &offer.matched, 0);
    if offer.detail.is_empty() {
        label.spans.into_iter().for_each(|span| line.push(span));
        return line;
    }
    let label_columns = label_columns + width::of(mark);
    let label = label.clipped(label_columns);
    let gap = label_columns.saturating_sub(label.width()) + 2;
    label.spans.into_iter().for_each(|span| line.push(span));
    line.push(Span::plain(" ".repeat(gap)));
    line.push(Span::new(offer.detail.clone(), theme::QUIET));
    line
}
