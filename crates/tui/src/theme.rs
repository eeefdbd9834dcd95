//! What each kind of text looks like.
//!
//! Owns the styles by role, made of the terminal's own sixteen colours so that they suit light and
//! dark backgrounds. Must not know where a role is used.

use crate::text::{Color, Style};

/// Text that stands back: hints, counts, the footer.
pub const QUIET: Style = Style::PLAIN.dim();
/// The mark before what the user said, and the composer's prompt.
pub const USER: Style = Style::PLAIN.color(Color::Blue).bold();
/// The name of a tool.
pub const TOOL: Style = Style::PLAIN.color(Color::Cyan).bold();
/// What the model thinks.
pub const THINKING: Style = Style::PLAIN.dim().italic();
/// What went wrong.
pub const ERROR: Style = Style::PLAIN.color(Color::Red);
/// What needs attention.
pub const WARNING: Style = Style::PLAIN.color(Color::Yellow);
/// What went well.
pub const SUCCESS: Style = Style::PLAIN.color(Color::Green);
/// Lines that a change adds.
pub const ADDED: Style = Style::PLAIN.color(Color::Green);
/// Lines that a change takes away.
pub const REMOVED: Style = Style::PLAIN.color(Color::Red);
/// Headings.
pub const HEADING: Style = Style::PLAIN.bold().color(Color::Magenta);
/// Code within prose.
pub const CODE: Style = Style::PLAIN.color(Color::Cyan);
/// Addresses.
pub const LINK: Style = Style::PLAIN.color(Color::Blue).underline();
/// The chosen row of a list.
pub const CHOSEN: Style = Style::PLAIN.reverse();
/// The letters of a row that match what was typed.
pub const MATCH: Style = Style::PLAIN.color(Color::Yellow).bold();
