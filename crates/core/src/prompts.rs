//! The system prompt and the context files that it carries.
//!
//! Owns their wording and order. Must not send anything.

mod context_files;
mod system;
