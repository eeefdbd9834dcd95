//! The terminal front end: an inline interface that prints what is final into the terminal's own
//! scrollback, and redraws only a few lines at the bottom.
//!
//! It is a client of the wire's commands and events, and holds no truth: ending it loses pixels,
//! nothing else. Must not know the agent, models or config files.

pub mod app;
pub mod footer;

pub mod terminal;

pub mod input;

pub mod screen;

pub mod markdown;
pub mod transcript;

mod diff;
mod fold;
mod highlight;
mod layout;

pub mod completion;
pub mod composer;
pub mod dialog;
pub(crate) mod fuzzy;
pub mod keymap;
pub mod keys;
pub mod picker;
pub mod text;
pub mod theme;

pub use text::colors::harmless_in_colors;
pub use text::sanitize::harmless;
