//! The live region: what of the conversation moves, the queue, the composer or what lies over it,
//! the footer.
//!
//! Owns who gets how many rows. The composer and the footer come first, the conversation takes what
//! is left. Must not change what is shown.

use super::App;
use crate::footer::duration;
use crate::screen::Frame;
use crate::text::{Cursor, Line, Span};
use crate::theme;
use std::time::Instant;

/// How many rows of the queue are shown.
const QUEUE_ROWS: usize = 4;

/// A screen of so few rows has none to spare.
const SMALL_SCREEN: usize = 10;

/// At least so many rows are left to the conversation on a screen that has them.
const CONVERSATION_ROWS: usize = 4;

/// The most rows of a question that are printed where nothing is drawn anew.
const PLAIN_ROWS: usize = 100;

impl App {
    /// Returns what is to be printed for good since the last frame, and the live region as it is now.
    pub fn view(&mut self, columns: usize, rows: usize, now: Instant) -> Frame {
        let mut finished = self.transcript.take_finished(columns);
        if self.is_plain {
            self.tell_plainly(columns, &mut finished);
        }
        let mut below = self.queue_rows(columns);
        below.extend(
            self.status
                .iter()
                .map(|(_, text)| Line::from(Span::foreign(text, theme::QUIET)).clipped(columns)),
        );
        if let Some(hint) = &self.hint {
            below.push(Line::new(hint.clone(), theme::WARNING).clipped(columns));
        }
        let footer = self.footer_row(columns, now);
        let taken = below.len() + usize::from(footer.is_some());
        let room = rows.saturating_sub(taken + CONVERSATION_ROWS).max(1);
        let (input, cursor) = self.input_rows(columns, room, now);
        let above = below.len();
        below.extend(input);
        below.extend(footer);
        let room = rows.saturating_sub(below.len() + 1);
        let mut live = self.transcript.live(columns, room, now);
        // What is said and what is written stand apart, where there is room for that.
        if live.len() < room && rows > SMALL_SCREEN {
            live.push(Line::empty());
        }
        let cursor = cursor.map(|at| Cursor { row: live.len() + above + at.row, ..at });
        live.extend(below);
        Frame { finished, live, cursor }
    }

    /// Returns the frame to leave behind: what moved is over, and nothing waits for keys.
    pub fn last_view(&mut self, columns: usize, rows: usize, now: Instant) -> Frame {
        let mut finished = self.transcript.take_finished(columns);
        finished.extend(self.transcript.live(columns, rows, now));
        Frame { finished, live: Vec::new(), cursor: None }
    }

    /// Prints the hint and what lies over the composer, once, for a terminal that shows only the
    /// cursor's row.
    fn tell_plainly(&mut self, columns: usize, finished: &mut Vec<Line>) {
        finished.extend(self.hint.take().map(|hint| Line::new(hint, theme::WARNING)));
        if let Some(overlay) = &mut self.overlay
            && !std::mem::replace(&mut self.is_overlay_told, true)
        {
            finished.extend(overlay.view(columns, PLAIN_ROWS).0);
        }
    }

    fn queue_rows(&self, columns: usize) -> Vec<Line> {
        let steering = self.queue.steering.iter().map(|text| ("next", text));
        let later = self.queue.follow_ups.iter().map(|text| ("later", text));
        let redirect = self.redirects.iter().map(|line| ("now", &line.text));
        let all: Vec<Line> = redirect
            .chain(steering)
            .chain(later)
            .map(|(when, text)| {
                let line = Line::new(format!("{when}: "), theme::QUIET);
                line.with(Span::foreign(text, theme::QUIET)).clipped(columns)
            })
            .collect();
        let more = all.len().saturating_sub(QUEUE_ROWS);
        let mut shown: Vec<Line> = all.into_iter().take(QUEUE_ROWS).collect();
        if more > 0 {
            shown.push(Line::new(format!("… and {more} more"), theme::QUIET).clipped(columns));
        }
        shown
    }

    fn input_rows(
        &mut self,
        columns: usize,
        rows: usize,
        now: Instant,
    ) -> (Vec<Line>, Option<Cursor>) {
        if let Some(overlay) = &mut self.overlay {
            self.overlay_seen.get_or_insert(now);
            // What is being written stays in sight beneath a question that came up by itself.
            let beneath = if overlay.is_unbidden() && !self.composer.is_empty() && !self.is_plain {
                rows / 3
            } else {
                0
            };
            if beneath == 0 {
                return overlay.view(columns, rows);
            }
            let (written, caret) = self.composer.view(columns, beneath);
            let (mut lines, cursor) = overlay.view(columns, rows - written.len());
            let caret = Cursor { row: lines.len() + caret.row, ..caret };
            lines.extend(written);
            return (lines, Some(cursor.unwrap_or(caret)));
        }
        let (mut lines, cursor) = self.composer.view(columns, rows);
        let room = rows.saturating_sub(lines.len());
        lines.extend(self.completion.view(columns, room));
        (lines, Some(cursor))
    }

    fn footer_row(&self, columns: usize, now: Instant) -> Option<Line> {
        let elapsed = self.run.as_ref().map(|run| now.saturating_duration_since(run.since));
        if self.shows_footer {
            return Some(self.footer.view(columns, elapsed));
        }
        elapsed.map(|time| Line::new(duration(time), theme::QUIET).clipped(columns))
    }
}
