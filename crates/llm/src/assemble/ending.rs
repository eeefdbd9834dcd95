//! Why an answer ended, in the words of many servers.
//!
//! Owns the table from finish reasons to what they mean. Must not decide what a turn does next.

use letscode_wire::StopReason;

/// What a finish reason means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The answer is whole, for this reason.
    Stopped(StopReason),
    /// The provider withheld the answer, or the rest of it.
    Filtered,
    /// The server failed underway.
    Failed,
}

const REASONS: &[(&str, Ending)] = &[
    ("stop", Ending::Stopped(StopReason::EndTurn)),
    ("end", Ending::Stopped(StopReason::EndTurn)),
    ("end_turn", Ending::Stopped(StopReason::EndTurn)),
    ("eos", Ending::Stopped(StopReason::EndTurn)),
    ("eos_token", Ending::Stopped(StopReason::EndTurn)),
    ("stop_sequence", Ending::Stopped(StopReason::EndTurn)),
    ("tool_calls", Ending::Stopped(StopReason::ToolCalls)),
    ("tool_use", Ending::Stopped(StopReason::ToolCalls)),
    ("function_call", Ending::Stopped(StopReason::ToolCalls)),
    ("length", Ending::Stopped(StopReason::MaxTokens)),
    ("max_tokens", Ending::Stopped(StopReason::MaxTokens)),
    ("max_output_tokens", Ending::Stopped(StopReason::MaxTokens)),
    ("content_filter", Ending::Filtered),
    ("sensitive", Ending::Filtered),
    ("safety", Ending::Filtered),
    ("network_error", Ending::Failed),
    ("error", Ending::Failed),
    ("insufficient_system_resource", Ending::Failed),
];

/// Returns what `reason` means. A word that nobody knows ends a good answer with
/// [`StopReason::Error`].
pub(super) fn ending_of(reason: &str) -> Ending {
    REASONS
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(reason))
        .map_or(Ending::Stopped(StopReason::Error), |(_, ending)| *ending)
}

/// Returns whether the word of a server behind a gateway tells of a failure.
pub(super) fn is_native_failure(reason: &str) -> bool {
    let lower = reason.to_ascii_lowercase();
    ending_of(&lower) == Ending::Failed || lower.contains("error") || lower.contains("malformed")
}
