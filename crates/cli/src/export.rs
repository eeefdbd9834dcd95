//! A conversation as one file to keep, to print or to pass on.
//!
//! Owns what such a file shows and where it goes. The page is a pure function of what it is made
//! of. It must run nothing and load nothing when it is opened, whatever is in the conversation:
//! all text of it is foreign.

mod file;
mod outline;

mod html;
mod page;

mod call;
mod clip;
mod entry;
mod markdown;
mod picture;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub(crate) use file::{Place, write};

use letscode_core::secrets::Secrets;
use letscode_wire::Message;
use std::sync::Arc;

/// What a page is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportInput<'a> {
    /// What the conversation is called; empty where it has no name.
    pub(crate) title: &'a str,
    /// The model that is in use at the end.
    pub(crate) model: &'a str,
    /// The day of the export, for example `2026-11-30`.
    pub(crate) date: &'a str,
    /// The version of this program.
    pub(crate) version: &'a str,
    /// The conversation, oldest message first.
    pub(crate) transcript: &'a [Arc<Message>],
    /// The keys that the page must not show.
    pub(crate) secrets: &'a Secrets,
}

/// Returns the conversation as one HTML file that needs nothing beside it.
pub(crate) fn to_html(input: &ExportInput<'_>) -> String {
    page::build(input)
}
