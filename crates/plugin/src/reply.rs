//! What handlers may answer with.
//!
//! Owns the short forms of an answer. Must not know what is answered.

use letscode_wire::{ContentPart, RunCommandReply, ToolOutput};

/// What a tool may answer: a text, or a whole [`ToolOutput`].
pub trait IntoToolOutput {
    /// Returns the output.
    fn into_tool_output(self) -> ToolOutput;
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput { content: vec![ContentPart::text(self)], ..ToolOutput::default() }
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> ToolOutput {
        self.to_owned().into_tool_output()
    }
}

/// What a slash command may answer: a text for the user, nothing, or a whole [`RunCommandReply`].
pub trait IntoCommandReply {
    /// Returns the reply.
    fn into_command_reply(self) -> RunCommandReply;
}

impl IntoCommandReply for RunCommandReply {
    fn into_command_reply(self) -> RunCommandReply {
        self
    }
}

impl IntoCommandReply for String {
    fn into_command_reply(self) -> RunCommandReply {
        RunCommandReply { text: self, ..RunCommandReply::default() }
    }
}

impl IntoCommandReply for &str {
    fn into_command_reply(self) -> RunCommandReply {
        self.to_owned().into_command_reply()
    }
}

impl IntoCommandReply for () {
    fn into_command_reply(self) -> RunCommandReply {
        RunCommandReply::default()
    }
}
