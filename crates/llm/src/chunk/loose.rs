//! JSON values read without insisting on their type.
//!
//! Owns the rule that a member of an unexpected type counts as absent instead of spoiling the
//! whole chunk. Must not know what any member means.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What to make of each kind of JSON value: the default value, unless said otherwise.
pub(crate) trait Loose<'de>: Default {
    /// Makes a value of a string.
    fn from_text(text: Cow<'de, str>) -> Self {
        drop(text);
        Self::default()
    }

    /// Makes a value of a number.
    fn from_number(_number: Number) -> Self {
        Self::default()
    }

    /// Makes a value of a boolean.
    fn from_bool(_value: bool) -> Self {
        Self::default()
    }

    /// Makes a value of a list.
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    /// Makes a value of an object.
    fn from_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// A number as it stood in the JSON text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A whole number from 0.
    Unsigned(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other.
    Fraction(f64),
}

/// A string or a number; anything else counts as absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Atom<'a> {
    /// Not there, or of another type.
    #[default]
    Absent,
    /// A string, possibly empty.
    Text(Cow<'a, str>),
    /// A number.
    Number(Number),
}

/// An object, read as `T`; anything else counts as absent.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

/// A list of objects, each read as `T`. Items of other types are left out; what is no list
/// counts as an empty one.
#[derive(Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// An object's members as they stand.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Number {
    /// Returns the number as a count; a fraction is cut, below 0 is none.
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            Self::Negative(_) => None,
            // `as` saturates, which is what a figure out of range should do.
            Self::Fraction(number) => (number >= 0.0).then_some(number as u64),
        }
    }

    /// Returns the number as a finite amount from 0.
    pub(crate) fn amount(self) -> Option<f64> {
        let amount = match self {
            Self::Unsigned(number) => number as f64,
            Self::Negative(_) => return None,
            Self::Fraction(number) => number,
        };
        (amount.is_finite() && amount >= 0.0).then_some(amount)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(number) => number.fmt(f),
            Self::Negative(number) => number.fmt(f),
            Self::Fraction(number) => number.fmt(f),
        }
    }
}

impl Atom<'_> {
    /// Returns the string, unless it is empty.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            Self::Text(_) | Self::Number(_) | Self::Absent => None,
        }
    }

    /// Returns the string, or the number as a string, unless it is empty.
    pub(crate) fn label(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            Self::Text(_) | Self::Absent => None,
        }
    }

    /// Returns the whole number from 0 that this is, or that its text spells.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.count(),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Absent => None,
        }
    }
}

impl<'a> Members<'a> {
    /// Adds a member; `null` and a member without a name are left out.
    pub(crate) fn push(&mut self, key: Atom<'a>, value: &'a RawValue) {
        if let Atom::Text(name) = key
            && !name.is_empty()
            && value.get() != "null"
        {
            self.0.push((name, value));
        }
    }

    /// Returns the member's JSON text.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        self.iter().find_map(|(member, value)| (member == name).then_some(value))
    }

    /// Returns the member's text, if it is a string.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        match serde_json::from_str(self.raw(name)?) {
            Ok(Atom::Text(text)) => Some(text),
            Ok(Atom::Number(_) | Atom::Absent) | Err(_) => None,
        }
    }

    /// Returns names and JSON texts in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.get()))
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a> Loose<'de> for Atom<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }

    fn from_number(number: Number) -> Self {
        Self::Number(number)
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for Object<T> {
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Self(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for List<T> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Object<T>>()? {
            if let Some(item) = item.0 {
                // Nearly always there is one: the usual growth to four would waste a large block.
                items.reserve_exact(usize::from(items.is_empty()));
                items.push(item);
            }
        }
        Ok(Self(items))
    }
}

impl<'de: 'a, 'a> Loose<'de> for Members<'a> {
    fn from_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut members = Self::default();
        while let Some(key) = map.next_key::<Atom<'a>>()? {
            members.push(key, map.next_value()?);
        }
        Ok(members)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

/// Derives `Deserialize` from [`Loose`] for a type that borrows for `'a`, or borrows nothing.
macro_rules! loose_deserialize {
    ($name:ident <'a>) => {
        impl<'de: 'a, 'a> serde::Deserialize<'de> for $name<'a> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($crate::chunk::LooseVisitor::new())
            }
        }
    };
    ($name:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($crate::chunk::LooseVisitor::new())
            }
        }
    };
}
pub(crate) use loose_deserialize;

loose_deserialize!(Atom<'a>);
loose_deserialize!(Members<'a>);

/// Visits any JSON value and lets `T` make of it what it will.
pub(crate) struct LooseVisitor<T>(PhantomData<T>);

impl<T> LooseVisitor<T> {
    /// Returns a visitor.
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Loose<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::from_text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::from_text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::from_number(Number::Unsigned(number)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::from_number(u64::try_from(number).map_or(Number::Negative(number), Number::Unsigned)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(T::from_number(Number::Fraction(number)))
    }

    fn visit_bool<E>(self, value: bool) -> Result<T, E> {
        Ok(T::from_bool(value))
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::from_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_object(map)
    }
}
