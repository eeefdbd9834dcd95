//! The model port over HTTP.
