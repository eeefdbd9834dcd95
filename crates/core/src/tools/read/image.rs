//! Pictures: which kind a file is by its first bytes, and whether it is whole.
//!
//! Owns the structure checks. A picture that a server cannot decode would spoil every later
//! request of the session, so it never gets in. Must not decode pixels.

/// The kinds of picture that models take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
}

impl ImageKind {
    /// Returns the kind of the picture that begins with `head`.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Returns the MIME type.
    pub(super) fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    /// Returns whether `bytes` are a whole picture of this kind.
    pub(super) fn is_whole(self, bytes: &[u8]) -> bool {
        let whole = match self {
            Self::Png => png(bytes),
            Self::Jpeg => jpeg(bytes),
            Self::Gif => gif(bytes),
            Self::WebP => webp(bytes),
        };
        whole.is_some()
    }
}

/// Walks the chunks of a PNG, with their checksums, to the last one.
fn png(bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.get(8..)?;
    let (mut has_header, mut has_data) = (false, false);
    loop {
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let (body, after) = rest.get(4..)?.split_at_checked(length.checked_add(4)?)?;
        let checksum = u32::from_be_bytes(*after.first_chunk()?);
        if crc32fast::hash(body) != checksum {
            return None;
        }
        let (kind, data) = body.split_at_checked(4)?;
        match kind {
            b"IHDR" => {
                let size = data.get(..8)?;
                has_header = length == 13 && size.chunks(4).all(|side| side != [0; 4]);
            }
            b"IDAT" => has_data = true,
            b"IEND" => return (has_header && has_data).then_some(()),
            _ => {}
        }
        if !has_header {
            return None;
        }
        rest = after.get(4..)?;
    }
}

/// Walks the segments of a JPEG to its picture data, and looks for the end mark after them.
fn jpeg(bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.get(2..)?;
    let mut has_frame = false;
    loop {
        let &[0xFF, marker] = rest.first_chunk()? else { return None };
        if marker == 0xFF {
            rest = rest.get(1..)?;
            continue;
        }
        rest = rest.get(2..)?;
        let length = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        let (segment, after) = rest.split_at_checked(length)?;
        match marker {
            // Every start of frame; C4, C8 and CC in between are something else.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let size = segment.get(3..7)?;
                has_frame = size.get(2..)? != [0, 0];
            }
            0xDA => {
                let has_end = memchr::memmem::rfind(after, &[0xFF, 0xD9]).is_some();
                return (has_frame && has_end).then_some(());
            }
            _ => {}
        }
        if length < 2 {
            return None;
        }
        rest = after;
    }
}

/// Walks the blocks of a GIF to its trailer.
fn gif(bytes: &[u8]) -> Option<()> {
    let &[width_low, width_high, height_low, height_high, flags, _, _] =
        bytes.get(6..)?.first_chunk()?;
    if [width_low, width_high] == [0, 0] || [height_low, height_high] == [0, 0] {
        return None;
    }
    let mut rest = bytes.get(13 + color_table(flags)..)?;
    let mut has_picture = false;
    loop {
        let (introducer, after) = rest.split_first()?;
        rest = match introducer {
            0x21 => after_blocks(after.get(1..)?)?,
            0x2C => {
                has_picture = true;
                let flags = *after.get(8)?;
                after_blocks(after.get(9 + color_table(flags) + 1..)?)?
            }
            0x3B => return has_picture.then_some(()),
            _ => return None,
        };
    }
}

/// Returns the size of the color table that a GIF's flags announce.
fn color_table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Returns what follows a GIF's blocks of data, which an empty one ends.
fn after_blocks(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let (length, after) = rest.split_first()?;
        rest = after.get(usize::from(*length)..)?;
        if *length == 0 {
            return Some(rest);
        }
    }
}

/// Compares the size that a WebP announces with its own.
fn webp(bytes: &[u8]) -> Option<()> {
    let announced = usize::try_from(u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    let body = bytes.get(12..announced.checked_add(8)?)?;
    let first = usize::try_from(u32::from_le_bytes(*body.get(4..)?.first_chunk()?)).ok()?;
    let is_known = matches!(body.get(..4)?, b"VP8 " | b"VP8L" | b"VP8X");
    (is_known && first > 0 && first.checked_add(8)? <= body.len()).then_some(())
}

#[cfg(test)]
mod tests;
