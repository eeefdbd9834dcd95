//! `@NAME:uri` in what the user said.
//!
//! Owns where a mention begins and ends. Must not read the resource.

/// A resource that a text names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    /// The server.
    pub(crate) server: String,
    /// The resource's address.
    pub(crate) uri: String,
}

/// What may stand behind an address without being part of it.
const PUNCTUATION: [char; 9] = ['.', ',', ';', ':', '!', '?', ')', '"', '\''];

/// Returns the resources that `text` names, of servers that are known, each once.
pub(crate) fn find(text: &str, is_server: impl Fn(&str) -> bool) -> Vec<Mention> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text.get(..at).unwrap_or_default();
        let at_boundary = before.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(');
        let after = text.get(at + 1..).unwrap_or_default();
        let word = after.split(char::is_whitespace).next().unwrap_or_default();
        let Some((server, uri)) = word.split_once(':') else { continue };
        let uri = uri.trim_end_matches(PUNCTUATION);
        if !at_boundary || uri.is_empty() || !is_server(server) {
            continue;
        }
        let mention = Mention { server: server.to_owned(), uri: uri.to_owned() };
        if !found.contains(&mention) {
            found.push(mention);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_addresses_of_known_servers_at_the_start_of_words() {
        let cases: [(&str, &[&str]); 9] = [
            ("see @docs:file:///a/b.md please", &["file:///a/b.md"]),
            ("@docs:x://y.", &["x://y"]),
            ("(@docs:x://y)", &["x://y"]),
            ("@docs:x @docs:x @docs:y", &["x", "y"]),
            ("mail@docs:x", &[]),
            ("@other:x", &[]),
            ("@docs", &[]),
            ("@docs: x", &[]),
            ("größe @docs:ü", &["ü"]),
        ];
        for (text, expected) in cases {
            let found = find(text, |name| name == "docs");
            let uris: Vec<&str> = found.iter().map(|mention| mention.uri.as_str()).collect();
            assert_eq!(uris, expected, "{text}");
        }
    }
}
