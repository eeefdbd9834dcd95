//! Colours of code, and the bounds.

use super::*;

/// The coloured pieces of a text.
fn colored(language: &str, text: &str) -> Vec<(String, Color)> {
    let mut highlighter = Highlighter::new(language);
    let lines: Vec<Line> = text.lines().map(|line| highlighter.line(line)).collect();
    let spans = lines.into_iter().flat_map(|line| line.spans);
    spans.filter_map(|span| Some((span.text.trim().to_owned(), span.style.color?))).collect()
}

#[test]
fn common_languages_have_colours() {
    for (language, text, piece, color) in [
        ("rust", "let a = \"x\";", "let", Color::Blue),
        ("rs", "// note", "// note", Color::Gray),
        ("python", "s = 'x'", "'x'", Color::Green),
        ("py", "x = 1", "1", Color::Magenta),
        ("js", "const a = 1", "const", Color::Blue),
        ("ts", "const a = 1", "const", Color::Blue),
        ("tsx", "const a = 1", "const", Color::Blue),
        ("jsx", "const a = 1", "const", Color::Blue),
        ("TypeScript", "const a = 1", "const", Color::Blue),
        ("sh", "if true; then", "if", Color::Blue),
        ("bash", "# note", "# note", Color::Gray),
        ("console", "# note", "# note", Color::Gray),
        ("yml", "# note", "# note", Color::Gray),
        ("yaml", "a: 1", "1", Color::Magenta),
        ("json", "{\"a\": 1}", "1", Color::Magenta),
        ("toml", "# note", "# note", Color::Gray),
        ("c", "return 0;", "return", Color::Blue),
        ("c++", "return 0;", "return", Color::Blue),
        ("cpp", "return 0;", "return", Color::Blue),
        ("go", "return 0", "return", Color::Blue),
        ("java", "return 0;", "return", Color::Blue),
        ("html", "<b>", "b", Color::Blue),
        ("css", "/* a */", "/* a */", Color::Gray),
        ("sql", "-- a", "-- a", Color::Gray),
        ("diff", "-old", "-old", Color::Red),
    ] {
        let colored = colored(language, text);
        assert!(colored.contains(&(piece.to_owned(), color)), "{language}: {colored:?}");
    }
}

#[test]
fn what_spans_lines_keeps_its_colour() {
    let colored = colored("rust", "/* one\ntwo */ let");
    assert_eq!(
        colored,
        [("/* one", Color::Gray), ("two */", Color::Gray), ("let", Color::Blue)]
            .map(|(text, color)| (text.to_owned(), color))
    );
}

#[test]
fn unknown_and_oversized_code_is_plain() {
    assert!(colored("", "let a").is_empty());
    assert!(colored("nonsense", "let a").is_empty());
    assert!(colored("text", "let a").is_empty());
    assert!(colored("rust", &format!("let {}", "a".repeat(1_000))).is_empty());
    let long = "let a;\n".repeat(2_010);
    let lets = colored("rust", &long).iter().filter(|(text, _)| text == "let").count();
    assert_eq!(lets, 2_000);
}

#[test]
fn text_is_the_same_in_colours() {
    for text in ["", "  let a = 'é漢🦀';", "\"never closed", "\\", "#[x]"] {
        for language in ["rust", "sh", "md", "html", "json"] {
            assert_eq!(Highlighter::new(language).line(text).text(), text, "{language}");
        }
    }
}
