//! What the terminal can do, as far as variables of the environment tell.
//!
//! Owns the names of terminals that need care. Must not read the environment itself.

use crate::screen::{Colors, Screen};

/// What a terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// What it can show.
    pub colors: Colors,
    /// Whether it wraps the rows that it shows anew when it becomes narrower.
    pub reflows: bool,
    /// Whether it tells a new size only some time after it has taken it.
    pub tells_sizes_late: bool,
    /// Whether it may be asked to tell more about keys: the others take that for text or for
    /// something else.
    pub has_key_protocols: bool,
}

impl Abilities {
    /// Returns what the environment tells: `lookup` returns a variable's value.
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
        let term = lookup("TERM").unwrap_or_default();
        let is_in_tmux = is_set("TMUX");
        let is_family = |name: &str| {
            term.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
        };
        // GNU screen; tmux used to take its name.
        let is_screen = is_family("screen") && !is_in_tmux;
        let is_console = is_family("linux");
        let cuts_rows =
            is_screen || is_console || is_family("st") || (is_set("XTERM_VERSION") && !is_in_tmux);
        let colors = match term.as_str() {
            "" | "dumb" | "unknown" => Colors::Dumb,
            _ if is_set("NO_COLOR") => Colors::None,
            _ => Colors::Sixteen,
        };
        Self {
            colors,
            reflows: !cuts_rows,
            tells_sizes_late: is_in_tmux,
            has_key_protocols: !is_screen && !is_console && colors != Colors::Dumb,
        }
    }

    /// Returns a screen for such a terminal, whose cursor is at the beginning of an empty row.
    pub fn screen(self, columns: usize, rows: usize) -> Screen {
        let screen = Screen::new(columns, rows, self.colors);
        let screen = if self.reflows { screen } else { screen.without_reflow() };
        if self.tells_sizes_late { screen.with_late_sizes() } else { screen }
    }

    /// Returns whether the terminal knows no escapes.
    pub fn is_dumb(self) -> bool {
        self.colors == Colors::Dumb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_tell_what_a_terminal_can_do() {
        let cases: [(&[(&str, &str)], Abilities); 9] = [
            (&[("TERM", "xterm-256color")], of(Colors::Sixteen, true, true)),
            (
                &[("TERM", "xterm-256color"), ("XTERM_VERSION", "XTerm(390)")],
                of(Colors::Sixteen, false, true),
            ),
            (
                &[("TERM", "tmux-256color"), ("TMUX", "/t"), ("XTERM_VERSION", "XTerm(390)")],
                of(Colors::Sixteen, true, true),
            ),
            (&[("TERM", "screen-256color"), ("TMUX", "/t")], of(Colors::Sixteen, true, true)),
            (&[("TERM", "screen.xterm-256color")], of(Colors::Sixteen, false, false)),
            (&[("TERM", "linux"), ("NO_COLOR", "")], of(Colors::Sixteen, false, false)),
            (&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")], of(Colors::None, true, true)),
            (&[("TERM", "dumb")], of(Colors::Dumb, true, false)),
            (&[], of(Colors::Dumb, true, false)),
        ];
        for (variables, expected) in cases {
            let is_in_tmux = variables.iter().any(|(name, _)| *name == "TMUX");
            let expected = Abilities { tells_sizes_late: is_in_tmux, ..expected };
            let lookup = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Abilities::from_environment(lookup), expected, "{variables:?}");
        }
    }

    fn of(colors: Colors, reflows: bool, has_key_protocols: bool) -> Abilities {
        Abilities { colors, reflows, tells_sizes_late: false, has_key_protocols }
    }
}
