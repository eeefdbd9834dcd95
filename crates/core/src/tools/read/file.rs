//! A file that is being read: its lines, or its picture.
//!
//! Owns the limits on what is read, and the words about what was left out. The file is streamed:
//! memory does not grow with it.

use super::hidden;
use super::image::ImageKind;
use super::window::{CHARACTER_LIMIT, View, Window};
use crate::env::{FileInfo, FileReader, Fingerprint};
use crate::tools::encoding::{BYTE_ORDER_MARK, HEAD};
use crate::tools::fingerprint::Hasher;
use crate::tools::ledger::note_seen;
use crate::tools::target::{Target, file_error};
use crate::tools::{ToolContext, ToolError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use letscode_wire::{ContentPart, Meta, ToolOutput};

/// Of a larger file no more is read than the window needs: its lines are not counted, and it
/// never counts as known.
const WHOLE_LIMIT: u64 = 64 * 1024 * 1024;
/// A larger picture is refused.
const IMAGE_LIMIT: usize = 5 * 1024 * 1024;

/// A file that is being read, with enough of its beginning to tell what it is.
pub(super) struct File<'a> {
    target: Target<'a>,
    info: FileInfo,
    context: &'a ToolContext,
    reader: Box<dyn FileReader>,
    /// The first bytes.
    pub(super) head: Vec<u8>,
    at_end: bool,
}

impl<'a> File<'a> {
    /// Opens the file and reads its first bytes.
    pub(super) async fn open(
        target: Target<'a>,
        info: FileInfo,
        context: &'a ToolContext,
    ) -> Result<Self, ToolError> {
        let reader = context.env.open(target.path).await.map_err(|error| file_error(&error))?;
        let mut file = Self { target, info, context, reader, head: Vec::new(), at_end: false };
        while file.head.len() < HEAD && !file.at_end {
            let chunk = file.next_chunk().await?;
            file.head.extend(chunk);
        }
        Ok(file)
    }

    /// Returns the lines from `offset`, counted from 0.
    pub(super) async fn read_text(
        mut self,
        offset: u64,
        limit: u64,
    ) -> Result<ToolOutput, ToolError> {
        let head = std::mem::take(&mut self.head);
        let mut hasher = Hasher::default();
        hasher.push(&head);
        let mut size = head.len() as u64;
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head);
        let mark = size - text.len() as u64;
        let mut window = Window::new(offset, limit);
        window.push(text);
        while !(self.at_end || (size.max(self.info.size) > WHOLE_LIMIT && window.has_all())) {
            let chunk = self.next_chunk().await?;
            size += chunk.len() as u64;
            if size <= WHOLE_LIMIT {
                hasher.push(&chunk);
            }
            window.push(&chunk);
        }
        let view = window.finish();
        if let Some(bad) = view.fault {
            return Err(ToolError::new(format!(
                "{} is not UTF-8: byte 0x{:02X} at offset {} (line {}) does not fit, of {} bytes. \
                 Convert it with bash (iconv) to see it; edit can replace ASCII text in it",
                self.target.given,
                bad.byte,
                bad.offset + mark,
                bad.line,
                self.info.size.max(size)
            )));
        }
        let total_lines = self.at_end.then_some(view.lines_read);
        if view.lines == 0 && view.lines_read > 0 {
            return Err(ToolError::new(format!(
                "offset {offset} is past the end: {} has {} lines, and offset counts from 0",
                self.target.given, view.lines_read
            )));
        }
        let is_known = self.at_end && size <= WHOLE_LIMIT;
        let fingerprint = is_known.then(|| hasher.finish());
        let mut details = self.details(view.lines, total_lines, offset);
        details.insert("size".to_owned(), size.max(self.info.size).into());
        self.remember(fingerprint, &mut details);
        let text = with_notes(view, offset, total_lines, self.target.given);
        Ok(ToolOutput { content: vec![ContentPart::text(text)], details, ..ToolOutput::default() })
    }

    /// Returns the picture, or what a model that cannot see is told instead.
    pub(super) async fn read_image(mut self, kind: ImageKind) -> Result<ToolOutput, ToolError> {
        let (given, mime_type) = (self.target.given, kind.mime_type());
        let mut details = self.details(0, Some(0), 0);
        details.insert("mime_type".to_owned(), mime_type.into());
        details.insert("size".to_owned(), self.info.size.into());
        if !self.context.vision {
            let text = format!(
                "{given} is a picture ({mime_type}, {} bytes), and this model does not take \
                 pictures: what it shows is not known here",
                self.info.size
            );
            let content = vec![ContentPart::text(text)];
            return Ok(ToolOutput { content, details, ..ToolOutput::default() });
        }
        let mut bytes = std::mem::take(&mut self.head);
        while !self.at_end {
            if bytes.len().max(usize::try_from(self.info.size).unwrap_or(usize::MAX)) > IMAGE_LIMIT
            {
                return Err(ToolError::new(format!(
                    "{given} is a picture of {} bytes, and at most 5 MB can be shown: make it \
                     smaller with bash first",
                    self.info.size
                )));
            }
            let chunk = self.next_chunk().await?;
            bytes.extend(chunk);
        }
        if !kind.is_whole(&bytes) {
            return Err(ToolError::new(format!(
                "{given} begins like {mime_type} but is broken or cut off ({} bytes): it is not \
                 shown",
                bytes.len()
            )));
        }
        self.remember(Some(Fingerprint::of(&bytes)), &mut details);
        let content = vec![
            ContentPart::text(format!("{given} ({mime_type}, {} bytes)", bytes.len())),
            ContentPart::Image { data: STANDARD.encode(&bytes), mime_type: mime_type.to_owned() },
        ];
        Ok(ToolOutput { content, details, ..ToolOutput::default() })
    }

    async fn next_chunk(&mut self) -> Result<Vec<u8>, ToolError> {
        let chunk = self.reader.read_chunk().await.map_err(|error| file_error(&error))?;
        self.at_end = chunk.is_empty();
        Ok(chunk)
    }

    fn details(&self, lines: u64, total_lines: Option<u64>, offset: u64) -> Meta {
        let mut details = Meta::new();
        details.insert("path".to_owned(), self.target.given.into());
        details.insert("lines_returned".to_owned(), lines.into());
        details.insert("total_lines".to_owned(), total_lines.into());
        details.insert("offset".to_owned(), offset.into());
        details
    }

    fn remember(&self, fingerprint: Option<Fingerprint>, details: &mut Meta) {
        if let Some(fingerprint) = fingerprint {
            self.context.files.record(self.target.path, fingerprint);
            note_seen(details, self.target.path, fingerprint);
        }
    }
}

/// Returns the text of a view, with what was left out and how to go on.
fn with_notes(view: View, offset: u64, total_lines: Option<u64>, given: &str) -> String {
    if view.lines == 0 {
        return "[the file is empty]".to_owned();
    }
    let mut notes = Vec::new();
    let next = offset.saturating_add(view.lines);
    if total_lines != Some(next) {
        let total = total_lines.map_or("more".to_owned(), |total| total.to_string());
        let uncounted = if total_lines.is_none() {
            "; the file is larger than 64 MB, so its lines were not counted"
        } else {
            ""
        };
        notes.push(format!(
            "lines {}-{next} of {total}; go on with offset {next}{uncounted}",
            offset.saturating_add(1)
        ));
    }
    if view.cut_lines > 0 {
        notes.push(format!(
            "long lines are cut; the rest of one: sed -n NUMBERp '{given}' | cut -c{}-{}",
            CHARACTER_LIMIT + 1,
            CHARACTER_LIMIT * 2
        ));
    }
    notes.extend(hidden::note(&view.text));
    let mut text = view.text;
    for (index, note) in notes.iter().enumerate() {
        text.push_str(if index == 0 { "\n\n[" } else { "\n[" });
        text.push_str(note);
        text.push(']');
    }
    text
}
