//! What the user sees of a fault in the program itself.
//!
//! Owns the one line in place of a stack trace. Must not hide the fault: the exit code stays.

use crate::messages;
use letscode_core::secrets::Secrets;
use std::panic::{self, Location};

/// Has every panic from now on told in one line on stderr.
pub(crate) fn tell_in_a_line() {
    panic::set_hook(Box::new(|info| {
        // The line must stand below what the terminal front end shows, in a terminal that works.
        letscode_tui::terminal::restore();
        let message = info.payload_as_str().unwrap_or("no reason given");
        messages::error(line(message, info.location()), &Secrets::default());
    }));
}

fn line(message: &str, place: Option<&Location<'_>>) -> String {
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    let message = message.replace(['\n', '\r'], " ");
    format!("internal error: {message}{place} (please report it)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_one_line_with_its_message_and_place() {
        let here = Location::caller();
        let text = line("left: 1\nright: 2", Some(here));
        assert!(text.starts_with("internal error: left: 1 right: 2 at "), "{text}");
        assert!(text.contains("panics.rs:"), "{text}");
        assert!(text.ends_with(" (please report it)"), "{text}");
        assert_eq!(line("a", None), "internal error: a (please report it)");
    }
}
