//! Which models and providers are known, and what is known of them.
//!
//! Owns the built-in catalog with the user's own laid over it. Must not decide where a request
//! goes: `endpoint` does.

mod built_in;
#[cfg(test)]
mod tests;
mod user;

use crate::paths::UserPaths;
use crate::thinking::ThinkingLevel;
use std::borrow::Cow;

/// The provider whose address the environment and the config may replace.
pub(crate) const OPENAI: &str = "openai";

/// The known models and providers. The user's win over the built-in ones of the same name.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    models: Vec<Model>,
    providers: Vec<Provider>,
    /// Why the user's file is left out as a whole, where it is.
    pub(crate) broken: Option<String>,
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Model {
    /// The name that its provider knows it by.
    pub(crate) id: Cow<'static, str>,
    /// The provider's name.
    pub(crate) provider: Cow<'static, str>,
    /// Its context window in tokens.
    pub(crate) context_window: Option<u64>,
    /// The thinking levels that it knows; empty for no ceiling.
    pub(crate) thinking_levels: Cow<'static, [ThinkingLevel]>,
    /// What it costs.
    pub(crate) price: Option<Price>,
    /// Whether it takes images.
    pub(crate) vision: bool,
}

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    /// US dollars for a million tokens of input.
    pub(crate) input_per_million: f64,
    /// US dollars for a million tokens of output.
    pub(crate) output_per_million: f64,
}

/// What is known of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Provider {
    /// Its name.
    pub(crate) name: Cow<'static, str>,
    /// Where it answers.
    pub(crate) base_url: Cow<'static, str>,
    /// The variables that may hold its key, the first one first; empty where it needs none.
    pub(crate) key_variables: Cow<'static, [Cow<'static, str>]>,
}

impl Catalog {
    /// Returns the built-in catalog with the user's file laid over it. What cannot be used of
    /// the file is left out, with one line for each.
    pub(crate) fn load(user: Option<&UserPaths>, warnings: &mut Vec<String>) -> Self {
        match user {
            Some(user) => user::read(&user.catalog(), warnings),
            None => Self::default(),
        }
    }

    /// Returns what is known of the model of that name.
    pub(crate) fn model(&self, id: &str) -> Option<&Model> {
        self.models().find(|model| model.id == id)
    }

    /// Returns what is known of the provider of that name.
    pub(crate) fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers().find(|provider| provider.name == name)
    }

    /// Returns all models but those that the user replaced, the user's first.
    pub(crate) fn models_in_force(&self) -> impl Iterator<Item = &Model> {
        let is_in_force = |found: &&Model| {
            self.model(&found.id).is_some_and(|current| std::ptr::eq(current, *found))
        };
        self.models().filter(is_in_force)
    }

    /// Returns all providers but those that the user replaced, the user's first.
    pub(crate) fn providers_in_force(&self) -> impl Iterator<Item = &Provider> {
        let is_in_force = |found: &&Provider| {
            self.provider(&found.name).is_some_and(|current| std::ptr::eq(current, *found))
        };
        self.providers().filter(is_in_force)
    }

    /// Returns all models, the user's first; one that the user replaced comes second.
    fn models(&self) -> impl Iterator<Item = &Model> {
        self.models.iter().chain(&built_in::MODELS)
    }

    /// Returns all providers, the user's first; one that the user replaced comes second.
    pub(crate) fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.providers.iter().chain(&built_in::PROVIDERS)
    }
}

#[cfg(test)]
impl Catalog {
    /// Returns the built-in catalog with `text` laid over it, for a test.
    pub(crate) fn of(text: &str) -> Self {
        let path = std::path::Path::new("/c/catalog.toml");
        let file = crate::files::TomlFile::parse(path, text.to_owned()).unwrap();
        user::from_file(&file, &mut Vec::new())
    }
}
