//! Events to lines, with the snapshot of the growing answer built from its encoded prefix.
//!
//! Owns the one place where a `message_update` gets its `message`. A snapshot repeats all the text
//! so far, so the text is escaped once, kept, and only its end is rewritten for each piece. Must
//! not change any other event.

use letscode_wire::{
    AssistantMessage, Control, Event, Message, StopReason, StreamEvent, Usage, encode_line,
};
use std::io;

/// What a `message_update` line carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateStyle {
    /// The whole message so far and the piece.
    Snapshot,
    /// Only the piece.
    Delta,
}

/// Turns outputs into lines. The returned lines end with a newline and hold until the next call.
#[derive(Default)]
pub(super) struct Encoder {
    line: Vec<u8>,
    answer: Option<Snapshot>,
}

/// The answer so far, encoded up to the end of its text.
struct Snapshot {
    /// `{"type":"message_update","message":{…"content":[` and, once there is text, the open
    /// text part.
    line: Vec<u8>,
    /// How much of `line` belongs to every later line.
    prefix: usize,
    has_text: bool,
    timestamp: f64,
    stop_reason: Option<StopReason>,
    usage: Option<Usage>,
    scratch: Vec<u8>,
}

impl Encoder {
    /// Returns a control message's line.
    pub(super) fn control(&mut self, control: &Control) -> io::Result<&[u8]> {
        self.line.clear();
        encode_line(control, &mut self.line)?;
        Ok(&self.line)
    }

    /// Returns an event's line.
    pub(super) fn event(&mut self, event: &Event, style: UpdateStyle) -> io::Result<&[u8]> {
        match event {
            Event::MessageStart { message } => {
                self.answer = message.as_assistant().map(Snapshot::new).transpose()?;
            }
            Event::MessageUpdate { message: None, stream_event } => {
                if let Some(answer) = &mut self.answer {
                    answer.take(stream_event)?;
                    if style == UpdateStyle::Snapshot {
                        return answer.line(stream_event);
                    }
                }
            }
            Event::MessageEnd { .. } => self.answer = None,
            Event::AgentStart { .. }
            | Event::TurnStart { .. }
            | Event::MessageUpdate { message: Some(_), .. }
            | Event::ToolExecutionStart { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. }
            | Event::TurnEnd { .. }
            | Event::Retry(_)
            | Event::Error { .. }
            | Event::AgentEnd { .. }
            | Event::UiRequest { .. }
            | Event::UiWithdrawn { .. } => {}
        }
        self.line.clear();
        encode_line(event, &mut self.line)?;
        Ok(&self.line)
    }
}

/// Stands where the text goes while the frame around it is encoded; no id or time can hold it.
const FRAME_CUT: &str = r#""content":[]"#;

impl Snapshot {
    fn new(message: &AssistantMessage) -> io::Result<Self> {
        let frame = serde_json::to_string(&Message::Assistant(message.clone()))?;
        let content = frame.find(FRAME_CUT).map_or(frame.len(), |at| at + FRAME_CUT.len() - 1);
        let mut line = br#"{"type":"message_update","message":"#.to_vec();
        line.extend_from_slice(frame.as_bytes().get(..content).unwrap_or_default());
        let prefix = line.len();
        Ok(Self {
            line,
            prefix,
            has_text: false,
            timestamp: message.timestamp,
            stop_reason: None,
            usage: None,
            scratch: Vec::new(),
        })
    }

    /// Takes a piece in, without giving a line.
    fn take(&mut self, piece: &StreamEvent) -> io::Result<()> {
        match piece {
            StreamEvent::TextDelta { delta } => {
                self.line.truncate(self.prefix);
                if !std::mem::replace(&mut self.has_text, true) {
                    self.line.extend_from_slice(br#"{"type":"text","text":""#);
                }
                self.scratch.clear();
                serde_json::to_writer(&mut self.scratch, delta)?;
                let escaped = self.scratch.get(1..self.scratch.len() - 1).unwrap_or_default();
                self.line.extend_from_slice(escaped);
                self.prefix = self.line.len();
            }
            StreamEvent::Stop { reason } => self.stop_reason = Some(*reason),
            StreamEvent::Usage { usage } => self.usage = Some(*usage),
            StreamEvent::ThinkingDelta { .. }
            | StreamEvent::ToolCallStart { .. }
            | StreamEvent::ToolCallArgsDelta { .. }
            | StreamEvent::ToolCallEnd { .. }
            | StreamEvent::Retry(_) => {}
        }
        Ok(())
    }

    /// Returns the line for the piece that was taken in last.
    fn line(&mut self, piece: &StreamEvent) -> io::Result<&[u8]> {
        self.line.truncate(self.prefix);
        let line = &mut self.line;
        if self.has_text {
            line.extend_from_slice(br#""}"#);
        }
        line.extend_from_slice(br#"],"tool_calls":[],"timestamp":"#);
        serde_json::to_writer(&mut *line, &self.timestamp)?;
        line.extend_from_slice(br#","stop_reason":"#);
        serde_json::to_writer(&mut *line, &self.stop_reason)?;
        line.extend_from_slice(br#","usage":"#);
        serde_json::to_writer(&mut *line, &self.usage)?;
        line.extend_from_slice(br#","meta":{}},"stream_event":"#);
        serde_json::to_writer(&mut *line, piece)?;
        line.extend_from_slice(b"}\n");
        Ok(line)
    }
}
