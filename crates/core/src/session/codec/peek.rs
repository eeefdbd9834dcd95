//! A look at a line that takes its message's body for granted.
//!
//! Owns the way most lines are written: place, role and id first. What comes behind them is only
//! walked over, string by string, to see that it ends where the line does, which a torn line or
//! two that are glued together do not. So a huge file costs little more time than reading it.
//! A line that is written in any other way is left to the full reading, and what is wrong within
//! a body is found when it is decoded. Must not decode a body.

use super::{Head, HeadKind, Parent, Role};
use letscode_wire::EntryId;

/// How deep a body may be nested here.
const MOST_LEVELS: u32 = u64::BITS;

/// Returns what a line says about its place, or `None` if only a full reading can tell.
pub(super) fn peek_head(line: &[u8]) -> Option<Head> {
    // A crash may leave zeros in the middle.
    if memchr::memchr(0, line).is_some() {
        return None;
    }
    let mut text = Text { rest: line };
    for token in [r"{", r#""_v""#, ":", "2", ",", r#""parent_id""#, ":"] {
        text.eat(token)?;
    }
    let parent = match text.eat("null") {
        Some(()) => Parent::Nothing,
        None => Parent::Entry(EntryId::from(text.string()?)),
    };
    for token in [",", r#""msg""#, ":", "{", r#""role""#, ":"] {
        text.eat(token)?;
    }
    let role = match text.string()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        // What a custom one means is in its body.
        _ => return None,
    };
    for token in [",", r#""id""#, ":"] {
        text.eat(token)?;
    }
    let id = EntryId::from(text.string()?);
    text.skip_to_end_of_object()?;
    (text.rest == b"}").then_some(Head { id, parent, role, kind: HeadKind::Message })
}

/// What is left of a line.
struct Text<'a> {
    rest: &'a [u8],
}

impl<'a> Text<'a> {
    /// Takes a token, and one blank behind it as some writers have it.
    fn eat(&mut self, token: &str) -> Option<()> {
        let rest = self.rest.strip_prefix(token.as_bytes())?;
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        Some(())
    }

    /// Takes a string without escapes.
    fn string(&mut self) -> Option<&'a str> {
        let rest = self.rest.strip_prefix(br#"""#)?;
        let (text, _) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest)?)?;
        self.rest = rest.get(text.len()..)?;
        self.eat(r#"""#)?;
        let is_printable = !text.iter().any(u8::is_ascii_control);
        std::str::from_utf8(text).ok().filter(|_| is_printable)
    }

    /// Takes what is left of the object that is open.
    fn skip_to_end_of_object(&mut self) -> Option<()> {
        // The open objects and lists, the innermost last: a bit for each, set for an object.
        let (mut open, mut levels) = (1_u64, 1_u32);
        while levels > 0 {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    levels += 1;
                    if levels > MOST_LEVELS {
                        return None;
                    }
                    open = open << 1 | u64::from(*first == b'{');
                }
                b'}' | b']' => {
                    if (open & 1 == 1) != (*first == b'}') {
                        return None;
                    }
                    open >>= 1;
                    levels -= 1;
                }
                b' ' | b',' | b':' | b'0'..=b'9' | b'-' | b'+' | b'.' | b'E' => {}
                // Numbers, `true`, `false` and `null` have these.
                b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Takes what is left of the string that is open.
    fn skip_string(&mut self) -> Option<()> {
        loop {
            let place = memchr::memchr2(b'"', b'\\', self.rest)?;
            let is_end = self.rest.get(place) == Some(&b'"');
            self.rest = self.rest.get(place + if is_end { 1 } else { 2 }..)?;
            if is_end {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
