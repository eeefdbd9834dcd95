//! Chunks to stream events and one answer: the slot rule for tool calls, reasoning, usage, end.
//!
//! Owns the meaning of a stream. Must not do I/O or know HTTP.
