//! A TOML file that knows its path and its lines, for warnings that say where.
//!
//! Owns parsing and the search for a key's line. Must not quote a file's content in an error: a
//! key may be in it.

use super::{ReadError, read_text};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// A parsed TOML file.
#[derive(Debug)]
pub(crate) struct TomlFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it says.
    pub(crate) table: toml::Table,
    text: String,
}

/// Why there is no [`TomlFile`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum TomlFileError {
    /// The file cannot be read as text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text is no TOML.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says, without the file's text.
        reason: String,
    },
}

impl TomlFile {
    /// Reads and parses a file; `None` where there is no such file.
    ///
    /// # Errors
    /// When the file is there but no readable TOML.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, TomlFileError> {
        match read_text(path)? {
            Some(text) => Self::parse(path, text).map(Some),
            None => Ok(None),
        }
    }

    /// Parses `text`, which stands in the file at `path`.
    ///
    /// # Errors
    /// When the text is no TOML.
    pub(crate) fn parse(path: &Path, text: String) -> Result<Self, TomlFileError> {
        match toml::from_str(&text) {
            Ok(table) => Ok(Self { path: path.to_owned(), table, text }),
            Err(error) => Err(TomlFileError::Syntax {
                path: path.to_owned(),
                line: line_at(&text, error.span().map_or(0, |span| span.start)),
                reason: error.message().replace('\n', ", "),
            }),
        }
    }

    /// Returns the file's text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line, from 1, of a key at the top level. Parses the text anew: only for
    /// warnings.
    pub(crate) fn line_of(&self, key: &str) -> usize {
        let Ok(table) = DeTable::parse(&self.text) else { return 1 };
        let entry = table.get_ref().iter().find(|(name, _)| name.get_ref() == key);
        line_at(&self.text, entry.map_or(0, |(name, _)| name.span().start))
    }
}

/// Returns the line, from 1, that the byte at `offset` stands in.
fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TomlFile, TomlFileError> {
        TomlFile::parse(Path::new("/home/config.toml"), text.to_owned())
    }

    #[test]
    fn a45_a_syntax_error_names_file_and_line_but_not_the_text() {
        for (text, line) in [
            ("model = = \"sk-secret\"", 1),
            ("a = 1\nb = \"sk-secret\nc = 2\n", 2),
            ("a = 1\n\na = sk-secret\n", 3),
            ("a = 1\na = 2\n", 2),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("/home/config.toml:{line}: ")), "{message}");
            assert!(!message.contains("sk-secret") && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_key_is_found_by_its_line() {
        let file = parse("# one\nmodel = \"x\"\n\n[mcp]\nmodel = \"y\"\n[a.b]\n").unwrap();
        for (key, line) in [("model", 2), ("mcp", 4), ("a", 6)] {
            assert_eq!(file.line_of(key), line, "{key}");
        }
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_are_fine() {
        let file = parse("\u{feff}model = \"x\"\r\nvi = true\r\n").unwrap();
        assert_eq!(file.table.len(), 2);
        assert_eq!(file.line_of("vi"), 2);
    }
}
