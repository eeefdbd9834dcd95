//! The one table of what keys do: each action with its name, its keys and its words of help.
//!
//! Owns the names that `[keys]` of a config file uses and the keys that hold without it. Must not
//! know how an action is done.

use super::{Action, Context};

/// An action of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The action.
    pub action: Action,
    /// Its name in `[keys]`.
    pub name: &'static str,
    /// The keys that do it where `[keys]` says nothing, as they are written; two keys with a blank
    /// between them are pressed one after the other.
    pub keys: &'static [&'static str],
    /// One line of help.
    pub help: &'static str,
    /// Where it can be done.
    pub context: Context,
}

/// All actions, in the order of the help.
pub const TABLE: &[Row] = &[
    row(Action::Send, "send", &["enter"], "send the message", Context::Composer),
    row(
        Action::Newline,
        "newline",
        &["ctrl+j", "alt+enter", "shift+enter"],
        "begin a new line",
        Context::Composer,
    ),
    row(
        Action::Complete,
        "complete",
        &["tab"],
        "complete a command, file or path",
        Context::Composer,
    ),
    row(
        Action::Editor,
        "editor",
        &["ctrl+g", "ctrl+x ctrl+e"],
        "write the message in your editor",
        Context::Composer,
    ),
    row(
        Action::PasteImage,
        "paste-image",
        &["ctrl+v"],
        "paste an image from the clipboard",
        Context::Composer,
    ),
    row(Action::Undo, "undo", &["ctrl+_", "ctrl+/"], "undo", Context::Composer),
    row(Action::Redo, "redo", &["alt+_", "ctrl+alt+z"], "redo", Context::Composer),
    row(
        Action::Up,
        "up",
        &["up", "ctrl+p"],
        "a row up; on the first, the message before in the history",
        Context::Composer,
    ),
    row(
        Action::Down,
        "down",
        &["down", "ctrl+n"],
        "a row down; on the last, the next message of the history",
        Context::Composer,
    ),
    row(
        Action::HistorySearch,
        "history-search",
        &["ctrl+r"],
        "search the history",
        Context::Composer,
    ),
    row(Action::Left, "left", &["left", "ctrl+b"], "a character back", Context::Composer),
    row(Action::Right, "right", &["right", "ctrl+f"], "a character on", Context::Composer),
    row(
        Action::WordLeft,
        "word-left",
        &["alt+b", "ctrl+left", "alt+left"],
        "a word back",
        Context::Composer,
    ),
    row(
        Action::WordRight,
        "word-right",
        &["alt+f", "ctrl+right", "alt+right"],
        "a word on",
        Context::Composer,
    ),
    row(
        Action::LineStart,
        "line-start",
        &["ctrl+a", "home"],
        "to the beginning of the line",
        Context::Composer,
    ),
    row(
        Action::LineEnd,
        "line-end",
        &["ctrl+e", "end"],
        "to the end of the line",
        Context::Composer,
    ),
    row(
        Action::TextStart,
        "text-start",
        &["ctrl+home", "alt+<"],
        "to the beginning of the message",
        Context::Composer,
    ),
    row(
        Action::TextEnd,
        "text-end",
        &["ctrl+end", "alt+>"],
        "to the end of the message",
        Context::Composer,
    ),
    row(
        Action::DeleteBack,
        "delete-back",
        &["backspace", "ctrl+h", "shift+backspace"],
        "delete the character before the caret",
        Context::Composer,
    ),
    row(
        Action::DeleteForward,
        "delete-forward",
        &["delete", "ctrl+d"],
        "delete the character behind the caret",
        Context::Composer,
    ),
    row(
        Action::KillToEnd,
        "kill-to-end",
        &["ctrl+k"],
        "cut to the end of the line",
        Context::Composer,
    ),
    row(
        Action::KillToStart,
        "kill-to-start",
        &["ctrl+u"],
        "cut to the beginning of the line",
        Context::Composer,
    ),
    row(
        Action::KillWordBack,
        "kill-word-back",
        &["ctrl+w", "alt+backspace", "ctrl+backspace"],
        "cut the word before the caret",
        Context::Composer,
    ),
    row(
        Action::KillWordForward,
        "kill-word-forward",
        &["alt+d", "ctrl+delete", "alt+delete"],
        "cut the word behind the caret",
        Context::Composer,
    ),
    row(Action::Yank, "yank", &["ctrl+y"], "put back what was cut last", Context::Composer),
    row(
        Action::YankPop,
        "yank-pop",
        &["alt+y"],
        "after that, what was cut before it",
        Context::Composer,
    ),
    row(
        Action::Stop,
        "stop",
        &["esc"],
        "stop the run; Enter stops it too, and with a text goes on with that",
        Context::Working,
    ),
    // Not an Alt key alone, which some terminals keep for typing letters; Ctrl+Q is free in raw
    // mode, where the terminal's flow control is off.
    row(
        Action::QueueFollowUp,
        "queue-follow-up",
        &["ctrl+q", "alt+q"],
        "send the message once the run has ended",
        Context::Working,
    ),
    row(
        Action::TakeBack,
        "take-back",
        &["alt+up"],
        "take the last queued message back",
        Context::Working,
    ),
    row(Action::Retry, "retry", &["r"], "try again", Context::Failed),
    row(
        Action::Interrupt,
        "interrupt",
        &["ctrl+c"],
        "stop the run or clear the message; twice within two seconds, exit",
        Context::Everywhere,
    ),
    row(Action::Exit, "exit", &["ctrl+d"], "exit, from an empty message", Context::Empty),
    row(
        Action::ToggleThinking,
        "toggle-thinking",
        &["ctrl+t"],
        "show or fold what the model thinks",
        Context::Everywhere,
    ),
    row(
        Action::Unfold,
        "unfold",
        &["ctrl+o"],
        "show the last tool call in full",
        Context::Everywhere,
    ),
    row(
        Action::Redraw,
        "redraw",
        &["ctrl+l"],
        "draw the lower rows of the screen anew",
        Context::Everywhere,
    ),
    row(
        Action::Suspend,
        "suspend",
        &["ctrl+z"],
        "suspend; the shell's `fg` comes back",
        Context::Everywhere,
    ),
    row(Action::Choose, "choose", &["enter"], "take the marked row", Context::Picker),
    row(Action::Cancel, "cancel", &["esc", "ctrl+c"], "close the list", Context::Picker),
    row(Action::Previous, "previous", &["up", "ctrl+p"], "the row above", Context::Picker),
    row(Action::Next, "next", &["down", "ctrl+n"], "the row below", Context::Picker),
    row(Action::PageUp, "page-up", &["pageup"], "a page up", Context::Picker),
    row(Action::PageDown, "page-down", &["pagedown"], "a page down", Context::Picker),
    row(Action::First, "first", &["home"], "the first row", Context::Picker),
    row(Action::Last, "last", &["end"], "the last row", Context::Picker),
];

const fn row(
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    help: &'static str,
    context: Context,
) -> Row {
    Row { action, name, keys, help, context }
}
