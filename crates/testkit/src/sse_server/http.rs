//! The little of HTTP/1.1 that the server needs: requests in, heads and chunks out.
//!
//! Owns reading requests (lengths and chunked bodies, however the bytes arrive) and writing
//! response heads. Must not know what is asked or answered.

use serde_json::{Map, Value};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Ends a chunked body.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// What comes before a request's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestHead {
    pub(crate) method: String,
    /// As sent, the query included.
    pub(crate) target: String,
    /// Names in lower case, in the order of sending.
    pub(crate) headers: Vec<(String, String)>,
}

impl RequestHead {
    /// Returns the first value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    /// Returns whether the header has this value, whatever the case.
    pub(crate) fn says(&self, name: &str, value: &str) -> bool {
        self.header(name).is_some_and(|text| text.eq_ignore_ascii_case(value))
    }
}

/// Returns the first value of a header, by its name in lower case.
pub(crate) fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Reads the next head. `buffer` holds what was read too much; `None` where the peer has closed
/// the connection between requests.
///
/// # Errors
/// When the connection breaks, or what comes is no HTTP.
pub(crate) async fn read_head(
    input: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> io::Result<Option<RequestHead>> {
    loop {
        if let Some(end) = find(buffer, b"\r\n\r\n") {
            let rest = buffer.split_off(end + 4);
            let head = std::mem::replace(buffer, rest);
            return parse_head(&head).map(Some);
        }
        if input.read_buf(buffer).await? == 0 {
            return if buffer.is_empty() { Ok(None) } else { Err(cut_off()) };
        }
    }
}

/// Reads the body that belongs to `head`.
///
/// # Errors
/// When the connection breaks, or the body is not framed as announced.
pub(crate) async fn read_body(
    input: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
    head: &RequestHead,
) -> io::Result<Vec<u8>> {
    if head.says("transfer-encoding", "chunked") {
        return read_chunked(input, buffer).await;
    }
    let length = head.header("content-length").unwrap_or("0");
    let length = length.parse().map_err(|_| bad_data("the content-length is no number"))?;
    take(input, buffer, length).await
}

/// Returns when the peer has closed the connection. What it sends before goes to `buffer`.
pub(crate) async fn closed(input: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) {
    while matches!(input.read_buf(buffer).await, Ok(count) if count > 0) {}
}

/// Returns the head of a stream of events.
pub(crate) fn stream_head(status: u16, extra: &Map<String, Value>) -> Vec<u8> {
    let usual = [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("transfer-encoding", "chunked"),
    ];
    response_head(status, &usual, extra)
}

/// Returns a whole response.
pub(crate) fn response(
    status: u16,
    content_type: &str,
    extra: &Map<String, Value>,
    body: &[u8],
) -> Vec<u8> {
    let length = body.len().to_string();
    let usual = [("content-type", content_type), ("content-length", length.as_str())];
    let mut bytes = response_head(status, &usual, extra);
    bytes.extend_from_slice(body);
    bytes
}

/// Adds `data` as one chunk of a chunked body.
pub(crate) fn push_chunk(body: &mut Vec<u8>, data: &[u8]) {
    body.extend_from_slice(format!("{:x}\r\n", data.len()).as_bytes());
    body.extend_from_slice(data);
    body.extend_from_slice(b"\r\n");
}

/// Writes a head; a header in `extra` takes the place of the usual one.
fn response_head(status: u16, usual: &[(&str, &str)], extra: &Map<String, Value>) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    let replaced = |name: &str| extra.keys().any(|key| key.eq_ignore_ascii_case(name));
    for (name, value) in usual.iter().filter(|(name, _)| !replaced(name)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    for (name, value) in extra {
        match value {
            Value::String(text) => head.push_str(&format!("{name}: {text}\r\n")),
            other => head.push_str(&format!("{name}: {other}\r\n")),
        }
    }
    head.push_str("\r\n");
    head.into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Payload Too Large",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

fn parse_head(bytes: &[u8]) -> io::Result<RequestHead> {
    let text = std::str::from_utf8(bytes).map_err(|_| bad_data("the head is not UTF-8"))?;
    let mut lines = text.trim_end().split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad_data("the first line is no request line"));
    };
    let headers = lines.map(|line| {
        let (name, value) =
            line.split_once(':').ok_or_else(|| bad_data("a header has no colon"))?;
        Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    Ok(RequestHead {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: headers.collect::<io::Result<_>>()?,
    })
}

async fn read_chunked(
    input: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = take_line(input, buffer).await?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad_data("a chunk has no size"))?;
        if size == 0 {
            break;
        }
        body.extend(take(input, buffer, size).await?);
        if !take_line(input, buffer).await?.is_empty() {
            return Err(bad_data("a chunk is longer than announced"));
        }
    }
    // Trailers, up to the empty line.
    while !take_line(input, buffer).await?.is_empty() {}
    Ok(body)
}

async fn take_line(
    input: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> io::Result<String> {
    loop {
        if let Some(end) = find(buffer, b"\r\n") {
            let line = buffer.drain(..end + 2).take(end).collect();
            return String::from_utf8(line).map_err(|_| bad_data("a chunk's line is not UTF-8"));
        }
        if input.read_buf(buffer).await? == 0 {
            return Err(cut_off());
        }
    }
}

async fn take(
    input: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
    count: usize,
) -> io::Result<Vec<u8>> {
    while buffer.len() < count {
        if input.read_buf(buffer).await? == 0 {
            return Err(cut_off());
        }
    }
    let rest = buffer.split_off(count);
    Ok(std::mem::replace(buffer, rest))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended inside a request")
}

fn bad_data(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests;
