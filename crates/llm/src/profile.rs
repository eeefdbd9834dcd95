//! Differences among servers, as a table.
