//! Rows as the bytes that make a terminal show them.
//!
//! Owns the escape sequences of looks. Every row begins and ends in the terminal's own look, so
//! rows can be written in any order. Must not move the cursor.

use crate::text::{Color, Line, Style};

/// Writes rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encoder {
    /// Whether colours are shown, besides bold and its like.
    pub(super) has_colors: bool,
}

impl Encoder {
    /// Adds a row's bytes.
    pub(super) fn row(self, line: &Line, out: &mut Vec<u8>) {
        let mut look = Style::PLAIN;
        for span in line.spans.iter().filter(|span| !span.text.is_empty()) {
            let style = self.shown(span.style);
            change(look, style, out);
            look = style;
            text(&span.text, out);
        }
        change(look, Style::PLAIN, out);
    }

    fn shown(self, style: Style) -> Style {
        if self.has_colors { style } else { Style { color: None, ..style } }
    }
}

/// Adds text without any control character: by now there should be none, and none may get through.
pub(super) fn text(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(char::is_control) {
        return out.extend_from_slice(text.as_bytes());
    }
    let clean: String = text.chars().filter(|character| !character.is_control()).collect();
    out.extend_from_slice(clean.as_bytes());
}

/// Adds the shortest sequence that turns one look into another.
fn change(from: Style, to: Style, out: &mut Vec<u8>) {
    if from == to {
        return;
    }
    if to == Style::PLAIN {
        return out.extend_from_slice(b"\x1b[m");
    }
    out.extend_from_slice(b"\x1b[");
    let is_kept = from.with(to) == to;
    let mut separator: &[u8] = b"";
    if !is_kept {
        out.push(b'0');
        separator = b";";
    }
    let base = if is_kept { from } else { Style::PLAIN };
    for number in attributes(to).filter(|number| !attributes(base).any(|has| has == *number)) {
        out.extend_from_slice(separator);
        out.extend_from_slice(number.as_bytes());
        separator = b";";
    }
    out.push(b'm');
}

/// Returns the numbers of what a style adds to the terminal's own look.
fn attributes(style: Style) -> impl Iterator<Item = &'static str> {
    let flags = [
        (style.bold, "1"),
        (style.dim, "2"),
        (style.italic, "3"),
        (style.underline, "4"),
        (style.reverse, "7"),
        (style.strike, "9"),
    ];
    let flags = flags.into_iter().filter_map(|(is_set, number)| is_set.then_some(number));
    flags.chain(style.color.map(color))
}

fn color(color: Color) -> &'static str {
    match color {
        Color::Red => "31",
        Color::Green => "32",
        Color::Yellow => "33",
        Color::Blue => "34",
        Color::Magenta => "35",
        Color::Cyan => "36",
        Color::Gray => "90",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;

    fn encoded(line: &Line, has_colors: bool) -> String {
        let mut out = Vec::new();
        Encoder { has_colors }.row(line, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn looks_change_with_few_bytes_and_end_with_the_row() {
        let red = Style::PLAIN.color(Color::Red);
        let line = Line::plain("a")
            .with(Span::new("b", red))
            .with(Span::new("c", red.bold()))
            .with(Span::new("d", Style::PLAIN.bold()))
            .with(Span::plain("e"))
            .with(Span::new("f", Style::PLAIN.color(Color::Gray)));
        let expected = "a\x1b[31mb\x1b[1mc\x1b[0;1md\x1b[me\x1b[90mf\x1b[m";
        assert_eq!(encoded(&line, true), expected);
        assert_eq!(encoded(&line, false), "ab\x1b[1mcd\x1b[mef");
    }

    #[test]
    fn every_attribute_has_its_number() {
        let all = Style::PLAIN.bold().dim().italic().underline().reverse();
        let all = Style { strike: true, ..all }.color(Color::Cyan);
        assert_eq!(encoded(&Line::new("x", all), true), "\x1b[1;2;3;4;7;9;36mx\x1b[m");
    }

    #[test]
    fn a48_no_control_character_gets_through() {
        let line = Line::plain("a\x1b[2J\u{9b}2J\r\n\tb");
        assert_eq!(encoded(&line, true), "a[2J2Jb");
    }
}
