//! Reasoning: one text out of several fields, and what the provider needs back.
//!
//! Owns which field counts, the merging of typed items, and the form in a message's `meta`. Must
//! not decide whether a later request carries it.

use crate::chunk::{Delta, Members};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The reasoning of one answer so far.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    /// Where the first text came from.
    source: Option<Source>,
    text: String,
    details: Vec<Detail>,
    /// Bytes kept beside the text.
    detail_bytes: usize,
}

/// Where reasoning comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The member `reasoning_content`.
    ReasoningContent,
    /// The member `reasoning`.
    Reasoning,
    /// The member `reasoning_details`.
    ReasoningDetails,
    /// `<think>` tags in the text.
    ThinkTags,
    /// Parts of the content list.
    ContentParts,
}

impl Reasoning {
    /// Takes the reasoning of one delta and returns the text to show; empty for none.
    ///
    /// Servers mirror the same text in several members: only the first that has text counts.
    pub(super) fn take_delta<'d>(&mut self, delta: &'d Delta<'_>) -> Cow<'d, str> {
        for item in &delta.reasoning_details.0 {
            self.take_detail(item);
        }
        let (source, text) = if let Some(text) = delta.reasoning_content.text() {
            (Source::ReasoningContent, Cow::Borrowed(text))
        } else if let Some(text) = delta.reasoning.text() {
            (Source::Reasoning, Cow::Borrowed(text))
        } else if !delta.reasoning_details.0.is_empty() {
            let texts = delta.reasoning_details.0.iter().filter_map(shown_text);
            (Source::ReasoningDetails, Cow::Owned(texts.collect()))
        } else {
            (Source::ContentParts, Cow::Borrowed(delta.content.thinking.as_str()))
        };
        self.take_text(source, &text);
        text
    }

    /// Takes text from `source`.
    pub(super) fn take_text(&mut self, source: Source, text: &str) {
        if !text.is_empty() {
            self.source.get_or_insert(source);
            self.text.push_str(text);
        }
    }

    /// Returns the text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text alone, for an answer that has nothing else.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Returns how many bytes are held.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.detail_bytes
    }

    /// Returns the form for a message's `meta`, if there is anything to give back.
    pub(super) fn into_meta(self) -> Option<Value> {
        if !self.details.is_empty() {
            let details: Vec<_> = self.details.into_iter().map(|item| item.members).collect();
            let field = Source::ReasoningDetails.field();
            return Some(json!({ "field": field, "text": self.text, "details": details }));
        }
        self.source.map(|source| json!({ "field": source.field(), "text": self.text }))
    }

    fn take_detail(&mut self, item: &Members<'_>) {
        let known = self.details.iter_mut().rev().find(|known| known.continues_with(item));
        if let Some(known) = known {
            self.detail_bytes += known.take(item);
        } else {
            let mut detail = Detail::default();
            self.detail_bytes += detail.take(item);
            self.details.push(detail);
        }
    }
}

impl Source {
    fn field(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningDetails => "reasoning_details",
            Self::ThinkTags => "think_tags",
            Self::ContentParts => "content_parts",
        }
    }
}

/// One typed item, merged from its pieces.
#[derive(Debug, Default)]
struct Detail {
    members: Map<String, Value>,
    /// The JSON texts of the members that tell one item from another.
    index: Option<String>,
    kind: Option<String>,
    id: Option<String>,
}

/// The members whose pieces are joined; of any other the newest counts.
const TEXT_MEMBERS: [&str; 2] = ["text", "summary"];

impl Detail {
    /// Returns whether `item` is a further piece of this one: nothing that tells items apart may
    /// differ. Where there is no index, only text goes on.
    fn continues_with(&self, item: &Members<'_>) -> bool {
        let agrees = |known: &Option<String>, name| match (known, item.raw(name)) {
            (Some(known), Some(new)) => known == new,
            (None, _) | (_, None) => true,
        };
        let is_placed = self.index.is_some() && item.raw("index").is_some();
        let is_text = TEXT_MEMBERS.iter().any(|name| item.raw(name).is_some());
        (is_placed || (self.index.is_none() && is_text))
            && agrees(&self.index, "index")
            && agrees(&self.kind, "type")
            && agrees(&self.id, "id")
    }

    /// Takes a piece and returns how many bytes it added.
    fn take(&mut self, item: &Members<'_>) -> usize {
        let mut added = 0;
        for (slot, name) in
            [(&mut self.index, "index"), (&mut self.kind, "type"), (&mut self.id, "id")]
        {
            if slot.is_none() {
                *slot = item.raw(name).map(str::to_owned);
            }
        }
        for (name, raw) in item.iter() {
            let Ok(value) = serde_json::from_str::<Value>(raw) else { continue };
            match (self.members.get_mut(name), value) {
                (Some(Value::String(known)), Value::String(more))
                    if TEXT_MEMBERS.contains(&name) =>
                {
                    added += more.len();
                    known.push_str(&more);
                }
                (Some(known), value) => {
                    if *known != value {
                        added += raw.len();
                        *known = value;
                    }
                }
                (None, value) => {
                    added += name.len() + raw.len();
                    self.members.insert(name.to_owned(), value);
                }
            }
        }
        added
    }
}

fn shown_text<'a>(item: &Members<'a>) -> Option<Cow<'a, str>> {
    TEXT_MEMBERS.iter().find_map(|name| item.text(name).filter(|text| !text.is_empty()))
}
