//! Markup within a paragraph: emphasis, code, links.
//!
//! Owns how it looks. Each result depends on the one text alone. Must not know blocks.

use crate::text::{Line, Span, Style};
use crate::theme;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeStream};

/// Stands for a line break within text; foreign text holds no control characters.
pub(super) const BREAK: char = '\u{1}';

/// Returns the lines of a text without newlines; breaks are [`BREAK`]s.
pub(super) fn lines(text: &str, base: Style) -> Vec<Line> {
    let text = text.trim();
    let mut out = Out { lines: vec![Line::empty()], base, styles: Vec::new(), links: Vec::new() };
    if is_plain(text) {
        out.push(text, Style::PLAIN);
        return out.lines;
    }
    parsed(text, out)
}

/// Returns whether there can be no markup in a text, nor an address.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b" .,;?()\"'/-+=%#".contains(&byte)
    };
    text.bytes().all(is_plain)
}

/// Adds to `out` what the parser finds in a text, and returns it.
fn parsed(text: &str, mut out: Out) -> Vec<Line> {
    // The parser reads whole documents. A full stop in front makes anything a paragraph.
    let source = format!(".{text}");
    let mut is_first = true;
    for event in TextMergeStream::new(Parser::new_ext(&source, Options::ENABLE_STRIKETHROUGH)) {
        match event {
            Event::Text(text) => {
                let text = match std::mem::take(&mut is_first) {
                    true => text.strip_prefix('.').unwrap_or(&text),
                    false => &text,
                };
                out.text(text);
            }
            Event::Code(text) => out.push(&text, theme::CODE),
            Event::InlineHtml(text) | Event::Html(text) => out.html(&text),
            Event::SoftBreak => out.push(" ", Style::PLAIN),
            Event::HardBreak => out.lines.push(Line::empty()),
            Event::Start(tag) => out.start(&tag),
            Event::End(end) => out.end(end),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                out.push(&text, Style::PLAIN);
            }
            Event::Rule | Event::TaskListMarker(_) => {}
        }
    }
    out.lines
}

struct Out {
    lines: Vec<Line>,
    base: Style,
    /// What is open.
    styles: Vec<Style>,
    /// The addresses of the links that are open, with the text that was shown for each.
    links: Vec<(String, String)>,
}

impl Out {
    fn style(&self) -> Style {
        self.styles.iter().fold(self.base, |style, other| style.with(*other))
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.styles.push(Style::PLAIN.italic()),
            Tag::Strong => self.styles.push(Style::PLAIN.bold()),
            Tag::Strikethrough => self.styles.push(Style { strike: true, ..Style::PLAIN }),
            Tag::Link { dest_url, .. } => {
                self.styles.push(theme::LINK);
                self.links.push((dest_url.to_string(), String::new()));
            }
            Tag::Image { dest_url, .. } => {
                self.push("image: ", theme::QUIET);
                self.styles.push(Style::PLAIN.italic());
                self.links.push((dest_url.to_string(), String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                let Some((address, shown)) = self.links.pop() else { return };
                let is_shown = address == shown || address.strip_prefix("mailto:") == Some(&shown);
                if !is_shown && !address.is_empty() {
                    self.push(&format!(" ({address})"), theme::QUIET);
                }
            }
            _ => {}
        }
    }

    /// Adds text, in which addresses look like links.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = self.links.is_empty().then(|| address_start(rest)).flatten() {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let end =
                behind.find(|c: char| c.is_whitespace() || matches!(c, BREAK | '<' | '>' | '"'));
            let (address, after) =
                behind.split_at_checked(end.unwrap_or(behind.len())).unwrap_or((behind, ""));
            let bare = address.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '\'']);
            self.push(before, Style::PLAIN);
            self.push(bare, theme::LINK);
            let tail = address.get(bare.len()..).unwrap_or_default();
            self.push(tail, Style::PLAIN);
            rest = after;
        }
        self.push(rest, Style::PLAIN);
    }

    fn html(&mut self, tag: &str) {
        let name = tag.trim_matches(['<', '>', '/', ' ']);
        if name.eq_ignore_ascii_case("br") {
            self.lines.push(Line::empty());
        } else {
            self.push(tag, Style::PLAIN);
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        let style = self.style().with(style);
        if let Some((_, shown)) = self.links.last_mut() {
            shown.push_str(text);
        }
        for (at, piece) in text.split(BREAK).enumerate() {
            if at > 0 {
                if let Some(line) = self.lines.last_mut() {
                    *line = crate::layout::trimmed(std::mem::take(line));
                }
                self.lines.push(Line::empty());
            }
            let Some(line) = self.lines.last_mut() else { continue };
            let piece = if at > 0 { piece.trim_start() } else { piece };
            line.push(Span::foreign(piece, style));
        }
    }
}

/// Returns where an address begins that no markup makes a link.
fn address_start(text: &str) -> Option<usize> {
    // One byte is found far quicker than a word, and in most texts there is none.
    if !text.contains(':') {
        return None;
    }
    let starts = ["https://", "http://"].into_iter().filter_map(|scheme| text.find(scheme));
    starts.min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_without_markup_is_what_the_parser_makes_of_it(
            text in "[a-zA-Z0-9 .,;?()\"'/+=%#éß漢🦀\u{a0}-]{1,40}"
        ) {
            let base = Style::PLAIN.bold();
            let text = text.trim();
            prop_assume!(!text.is_empty());
            let out = Out { lines: vec![Line::empty()], base, styles: Vec::new(), links: Vec::new() };
            prop_assert!(is_plain(text));
            prop_assert_eq!(lines(text, base), parsed(text, out));
        }
    }
}
