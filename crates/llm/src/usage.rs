//! Token figures in every shape that servers send.
//!
//! Owns their names and how they become one [`Usage`]. Must not know prices.

use crate::chunk::{Loose, Number, Object, loose_deserialize};
use letscode_wire::Usage;
use serde::Deserialize;
use std::borrow::Cow;

/// The figures of one `usage` object; each may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct UsageFigures {
    prompt_tokens: Count,
    input_tokens: Count,
    completion_tokens: Count,
    output_tokens: Count,
    prompt_tokens_details: Object<PromptDetails>,
    completion_tokens_details: Object<CompletionDetails>,
    cached_tokens: Count,
    prompt_cache_hit_tokens: Count,
    cache_write_tokens: Count,
    cache_creation_input_tokens: Count,
    reasoning_tokens: Count,
    cost: Cost,
}

/// The newest known figure of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UsageTally {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
    cost_usd: Option<f64>,
}

impl UsageTally {
    /// Takes newer figures. A missing one leaves the older one as it is.
    pub(crate) fn take(&mut self, figures: &UsageFigures) {
        let none = (PromptDetails::default(), CompletionDetails::default());
        let prompt = figures.prompt_tokens_details.0.as_ref().unwrap_or(&none.0);
        let completion = figures.completion_tokens_details.0.as_ref().unwrap_or(&none.1);
        replace(&mut self.input, figures.prompt_tokens.0.or(figures.input_tokens.0));
        replace(&mut self.output, figures.completion_tokens.0.or(figures.output_tokens.0));
        let cache_read = prompt.cached_tokens.0.or(figures.cached_tokens.0);
        replace(&mut self.cache_read, cache_read.or(figures.prompt_cache_hit_tokens.0));
        let cache_write = prompt.cache_write_tokens.0.or(figures.cache_write_tokens.0);
        replace(&mut self.cache_write, cache_write.or(figures.cache_creation_input_tokens.0));
        replace(&mut self.reasoning, completion.reasoning_tokens.0.or(figures.reasoning_tokens.0));
        replace(&mut self.cost_usd, figures.cost.0);
    }

    /// Returns the figures as one usage, or `None` if the server told nothing. What came from or
    /// went to the cache is part of the prompt, whatever the server says.
    pub(crate) fn usage(&self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() && self.cost_usd.is_none() {
            return None;
        }
        let input_tokens = self.input.unwrap_or_default();
        Some(Usage {
            input_tokens,
            output_tokens: self.output.unwrap_or_default(),
            cache_creation_tokens: self.cache_write.unwrap_or_default().min(input_tokens),
            cache_read_tokens: self.cache_read.unwrap_or_default().min(input_tokens),
            reasoning_tokens: self.reasoning.unwrap_or_default(),
            cost_usd: self.cost_usd,
        })
    }
}

fn replace<T>(known: &mut Option<T>, newer: Option<T>) {
    if newer.is_some() {
        *known = newer;
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Count,
    cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CompletionDetails {
    reasoning_tokens: Count,
}

/// A number of tokens; anything that is no count is absent.
#[derive(Debug, Clone, Copy, Default)]
struct Count(Option<u64>);

impl<'de> Loose<'de> for Count {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self(text.trim().parse().ok())
    }

    fn from_number(number: Number) -> Self {
        Self(number.count())
    }
}

loose_deserialize!(Count);

/// US dollars; anything that is no amount is absent.
#[derive(Debug, Clone, Copy, Default)]
struct Cost(Option<f64>);

impl Loose<'_> for Cost {
    fn from_number(number: Number) -> Self {
        Self(number.amount())
    }
}

loose_deserialize!(Cost);

#[cfg(test)]
mod tests;
