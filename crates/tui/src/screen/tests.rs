//! Frames, drawn on a model of a terminal.

use super::*;
use crate::text::wrap::{self, Break};
use crate::text::{Color, Span, Style, width};
use letscode_testkit::screen::{self as model, Screen as Model};
use proptest::prelude::*;

mod resize;

/// The screen and a terminal that it draws on.
struct Both {
    screen: Screen,
    model: Model,
    /// The rows that were final so far.
    finished: Vec<Line>,
}

impl Both {
    fn new(columns: u16, rows: u16) -> Self {
        let screen = Screen::new(columns.into(), rows.into(), Colors::Sixteen);
        Self { screen, model: Model::new(columns, rows), finished: Vec::new() }
    }

    /// Draws a frame and returns how many bytes that took.
    fn draw(&mut self, frame: Frame) -> usize {
        self.finished.extend(frame.finished.iter().cloned());
        let mut out = Vec::new();
        self.screen.draw(frame, &mut out);
        self.model.feed(&out);
        out.len()
    }

    fn release(&mut self) {
        let mut out = Vec::new();
        self.screen.release(&mut out);
        self.model.feed(&out);
    }
}

fn frame(finished: &[&str], live: &[&str], cursor: Option<(usize, usize)>) -> Frame {
    let lines = |texts: &[&str]| texts.iter().map(|text| Line::plain((*text).to_owned())).collect();
    let cursor = cursor.map(|(row, column)| Cursor { row, column });
    Frame { finished: lines(finished), live: lines(live), cursor }
}

#[test]
fn final_rows_go_above_the_live_region_and_into_the_scrollback() {
    let mut both = Both::new(20, 4);
    both.draw(frame(&[], &["> ", "footer"], Some((0, 2))));
    assert_eq!(both.model.rows(), [">", "footer", "", ""]);
    assert_eq!(both.model.cursor(), (0, 2));
    both.draw(frame(&["one"], &["> ", "footer"], Some((0, 2))));
    both.draw(frame(&["two", "three"], &["> x", "footer"], Some((0, 3))));
    assert_eq!(both.model.history(), ["one", "two", "three", "> x", "footer"]);
    assert_eq!(both.model.cursor(), (2, 3));
    let many: Vec<String> = (0..20).map(|number| format!("row {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    both.draw(frame(&many, &["> x", "footer"], Some((0, 3))));
    let history = both.model.history();
    assert_eq!(history.len(), 25);
    assert_eq!(history[22..], ["row 19", "> x", "footer"]);
    assert_eq!(model::forbidden(both.model.bytes()), [""; 0]);
}

#[test]
fn the_live_region_grows_and_shrinks() {
    let mut both = Both::new(20, 5);
    both.draw(frame(&["one", "two", "three"], &["> "], Some((0, 2))));
    both.draw(frame(&[], &["a", "b", "c", "> "], Some((3, 2))));
    assert_eq!(both.model.rows(), ["three", "a", "b", "c", ">"]);
    both.draw(frame(&[], &["> "], Some((0, 2))));
    assert_eq!(both.model.rows(), ["three", ">", "", "", ""]);
    both.draw(frame(&[], &[], None));
    assert_eq!(both.model.rows(), ["three", "", "", "", ""]);
    assert!(both.model.model().hide_cursor());
    both.draw(frame(&["four"], &["> "], Some((0, 2))));
    assert_eq!(both.model.history(), ["one", "two", "three", "four", ">"]);
    assert!(!both.model.model().hide_cursor());
}

#[test]
fn a_live_region_that_is_too_tall_shows_its_end_or_the_cursor() {
    let rows = ["0", "1", "2", "3", "4", "5"];
    for (cursor, expected) in [
        (None, ["3", "4", "5"]),
        (Some((5, 1)), ["3", "4", "5"]),
        (Some((3, 0)), ["3", "4", "5"]),
        (Some((1, 1)), ["1", "2", "3"]),
        (Some((0, 9)), ["0", "1", "2"]),
        (Some((99, 0)), ["3", "4", "5"]),
    ] {
        let mut both = Both::new(4, 3);
        both.draw(frame(&["x"], &rows, cursor));
        assert_eq!(both.model.rows(), expected, "{cursor:?}");
        assert_eq!(both.model.history().len(), 4, "{cursor:?}");
    }
}

#[test]
fn a33_rows_that_are_too_wide_are_cut_when_live_and_go_on_when_final() {
    let mut both = Both::new(4, 4);
    both.draw(frame(&["abcdefghi"], &["12345", "漢字漢字"], Some((0, 9))));
    assert_eq!(both.model.history(), ["abcd", "efgh", "i", "123…", "漢…"]);
    assert_eq!(both.model.lines()[0], "abcdefghi");
    assert_eq!(both.model.cursor(), (2, 3));
    for columns in 1..=3 {
        let mut both = Both::new(columns, 2);
        both.draw(frame(&["漢字", "👩‍👩‍👧", ""], &["漢字", "🦀e\u{301}"], Some((1, 1))));
        assert!(both.model.rows().iter().all(|row| width::of(row) <= columns.into()));
    }
}

#[test]
fn a33_a_live_row_never_wraps_where_the_terminal_takes_it_for_wider() {
    let mut out = Vec::new();
    let mut screen = Screen::new(10, 3, Colors::Sixteen);
    screen.draw(frame(&[], &["👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"], None), &mut out);
    let out = String::from_utf8(out).unwrap();
    let text = out.find('👩').unwrap();
    assert!(
        out.find("\x1b[?7l").unwrap() < text && out.find("\x1b[?7h").unwrap() > text,
        "{out:?}"
    );
}

#[test]
fn rows_that_go_on_are_copied_in_one_piece() {
    let long = Line::plain("abcdefghij漢klm漢x");
    let rows = wrap::wrap(&long, 5, &[], Break::Anywhere);
    for above in 0..4 {
        let mut both = Both::new(5, 3);
        let live =
            Frame { live: vec![Line::plain("wide!"), Line::plain("> xy")], ..Frame::default() };
        both.draw(Frame { finished: vec![Line::plain("-"); above], ..live.clone() });
        both.draw(Frame { finished: rows.clone(), ..live.clone() });
        both.draw(Frame { finished: vec![Line::plain("end")], ..live });
        let mut expected = vec!["-".to_owned(); above];
        expected.extend([long.text(), "end".into(), "wide!".into(), "> xy".into()]);
        assert_eq!(both.model.lines(), expected);
    }
}

#[test]
fn a_row_that_goes_on_into_nothing_ends() {
    let full = Line { continues: true, ..Line::plain("abcde") };
    for next in ["", "\u{301}"] {
        let mut both = Both::new(5, 4);
        both.draw(Frame {
            finished: vec![full.clone(), Line::plain(next), full.clone()],
            live: vec![Line::plain("> ")],
            cursor: None,
        });
        assert_eq!(both.model.rows()[0], "abcde");
        assert_eq!(both.model.rows()[2..], ["abcde", ">"]);
    }
}

#[test]
fn a37_nothing_is_written_where_nothing_changed() {
    let mut both = Both::new(40, 10);
    let same = frame(&[], &["answer so far", "> typed", "footer"], Some((1, 7)));
    assert!(both.draw(same.clone()) > 0);
    assert_eq!(both.draw(same), 0);
    let moved = frame(&[], &["answer so far", "> typed", "footer"], Some((1, 3)));
    assert!(both.draw(moved) <= 8, "only the cursor moves");
    assert_eq!(both.model.cursor(), (1, 3));
}

#[test]
fn a37_only_the_row_that_changed_goes_out() {
    let mut both = Both::new(80, 24);
    let wide = "=".repeat(79);
    let rows = |answer: &str| frame(&[], &[answer, &wide, "> ", &wide, "footer"], Some((2, 2)));
    both.draw(rows("a"));
    let mut out = Vec::new();
    both.screen.draw(rows("a b"), &mut out);
    let expected = "\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[2A\ra b\x1b[K\x1b[?7h\x1b[2B\r\x1b[2C\x1b[?25h\x1b[?2026l";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a37_a_finished_row_costs_its_text_and_little_more() {
    let line = "0123456789 the quick brown fox jumps over the lazy dog";
    let wide = "=".repeat(79);
    let live = ["tail", &wide, "> ", &wide, "footer", "more"];
    let mut both = Both::new(80, 24);
    both.draw(frame(&[], &live, Some((2, 2))));
    for batch in [1, 10, 100] {
        let lines = vec![line; batch];
        let mut bytes = 0;
        for _ in 0..200 / batch {
            bytes += both.draw(frame(&lines, &live, Some((2, 2))));
        }
        assert!(bytes / 200 <= 110, "{} bytes a row in batches of {batch}", bytes / 200);
    }
    let history = both.model.history();
    assert_eq!(history.len(), 606);
    assert_eq!(history[..600], vec![line; 600]);
    assert_eq!(history[600..], live.map(str::trim_end));
    assert!(model::highest_climb(both.model.bytes()) <= live.len());
}

#[test]
fn a37_each_frame_is_one_update_with_the_cursor_hidden() {
    let mut both = Both::new(30, 6);
    for number in 0..10 {
        let text = number.to_string();
        both.draw(frame(&[&text], &[&text, "> "], (number % 3 > 0).then_some((1, 2))));
    }
    let bytes = String::from_utf8(both.model.bytes().to_vec()).unwrap();
    let updates: Vec<&str> = bytes.split_terminator("\x1b[?2026l").collect();
    assert_eq!(updates.len(), 10);
    for update in updates {
        assert_eq!(update.matches("\x1b[?2026h").count(), 1, "{update:?}");
        assert!(update.starts_with("\x1b[?2026h"), "{update:?}");
    }
    let (hidden, shown) = (bytes.matches("\x1b[?25l").count(), bytes.matches("\x1b[?25h").count());
    assert_eq!((hidden, shown, both.model.model().hide_cursor()), (7, 6, true));
}

#[test]
fn a38_the_cursor_is_at_the_caret_behind_wide_characters() {
    let mut both = Both::new(40, 6);
    let typed = "> 漢字かな e\u{301}x";
    let column = width::of(typed);
    assert_eq!(column, 13);
    both.draw(frame(&[], &["answer", typed, "footer"], Some((1, column))));
    assert_eq!(both.model.cursor(), (1, 13));
    // While output streams, too.
    for number in 0..20 {
        let text = format!("answer {number}");
        both.draw(frame(&["final"], &[&text, typed, "footer"], Some((1, 6))));
        let (row, column) = both.model.cursor();
        assert_eq!(column, 6);
        assert!(both.model.rows()[row].starts_with("> 漢字"));
    }
}

#[test]
fn a_release_takes_the_live_region_away_and_starts_afresh() {
    let mut both = Both::new(20, 4);
    both.draw(frame(&["one"], &["answer", "> text"], None));
    both.release();
    assert_eq!(both.model.rows(), ["one", "", "", ""]);
    assert_eq!(both.model.cursor(), (1, 0));
    assert!(!both.model.model().hide_cursor());
    both.release();
    both.model.feed(b"$ ls\r\nfiles\r\nleft below\r\n\x1b[A");
    both.draw(frame(&["two"], &["answer", "> text"], Some((1, 6))));
    assert_eq!(both.model.history(), ["one", "$ ls", "files", "two", "answer", "> text"]);
    assert_eq!(both.model.cursor(), (3, 6));
}

#[test]
fn a_released_cursor_moves_within_the_rows_that_are_drawn() {
    let mut both = Both::new(20, 4);
    both.draw(frame(&[], &["a", "b"], Some((1, 1))));
    both.draw(frame(&[], &["a"], Some((7, 30))));
    assert_eq!(both.model.cursor(), (0, 19));
    both.draw(frame(&[], &[], Some((0, 0))));
    assert_eq!(both.model.rows(), [""; 4]);
}

#[test]
fn colours_are_the_terminals_own_and_go_where_they_are_not_wanted() {
    let line = || Line::new("a", Style::PLAIN.color(Color::Red).bold());
    for (colors, expected) in [
        (Colors::Sixteen, "\x1b[1;31ma\x1b[m"),
        (Colors::None, "\x1b[1ma\x1b[m"),
        (Colors::Dumb, "a"),
    ] {
        let mut out = Vec::new();
        let frame = Frame { finished: vec![line()], ..Frame::default() };
        Screen::new(9, 9, colors).draw(frame, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains(&format!("{expected}\r\n")), "{out:?}");
    }
}

#[test]
fn a40_a_dumb_terminal_gets_a_line_to_type_in_and_no_escapes() {
    let mut screen = Screen::new(12, 5, Colors::Dumb);
    let mut model = Model::new(12, 5);
    let mut draw = |frame: Frame| {
        let mut out = Vec::new();
        screen.draw(frame, &mut out);
        assert!(!out.contains(&0x1b), "{out:?}");
        model.feed(&out);
        (model.rows(), model.cursor(), out.len())
    };
    let shown = draw(frame(&["hello"], &["⠋ works", "> ", "footer"], Some((1, 2))));
    assert_eq!((shown.0[..2].join("|").as_str(), shown.1), ("hello|>", (1, 2)));
    let shown = draw(frame(&[], &["⠙ works", "> a", "footer"], Some((1, 3))));
    assert_eq!((shown.0[1].as_str(), shown.1, shown.2), ("> a", (1, 3), 1));
    let shown = draw(frame(&[], &["⠹ works", "> a", "footer"], Some((1, 3))));
    assert_eq!(shown.2, 0, "what moves is not drawn");
    let shown = draw(frame(&[], &["> ab"], Some((0, 2))));
    assert_eq!((shown.0[1].as_str(), shown.1), ("> ab", (1, 2)));
    let shown = draw(frame(&[], &["> xab"], Some((0, 3))));
    assert_eq!((shown.0[1].as_str(), shown.1), ("> xab", (1, 3)));
    let shown = draw(frame(&[], &["> x"], Some((0, 3))));
    assert_eq!((shown.0[1].as_str(), shown.1), ("> x", (1, 3)));
    let shown = draw(frame(&["done"], &["> 漢字漢字漢字"], Some((0, 14))));
    assert_eq!(shown.0[..3].join("|"), "hello|done|> 漢字漢字");
    assert_eq!(shown.1, (2, 10));
    let shown = draw(frame(&[], &["no cursor"], None));
    assert_eq!((shown.0[2].as_str(), shown.1), ("", (2, 0)));
}

/// Text whose width all terminals agree on.
fn text() -> impl Strategy<Value = String> {
    "([a-z ]|漢|字|é|e\u{301}|ü|→|🦀){0,24}"
}

fn line() -> impl Strategy<Value = Line> {
    let style = (any::<bool>(), any::<bool>()).prop_map(|(bold, red)| Style {
        bold,
        color: red.then_some(Color::Red),
        ..Style::PLAIN
    });
    prop::collection::vec((text(), style), 0..4).prop_map(|spans| {
        spans
            .into_iter()
            .fold(Line::empty(), |line, (text, style)| line.with(Span::new(text, style)))
    })
}

fn random_frame() -> impl Strategy<Value = (Vec<Line>, Vec<Line>, Option<(usize, usize)>)> {
    let cursor = prop::option::of((0_usize..12, 0_usize..90));
    (prop::collection::vec(line(), 0..6), prop::collection::vec(line(), 0..9), cursor)
}

/// Returns what a row looks like once it is copied.
fn copied(line: &Line) -> String {
    line.text().trim_end().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a33_any_frames_end_as_their_rows_and_the_last_live_region(
        columns in 1_u16..=90,
        rows in 1_u16..=12,
        frames in prop::collection::vec(random_frame(), 1..12),
    ) {
        let mut both = Both::new(columns, rows);
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let mut expected = Vec::new();
        let mut live_rows = Vec::new();
        for (finished, live, cursor) in frames {
            let cursor = cursor.map(|(row, column)| Cursor { row, column });
            let wrapped: Vec<Line> =
                finished.iter().flat_map(|line| wrap::wrap(line, columns, &[], Break::Anywhere)).collect();
            expected.extend(wrapped.iter().map(copied));
            let (shown, place) = fit::live(live.clone(), cursor, columns, rows);
            live_rows = shown.iter().map(copied).collect();
            both.draw(Frame { finished: wrapped, live, cursor });
            prop_assert_eq!(both.model.model().hide_cursor(), place.is_none());
            if let Some(place) = place {
                let top = both.model.scrolled() + both.model.cursor().0 - place.row;
                prop_assert_eq!(top, expected.len());
                prop_assert_eq!(both.model.cursor().1, place.column);
            }
        }
        expected.append(&mut live_rows);
        while expected.last().is_some_and(String::is_empty) {
            expected.pop();
        }
        prop_assert_eq!(both.model.history(), expected);
        prop_assert_eq!(model::forbidden(both.model.bytes()), Vec::<String>::new());
    }

    #[test]
    fn a33_nothing_panics_whatever_the_text(
        columns in 0_usize..=200,
        rows in 0_usize..=5,
        text in any::<String>(),
        row in 0_usize..9,
    ) {
        let mut screen = Screen::new(columns, rows, Colors::Sixteen);
        let mut out = Vec::new();
        let lines = || vec![Line::plain(text.clone()), Line::plain("👨‍👩‍👧\u{3164}🇩🇪".to_owned())];
        for _ in 0..2 {
            let cursor = Some(Cursor { row, column: row * 40 });
            screen.draw(Frame { finished: lines(), live: lines(), cursor }, &mut out);
            screen.resized(columns / 2, rows + 1);
        }
        screen.release(&mut out);
    }
}
