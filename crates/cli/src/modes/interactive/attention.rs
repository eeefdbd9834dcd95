//! A sign to a user who looks elsewhere.
//!
//! Owns which terminals take a text for it. Must not pass on foreign text: it would reach the
//! desktop.

/// Rings.
const BELL: &str = "\x07";

/// Returns what makes the terminal draw attention: its bell, and a notice with these words where
/// it is known to show one. `lookup` returns a variable of the environment.
pub(super) fn bytes<'a>(words: &'static str, lookup: impl Fn(&str) -> Option<&'a str>) -> Vec<u8> {
    let is_set = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
    let program = lookup("TERM_PROGRAM").unwrap_or_default();
    let term = lookup("TERM").unwrap_or_default();
    let shows_notices = matches!(program, "iTerm.app" | "WezTerm" | "ghostty")
        || matches!(term, "xterm-kitty" | "xterm-ghostty" | "foot" | "foot-extra");
    // A multiplexer keeps it to itself, or shows it as text.
    if shows_notices && !is_set("TMUX") && !is_set("STY") {
        return format!("\x1b]9;letscode: {words}\x1b\\{BELL}").into_bytes();
    }
    BELL.as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_goes_only_to_terminals_that_show_one() {
        let notice = "\x1b]9;letscode: done\x1b\\\x07";
        let cases: [(&[(&str, &str)], &str); 7] = [
            (&[], BELL),
            (&[("TERM", "xterm-256color")], BELL),
            (&[("TERM", "dumb")], BELL),
            (&[("TERM", "xterm-kitty")], notice),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], notice),
            (&[("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/tmux")], BELL),
            (&[("TERM", "foot"), ("STY", "1.tty")], BELL),
        ];
        for (variables, expected) in cases {
            let lookup = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| *value)
            };
            assert_eq!(bytes("done", lookup), expected.as_bytes(), "{variables:?}");
        }
    }
}
