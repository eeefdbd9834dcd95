//! Tests of where skills are found, and which of two holds.
