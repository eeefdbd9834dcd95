//! How hard a model is asked to think.
//!
//! Owns the levels, their order and their rounding. Must not know how a request says it.

use std::fmt;
use std::str::FromStr;

/// A thinking level, from none to most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ThinkingLevel {
    /// The request does not mention thinking.
    #[default]
    Off,
    /// As little as the model can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as the model can.
    Xhigh,
}

/// A word that is no thinking level.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("use off, minimal, low, medium, high or xhigh")]
pub(crate) struct UnknownLevel;

impl ThinkingLevel {
    /// All levels, from none to most.
    pub(crate) const ALL: [Self; 6] =
        [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh];

    /// Returns the level's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }

    /// Returns the highest of a model's declared levels that is not above this one; `Off` where
    /// all are above. A model that declares none has no ceiling.
    pub(crate) fn rounded_down(self, declared: &[Self]) -> Self {
        if declared.is_empty() {
            return self;
        }
        declared.iter().copied().filter(|level| *level <= self).max().unwrap_or_default()
    }
}

impl FromStr for ThinkingLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let text = text.trim();
        let is_named = |level: &Self| level.as_str().eq_ignore_ascii_case(text);
        Self::ALL.into_iter().find(is_named).ok_or(UnknownLevel)
    }
}

impl fmt::Display for ThinkingLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::ThinkingLevel::{self, High, Low, Medium, Minimal, Off, Xhigh};
    use super::UnknownLevel;

    #[test]
    fn every_level_is_read_by_its_name() {
        for level in ThinkingLevel::ALL {
            assert_eq!(level.as_str().parse(), Ok(level));
        }
        assert_eq!(" HIGH ".parse(), Ok(High));
        for word in ["", "bogus", "x-high"] {
            assert_eq!(word.parse::<ThinkingLevel>(), Err(UnknownLevel), "{word}");
        }
    }

    #[test]
    fn levels_are_rounded_down_to_a_declared_one() {
        for (wanted, declared, expected) in [
            (Xhigh, &[Off, Low, Medium][..], Medium),
            (Medium, &[Off, Low, Medium], Medium),
            (Minimal, &[Off, Low, Medium], Off),
            (Low, &[Medium, High], Off),
            (High, &[Medium, Off, Low], Medium),
            (Off, &[Low, Medium], Off),
            (Xhigh, &[Off], Off),
            (Xhigh, &[], Xhigh),
        ] {
            assert_eq!(wanted.rounded_down(declared), expected, "{wanted} in {declared:?}");
        }
    }
}
