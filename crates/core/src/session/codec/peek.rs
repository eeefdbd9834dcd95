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
    let (head, walk) = begin(line)?;
    walk.is_at_end().then_some(head)
}

/// Returns what the beginning of a line says about its place, and the walk over the rest so far;
/// `None` if only a full reading can tell.
pub(in crate::session) fn begin(beginning: &[u8]) -> Option<(Head, Walk)> {
    let mut text = Text { rest: beginning };
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
    let mut walk = Walk { open: 1, levels: 1, place: Place::Between };
    walk.over(text.rest);
    (walk.place != Place::Lost)
        .then_some((Head { id, parent, role, kind: HeadKind::Message }, walk))
}

/// A walk over a body, as far as it was read.
#[derive(Debug)]
pub(in crate::session) struct Walk {
    /// The open objects and lists, the innermost last: a bit for each, set for an object.
    open: u64,
    levels: u32,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the body, outside of strings.
    Between,
    InString,
    BehindBackslash,
    /// The body is over, the line is not.
    BehindBody,
    End,
    /// In something that only a full reading can tell of.
    Lost,
}

impl Walk {
    /// Goes on over the next bytes of the line.
    pub(in crate::session) fn over(&mut self, bytes: &[u8]) {
        // A crash may leave zeros in the middle.
        if memchr::memchr(0, bytes).is_some() {
            self.place = Place::Lost;
        }
        let mut rest = bytes;
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            self.place = match self.place {
                Place::Between => self.token(*first),
                Place::InString => match *first {
                    b'"' => Place::Between,
                    b'\\' => Place::BehindBackslash,
                    _ => {
                        let Some(next) = memchr::memchr2(b'"', b'\\', rest) else { return };
                        rest = rest.get(next..).unwrap_or_default();
                        Place::InString
                    }
                },
                Place::BehindBackslash => Place::InString,
                Place::BehindBody if *first == b'}' => Place::End,
                Place::BehindBody | Place::End | Place::Lost => {
                    self.place = Place::Lost;
                    return;
                }
            };
        }
    }

    /// Returns whether the record is over with the last byte.
    pub(in crate::session) fn is_at_end(&self) -> bool {
        self.place == Place::End
    }

    /// Returns whether only a full reading can tell.
    pub(in crate::session) fn is_lost(&self) -> bool {
        self.place == Place::Lost
    }

    fn token(&mut self, byte: u8) -> Place {
        match byte {
            b'"' => return Place::InString,
            b'{' | b'[' if self.levels < MOST_LEVELS => {
                self.levels += 1;
                self.open = self.open << 1 | u64::from(byte == b'{');
            }
            b'}' | b']' if (self.open & 1 == 1) == (byte == b'}') => {
                self.open >>= 1;
                self.levels -= 1;
                if self.levels == 0 {
                    return Place::BehindBody;
                }
            }
            b' ' | b',' | b':' | b'0'..=b'9' | b'-' | b'+' | b'.' | b'E' => {}
            // Numbers, `true`, `false` and `null` have these.
            b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => {}
            _ => return Place::Lost,
        }
        Place::Between
    }
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
}

#[cfg(test)]
mod tests;
