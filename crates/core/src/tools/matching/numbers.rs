//! Line numbers in front of lines, as they get into an edit from what `read` shows.
//!
//! Owns what such a number looks like. Must not look at files.

/// A text whose every line has a number, each one more than the last.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    /// The text without the numbers; not blank.
    pub(super) text: String,
    first: usize,
    mark: &'static str,
}

/// What a text has of the numbers that another has.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Likewise {
    /// None.
    Unnumbered,
    /// A number before every line; this is the text without them.
    Stripped(String),
    /// A number before some lines only.
    Mixed,
}

/// The marks that stand between a number and its line. The first is that of `read`.
const MARKS: [&str; 5] = ["\t", "→", " | ", "|", ": "];

impl Numbered {
    /// Returns `text` taken apart, if it has line numbers.
    pub(super) fn of(text: &str) -> Option<Self> {
        MARKS.into_iter().find_map(|mark| {
            let lines: Option<Vec<_>> =
                text.split_inclusive('\n').map(|line| split_number(line, mark)).collect();
            let lines = lines?;
            let &(first, _) = lines.first()?;
            let is_consecutive =
                lines.iter().zip(first..).all(|((number, _), next)| *number == next);
            let text: String = lines.iter().map(|(_, content)| *content).collect();
            let is_numbered = is_consecutive && !text.trim().is_empty();
            is_numbered.then_some(Self { text, first, mark })
        })
    }

    /// Returns what `other` has of the same kind of numbers. They need not follow each other:
    /// lines may be new.
    pub(super) fn strip_likewise(&self, other: &str) -> Likewise {
        let mut stripped = String::with_capacity(other.len());
        let (mut numbered, mut bare) = (0, 0);
        for line in other.split_inclusive('\n') {
            if let Some((_, content)) = split_number(line, self.mark) {
                numbered += 1;
                stripped.push_str(content);
            } else {
                bare += 1;
            }
        }
        match (numbered, bare) {
            (0, _) => Likewise::Unnumbered,
            (_, 0) => Likewise::Stripped(stripped),
            (_, _) => Likewise::Mixed,
        }
    }

    /// Returns the line where the text must be because its numbers may as well be text (a list,
    /// a table of keys); with `read`'s own mark lines may have moved since.
    pub(super) fn sure_line(&self) -> Option<usize> {
        (self.mark != "\t").then_some(self.first)
    }
}

/// Returns the number and what follows the mark. A blank line may have lost the mark's blanks.
fn split_number<'a>(line: &'a str, mark: &str) -> Option<(usize, &'a str)> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|character: char| !character.is_ascii_digit())?;
    let (digits, rest) = line.split_at_checked(end)?;
    let number = digits.parse().ok()?;
    let content = rest.strip_prefix(mark).or_else(|| {
        let rest = rest.strip_prefix(mark.trim_end())?;
        rest.trim_ascii().is_empty().then_some(rest)
    });
    content.map(|content| (number, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a17_pasted_line_numbers_are_recognised() {
        let cases = [
            ("     1\tprint(1)\n     2\tprint(2)", Some("print(1)\nprint(2)")),
            ("12: a\n13:\n14: b\n", Some("a\n\nb\n")),
            ("  9\ta\n 10\n 11\tb", Some("a\n\nb")),
            ("7| x", Some(" x")),
            ("7 | x\n8 |\n", Some("x\n\n")),
            ("3→  x", Some("  x")),
            ("1\ta\n3\tb", None),
            ("a\n2\tb", None),
            ("12 monkeys", None),
            ("1\t \n2\t", None),
            ("99999999999999999999999\ta", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let numbered = Numbered::of(text).map(|numbered| numbered.text);
            assert_eq!(numbered.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a17_the_new_text_is_stripped_by_the_same_mark() {
        let old = Numbered::of("4\tx").unwrap();
        assert_eq!(old.strip_likewise("1\ta\nb"), Likewise::Mixed);
        assert_eq!(old.strip_likewise("1\ta\n9\tb"), Likewise::Stripped("a\nb".to_owned()));
        assert_eq!(old.strip_likewise("1: a\n2: b"), Likewise::Unnumbered);
        assert_eq!(old.strip_likewise(""), Likewise::Unnumbered);
        assert_eq!((old.sure_line(), Numbered::of("4: x").unwrap().sure_line()), (None, Some(4)));
    }
}
