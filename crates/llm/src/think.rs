//! Splits `<think>` tags at the start of a message from its text.
//!
//! Owns the tags, over any split of the text. Must not touch a tag further down: there it is
//! text, in code for example.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// One piece of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// What stands between the tags.
    Thinking(&'a str),
    /// What stands after them, or everything where there are none.
    Text(&'a str),
}

/// Splits the text of one message, delta by delta. White space around the tags is dropped.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    state: State,
    /// What may still turn out to be (part of) a tag, or white space that a tag would drop.
    held: String,
    saw_block: bool,
}

impl ThinkSplitter {
    /// Takes the next text and gives `sink` what is sure by now. No piece is empty.
    pub(crate) fn push(&mut self, text: &str, sink: &mut dyn FnMut(Piece<'_>)) {
        if self.state == State::Text {
            give(text, Piece::Text, sink);
            return;
        }
        self.held.push_str(text);
        while self.step(sink) {}
    }

    /// Gives `sink` what was held back; for the end of the message.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Piece<'_>)) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Start | State::Text => give(&held, Piece::Text, sink),
            State::ThinkingStart | State::Thinking => {
                if !held.trim().is_empty() {
                    give(&held, Piece::Thinking, sink);
                }
            }
            State::AfterThinking => {}
        }
    }

    /// Returns whether the message began with an opening tag.
    pub(crate) fn saw_block(&self) -> bool {
        self.saw_block
    }

    /// Does one step and returns whether another one is possible.
    fn step(&mut self, sink: &mut dyn FnMut(Piece<'_>)) -> bool {
        match self.state {
            State::Start => {
                let trimmed = self.held.trim_start();
                if let Some(rest) = trimmed.strip_prefix(OPEN) {
                    self.held = rest.to_owned();
                    self.state = State::ThinkingStart;
                    self.saw_block = true;
                    true
                } else if OPEN.starts_with(trimmed) {
                    false
                } else {
                    self.become_text(sink)
                }
            }
            State::ThinkingStart => {
                self.drop_leading_space();
                if self.held.is_empty() {
                    return false;
                }
                self.state = State::Thinking;
                true
            }
            State::Thinking => {
                if let Some((thinking, rest)) = self.held.split_once(CLOSE) {
                    give(thinking, Piece::Thinking, sink);
                    self.held = rest.to_owned();
                    self.state = State::AfterThinking;
                    true
                } else {
                    let sure = self.held.len() - length_of_partial_tag(&self.held, CLOSE);
                    let held = self.held.split_off(sure);
                    give(&self.held, Piece::Thinking, sink);
                    self.held = held;
                    false
                }
            }
            State::AfterThinking => {
                self.drop_leading_space();
                if self.held.is_empty() { false } else { self.become_text(sink) }
            }
            State::Text => false,
        }
    }

    fn become_text(&mut self, sink: &mut dyn FnMut(Piece<'_>)) -> bool {
        self.state = State::Text;
        give(&std::mem::take(&mut self.held), Piece::Text, sink);
        false
    }

    fn drop_leading_space(&mut self) {
        let space = self.held.len() - self.held.trim_start().len();
        self.held.drain(..space);
    }
}

/// Splits a finished message that has a closing tag but no opening one before it: some servers
/// swallow the opening tag. Returns the thinking and the text.
///
/// A tag that is quoted, or stands in a code block, is part of the text.
pub(crate) fn split_at_lone_close(text: &str) -> Option<(&str, &str)> {
    let (thinking, rest) = text.split_once(CLOSE)?;
    let is_quoted =
        thinking.ends_with(['`', '"', '\'']) || thinking.matches("```").count() % 2 == 1;
    if thinking.contains(OPEN) || is_quoted {
        return None;
    }
    Some((thinking.trim(), rest.trim_start()))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    ThinkingStart,
    Thinking,
    AfterThinking,
    Text,
}

fn give<'t>(
    text: &'t str,
    piece: impl FnOnce(&'t str) -> Piece<'t>,
    sink: &mut dyn FnMut(Piece<'_>),
) {
    if !text.is_empty() {
        sink(piece(text));
    }
}

/// Returns how many bytes at the end of `text` could be the beginning of `tag`.
fn length_of_partial_tag(text: &str, tag: &str) -> usize {
    let longest = tag.len().min(text.len() + 1) - 1;
    (1..=longest)
        .rev()
        .find(|&length| tag.get(..length).is_some_and(|beginning| text.ends_with(beginning)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
