//! Lenient reading of one chunk of a stream, or of a whole non-stream answer.
//!
//! Owns the JSON shapes that servers send: every member optional, of any type, unknown ones
//! ignored. Borrows from the bytes; a text delta costs no copy here. Must not give the members a
//! meaning beyond their type.

mod loose;
mod salvage;

pub(crate) use loose::{
    Atom, List, Loose, LooseVisitor, Members, Number, Object, loose_deserialize,
};
pub(crate) use salvage::salvage;

use crate::usage::UsageFigures;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Returns the chunk that `data` holds, or `None` where it is no JSON object.
pub(crate) fn read(data: &[u8]) -> Option<Chunk<'_>> {
    // To check all bytes at once is cheaper than to check each string.
    let text = std::str::from_utf8(data).ok()?;
    serde_json::from_str::<Object<Chunk<'_>>>(text).ok()?.0
}

/// One chunk, or one whole answer. Large parts are boxed: serde moves values up level by level.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk<'a> {
    /// The answers asked for; we ask for one.
    #[serde(borrow)]
    pub(crate) choices: List<Choice<'a>>,
    /// Token figures so far.
    pub(crate) usage: Object<Box<UsageFigures>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    error_code: Option<&'a RawValue>,
    #[serde(borrow)]
    detail: Option<&'a RawValue>,
    #[serde(borrow)]
    object: Atom<'a>,
    #[serde(borrow, rename = "type")]
    kind: Atom<'a>,
}

/// One of the answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice<'a> {
    /// Which answer it belongs to; absent means the first.
    #[serde(borrow)]
    pub(crate) index: Atom<'a>,
    /// What is new.
    #[serde(borrow)]
    pub(crate) delta: Object<Box<Delta<'a>>>,
    /// The whole message, from servers that do not stream.
    #[serde(borrow)]
    pub(crate) message: Object<Box<Delta<'a>>>,
    /// Why the model stopped, in the server's words.
    #[serde(borrow)]
    pub(crate) finish_reason: Atom<'a>,
    /// Why the model stopped, in the words of the server behind a gateway.
    #[serde(borrow)]
    pub(crate) native_finish_reason: Atom<'a>,
    /// Token figures, from servers that put them here.
    pub(crate) usage: Object<Box<UsageFigures>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// A piece of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    /// Visible text.
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    /// Why the model will not answer; visible text too.
    #[serde(borrow)]
    pub(crate) refusal: Atom<'a>,
    /// Reasoning under one name.
    #[serde(borrow)]
    pub(crate) reasoning_content: Atom<'a>,
    /// Reasoning under another name.
    #[serde(borrow)]
    pub(crate) reasoning: Atom<'a>,
    /// Reasoning as typed items.
    #[serde(borrow)]
    pub(crate) reasoning_details: List<Members<'a>>,
    /// Pieces of tool calls.
    #[serde(borrow)]
    pub(crate) tool_calls: List<CallDelta<'a>>,
}

/// Text, or a list of parts.
#[derive(Debug, Default)]
pub(crate) struct Content<'a> {
    /// The text of all parts.
    pub(crate) text: Cow<'a, str>,
    /// The text of the parts that hold reasoning.
    pub(crate) thinking: String,
}

/// A piece of one tool call.
#[derive(Debug, Default)]
pub(crate) struct CallDelta<'a> {
    /// The call's place in the message, where the server tells.
    pub(crate) index: Atom<'a>,
    /// The call's id; text or a number.
    pub(crate) id: Atom<'a>,
    /// Name and arguments.
    pub(crate) function: FunctionDelta<'a>,
    /// Members that we do not know and that the server may want back.
    pub(crate) extras: Members<'a>,
}

/// A piece of a tool call's name and arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionDelta<'a> {
    /// The tool's name or a piece of it.
    #[serde(borrow)]
    pub(crate) name: Atom<'a>,
    /// Its arguments or a piece of them.
    #[serde(borrow)]
    pub(crate) arguments: Arguments<'a>,
}

/// What a tool call's `arguments` held.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Arguments<'a> {
    /// Nothing.
    #[default]
    Absent,
    /// A piece of JSON text, as the protocol has it.
    Fragment(Cow<'a, str>),
    /// The JSON text of the arguments themselves, which came instead of their text.
    Whole(String),
}

impl Chunk<'_> {
    /// Returns whether the server reports a failure here, in any of the shapes for it.
    pub(crate) fn is_error(&self) -> bool {
        let says_error = |atom: &Atom<'_>| atom.text() == Some("error");
        self.error.is_some_and(|error| !is_blank_value(error.get()))
            || says_error(&self.object)
            || says_error(&self.kind)
            || (self.choices.0.is_empty() && (self.error_code.is_some() || self.detail.is_some()))
    }
}

impl<'a> Choice<'a> {
    /// Returns the JSON text of the failure that a gateway reports for this answer.
    pub(crate) fn error(&self) -> Option<&'a str> {
        self.error.map(RawValue::get).filter(|error| !is_blank_value(error))
    }
}

/// Returns the HTTP status that an error in a stream carries, if it has one.
pub(crate) fn error_status(data: &[u8]) -> Option<u16> {
    let envelope = serde_json::from_slice::<Object<ErrorFields<'_>>>(data).ok()?.0?;
    let inner = envelope
        .error
        .and_then(|error| serde_json::from_str::<Object<ErrorFields<'_>>>(error.get()).ok()?.0);
    inner.and_then(|fields| fields.http_status()).or_else(|| envelope.http_status())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorFields<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    code: Atom<'a>,
    #[serde(borrow)]
    status: Atom<'a>,
    #[serde(borrow)]
    status_code: Atom<'a>,
}

impl ErrorFields<'_> {
    fn http_status(&self) -> Option<u16> {
        [&self.code, &self.status, &self.status_code].into_iter().find_map(|atom| {
            let number = u16::try_from(atom.count()?).ok()?;
            (400..600).contains(&number).then_some(number)
        })
    }
}

impl<'de: 'a, 'a> Loose<'de> for Arguments<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self::Fragment(text)
    }

    fn from_number(number: Number) -> Self {
        Self::Whole(number.to_string())
    }

    fn from_bool(value: bool) -> Self {
        Self::Whole(value.to_string())
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Self::Whole(value.to_string()))
    }

    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Self::Whole(value.to_string()))
    }
}

loose_deserialize!(Arguments<'a>);

impl<'de: 'a, 'a> Loose<'de> for Content<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { text, thinking: String::new() }
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut content = Self::default();
        while let Some(part) = list.next_element::<Object<Part<'a>>>()? {
            let part = part.0.unwrap_or_default();
            content.text.to_mut().push_str(part.text.text().unwrap_or_default());
            content.thinking.push_str(&part.thinking.text);
        }
        Ok(content)
    }
}

loose_deserialize!(Content<'a>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: Atom<'a>,
    #[serde(borrow)]
    thinking: Content<'a>,
}

impl<'de: 'a, 'a> Loose<'de> for CallDelta<'a> {
    fn from_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut call = Self::default();
        while let Some(key) = map.next_key::<Atom<'a>>()? {
            match key.text().unwrap_or_default() {
                "index" => call.index = map.next_value()?,
                "id" => call.id = map.next_value()?,
                "type" => {
                    map.next_value::<IgnoredAny>()?;
                }
                "function" => {
                    let function: Object<FunctionDelta<'a>> = map.next_value()?;
                    call.function = function.0.unwrap_or_default();
                }
                _ => call.extras.push(key, map.next_value()?),
            }
        }
        Ok(call)
    }
}

loose_deserialize!(CallDelta<'a>);

/// Returns whether a member's JSON text means as much as the member's absence.
fn is_blank_value(raw: &str) -> bool {
    matches!(raw, "null" | "false" | "0" | "\"\"" | "{}" | "[]")
}

#[cfg(test)]
mod tests;
