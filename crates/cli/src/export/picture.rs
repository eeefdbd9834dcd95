//! Pictures that may stand on the page.
//!
//! Owns the check that the bytes are what a browser shows as a still or moving picture and
//! nothing else: SVG can hold scripts and addresses. Must not decode them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The most base64 text that one picture may have.
const LARGEST: usize = 16 * 1024 * 1024;

/// Returns the picture as a `data:` address; `None` where `base64` is no PNG, JPEG, GIF or WebP,
/// whatever kind was claimed for it.
pub(super) fn address(base64: &str) -> Option<String> {
    if base64.len() > LARGEST {
        return None;
    }
    // All of it is decoded: that leaves no character that means something else in HTML.
    let bytes = BASE64_STANDARD.decode(base64).ok()?;
    let kind = kind(&bytes)?;
    Some(format!("data:image/{kind};base64,{base64}"))
}

fn kind(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_a_known_picture_pass() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("png")),
            (b"\xff\xd8\xff\xe0", Some("jpeg")),
            (b"GIF89a", Some("gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg onload=alert(1)>", None),
            (b"<html>", None),
            (b"", None),
        ] {
            let base64 = BASE64_STANDARD.encode(bytes);
            let expected = expected.map(|kind| format!("data:image/{kind};base64,{base64}"));
            assert_eq!(address(&base64), expected, "{bytes:?}");
        }
    }

    #[test]
    fn text_around_a_picture_is_refused() {
        let base64 = BASE64_STANDARD.encode(b"GIF89a");
        for text in [format!("{base64}\" onerror=\"x"), format!("{base64}\n"), format!(" {base64}")]
        {
            assert_eq!(address(&text), None, "{text:?}");
        }
    }
}
