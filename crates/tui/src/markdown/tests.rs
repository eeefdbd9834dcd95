//! Constructs by tables and snapshots; splits, widths and hostile text as properties.

use super::*;
use crate::text::{Color, Span};
use proptest::prelude::*;

fn rows(source: &str, columns: usize) -> Vec<Line> {
    let mut markdown = Markdown::new();
    markdown.push(source);
    markdown.finish();
    markdown.take_finished(columns)
}

fn shown(source: &str, columns: usize) -> String {
    let rows = rows(source, columns);
    rows.iter().map(|row| row.text() + "\n").collect()
}

/// The spans of all rows that do not look like the terminal's own text.
fn styled(source: &str) -> Vec<(String, String)> {
    let look = |span: &Span| {
        let style = span.style;
        let mut look: Vec<String> = style.color.iter().map(|color| format!("{color:?}")).collect();
        for (is_on, name) in [
            (style.bold, "bold"),
            (style.dim, "dim"),
            (style.italic, "italic"),
            (style.underline, "underline"),
            (style.strike, "strike"),
        ] {
            look.extend(is_on.then(|| name.to_owned()));
        }
        look.join(" ").to_lowercase()
    };
    let rows = rows(source, 80);
    let spans = rows.iter().flat_map(|row| &row.spans);
    let spans = spans.map(|span| (span.text.trim().to_owned(), look(span)));
    spans.filter(|(_, look)| !look.is_empty()).collect()
}

#[test]
fn a_typical_answer() {
    let source = "\
# Why it fails
The parser takes an **empty line** for the end, see `parse` in
[the manual](https://example.org/m).

1. Read the line.
2. If it is empty, go on:
   - nested one
   - nested two, which is so long that it needs another row of the screen
3. Done.

```rust
fn main() {
    println!(\"hi\");
}
```
> A quote that is long enough to be wrapped into two rows here.
> - with a list

| name | size |
|:-----|-----:|
| a    | 1    |
| long name | 1000 |

---
The end.
";
    insta::assert_snapshot!(shown(source, 48), @r#"
    Why it fails
    The parser takes an empty line for the end, see
    parse in the manual (https://example.org/m).

    1. Read the line.
    2. If it is empty, go on:
       • nested one
       • nested two, which is so long that it needs
         another row of the screen
    3. Done.

    rust
    fn main() {
        println!("hi");
    }

    ▎ A quote that is long enough to be wrapped into
    ▎ two rows here.
    ▎ • with a list

    name       size
    ─────────  ────
    a             1
    long name  1000

    ────────────────────────────────────────
    The end.
    "#);
}

#[test]
fn blocks_by_table() {
    for (source, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("one\ntwo", "one two\n"),
        ("one  \ntwo\\\nthree", "one\ntwo\nthree\n"),
        ("a<br>b", "a\nb\n"),
        ("one\n\n\n\ntwo", "one\n\ntwo\n"),
        ("## A ##\ntext", "A\ntext\n"),
        ("#nothing", "#nothing\n"),
        ("C#\n==", "C#\n"),
        ("# C #", "C\n"),
        ("text\n# A", "text\n\nA\n"),
        ("Title\n---\ntext", "Title\ntext\n"),
        ("- a\n- b\n\n  c\n- d", "• a\n• b\n\n  c\n• d\n"),
        ("- a\n\n- b", "• a\n\n• b\n"),
        ("-\n- b", "•\n• b\n"),
        ("* a\n    * b\n        * c", "• a\n  • b\n    • c\n"),
        ("10. a\n    b", "10. a b\n"),
        ("7) a\nlazy", "7) a lazy\n"),
        ("in 26.\n27. no list", "in 26. 27. no list\n"),
        ("text\n- list", "text\n• list\n"),
        ("-no list", "-no list\n"),
        ("> a\n> b\nlazy\n\nout", "▎ a b lazy\n\nout\n"),
        ("> a\n>\n> b", "▎ a\n▎\n▎ b\n"),
        ("> > deep", "▎ ▎ deep\n"),
        ("> ```\n> code\n> ```\nout", "code\n\nout\n"),
        ("```\na\n\n  b\n```", "a\n\n  b\n"),
        ("````\n```\n````", "```\n"),
        ("~~~ python\nx\n~~~", "python\nx\n"),
        ("```js {1,2}\nx", "js\nx\n"),
        ("```\nnever closed", "never closed\n"),
        ("text\n```\nx\n```\ntext", "text\n\nx\n\ntext\n"),
        ("- a\n  ```\n  x\n    y\n  ```\n- b", "• a\n\nx\n  y\n\n• b\n"),
        ("1. a\n   ```\nx\n   ```\n2. b", "1. a\n\nx\n\n2. b\n"),
        ("- ```sh\n  x\n  ```", "• sh\nx\n"),
        ("    a\n\n      b\ntext", "a\n\n  b\n\ntext\n"),
        ("\tcode", "code\n"),
        ("* * *", "────────────────────\n"),
        ("<div>\n<b>x</b>", "<div>\n<b>x</b>\n"),
        ("[a]: https://e.org", "[a]: https://e.org\n"),
        ("a | b\n--|--\n1 | 2", "a  b\n─  ─\n1  2\n"),
        ("text\n| a |\n|---|\n| 1 | 2 |\nafter", "text\n\na\n─\n1\n\nafter\n"),
        ("| a\\|b | `c` |\n|---|---|", "a|b  c\n───  ─\n"),
        ("| a | b |\n|---|", "| a | b | |---|\n"),
        ("> | a |\n> |---|\n> | 1 |", "▎ a\n▎ ─\n▎ 1\n"),
        ("- | a |\n  |---|\n  | 1 |\n- b", "• a\n  ─\n  1\n\n• b\n"),
        ("| a |\n|---|\n| x<br>y |", "a\n─\nx\ny\n"),
        ("a\r\nb\r\n\r\nc", "a b\n\nc\n"),
    ] {
        assert_eq!(shown(source, 20), expected, "{source:?}");
    }
}

#[test]
fn inline_markup_by_table() {
    for (source, expected) in [
        ("*a* _b_", "a b"),
        ("**\"a\"** x", "\"a\" x"),
        ("snake_case_name 2*3*4", "snake_case_name 234"),
        ("\\*a\\*", "*a*"),
        ("&amp; &lt;b&gt; &copy;", "& <b> ©"),
        ("`a ** b`", "a ** b"),
        ("[a](http://e.org \"t\")", "a (http://e.org)"),
        ("[http://e.org](http://e.org)", "http://e.org"),
        ("<me@e.org>", "me@e.org"),
        ("![alt](pic.png)", "image: alt (pic.png)"),
        ("[a](", "[a]("),
        (".dots.", ".dots."),
        ("1986\\. A", "1986. A"),
    ] {
        assert_eq!(shown(source, 80), format!("{expected}\n"), "{source:?}");
    }
}

#[test]
fn markup_has_looks() {
    for (source, expected) in [
        ("**a**", &[("a", "bold")][..]),
        ("*a **b***", &[("a", "italic"), ("b", "bold italic")]),
        ("~~a~~", &[("a", "strike")]),
        ("x `a`", &[("a", "cyan")]),
        ("# a `b`", &[("a", "magenta bold"), ("b", "cyan bold")]),
        ("[a](/b)", &[("a", "blue underline"), ("(/b)", "dim")]),
        ("see https://e.org/a_b_c, or", &[("https://e.org/a_b_c", "blue underline")]),
        ("- a", &[("•", "dim")]),
        ("| a |\n|---|", &[("a", "bold"), ("─", "dim")]),
    ] {
        let spans = styled(source);
        let spans: Vec<(&str, &str)> =
            spans.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(spans, expected, "{source:?}");
    }
}

#[test]
fn code_rows_go_on_so_that_they_are_copied_whole() {
    let rows = rows("- item\n\n  ```\n  let x = 12;\n  ```", 4);
    let code: Vec<(String, bool)> = rows.iter().map(|row| (row.text(), row.continues)).collect();
    let expected = [("let ", true), ("x = ", true), ("12;", false)];
    let expected: Vec<(String, bool)> = expected.map(|(a, b)| (a.to_owned(), b)).to_vec();
    assert!(code.ends_with(&expected), "{code:?}");
}

#[test]
fn code_has_the_colours_of_its_language() {
    assert!(styled("```rust\nfn a() {}\n```").contains(&("fn".to_owned(), "blue".to_owned())));
    assert_eq!(styled("```nonsense\nfn a() {}\n```"), [("nonsense".to_owned(), "dim".to_owned())]);
}

#[test]
fn a_wide_table_shrinks_and_then_becomes_a_list() {
    let source = "| name | what it does |\n|---|---|\n| alpha | takes one thing and gives another |\n\
                  | beta | `x` |\n";
    insta::assert_snapshot!(shown(source, 30), @r"
    name   what it does
    ─────  ───────────────────────
    alpha  takes one thing and
           gives another
    beta   x
    ");
    insta::assert_snapshot!(shown(source, 12), @r"
    name: alpha
    what it
      does:
      takes one
      thing and
      gives
      another

    name: beta
    what it
      does: x
    ");
}

#[test]
fn what_is_complete_is_final_at_once_and_the_rest_is_the_tail() {
    let mut markdown = Markdown::new();
    for (delta, finished, tail) in [
        ("Hel", &[][..], &["Hel"][..]),
        ("lo **wor", &[], &["Hello **wor"]),
        ("ld**\n", &[], &["Hello world"]),
        ("\n- one\n", &["Hello world"], &["", "• one"]),
        ("-", &[], &["", "• one"]),
        (" two", &["", "• one"], &["• two"]),
        ("\n```rust\nlet a", &["• two", "", "rust"], &["let a"]),
        (";\nlet b;\n``", &["let a;", "let b;"], &[]),
    ] {
        markdown.push(delta);
        let rows: Vec<String> = markdown.take_finished(40).iter().map(Line::text).collect();
        if delta == " two" {
            // An item is final with the line that begins the next.
            assert!(rows.is_empty());
            continue;
        }
        let finished: Vec<&str> = match delta {
            "\n```rust\nlet a" => vec!["", "• one", "• two", "", "rust"],
            _ => finished.to_vec(),
        };
        assert_eq!(rows, finished, "{delta:?}");
        let rows: Vec<String> = markdown.tail(40, 10).iter().map(Line::text).collect();
        assert_eq!(rows, tail, "{delta:?}");
    }
}

#[test]
fn the_tail_is_the_end_of_what_is_open() {
    let mut markdown = Markdown::new();
    markdown.push("one two three four");
    let rows: Vec<String> = markdown.tail(5, 2).iter().map(Line::text).collect();
    assert_eq!(rows, ["three", "four"]);
    assert!(markdown.tail(5, 0).is_empty());
}

#[test]
fn endless_blocks_are_shown_as_they_grow() {
    for unit in ["word word\n", "- a ", "| a | b\n", "> quoted\n", "word ", "x", "漢"] {
        let mut markdown = Markdown::new();
        if unit.starts_with('|') {
            markdown.push("| a | b\n|---|---\n");
        }
        for _ in 0..9_000 {
            markdown.push(unit);
        }
        let shown = markdown.take_finished(80).len();
        assert!(shown > 50, "{unit:?}: {shown}");
        assert!(markdown.pending.len() <= MAX_LINE);
        assert!(markdown.tail(80, 1_000).len() <= 450, "{unit:?}");
    }
}

#[test]
fn nesting_and_columns_have_a_limit() {
    let rows = rows(&format!("{}text", "> ".repeat(3_000)), 200);
    assert!(rows.len() > 10 && rows[0].text().starts_with(&"▎ ".repeat(12)));
    let wide = format!("{}\n{}\n", "|a".repeat(2_000), "|-".repeat(2_000));
    assert!(shown(&wide, 80).starts_with("|a|a"));
}

#[test]
fn parts_of_a_table_share_their_columns() {
    let mut source = "| number | b |\n|---|---|\n".to_owned();
    source.extend((0..100).map(|at| format!("| {at} | x |\n")));
    let rows = rows(&source, 80);
    assert_eq!(rows.len(), 102);
    assert!(rows.iter().skip(2).all(|row| row.text().ends_with('x') && row.width() == 9));
}

#[test]
fn a48_markdown_cannot_drive_the_terminal() {
    let evil = "\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}2J\u{202e}";
    let evil_entities = "&#27;[2J&#x9b;&#8238;&#7;";
    for evil in [evil, evil_entities] {
        for source in [
            format!("text {evil} **{evil}** `{evil}`"),
            format!("# {evil}"),
            format!("```{evil}\n{evil}\n```"),
            format!("```x{evil}\ny"),
            format!("[{evil}](http://{evil}) ![{evil}]({evil}) <http://e.org/{evil}>"),
            format!("| {evil} |\n|---|\n| {evil} |"),
            format!("> - {evil}"),
            format!("1{evil}. x\n    {evil}"),
            format!("<b {evil}>"),
        ] {
            let mut markdown = Markdown::new();
            markdown.push(&source);
            let mut rows = markdown.tail(80, 100);
            markdown.finish();
            rows.extend(markdown.take_finished(80));
            assert!(!rows.is_empty());
            for row in rows {
                assert_harmless(&row.text());
            }
        }
    }
}

fn assert_harmless(text: &str) {
    let harmful = |c: char| c.is_control() || c == '\u{202e}';
    assert!(!text.contains(harmful), "{text:?}");
}

/// Text that looks like Markdown more often than not.
fn source() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "# ",
        "## ",
        "- ",
        "* ",
        "1. ",
        "23) ",
        "> ",
        ">",
        "```",
        "```rust",
        "~~~",
        "    ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\n",
        "\r\n",
        "|",
        "| a | b |\n|---|:-:|\n",
        "---",
        "===",
        "***",
        "**",
        "*",
        "_",
        "~~",
        "`",
        "``",
        "[a](",
        "![",
        "](",
        ")",
        "<",
        ">",
        "<br>",
        "<div>",
        "&amp;",
        "&#27;",
        "\\",
        "http://e.org/x",
        "word",
        "two words ",
        "漢字",
        "👩‍👩‍👧‍👦",
        "e\u{301}",
        "\u{3164}",
        "\u{200b}",
        "fn main() {}",
        "\u{1b}[2J",
        "\u{202e}",
        "long_unbroken_word_that_is_wider_than_most_screens",
    ]);
    let piece = prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "\\PC{0,8}", 1 => ".{0,5}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a33_what_is_streamed_equals_one_render_of_the_whole(
        source in source(),
        splits in prop::collection::vec(0usize..400, 0..12),
        columns in 1usize..200,
    ) {
        let mut streamed = Markdown::new();
        let mut finished = Vec::new();
        let mut splits: Vec<usize> =
            splits.into_iter().map(|at| source.floor_char_boundary(at.min(source.len()))).collect();
        splits.sort_unstable();
        let mut start = 0;
        for at in splits.into_iter().chain([source.len()]) {
            streamed.push(&source[start..at]);
            start = at;
            finished.extend(streamed.take_finished(columns));
            let tail = streamed.tail(columns, 20);
            prop_assert!(tail.len() <= 20);
            for row in &tail {
                prop_assert!(row.width() <= columns, "{:?}", row.text());
            }
        }
        streamed.finish();
        finished.extend(streamed.take_finished(columns));
        let whole = rows(&source, columns);
        prop_assert_eq!(&finished, &whole);
        for row in &whole {
            prop_assert!(row.width() <= columns, "{:?}", row.text());
            assert_harmless(&row.text());
        }
    }

    #[test]
    fn letters_are_never_lost(words in prop::collection::vec("[a-z]{1,9}", 1..30), columns in 1usize..60) {
        let source = words.join("\n");
        let all: String = rows(&source, columns).iter().map(Line::text).collect();
        prop_assert_eq!(all.replace(' ', ""), words.concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn long_lines_are_cut_at_the_same_places_however_they_come(
        unit in "[a-z漢 |`#>*-]{1,7}",
        newline in 1usize..30_000,
        step in 1usize..9_000,
    ) {
        let mut source = unit.repeat(30_000 / unit.len());
        source.insert(source.floor_char_boundary(newline.min(source.len())), '\n');
        let mut streamed = Markdown::new();
        let mut start = 0;
        while start < source.len() {
            let end = source.ceil_char_boundary((start + step).min(source.len()));
            streamed.push(&source[start..end]);
            start = end;
        }
        streamed.finish();
        prop_assert_eq!(streamed.take_finished(80), rows(&source, 80));
    }
}

#[test]
fn heading_colour_is_the_themes() {
    assert_eq!(rows("# a", 10)[0].spans[0].style.color, Some(Color::Magenta));
}
