//! What a server's refusal teaches: which optional part of a request to change before one resend.
//!
//! Owns the reading of refusals. Each kind of change is made once a request at most, and the
//! changed profile is kept for later requests. Must not send anything.

#[cfg(test)]
mod tests;

use crate::error::Refusal;
use crate::profile::{Profile, ReasoningBack};
use crate::request::Sent;

/// A change to the profile, and what the user should know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    DropStreamOptions,
    DropReasoningEffort,
    DropReasoningSplit,
    DropReasoning,
    SendReasoning,
    FillSignatures,
    StrictRoles,
    EmptyContent,
    DropImages,
    DropEmptyProperties,
}

impl Change {
    /// Returns the profile after the change.
    pub(crate) fn apply(self, profile: Profile) -> Profile {
        match self {
            Self::DropStreamOptions => Profile { stream_options: false, ..profile },
            Self::DropReasoningEffort => Profile { reasoning_effort: false, ..profile },
            Self::DropReasoningSplit => Profile { reasoning_split: false, ..profile },
            Self::DropReasoning => Profile { reasoning_back: ReasoningBack::Never, ..profile },
            Self::SendReasoning => Profile { reasoning_back: ReasoningBack::Required, ..profile },
            Self::FillSignatures => Profile { signature_filler: true, ..profile },
            Self::StrictRoles => Profile { strict_roles: true, ..profile },
            Self::EmptyContent => Profile { null_content: false, ..profile },
            Self::DropImages => Profile { images: false, ..profile },
            Self::DropEmptyProperties => Profile { empty_properties: false, ..profile },
        }
    }

    /// Returns what to tell the user, where the change makes a difference to them.
    pub(crate) fn notice(self, model: &str) -> Option<String> {
        match self {
            Self::DropReasoningEffort => Some(format!(
                "the server does not take a thinking level for {model}: going on without it"
            )),
            Self::DropImages => {
                Some(format!("the server takes no images for {model}: going on without them"))
            }
            Self::DropStreamOptions
            | Self::DropReasoningSplit
            | Self::DropReasoning
            | Self::SendReasoning
            | Self::FillSignatures
            | Self::StrictRoles
            | Self::EmptyContent
            | Self::DropEmptyProperties => None,
        }
    }
}

/// Returns the change that `refusal` asks for, if it names something that can be changed.
///
/// `first` tells whether the endpoint has never answered yet.
pub(crate) fn change_for(
    refusal: &Refusal,
    sent: Sent,
    profile: &Profile,
    first: bool,
) -> Option<Change> {
    let text = refusal.named.as_str();
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if text.is_empty() {
        // Some servers refuse without a word what they do not know.
        let unknown = first && !profile.known_host && sent.stream_options;
        return unknown.then_some(Change::DropStreamOptions);
    }
    if sent.stream_options && names(&["stream_options", "stream options", "include_usage"]) {
        return Some(Change::DropStreamOptions);
    }
    if sent.reasoning_split && names(&["reasoning_split"]) {
        return Some(Change::DropReasoningSplit);
    }
    if sent.reasoning_effort
        && names(&[
            "reasoning_effort",
            "reasoning effort",
            "reasoning.effort",
            "not support thinking",
            "not support reasoning",
        ])
    {
        return Some(Change::DropReasoningEffort);
    }
    if names(&["thought_signature", "thoughtsignature", "thought signature"]) {
        return (sent.calls && !profile.signature_filler).then_some(Change::FillSignatures);
    }
    if names(&["reasoning_content", "reasoning_details", "reasoning", "thinking"])
        && let Some(change) = reasoning_change(text, sent, profile)
    {
        return Some(change);
    }
    if !profile.strict_roles
        && names(&["role"])
        && names(&["alternat", "after role", "role order", "consecutive", "unexpected role"])
    {
        return Some(Change::StrictRoles);
    }
    if sent.images
        && names(&["image"])
        && names(&["support", "unknown variant", "not allowed", "multimodal", "text-only"])
    {
        return Some(Change::DropImages);
    }
    if sent.tools && profile.empty_properties && names(&["properties"]) && names(&["non-empty"]) {
        return Some(Change::DropEmptyProperties);
    }
    if sent.null_content
        && names_word(text, "content")
        && names(&["null", "none", "string", "empty", "required", "missing"])
    {
        return Some(Change::EmptyContent);
    }
    None
}

/// Returns whether `word` stands in `text` by itself and not within a longer name.
fn names_word(text: &str, word: &str) -> bool {
    let is_name = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).unwrap_or_default();
        let behind = text.get(start + word.len()..).unwrap_or_default();
        !before.ends_with(is_name) && !behind.starts_with(is_name)
    })
}

/// Reads a refusal that names reasoning: some servers demand it back, others forbid it.
fn reasoning_change(text: &str, sent: Sent, profile: &Profile) -> Option<Change> {
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let demanded = names(&["passed back", "missing", "is required", "must be", "field required"]);
    let forbidden = names(&["not permitted", "extra", "unsupported", "unrecognized", "unknown"]);
    if demanded && !forbidden {
        let can = profile.reasoning_back != ReasoningBack::Required && sent.calls;
        return (can && names(&["reasoning_content"])).then_some(Change::SendReasoning);
    }
    sent.reasoning.then_some(Change::DropReasoning)
}
