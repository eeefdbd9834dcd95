//! Diffs as rows.

use super::*;

fn shown(diff: &str, extent: Extent, columns: usize) -> String {
    let mut rows = Vec::new();
    blocks(diff, extent, ", ctrl+o shows all")
        .iter()
        .for_each(|block| block.rows(columns, &mut rows));
    rows.iter().map(|row| row.text() + "\n").collect()
}

#[test]
fn lines_have_numbers_and_signs() {
    let diff = "--- a.rs\n+++ a.rs\n@@ -9,3 +9,4 @@ fn main\n one\n-two\n+2\n+2b\n three\n\
                @@ -100 +101 @@\n-- list\n++ list\n\\ No newline at end of file\n";
    insta::assert_snapshot!(shown(diff, Extent::Whole, 40), @r"
        9   one
       10 - two
       10 + 2
       11 + 2b
       12   three
            ⋮
      100 - - list
      101 + + list
            \ No newline at end of file
    ");
    assert_eq!(counts(diff), Counts { added: 3, removed: 2 });
}

#[test]
fn added_and_removed_lines_have_their_colours() {
    let blocks = blocks("@@ -1 +1 @@\n-a\n+b\n", Extent::Whole, "");
    let mut rows = Vec::new();
    blocks.iter().for_each(|block| block.rows(40, &mut rows));
    let colors: Vec<_> = rows.iter().map(|row| row.spans.last().unwrap().style).collect();
    assert_eq!(colors, [theme::REMOVED, theme::ADDED]);
}

#[test]
fn long_diffs_and_long_lines_are_cut_unless_all_is_asked_for() {
    let mut diff = "--- a\n+++ a\n@@ -0,0 +1,100 @@\n".to_owned();
    diff.extend((1..=100).map(|number| format!("+{number} {}\n", "x".repeat(60))));
    let folded = shown(&diff, Extent::FOLDED, 30);
    assert_eq!(folded.lines().count(), 18);
    assert!(folded.contains("83 lines left out"), "{folded}");
    assert_eq!(shown(&diff, Extent::Whole, 90).lines().count(), 100);
    assert_eq!(shown(&diff, Extent::Whole, 50).lines().count(), 200);
}

#[test]
fn what_is_no_diff_is_shown_as_it_is() {
    let no_diff = "hello\n+1\n@@ nonsense\n@@ -99999999999999999999 +1 @@\n";
    let shown = shown(no_diff, Extent::Whole, 60);
    assert_eq!(shown.lines().count(), 4, "{shown}");
    assert!(shown.contains("@@ nonsense"));
    assert_eq!(counts(no_diff), Counts::default());
}
