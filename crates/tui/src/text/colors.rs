//! Colours in foreign text: the escape sequences by which other programs say how text looks.
//!
//! Owns which sequences those are and the styles that they stand for. All others pass nowhere: see
//! [`sanitize`].

use super::{Color, Line, Span, Style, sanitize};

/// Ends every style.
const RESET: &str = "\u{1b}[0m";

/// Returns foreign text as lines in the styles that it asks for.
pub fn lines(text: &str) -> Vec<Line> {
    let mut style = Style::PLAIN;
    let mut lines = Vec::new();
    for row in text.lines() {
        let mut line = Line::empty();
        for piece in pieces(row) {
            match piece {
                Piece::Text(text) => line.push(Span::foreign(text, style)),
                Piece::Look(codes) => style = changed(style, codes),
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns foreign text so that it cannot drive a terminal, but in the styles that it asks for; they
/// end with the text.
pub fn harmless_in_colors(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut is_styled = false;
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => clean.push_str(&sanitize::harmless(text)),
            Piece::Look(codes) => {
                is_styled = true;
                clean.push_str(&format!("\u{1b}[{codes}m"));
            }
        }
    }
    if is_styled {
        clean.push_str(RESET);
    }
    clean
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// The codes of a sequence that changes how text looks.
    Look(&'a str),
}

/// Returns the parts of a text, in order.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(found) = rest.get(from..).and_then(|tail| tail.find("\u{1b}[")) {
            let at = from + found;
            let (before, sequence) = rest.split_at(at);
            if let Some((codes, behind)) = look(sequence) {
                if !before.is_empty() {
                    rest = sequence;
                    return Some(Piece::Text(before));
                }
                rest = behind;
                return Some(Piece::Look(codes));
            }
            from = at + "\u{1b}[".len();
        }
        Some(Piece::Text(std::mem::take(&mut rest)))
    })
}

/// Reads a sequence that changes how text looks: its codes, and what is behind it.
fn look(sequence: &str) -> Option<(&str, &str)> {
    let rest = sequence.strip_prefix("\u{1b}[")?;
    let is_code = |byte: u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
    let end = rest.bytes().position(|byte| !is_code(byte))?;
    let (codes, end) = rest.split_at_checked(end)?;
    Some((codes, end.strip_prefix('m')?))
}

/// Returns the style behind the codes of a sequence.
fn changed(mut style: Style, codes: &str) -> Style {
    let mut codes = codes.split(';');
    while let Some(code) = codes.next() {
        match code {
            "" | "0" | "00" => style = Style::PLAIN,
            "1" | "01" => style.bold = true,
            "2" | "02" => style.dim = true,
            "3" | "03" => style.italic = true,
            "4" | "04" => style.underline = true,
            "7" | "07" => style.reverse = true,
            "9" | "09" => style.strike = true,
            "22" => (style.bold, style.dim) = (false, false),
            "23" => style.italic = false,
            "24" => style.underline = false,
            "27" => style.reverse = false,
            "29" => style.strike = false,
            "39" => style.color = None,
            // A colour in numbers of its own, which we have none for; they are no codes.
            "38" | "48" => match codes.next() {
                Some("5") => drop(codes.next()),
                Some("2") => drop(codes.by_ref().take(3).last()),
                _ => {}
            },
            _ => {
                if let Some(color) = code.parse().ok().and_then(color) {
                    style.color = color;
                }
            }
        }
    }
    style
}

/// Returns the colour of a code. White and black are the terminal's own: on half of all backgrounds
/// they could not be read.
fn color(code: u8) -> Option<Option<Color>> {
    match code {
        31 | 91 => Some(Some(Color::Red)),
        32 | 92 => Some(Some(Color::Green)),
        33 | 93 => Some(Some(Color::Yellow)),
        34 | 94 => Some(Some(Color::Blue)),
        35 | 95 => Some(Some(Color::Magenta)),
        36 | 96 => Some(Some(Color::Cyan)),
        90 => Some(Some(Color::Gray)),
        30 | 37 | 97 => Some(None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<(String, Style)> {
        let lines = lines(text);
        lines.into_iter().flat_map(|it| it.spans).map(|it| (it.text.into(), it.style)).collect()
    }

    #[test]
    fn codes_become_styles() {
        let red = Style::PLAIN.color(Color::Red);
        for (text, expected) in [
            ("plain", vec![("plain", Style::PLAIN)]),
            ("\u{1b}[31mred\u{1b}[0m on", vec![("red", red), (" on", Style::PLAIN)]),
            ("\u{1b}[1;31mx\u{1b}[22my", vec![("x", red.bold()), ("y", red)]),
            ("\u{1b}[91ma\nb\u{1b}[ma", vec![("a", red), ("b", red), ("a", Style::PLAIN)]),
            (
                "\u{1b}[2;3;4;7;9mx",
                vec![("x", Style::PLAIN.dim().italic().underline().reverse().strike())],
            ),
            ("\u{1b}[38;5;1mx\u{1b}[48;2;1;4;7my", vec![("xy", Style::PLAIN)]),
            ("\u{1b}[31m\u{1b}[39;90mx", vec![("x", Style::PLAIN.color(Color::Gray))]),
            ("\u{1b}[31m\u{1b}[37mx\u{1b}[500my", vec![("xy", Style::PLAIN)]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(text, style)| (text.to_owned(), style)).collect();
            assert_eq!(spans(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a48_nothing_but_styles_passes() {
        for (text, expected) in [
            ("plain\n", "plain\n"),
            ("\u{1b}[1mbold\u{1b}[0m", "\u{1b}[1mbold\u{1b}[0m\u{1b}[0m"),
            ("a\u{1b}[2Jb\u{1b}[31mc", "a[2Jb\u{1b}[31mc\u{1b}[0m"),
            ("\u{1b}[?25l\u{1b}[>4;1m", "[?25l[>4;1m"),
            ("\u{1b}]0;\u{1b}[31mx\u{7}", "]0;\u{1b}[31mx\u{1b}[0m"),
            ("\u{9b}31mx\u{1b}[31", "31mx[31"),
            ("\u{1b}[\u{1b}[4mx", "[\u{1b}[4mx\u{1b}[0m"),
        ] {
            assert_eq!(harmless_in_colors(text), expected, "{text:?}");
            let shown: String = lines(text).iter().map(Line::text).collect();
            assert!(!shown.contains('\u{1b}'), "{text:?}");
        }
    }
}
