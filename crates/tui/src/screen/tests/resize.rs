//! What a change of the size leaves, on terminals that wrap their rows anew and on those that cut.

use super::*;

/// How a terminal takes a new size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reflows,
    Cuts,
}

impl Both {
    fn on(columns: u16, rows: u16, kind: Kind) -> Self {
        let mut both = Self::new(columns, rows);
        if kind == Kind::Cuts {
            both.screen = both.screen.without_reflow();
        }
        both
    }

    fn resize(&mut self, columns: u16, rows: u16, kind: Kind) {
        match kind {
            Kind::Reflows => self.model.reflow(columns, rows),
            Kind::Cuts => self.model.resize(columns, rows),
        }
        self.screen.resized(columns.into(), rows.into());
    }
}

fn live(columns: usize, at: usize) -> Frame {
    let edge = "=".repeat(columns);
    let texts = ["answer so far", &edge, "> typed text", "  more of it", &edge, "footer"];
    frame(&[], &texts, Some((2 + at, 10)))
}

#[test]
fn nothing_is_lost_or_doubled_when_the_width_changes() {
    for kind in [Kind::Reflows, Kind::Cuts] {
        for at in [0, 1] {
            for columns in [60, 40, 25, 100] {
                let mut both = Both::on(80, 24, kind);
                let many: Vec<String> = (0..40).map(|number| format!("row {number}")).collect();
                let many: Vec<&str> = many.iter().map(String::as_str).collect();
                both.draw(Frame { finished: frame(&many, &[], None).finished, ..live(79, at) });
                both.resize(columns, 24, kind);
                both.draw(live(usize::from(columns) - 1, at));
                let history = both.model.history();
                let name = format!("{kind:?} {at} {columns}: {history:#?}");
                assert_eq!(history[..40], many, "{name}");
                assert_eq!(history[40], "answer so far", "{name}");
                assert_eq!(history.len(), 46, "{name}");
                assert_eq!(both.model.cursor().1, 10, "{name}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_when_the_height_changes() {
    for kind in [Kind::Reflows, Kind::Cuts] {
        let mut both = Both::on(40, 10, kind);
        let many: Vec<String> = (0..20).map(|number| format!("row {number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        both.draw(Frame { finished: frame(&many, &[], None).finished, ..live(40, 0) });
        for rows in [7, 6, 12, 30, 8] {
            both.resize(40, rows, kind);
            both.draw(live(40, 0));
            let history = both.model.history();
            assert_eq!(history[..20], many, "{kind:?} {rows}: {history:#?}");
            assert_eq!(history.len(), 26, "{kind:?} {rows}: {history:#?}");
        }
    }
}

#[test]
fn no_final_row_is_lost_while_the_terminal_has_not_told_its_size() {
    let edge = "=".repeat(80);
    let texts = ["answer so far", &edge, "> typed text", &edge, "footer"];
    let mut both = Both::new(80, 24);
    both.screen = both.screen.with_late_sizes();
    let mut expected = Vec::new();
    for columns in [60, 45, 70, 30] {
        both.model.reflow(columns, 24);
        for _ in 0..3 {
            let text = format!("row {}", expected.len());
            both.draw(frame(&[&text], &texts, Some((2, 10))));
            expected.push(text);
        }
        both.screen.resized(columns.into(), 24);
        both.draw(frame(&[], &texts, Some((2, 10))));
        let mut rows = both.model.history();
        rows.retain(|row| row.starts_with("row "));
        assert_eq!(rows, expected, "{:#?}", both.model);
    }
}

#[test]
fn a37_a_storm_of_sizes_is_one_redraw() {
    let mut both = Both::on(80, 24, Kind::Reflows);
    both.draw(live(80, 0));
    let before = both.model.bytes().len();
    for columns in (30..80).rev().chain(30..70) {
        both.resize(columns, 24, Kind::Reflows);
    }
    both.draw(live(69, 0));
    assert!(both.model.bytes().len() - before < 400);
    assert_eq!(both.model.history().len(), 6);
    assert_eq!(both.model.history()[0], "answer so far");
}

#[test]
fn a_size_that_stays_the_same_is_no_change() {
    let mut both = Both::new(80, 24);
    both.draw(live(80, 0));
    both.screen.resized(80, 24);
    assert_eq!(both.draw(live(80, 0)), 0);
}

#[test]
fn a_release_after_a_change_of_the_size_leaves_nothing_of_the_live_region() {
    let mut both = Both::new(40, 12);
    both.draw(Frame { finished: vec![Line::plain("one")], ..live(40, 1) });
    both.resize(30, 12, Kind::Reflows);
    both.release();
    assert_eq!(both.model.history(), ["one"]);
}

proptest! {
    #[test]
    fn nothing_is_lost_or_doubled_by_any_sequence_of_sizes(
        cuts in any::<bool>(),
        steps in prop::collection::vec((20_u16..60, 12_u16..20, 0_usize..4, 0_usize..6), 1..8),
    ) {
        let kind = if cuts { Kind::Cuts } else { Kind::Reflows };
        let mut both = Both::on(40, 12, kind);
        both.draw(live(40, 0));
        let mut expected = Vec::new();
        for (columns, rows, finished, at) in steps {
            both.resize(columns, rows, kind);
            let texts: Vec<String> =
                (0..finished).map(|number| format!("row {}", expected.len() + number)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            expected.extend(texts.iter().map(|text| (*text).to_owned()));
            let edge = "=".repeat(usize::from(columns) - 1);
            let rows_of_live = ["an", &edge, "> ty", "  mo", &edge, "ok"];
            both.draw(frame(&texts, &rows_of_live, Some((at, 3))));
            let history = both.model.history();
            prop_assert_eq!(&history[..expected.len()], &expected[..]);
            prop_assert_eq!(history.len(), expected.len() + 6, "{:#?}", history);
        }
    }
}
