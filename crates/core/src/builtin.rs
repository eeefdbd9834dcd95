//! The built-in tools as a plugin.
