//! The making of HTML: markup that is ours, text that is foreign.
//!
//! Owns the escaping. Markup can only be a literal of the program's own source; whatever comes
//! from elsewhere goes in as text, without keys and with characters that hide or turn text made
//! visible.

use letscode_core::secrets::Secrets;
use std::borrow::Cow;

/// HTML in the making.
pub(super) struct Html<'s> {
    out: String,
    secrets: &'s Secrets,
}

/// What stands for a character that must not reach the page as it is.
#[derive(Clone, Copy)]
enum Stand {
    /// An element that the style sheet sets apart.
    Element,
    /// Text, where there can be no element.
    Plain,
}

impl<'s> Html<'s> {
    /// Makes an empty one that shows none of `secrets`.
    pub(super) fn new(secrets: &'s Secrets) -> Self {
        Self { out: String::new(), secrets }
    }

    /// Adds markup.
    pub(super) fn markup(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    /// Adds text to an element.
    pub(super) fn text(&mut self, text: &str) {
        escape(&mut self.out, &self.secrets.mask(text), Stand::Element);
    }

    /// Adds text to an element that can have no elements inside, such as `<title>`.
    pub(super) fn plain_text(&mut self, text: &str) {
        escape(&mut self.out, &self.secrets.mask(text), Stand::Plain);
    }

    /// Adds an attribute to the tag that was begun.
    pub(super) fn attribute(&mut self, name: &'static str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(&mut self.out, &self.secrets.mask(value), Stand::Plain);
        self.out.push('"');
    }

    /// Adds a number with commas between the thousands.
    pub(super) fn number(&mut self, number: u64) {
        self.out.push_str(&grouped(number));
    }

    /// Returns foreign text without keys, to be looked at before it is added.
    pub(super) fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.secrets.mask(text)
    }

    /// Returns the whole text.
    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// Returns a number with commas between the thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Adds `text` so that no markup can begin in it and all of it can be seen.
fn escape(out: &mut String, text: &str, stand: Stand) {
    out.reserve(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' if characters.peek() == Some(&'\n') => {}
            _ if is_hidden(character) => {
                let (open, close) = match stand {
                    Stand::Element => ("<mark>", "</mark>"),
                    Stand::Plain => ("\u{2039}", "\u{203a}"),
                };
                out.push_str(open);
                out.push_str(&format!("U+{:04X}", u32::from(character)));
                out.push_str(close);
            }
            _ => out.push(character),
        }
    }
}

/// Returns whether a character controls a device, reorders what is shown, or shows nothing where
/// it could carry a message. Joiners stay: scripts and pictographs are written with them.
fn is_hidden(character: char) -> bool {
    match character {
        '\t' | '\n' => false,
        // Directions.
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // No width, or no more than a line's end.
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2028}' | '\u{2029}' => true,
        '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Tags, and the variation selectors that ordinary text does without.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        let secrets = Secrets::default();
        let mut html = Html::new(&secrets);
        html.text(text);
        html.finish()
    }

    #[test]
    fn markup_in_text_is_text() {
        for (given, expected) in [
            ("a\tb\nc", "a\tb\nc"),
            ("größer – 漢字 👩\u{200d}💻", "größer – 漢字 👩\u{200d}💻"),
            ("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"),
            ("\" onx='", "&quot; onx=&#39;"),
            ("a\r\nb\rc", "a\nb<mark>U+000D</mark>c"),
            ("a\u{0}\u{1b}[0m", "a<mark>U+0000</mark><mark>U+001B</mark>[0m"),
            ("evil\u{202e}gpj", "evil<mark>U+202E</mark>gpj"),
            ("a\u{200b}\u{e0041}", "a<mark>U+200B</mark><mark>U+E0041</mark>"),
        ] {
            assert_eq!(text(given), expected, "{given:?}");
        }
    }

    #[test]
    fn an_attribute_stays_in_its_quotes_and_has_no_elements() {
        let secrets = Secrets::default();
        let mut html = Html::new(&secrets);
        html.attribute("title", "a\"><script>\u{202e}");
        assert_eq!(html.finish(), " title=\"a&quot;&gt;&lt;script&gt;\u{2039}U+202E\u{203a}\"");
    }

    #[test]
    fn numbers_have_commas() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }
}
