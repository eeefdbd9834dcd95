//! What servers answer, in the two kinds of content that a model sees.
//!
//! Owns how much of it goes on, and the words for what cannot. Must not call anything.

#[cfg(test)]
mod tests;

use crate::masks::Masks;
use letscode_wire::{ContentPart, Meta, ToolOutput};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// How many bytes of text one answer may have.
pub(crate) const MOST_TEXT: usize = 50 * 1024;

/// How many bytes of base64 one picture may have.
const MOST_IMAGE: usize = 8 * 1024 * 1024;

/// How many pictures one answer may have.
const MOST_IMAGES: usize = 8;

/// Pictures that models take.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Returns what the model and the front ends see of a tool's answer.
pub(crate) fn tool_output(result: CallToolResult, masks: &Masks) -> ToolOutput {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    let has_text = content.iter().any(|block| matches!(block, ContentBlock::Text(_)));
    let mut parts = parts(content);
    let mut details = Meta::new();
    if let Some(structured) = structured_content {
        // Servers should say the same in text; one that does not must not lose its answer.
        if !has_text {
            parts.push(ContentPart::text(structured.to_string()));
        }
        if structured.to_string().len() <= MOST_TEXT {
            details.insert("structured_content".into(), masks.apply_to(structured));
        }
    }
    if parts.is_empty() {
        parts.push(ContentPart::text("(the tool answered nothing)"));
    }
    let is_error = is_error.unwrap_or_default();
    ToolOutput { content: bounded(parts, masks), details, is_error, terminate: false }
}

/// Returns a failed call.
pub(crate) fn failure(text: impl Into<String>) -> ToolOutput {
    let content = vec![ContentPart::text(text)];
    ToolOutput { content, is_error: true, ..ToolOutput::default() }
}

/// Returns the parts of a message of a server's.
pub(crate) fn parts(blocks: Vec<ContentBlock>) -> Vec<ContentPart> {
    blocks.into_iter().map(part).collect()
}

/// Returns what a resource holds.
pub(crate) fn resource_part(contents: ResourceContents) -> ContentPart {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            ContentPart::text(format!("[resource {uri}]\n{text}"))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let kind = mime_type.unwrap_or_else(|| "application/octet-stream".into());
            if is_image(&kind) {
                return image(&blob, kind);
            }
            ContentPart::text(format!("[resource {uri}: {kind}, {} bytes, not shown]", size(&blob)))
        }
        _ => ContentPart::text("[a resource of a kind that is not known]"),
    }
}

/// Cuts text and pictures to what one answer may have, and masks secrets in the text.
pub(crate) fn bounded(parts: Vec<ContentPart>, masks: &Masks) -> Vec<ContentPart> {
    let mut room = MOST_TEXT;
    let mut images = 0;
    let mut kept = Vec::new();
    let mut cut = 0;
    for part in parts {
        match part {
            ContentPart::Text { text } => {
                let text = masks.apply(&text);
                let end = floor_char_boundary(&text, room);
                let (head, tail) = text.split_at(end);
                room -= head.len();
                cut += tail.len();
                if !head.is_empty() || tail.is_empty() {
                    kept.push(ContentPart::text(head));
                }
            }
            image @ ContentPart::Image { .. } => {
                images += 1;
                if images <= MOST_IMAGES {
                    kept.push(image);
                }
            }
        }
    }
    if cut > 0 {
        kept.push(ContentPart::text(format!(
            "[cut here: {cut} more bytes; ask the tool for less at a time]"
        )));
    }
    if images > MOST_IMAGES {
        let more = images - MOST_IMAGES;
        kept.push(ContentPart::text(format!("[{more} more pictures, not shown]")));
    }
    kept
}

/// Returns `text` in one line of at most `most` characters, for a log or an error.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let head: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{head}…")
}

fn part(block: ContentBlock) -> ContentPart {
    match block {
        ContentBlock::Text(text) => ContentPart::text(text.text),
        ContentBlock::Image(picture) if is_image(&picture.mime_type) => {
            image(&picture.data, picture.mime_type)
        }
        ContentBlock::Image(picture) => {
            let bytes = size(&picture.data);
            ContentPart::text(format!("[picture: {}, {bytes} bytes, not shown]", picture.mime_type))
        }
        ContentBlock::Audio(audio) => {
            let bytes = size(&audio.data);
            ContentPart::text(format!("[sound: {}, {bytes} bytes, not played]", audio.mime_type))
        }
        ContentBlock::Resource(embedded) => resource_part(embedded.resource),
        ContentBlock::ResourceLink(link) => {
            let mut text = format!("[link to the resource {}: {}", link.uri, link.name);
            for more in [link.mime_type, link.description].into_iter().flatten() {
                text.push_str(", ");
                text.push_str(&more);
            }
            ContentPart::text(text + "]")
        }
        _ => ContentPart::text("[content of a kind that is not known]"),
    }
}

fn image(data: &str, mime_type: String) -> ContentPart {
    let data: String = data.split_ascii_whitespace().collect();
    if data.len() > MOST_IMAGE {
        let bytes = size(&data);
        return ContentPart::text(format!("[picture: {mime_type}, {bytes} bytes, too large]"));
    }
    ContentPart::Image { data, mime_type }
}

fn is_image(mime_type: &str) -> bool {
    IMAGE_TYPES.contains(&mime_type)
}

/// Returns how many bytes a text in base64 stands for.
fn size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
