//! Which files the conversation has read or written, and what they held then.
//!
//! Owns the memory that lets `write` tell a known file from a stranger's. Must not touch files.

/// The files that the conversation knows.
#[derive(Debug, Default)]
pub struct FileLedger {}
