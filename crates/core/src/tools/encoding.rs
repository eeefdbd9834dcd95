//! What the first bytes say about a file: text, UTF-16, or no text at all.
//!
//! Owns the signs. Pictures are `read`'s affair. Must not convert anything.

/// The mark that some editors put before UTF-8 text. The model never sees it.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes at the start decide.
pub(super) const HEAD: usize = 8 * 1024;

/// What a file seems to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8, or some other encoding that keeps ASCII.
    Text,
    /// UTF-16 by its mark; the name says which.
    Utf16(&'static str),
    /// Something with NUL bytes in its head.
    Binary,
}

/// Returns what the content that starts with `head` seems to be.
pub(crate) fn encoding_of(head: &[u8]) -> Encoding {
    let head = head.get(..HEAD).unwrap_or(head);
    match head {
        // The mark of UTF-32 starts like that of UTF-16; its text has NUL pairs.
        [0xFF, 0xFE, 0, 0, ..] => Encoding::Binary,
        [0xFF, 0xFE, ..] => Encoding::Utf16("UTF-16LE"),
        [0xFE, 0xFF, ..] => Encoding::Utf16("UTF-16BE"),
        _ if memchr::memchr(0, head).is_some() => Encoding::Binary,
        _ => Encoding::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a21_the_head_tells_text_from_the_rest() {
        let mut late = vec![b'x'; HEAD];
        late.push(0);
        let cases: [(&[u8], Encoding); 8] = [
            (b"", Encoding::Text),
            (b"plain", Encoding::Text),
            (b"\xEF\xBB\xBFmarked", Encoding::Text),
            (b"caf\xE9", Encoding::Text),
            (b"\xFF\xFEa\0", Encoding::Utf16("UTF-16LE")),
            (b"\xFE\xFF\0a", Encoding::Utf16("UTF-16BE")),
            (b"\xFF\xFE\0\0a\0\0\0", Encoding::Binary),
            (b"a\0b", Encoding::Binary),
        ];
        for (head, expected) in cases {
            assert_eq!(encoding_of(head), expected, "{head:?}");
        }
        assert_eq!(encoding_of(&late), Encoding::Text);
        assert_eq!(encoding_of(&late[1..]), Encoding::Binary);
    }
}
