//! Text that may not wrap at the edge of the screen, which the model does not know by itself.
//!
//! Owns the mode, and bytes that need those behind them to be understood. Must not show anything.

use unicode_width::UnicodeWidthChar as _;
use vt100::Parser;

const NO_WRAP: &[u8] = b"\x1b[?7l";
const WRAP: &[u8] = b"\x1b[?7h";

/// Whether rows wrap.
#[derive(Debug, Default)]
pub(super) struct Edge {
    is_off: bool,
    /// The beginning of a sequence or a character.
    torn: Vec<u8>,
}

impl Edge {
    /// Gives the model output, with the cursor held back at the edge while rows may not wrap.
    pub(super) fn process(&mut self, bytes: &[u8], parser: &mut Parser) {
        let mut all = std::mem::take(&mut self.torn);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let change = if self.is_off { WRAP } else { NO_WRAP };
            let at = rest.windows(change.len()).position(|window| window == change);
            let (before, behind) = rest.split_at(at.unwrap_or(rest.len()));
            let torn = if at.is_some() { 0 } else { torn_length(before) };
            let (whole, torn) = before.split_at(before.len() - torn);
            if self.is_off {
                hold_back(whole, parser);
            } else {
                parser.process(whole);
            }
            self.torn.extend_from_slice(torn);
            let Some(behind) = behind.strip_prefix(change) else { break };
            self.is_off = !self.is_off;
            rest = behind;
        }
    }
}

/// Returns how many bytes at the end are the beginning of a sequence or a character.
fn torn_length(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(32);
    let end = bytes.get(from..).unwrap_or_default();
    if let Some(at) = end.iter().rposition(|byte| *byte == 0x1b) {
        let sequence = end.get(at + 1..).unwrap_or_default();
        let is_torn = match sequence {
            [] => true,
            [b'[', rest @ ..] => !rest.iter().any(|byte| (b'@'..=b'~').contains(byte)),
            _ => false,
        };
        if is_torn {
            return end.len() - at;
        }
    }
    match str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        _ => 0,
    }
}

fn hold_back(bytes: &[u8], parser: &mut Parser) {
    let mut in_sequence = false;
    for character in String::from_utf8_lossy(bytes).chars() {
        if character == '\x1b' {
            in_sequence = true;
        } else if !in_sequence {
            let (_, columns) = parser.screen().size();
            let width = u16::try_from(character.width().unwrap_or_default()).unwrap_or_default();
            let column = parser.screen().cursor_position().1;
            if width > 0 && column + width > columns.get() {
                let column = columns.get().saturating_sub(width) + 1;
                parser.process(format!("\x1b[{column}G").as_bytes());
            }
        }
        parser.process(character.encode_utf8(&mut [0; 4]).as_bytes());
        if in_sequence && character != '[' && ('@'..='~').contains(&character) {
            in_sequence = false;
        }
    }
}
