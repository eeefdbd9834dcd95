//! The inline renderer: rows that are final go into the terminal's own scrollback, and a live
//! region of a few rows stands below them.
//!
//! Owns where the cursor is and what the live region shows; writes nothing itself. Invariants: the
//! cursor never moves above the live region; what is above it is only ever scrolled by new lines at
//! the bottom; no row is wider than the screen; rows of the live region never wrap.

mod encode;
mod fit;
mod plain;

use crate::text::{Cursor, Line};
use encode::Encoder;
use plain::PlainScreen;
use std::mem;
use std::time::{Duration, Instant};

/// Begins an update that the terminal shows at once, where it knows how.
const BEGIN: &[u8] = b"\x1b[?2026h";
/// Ends it.
const END: &[u8] = b"\x1b[?2026l";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
/// Has what is too wide stay in the last column: terminals disagree about the width of some
/// characters, and a live row that wraps would shift all that follow.
const NO_WRAP: &[u8] = b"\x1b[?7l";
const WRAP: &[u8] = b"\x1b[?7h";
const ERASE_BELOW: &[u8] = b"\x1b[J";
const ERASE_REST_OF_ROW: &[u8] = b"\x1b[K";
const NEXT_ROW: &[u8] = b"\r\n";
/// How late a terminal tells its size at most; tmux waits for a quarter of a second.
const LATEST_SIZE: Duration = Duration::from_millis(500);

/// What the screen is to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// Rows that are final: printed once, above the live region. A row that
    /// [continues](Line::continues) is copied in one piece with the next one if that comes in the
    /// same frame.
    pub finished: Vec<Line>,
    /// The rows of the live region. Where there are more than the screen has, the last ones are
    /// shown, or those down to the cursor's.
    pub live: Vec<Line>,
    /// Where the cursor stands; `None` hides it.
    pub cursor: Option<Cursor>,
}

/// What a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    /// Sixteen colours, and attributes such as bold.
    Sixteen,
    /// Attributes only, as `NO_COLOR` asks.
    None,
    /// Text without a single escape, as `TERM=dumb` asks. Of the live region only the cursor's row
    /// is drawn, as a line that is written over in place.
    Dumb,
}

/// The screen as it stands.
#[derive(Debug)]
pub struct Screen {
    columns: usize,
    rows: usize,
    /// Whether the terminal wraps the rows that it shows anew when it becomes narrower.
    reflows: bool,
    /// Whether the terminal tells a new size only some time after it has taken it.
    tells_sizes_late: bool,
    /// When the live region was last printed anew, on such a terminal.
    printed_at: Option<Instant>,
    encoder: Encoder,
    /// What the live region shows, from its first row on.
    live: Vec<Line>,
    /// Where the terminal's cursor is, within the live region.
    at: Cursor,
    /// What the last frame asked for.
    cursor: Option<Cursor>,
    is_cursor_hidden: bool,
    /// What is on the screen from the live region on is not known: the size has changed, or another
    /// program had the terminal.
    is_stale: bool,
    /// Draws in place of all that on a terminal that knows no escapes.
    plain: Option<PlainScreen>,
}

impl Screen {
    /// Returns a screen whose cursor is at the beginning of an empty row.
    pub fn new(columns: usize, rows: usize, colors: Colors) -> Self {
        Self {
            columns: columns.max(1),
            rows: rows.max(1),
            reflows: true,
            tells_sizes_late: false,
            printed_at: None,
            encoder: Encoder { has_colors: colors == Colors::Sixteen },
            live: Vec::new(),
            at: Cursor::default(),
            cursor: None,
            is_cursor_hidden: false,
            is_stale: true,
            plain: (colors == Colors::Dumb).then(PlainScreen::default),
        }
    }

    /// Returns the screen for a terminal that cuts its rows when it becomes narrower, rather than
    /// wrapping them anew.
    #[must_use]
    pub fn without_reflow(mut self) -> Self {
        self.reflows = false;
        self
    }

    /// Returns the screen for a terminal that tells a new size late. Meanwhile rows may come to stand
    /// where nobody expects them, so that rows of an old live region may remain after a change of
    /// the size, rather than rows that are final be lost.
    #[must_use]
    pub fn with_late_sizes(mut self) -> Self {
        self.tells_sizes_late = true;
        self
    }

    /// Takes the terminal's new size in; the next frame is drawn for it. A caller that is told of
    /// many sizes in a row may leave out all but the last one.
    pub fn resized(&mut self, columns: usize, rows: usize) {
        let (columns, rows) = (columns.max(1), rows.max(1));
        self.is_stale |= (columns, rows) != (self.columns, self.rows);
        (self.columns, self.rows) = (columns, rows);
    }

    /// Returns the columns and rows that frames are drawn for.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Has the next frame draw the whole live region, whatever another program left there.
    pub fn refresh(&mut self) {
        self.is_stale = true;
    }

    /// Leaves what it shows as it stands: somebody has written below it, and the next frame is drawn
    /// where the cursor is then.
    pub fn abandon(&mut self) {
        if let Some(plain) = &mut self.plain {
            *plain = PlainScreen::default();
        }
        self.live.clear();
        self.at = Cursor::default();
        self.cursor = None;
        self.is_cursor_hidden = false;
        self.is_stale = true;
    }

    /// Adds to `out` what makes the terminal show a frame: nothing where it shows it already.
    pub fn draw(&mut self, frame: Frame, out: &mut Vec<u8>) {
        let finished = fit::finished(frame.finished, self.columns);
        if let Some(plain) = &mut self.plain {
            return plain.draw(&finished, &frame.live, frame.cursor, self.columns, out);
        }
        let (live, cursor) = fit::live(frame.live, frame.cursor, self.columns, self.rows);
        let is_same = finished.is_empty() && live == self.live && !self.is_stale;
        if is_same && cursor == self.cursor && cursor.is_none() == self.is_cursor_hidden {
            return;
        }
        self.cursor = cursor;
        if is_same && !self.is_cursor_hidden && cursor.is_some() {
            return self.place_cursor(out);
        }
        out.extend_from_slice(BEGIN);
        self.hide_cursor(out);
        if mem::take(&mut self.is_stale) {
            self.erase_old_size(out);
        }
        if !finished.is_empty() {
            if self.has_room_for(&finished) {
                self.insert(&finished, out);
            } else {
                self.print(&finished, out);
            }
        }
        self.redraw(live, out);
        self.place_cursor(out);
        out.extend_from_slice(END);
    }

    /// Takes the live region away and leaves the cursor, visible, at the beginning of the empty row
    /// where it was: before an editor, before the program stops or ends. The next frame is drawn
    /// from the cursor on.
    pub fn release(&mut self, out: &mut Vec<u8>) {
        if let Some(plain) = &mut self.plain {
            return plain.release(out);
        }
        if !self.live.is_empty() {
            if self.is_stale {
                self.erase_old_size(out);
            } else {
                self.go_to_row(0, out);
                out.extend_from_slice(b"\r");
                out.extend_from_slice(ERASE_BELOW);
            }
        }
        self.is_stale = true;
        if mem::take(&mut self.is_cursor_hidden) {
            out.extend_from_slice(SHOW_CURSOR);
        }
        self.live.clear();
        self.at = Cursor::default();
        self.cursor = None;
    }

    /// Erases a live region that was drawn for another size.
    fn erase_old_size(&mut self, out: &mut Vec<u8>) {
        // What was printed so lately may stand there as it was printed.
        let is_fresh = self.printed_at.is_some_and(|at| at.elapsed() < LATEST_SIZE);
        let above = if self.reflows && !is_fresh {
            let rows = self.live.iter().take(self.at.row);
            let rows: usize = rows.map(|line| fit::height(line, self.columns)).sum();
            rows + self.at.column / self.columns
        } else {
            self.at.row
        };
        up(above.min(self.rows - 1), out);
        out.extend_from_slice(b"\r");
        out.extend_from_slice(ERASE_BELOW);
        self.live.clear();
        self.at = Cursor::default();
    }

    /// Returns whether rows can be inserted above the live region rather than written over it: it
    /// stays as it is, which saves drawing it again. It needs to be certain how many rows of the
    /// terminal they take.
    fn has_room_for(&self, finished: &[Line]) -> bool {
        let fits = !self.tells_sizes_late
            && !self.live.is_empty()
            && finished.len() + self.live.len() <= self.rows;
        fits && finished.iter().all(|line| fit::is_certain(line, self.columns))
    }

    /// Inserts final rows above the live region.
    fn insert(&mut self, finished: &[Line], out: &mut Vec<u8>) {
        let last = self.live.len() - 1;
        self.go_to_row(last, out);
        // Where there is no room below, this scrolls the first rows of the screen away.
        out.extend(std::iter::repeat_n(b'\n', finished.len()));
        up(last + finished.len(), out);
        out.extend_from_slice(b"\r");
        sequence(finished.len(), b'L', out);
        for line in finished {
            self.encoder.row(line, out);
            out.extend_from_slice(NEXT_ROW);
        }
        self.at = Cursor::default();
    }

    /// Prints final rows over the live region, which is to be drawn again below them.
    fn print(&mut self, finished: &[Line], out: &mut Vec<u8>) {
        self.printed_at = self.tells_sizes_late.then(Instant::now);
        self.go_to_row(0, out);
        out.extend_from_slice(b"\r");
        for (number, line) in finished.iter().enumerate() {
            self.encoder.row(line, out);
            let width = line.width();
            // In the last column a terminal waits with wrapping, and would erase what is there.
            if number < self.live.len() && width < self.columns {
                out.extend_from_slice(ERASE_REST_OF_ROW);
            }
            let next = finished.get(number + 1);
            if !next.is_some_and(|next| fit::wraps_into(line, width, next, self.columns)) {
                out.extend_from_slice(NEXT_ROW);
            }
        }
        // Below may be rows of the old live region, which nobody can tell for certain.
        if finished.len() < self.live.len() {
            out.extend_from_slice(ERASE_BELOW);
        }
        self.live.clear();
        self.at = Cursor::default();
    }

    /// Draws those rows of the live region that are not on the screen yet.
    fn redraw(&mut self, live: Vec<Line>, out: &mut Vec<u8>) {
        let old = mem::take(&mut self.live);
        let mut may_wrap = true;
        for (number, line) in live.iter().enumerate() {
            if old.get(number) == Some(line) {
                continue;
            }
            if mem::take(&mut may_wrap) {
                out.extend_from_slice(NO_WRAP);
            }
            if number < old.len() {
                self.go_to_row(number, out);
                out.extend_from_slice(b"\r");
            } else if number > 0 {
                self.go_to_row(number - 1, out);
                out.extend_from_slice(NEXT_ROW);
                self.at.row = number;
            } else {
                out.extend_from_slice(b"\r");
            }
            self.encoder.row(line, out);
            if number < old.len() && line.width() < self.columns {
                out.extend_from_slice(ERASE_REST_OF_ROW);
            }
        }
        if !may_wrap {
            out.extend_from_slice(WRAP);
        }
        if live.len() < old.len() {
            self.go_to_row(live.len(), out);
            out.extend_from_slice(b"\r");
            out.extend_from_slice(ERASE_BELOW);
        }
        self.live = live;
    }

    /// Puts the cursor where the frame wants it, or out of the way.
    fn place_cursor(&mut self, out: &mut Vec<u8>) {
        let hidden = Cursor { row: self.live.len().saturating_sub(1), column: 0 };
        let place = self.cursor.unwrap_or(hidden);
        self.go_to_row(place.row, out);
        out.extend_from_slice(b"\r");
        if place.column > 0 {
            sequence(place.column, b'C', out);
        }
        self.at.column = place.column;
        if self.cursor.is_some() && mem::take(&mut self.is_cursor_hidden) {
            out.extend_from_slice(SHOW_CURSOR);
        }
    }

    fn hide_cursor(&mut self, out: &mut Vec<u8>) {
        if !mem::replace(&mut self.is_cursor_hidden, true) {
            out.extend_from_slice(HIDE_CURSOR);
        }
    }

    /// Moves to another row of the live region; the column is then unknown.
    fn go_to_row(&mut self, row: usize, out: &mut Vec<u8>) {
        if row < self.at.row {
            up(self.at.row - row, out);
        } else if row > self.at.row {
            sequence(row - self.at.row, b'B', out);
        }
        self.at.row = row;
    }
}

fn up(rows: usize, out: &mut Vec<u8>) {
    if rows > 0 {
        sequence(rows, b'A', out);
    }
}

/// Adds a control sequence with a count, which terminals take for 1 where it is left out.
fn sequence(count: usize, last: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[");
    if count != 1 {
        out.extend_from_slice(count.to_string().as_bytes());
    }
    out.push(last);
}

#[cfg(test)]
mod tests;
