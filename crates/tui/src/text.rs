//! Styled text: what everything on the screen is made of.
//!
//! Owns spans and lines. Text in them is clean (see [`sanitize`]): it holds no control character,
//! no tab and no newline. Must not know escape sequences.

pub mod colors;
pub mod sanitize;
pub mod width;
pub mod wrap;

use std::borrow::Cow;

/// One of the terminal's own sixteen colours, so that the user's palette decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Color {
    /// Colour 1.
    Red,
    /// Colour 2.
    Green,
    /// Colour 3.
    Yellow,
    /// Colour 4.
    Blue,
    /// Colour 5.
    Magenta,
    /// Colour 6.
    Cyan,
    /// Colour 8, bright black: readable on light and dark backgrounds.
    Gray,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The colour; `None` is the terminal's own.
    pub color: Option<Color>,
    /// Heavier.
    pub bold: bool,
    /// Fainter.
    pub dim: bool,
    /// Slanted.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Struck through.
    pub strike: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
}

impl Style {
    /// The terminal's own look.
    pub const PLAIN: Self = Self {
        color: None,
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        strike: false,
        reverse: false,
    };

    /// Returns the style in a colour.
    pub const fn color(self, color: Color) -> Self {
        Self { color: Some(color), ..self }
    }

    /// Returns the style, heavier.
    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// Returns the style, fainter.
    pub const fn dim(self) -> Self {
        Self { dim: true, ..self }
    }

    /// Returns the style, slanted.
    pub const fn italic(self) -> Self {
        Self { italic: true, ..self }
    }

    /// Returns the style, underlined.
    pub const fn underline(self) -> Self {
        Self { underline: true, ..self }
    }

    /// Returns the style, struck through.
    pub const fn strike(self) -> Self {
        Self { strike: true, ..self }
    }

    /// Returns the style with foreground and background exchanged.
    pub const fn reverse(self) -> Self {
        Self { reverse: true, ..self }
    }

    /// Returns this style with all that `other` adds to it.
    pub const fn with(self, other: Self) -> Self {
        Self {
            color: if other.color.is_some() { other.color } else { self.color },
            bold: self.bold || other.bold,
            dim: self.dim || other.dim,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            strike: self.strike || other.strike,
            reverse: self.reverse || other.reverse,
        }
    }
}

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text, clean.
    pub text: Cow<'static, str>,
    /// How it looks.
    pub style: Style,
}

impl Span {
    /// Returns text of our own in a style.
    pub fn new(text: impl Into<Cow<'static, str>>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Returns text of our own in the terminal's own look.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(text, Style::PLAIN)
    }

    /// Returns foreign text, made clean: one line, tabs as blanks.
    pub fn foreign(text: &str, style: Style) -> Self {
        Self::new(sanitize::one_line(text).into_owned(), style)
    }
}

/// One row of the screen, or a text that has yet to be wrapped into rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The pieces, from left to right.
    pub spans: Vec<Span>,
    /// Whether the text goes on in the next line without a break. The terminal is then left to wrap
    /// by itself, so that what is copied is in one piece.
    pub continues: bool,
}

impl Line {
    /// Returns a line of one piece of our own text.
    pub fn new(text: impl Into<Cow<'static, str>>, style: Style) -> Self {
        Self::from(Span::new(text, style))
    }

    /// Returns a line of one piece of our own text in the terminal's own look.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(text, Style::PLAIN)
    }

    /// Returns a line without text.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a piece; a neighbour in the same style grows.
    pub fn push(&mut self, span: Span) {
        if span.text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == span.style => last.text.to_mut().push_str(&span.text),
            _ => self.spans.push(span),
        }
    }

    /// Returns the line with a piece added.
    #[must_use]
    pub fn with(mut self, span: Span) -> Self {
        self.push(span);
        self
    }

    /// Returns the number of columns that the line takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width::of(&span.text)).sum()
    }

    /// Returns whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }

    /// Returns the text without its looks.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }

    /// Returns the line cut to a width; where something is cut, its last column says so.
    #[must_use]
    pub fn clipped(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut clipped = Self::empty();
        let mut left = columns.saturating_sub(1);
        for span in &self.spans {
            let shown = width::prefix(&span.text, left);
            clipped.push(Span::new(shown.to_owned(), span.style));
            left -= width::of(shown);
            if shown.len() < span.text.len() {
                break;
            }
        }
        if columns > 0 {
            clipped.push(Span::new("…", Style::PLAIN.dim()));
        }
        clipped
    }
}

/// Where the terminal's cursor stands within rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The row, from 0.
    pub row: usize,
    /// The columns before it.
    pub column: usize,
}

impl From<Span> for Line {
    fn from(span: Span) -> Self {
        Self { spans: vec![span], continues: false }
    }
}

#[cfg(test)]
mod tests;
