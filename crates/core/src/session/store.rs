//! The append-only session file.
