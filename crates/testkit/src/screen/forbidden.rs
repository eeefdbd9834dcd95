//! What an interface within the normal screen must never send.
//!
//! Owns the list, and how far above its place the cursor went. Must not hold a model of the screen.

/// Returns the sequences in a program's output that erase the scrollback or the whole screen, leave
/// the normal screen, scroll a part of it, or move the cursor to a place that only a program for
/// the full screen can know.
pub fn forbidden(output: &[u8]) -> Vec<String> {
    let sequences = tokens(output).filter_map(|token| match token {
        Token::Escape(sequence) => Some(String::from_utf8_lossy(sequence).into_owned()),
        Token::Newline => None,
    });
    sequences.filter(|sequence| is_forbidden(sequence)).collect()
}

/// Returns how many rows above the row where an update began the cursor went in it, at most. An
/// update is what stands between two ends of a synchronised one. Rows that the terminal wraps by
/// itself are not counted as moves down.
pub fn highest_climb(output: &[u8]) -> usize {
    let (mut highest, mut below) = (0, 0_i64);
    for token in tokens(output) {
        let Token::Escape(sequence) = token else {
            below += 1;
            continue;
        };
        if sequence == b"[?2026l" {
            below = 0;
        } else if let [b'[', count @ .., last @ (b'A' | b'B')] = sequence {
            let count = str::from_utf8(count).ok().and_then(|count| count.parse().ok());
            below += count.unwrap_or(1) * if *last == b'A' { -1 } else { 1 };
            highest = highest.max(-below);
        }
    }
    usize::try_from(highest).unwrap_or_default()
}

/// What moves a cursor or sets a mode.
enum Token<'a> {
    Newline,
    /// An escape sequence, without the escape.
    Escape(&'a [u8]),
}

fn tokens(output: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut rest = output;
    std::iter::from_fn(move || {
        let at = rest.iter().position(|byte| matches!(byte, b'\n' | 0x1b))?;
        let (begin, behind) = rest.get(at..)?.split_first()?;
        if *begin == b'\n' {
            rest = behind;
            return Some(Token::Newline);
        }
        let length = match behind.first() {
            Some(b'[') => {
                let end = behind.iter().skip(1).position(|byte| (b'@'..=b'~').contains(byte));
                end.map_or(behind.len(), |end| end + 2)
            }
            first => usize::from(first.is_some()),
        };
        let (sequence, behind) = behind.split_at(length);
        rest = behind;
        Some(Token::Escape(sequence))
    })
}

fn is_forbidden(sequence: &str) -> bool {
    let Some(inside) = sequence.strip_prefix('[') else {
        // A reset, a reverse newline, and the cursor that is saved and restored.
        return matches!(sequence, "c" | "M" | "7" | "8");
    };
    if let Some(modes) = inside.strip_prefix('?').and_then(|rest| rest.strip_suffix(['h', 'l'])) {
        return modes.split(';').any(|mode| matches!(mode, "47" | "1047" | "1048" | "1049"));
    }
    let is_plain = inside.bytes().next().is_some_and(|byte| !matches!(byte, b'<'..=b'?'));
    match inside.chars().last() {
        Some('J') => !matches!(inside, "J" | "0J"),
        Some('H' | 'f' | 'd' | 'E' | 'F' | 'S' | 'T' | 'r' | 's' | 'u') => is_plain,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_harms_the_screen_is_found() {
        let harm = [
            "\x1b[2J",
            "\x1b[3J",
            "\x1b[1J",
            "\x1b[?1049h",
            "\x1b[?25;47l",
            "\x1b[?1047h",
            "\x1b[H",
            "\x1b[5;1H",
            "\x1b[2S",
            "\x1b[T",
            "\x1b[1;20r",
            "\x1b[u",
            "\x1bc",
            "\x1bM",
            "\x1b7",
        ];
        for sequence in harm {
            let output = format!("text\x1b[1m{sequence}more");
            assert_eq!(forbidden(output.as_bytes()), [&sequence[1..]], "{sequence:?}");
        }
        let fine = "a\x1b[J\x1b[0J\x1b[K\x1b[?2026h\x1b[?25l\x1b[2A\x1b[3L\x1b[>1u\x1b[<1u\x1b[=0;1u\x1b[m\r\n";
        assert_eq!(forbidden(fine.as_bytes()), [""; 0]);
    }

    #[test]
    fn a_climb_is_counted_from_where_the_update_began() {
        for (output, expected) in [
            ("a\r\nb\x1b[A", 0),
            ("\x1b[2A\x1b[Bx\x1b[3A", 4),
            ("\x1b[A\x1b[?2026l\x1b[A", 1),
            ("\r\n\r\n\x1b[5A", 3),
        ] {
            assert_eq!(highest_climb(output.as_bytes()), expected, "{output:?}");
        }
    }
}
