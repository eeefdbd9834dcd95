//! The bytes of a file that a person wrote for the model, as text.
//!
//! Owns the leniency: marks, line ends, damage and size never make such a file useless. Must not
//! look for meaning.

use crate::env::FileHead;
use std::borrow::Cow;
use std::path::Path;

/// Returns the text of the file at `path`: `\n` line endings, no control characters, no white
/// space at the end. What had to be repaired, and that the file was cut, is said in `warnings`.
pub(crate) fn readable_text(path: &Path, head: &FileHead, warnings: &mut Vec<String>) -> String {
    let shown = path.display();
    let size = head.bytes.len() / 1024;
    let bytes = head.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head.bytes);
    let bytes = if head.is_cut { without_cut_character(bytes) } else { bytes };
    // The check is several times as quick as the replacing, which is hardly ever needed.
    let decoded = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    if matches!(decoded, Cow::Owned(_)) {
        let text = "is not UTF-8: what could not be read is replaced, save it as UTF-8";
        warnings.push(format!("{shown} {text}"));
    }
    let mut text = if is_plain(&decoded) {
        decoded.into_owned()
    } else {
        let decoded = decoded.replace("\r\n", "\n").replace('\r', "\n");
        let is_printable = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        decoded.chars().filter(is_printable).collect()
    };
    text.truncate(text.trim_end().len());
    if head.is_cut {
        warnings.push(format!("{shown} is too long: only its first {size} KB are used"));
        text.push_str(&format!("\n\n[cut here: the file is longer than {size} KB]"));
    }
    text
}

/// Returns one warning for the file at `path`: what is wrong in it, if anything, and `repairs`, as
/// [`readable_text`] says them; `None` where there is nothing to say.
pub(crate) fn one_warning(
    path: &Path,
    problem: Option<String>,
    repairs: Vec<String>,
) -> Option<String> {
    let shown = path.display().to_string();
    problem.into_iter().chain(repairs).reduce(|mut warning, repair| {
        warning.push_str("; it");
        warning.push_str(repair.strip_prefix(&shown).unwrap_or(&repair));
        warning
    })
}

/// Returns text as one line without control characters, for names and descriptions that others
/// wrote.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns whether a text surely has no control character. Most files have none, and there may be
/// hundreds of them at the start of the program.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| PLAIN.get(usize::from(byte)).is_some_and(|plain| *plain))
}

/// Whether a byte has no part in a control character, line ends and tabs excepted.
static PLAIN: [bool; 256] = {
    // The C1 controls are the characters that begin with this byte and some others.
    const C1_LEAD: usize = 0xC2;
    let mut plain = [true; 256];
    let (mut controls, _) = plain.split_at_mut(b' ' as usize);
    while let Some((last, before)) = controls.split_last_mut() {
        *last = matches!(before.len() as u8, b'\n' | b'\t');
        controls = before;
    }
    plain[0x7F] = false;
    plain[C1_LEAD] = false;
    plain
};

/// Returns `bytes` without a last character that the cut went through.
fn without_cut_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => bytes,
    }
}
