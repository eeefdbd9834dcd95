//! The models of OpenRouter, as they were when it was last asked: they are too many and too
//! short-lived for the catalog.
//!
//! Owns the cached list and its age. Reads it only when somebody asks: a start that has no use
//! for it costs nothing. Must not decide where a request goes.

use crate::catalog::{Model, Price};
use crate::files::{Existing, read_text, write_private};
use crate::paths::UserPaths;
use letscode_llm::ListedModel;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// The provider whose list it is.
pub(crate) const OPENROUTER: &str = "openrouter";

/// How many seconds a list is as good as new.
const DAY: i64 = 24 * 60 * 60;

/// The cached list.
#[derive(Debug, Default)]
pub(crate) struct RouterList {
    /// `None` without a home.
    path: Option<PathBuf>,
}

/// The list as it is on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    /// When it was asked for, in seconds since 1970.
    fetched_at: i64,
    models: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    context_window: Option<u64>,
    vision: Option<bool>,
    input_per_million: Option<f64>,
    output_per_million: Option<f64>,
}

/// A list with its age.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cached {
    /// The models, in the router's order.
    pub(crate) models: Vec<Model>,
    /// Whether it is less than a day old.
    pub(crate) is_fresh: bool,
}

impl RouterList {
    /// Returns the list below the user's own files. Nothing is read yet.
    pub(crate) fn new(user: Option<&UserPaths>) -> Self {
        Self { path: user.map(|user| user.cache().join("openrouter-models.json")) }
    }

    /// Reads the list; it is empty where there is none, or a broken one. `now` is in seconds
    /// since 1970.
    pub(crate) fn read(&self, now: i64) -> Cached {
        let text = self.path.as_deref().and_then(|path| read_text(path).ok().flatten());
        let file = text.and_then(|text| serde_json::from_str::<File>(&text).ok());
        let file = file.unwrap_or_default();
        let age = now.saturating_sub(file.fetched_at);
        Cached {
            is_fresh: !file.models.is_empty() && (0..DAY).contains(&age),
            models: file.models.into_iter().map(Entry::into_model).collect(),
        }
    }

    /// Reads what is known of the model of that name.
    pub(crate) fn model(&self, id: &str) -> Option<Model> {
        self.read(0).models.into_iter().find(|model| model.id == id)
    }

    /// Keeps a new list. Without a home there is nowhere to keep it.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn write(&self, listed: &[ListedModel], now: i64) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let models = listed.iter().map(Entry::of).collect();
        let text = serde_json::to_string(&File { fetched_at: now, models })?;
        write_private(path, &text, Existing::Replace)
    }
}

/// Returns what the router tells of a model, as the catalog would.
pub(crate) fn model(listed: &ListedModel) -> Model {
    Entry::of(listed).into_model()
}

impl Entry {
    fn of(listed: &ListedModel) -> Self {
        Self {
            id: listed.id.clone(),
            context_window: listed.context_window,
            vision: listed.vision,
            input_per_million: listed.input_per_million,
            output_per_million: listed.output_per_million,
        }
    }

    fn into_model(self) -> Model {
        let price = self.input_per_million.zip(self.output_per_million);
        Model {
            id: Cow::Owned(self.id),
            provider: Cow::Borrowed(OPENROUTER),
            context_window: self.context_window,
            thinking_levels: Cow::Borrowed(&[]),
            price: price.map(|(input_per_million, output_per_million)| Price {
                input_per_million,
                output_per_million,
            }),
            // A model that nothing is known of is taken to see.
            vision: self.vision.unwrap_or(true),
        }
    }
}

#[cfg(test)]
impl RouterList {
    /// Keeps a list of these names in a directory, for a test.
    pub(crate) fn of(directory: &std::path::Path, names: &[&str]) -> Self {
        let list = Self { path: Some(directory.join("openrouter-models.json")) };
        let listed = |id: &&str| ListedModel {
            id: (*id).to_owned(),
            context_window: Some(196_608),
            vision: Some(false),
            input_per_million: Some(0.3),
            output_per_million: Some(1.2),
        };
        let listed: Vec<ListedModel> = names.iter().map(listed).collect();
        list.write(&listed, 0).unwrap();
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_as_it_was_kept_and_ages() {
        let directory = tempfile::tempdir().unwrap();
        let list = RouterList { path: Some(directory.path().join("cache/list.json")) };
        let listed = ListedModel {
            id: "a/b".to_owned(),
            context_window: Some(8192),
            vision: Some(false),
            input_per_million: Some(0.3),
            output_per_million: Some(1.2),
        };
        let bare = ListedModel { id: "c".to_owned(), ..ListedModel::default() };
        let listed = [listed, bare];
        list.write(&listed, 1_000_000).unwrap();
        for (now, is_fresh) in [
            (1_000_000, true),
            (1_000_000 + DAY - 1, true),
            (1_000_000 + DAY, false),
            // A clock that was wrong once must not keep a list for ever.
            (999_999, false),
            (i64::MIN, false),
        ] {
            let models = listed.iter().map(model).collect();
            assert_eq!(list.read(now), Cached { models, is_fresh }, "{now}");
        }
        let found = list.model("a/b").unwrap();
        assert_eq!(found.context_window, Some(8192));
        assert_eq!(found.price.unwrap().output_per_million, 1.2);
        assert!(!found.vision);
        assert!(list.model("c").unwrap().vision);
        assert_eq!(list.model("d"), None);
    }

    #[test]
    fn a_missing_or_broken_list_is_an_empty_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list.json");
        let list = RouterList { path: Some(path.clone()) };
        assert_eq!(list.read(0), Cached::default());
        for text in ["", "{", "[]", r#"{"fetched_at":1,"models":[{}]}"#] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(list.read(0), Cached::default(), "{text}");
        }
        let homeless = RouterList::new(None);
        homeless.write(&[], 0).unwrap();
        assert_eq!(homeless.read(0), Cached::default());
    }
}
