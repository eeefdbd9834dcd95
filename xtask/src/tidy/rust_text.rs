//! Rust source without its comments and literals, so that a rule reads code only.
//!
//! Owns telling code from the rest. Must not parse beyond that.

/// Returns `source` with every byte of comments and of string and character literals replaced by
/// a space. Offsets and line numbers stay as they were.
pub(crate) fn code_only(source: &str) -> String {
    let mut code = Vec::with_capacity(source.len());
    let mut rest = source.as_bytes();
    let mut before = b' ';
    while let Some((first, behind)) = rest.split_first() {
        let length = blank_length(rest, before);
        if length == 0 {
            code.push(*first);
            before = *first;
            rest = behind;
        } else {
            let (blank, behind) = rest.split_at(length.min(rest.len()));
            code.extend(blank.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
            before = b' ';
            rest = behind;
        }
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// Returns whether `byte` can be part of a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the name that `text` begins with, white space before it skipped; empty for none.
pub(crate) fn leading_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.bytes().position(|byte| !is_word(byte)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Returns how many bytes at the start of `rest` are a comment or a literal; 0 for code.
fn blank_length(rest: &[u8], before: u8) -> usize {
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment_length(rest),
        [b'"', ..] => quoted_length(rest, 1),
        [b'r', b'"' | b'#', ..] if !is_word(before) || before == b'b' || before == b'c' => {
            raw_string_length(rest)
        }
        [b'\'', b'\\', ..] => quoted_length(rest, 1),
        [b'\'', ..] => character_length(rest),
        _ => 0,
    }
}

/// Returns the length of a block comment; they nest.
fn block_comment_length(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(pair) = rest.get(at..at + 2) {
        match pair {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Returns the length of a literal between two quotes like its first byte, escapes heeded.
fn quoted_length(rest: &[u8], from: usize) -> usize {
    let quote = rest.first().copied();
    let mut at = from;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if Some(*byte) == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns the length of `r"..."` or `r#"..."#`; 0 for a raw name such as `r#type`.
fn raw_string_length(rest: &[u8]) -> usize {
    let hashes = rest.iter().skip(1).take_while(|byte| **byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let mut end = vec![b'"'];
    end.resize(1 + hashes, b'#');
    let body = rest.get(2 + hashes..).unwrap_or_default();
    match body.windows(end.len()).position(|window| window == end) {
        Some(offset) => 2 + hashes + offset + end.len(),
        None => rest.len(),
    }
}

/// Returns the length of `'x'`, whatever the character; 0 for a lifetime.
fn character_length(rest: &[u8]) -> usize {
    let width = match rest.get(1) {
        None => return 0,
        Some(0xf0..) => 4,
        Some(0xe0..) => 3,
        Some(0xc0..) => 2,
        Some(_) => 1,
    };
    if rest.get(1 + width) == Some(&b'\'') { 2 + width } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_comments_and_literals_and_keeps_code() {
        let cases = [
            ("a // b", "a     "),
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("a /* b\nc */ d", "a     \n     d"),
            ("f(\"x\\\"y\") g", "f(      ) g"),
            ("f(r#\"a\"b\"#) g", "f(        ) g"),
            ("f(br\"a\") g", "f(b    ) g"),
            ("r#type x", "r#type x"),
            ("var\"x\"", "var   "),
            ("'a' 'b", "    'b"),
            ("'\\'' x", "     x"),
            ("&'a str, &'b", "&'a str, &'b"),
            ("\"// no\" yes", "        yes"),
            ("\"open", "     "),
        ];
        for (source, code) in cases {
            assert_eq!(code_only(source), code, "{source}");
        }
    }

    #[test]
    fn keeps_offsets_where_text_is_not_ascii() {
        let source = "let é = \"ü\"; // ß\nnext";
        let code = code_only(source);
        assert_eq!(code.len(), source.len());
        assert_eq!(code.find("next"), source.find("next"));
    }

    #[test]
    fn takes_the_leading_word() {
        for (text, word) in [("a::b", "a"), ("  a_1 {", "a_1"), ("{a", ""), ("", "")] {
            assert_eq!(leading_word(text), word);
        }
    }
}
