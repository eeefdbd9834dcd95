//! Fingerprints of file contents: made piece by piece, written and read as hex.
//!
//! Owns the hashing. Must not open files.

use crate::env::Fingerprint;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Makes a fingerprint from content that comes in pieces.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the fingerprint of all pieces.
    pub(super) fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finalize().into())
    }
}

/// Returns 64 lower-case hex digits.
pub(super) fn to_hex(fingerprint: Fingerprint) -> String {
    fingerprint.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Returns the fingerprint that `hex` writes.
pub(super) fn from_hex(hex: &str) -> Option<Fingerprint> {
    if hex.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        let digits = hex.get(index * 2..index * 2 + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(Fingerprint(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_both_ways_and_pieces_do_not_matter() {
        let mut hasher = Hasher::default();
        hasher.push(b"ab");
        hasher.push(b"c");
        let fingerprint = hasher.finish();
        assert_eq!(fingerprint, Fingerprint::of(b"abc"));
        let hex = to_hex(fingerprint);
        assert!(hex.starts_with("ba7816bf") && hex.ends_with("f20015ad"), "{hex}");
        assert_eq!(from_hex(&hex), Some(fingerprint));
    }

    #[test]
    fn what_is_no_fingerprint_is_refused() {
        for text in ["", "ab", &"g".repeat(64), &"é".repeat(32), &"a".repeat(65)] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
