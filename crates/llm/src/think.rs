//! Splits <think> tags at the start of a message from its text.
