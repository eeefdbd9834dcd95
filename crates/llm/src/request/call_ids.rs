//! Ids of tool calls that are legal for the endpoint and unique within one body.
//!
//! Owns the renaming. The same history gives the same ids every time, so that a provider's
//! prompt cache keeps working. Must not know messages.

use crate::profile::CallIdRule;
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The ids given out so far.
pub(super) struct CallIds<'a> {
    rule: CallIdRule,
    used: HashSet<Cow<'a, str>>,
}

impl<'a> CallIds<'a> {
    pub(super) fn new(rule: CallIdRule) -> Self {
        Self { rule, used: HashSet::new() }
    }

    /// Returns the id to send for the next call in the history, which is named `original` there:
    /// itself wherever it may stay.
    pub(super) fn assign(&mut self, original: &'a str) -> Cow<'a, str> {
        let mut id = Cow::Borrowed(original);
        let mut round = 0_u32;
        while !is_legal(&id, self.rule) || self.used.contains(&id) {
            id = Cow::Owned(renamed(original, round, self.rule));
            round += 1;
        }
        self.used.insert(id.clone());
        id
    }
}

fn is_legal(id: &str, rule: CallIdRule) -> bool {
    match rule {
        CallIdRule::NineAlphanumeric => {
            id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        CallIdRule::Any(limit) => {
            !id.is_empty() && id.len() <= limit && id.bytes().all(|byte| byte.is_ascii_graphic())
        }
    }
}

/// Returns the `round`th other name for `original`.
fn renamed(original: &str, round: u32, rule: CallIdRule) -> String {
    match rule {
        CallIdRule::NineAlphanumeric => hashed(original, round, 9),
        CallIdRule::Any(limit) => {
            let suffixed = format!("{original}_{}", u64::from(round) + 2);
            if is_legal(original, rule) && suffixed.len() <= limit {
                suffixed
            } else {
                format!("call_{}", hashed(original, round, 11))
            }
        }
    }
}

fn hashed(original: &str, round: u32, length: usize) -> String {
    let mut hasher = DefaultHasher::new();
    (original, round).hash(&mut hasher);
    let mut rest = hasher.finish();
    let digits = std::iter::repeat_with(|| {
        let digit = rest % 62;
        rest /= 62;
        match digit as u8 {
            value @ 0..10 => b'0' + value,
            value @ 10..36 => b'a' + value - 10,
            value => b'A' + value - 36,
        }
    });
    digits.take(length).map(char::from).collect()
}
