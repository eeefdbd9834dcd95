//! The in-process plugin trait and the dispatch of its hooks.
