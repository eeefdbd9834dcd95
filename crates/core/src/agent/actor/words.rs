//! What a client gives the model to read: checked, and made a message's content.
//!
//! Owns the refusals, since what a server refuses would stand in the history for good. Must not
//! know how commands are answered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use letscode_wire::{ContentPart, ImageData};

/// The kinds of pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Returns why a message cannot be sent, if it cannot.
pub(super) fn fault(text: &str, images: &[ImageData]) -> Option<String> {
    if text.trim().is_empty() && images.is_empty() {
        return Some("the message is empty: give it a text".to_owned());
    }
    images.iter().zip(1..).find_map(|(ImageData { data, mime_type }, number)| {
        if !PICTURES.contains(&mime_type.as_str()) {
            let known = PICTURES.join(", ");
            return Some(format!("image {number} is {mime_type:?}: give one of {known}"));
        }
        let is_sound = !data.is_empty() && STANDARD.decode(data).is_ok();
        (!is_sound).then(|| {
            format!("the data of image {number} is not base64: give it padded, without line breaks")
        })
    })
}

/// Returns a prompt's text and pictures; no empty text part beside pictures, which some servers
/// refuse.
pub(super) fn content(text: String, images: Vec<ImageData>) -> Vec<ContentPart> {
    let words = (!text.is_empty() || images.is_empty()).then(|| ContentPart::text(text));
    words.into_iter().chain(pictures(images)).collect()
}

/// Returns pictures as parts of a message.
pub(super) fn pictures(images: Vec<ImageData>) -> impl Iterator<Item = ContentPart> {
    images.into_iter().map(|ImageData { data, mime_type }| ContentPart::Image { data, mime_type })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_would_refuse_is_told() {
        for (text, image, expected) in [
            ("hi", None, None),
            ("", None, Some("empty")),
            (" \n", None, Some("empty")),
            ("", Some(("iVBORw0KGgo=", "image/png")), None),
            ("hi", Some(("aGk=", "image/jpeg")), None),
            ("hi", Some(("aGk", "image/gif")), Some("base64")),
            ("hi", Some(("", "image/webp")), Some("base64")),
            ("hi", Some(("aG\nk=", "image/png")), Some("base64")),
            ("hi", Some(("data:image/png;base64,aGk=", "image/png")), Some("base64")),
            ("hi", Some(("aGk=", "image/bmp")), Some("image/bmp")),
            ("hi", Some(("aGk=", "")), Some("image/png")),
        ] {
            let image = image.map(|(data, mime_type)| ImageData {
                data: data.to_owned(),
                mime_type: mime_type.to_owned(),
            });
            let images: Vec<ImageData> = image.into_iter().collect();
            let fault = fault(text, &images);
            assert_eq!(fault.is_some(), expected.is_some(), "{text:?} {images:?}: {fault:?}");
            assert!(fault.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }
}
