//! The client: one endpoint and one model behind the core's `Model` port.
//!
//! Owns what is kept between requests: the connection pool and what the server has taught. Must
//! not know how a stream is read or a body written.

mod body;
mod drive;
mod exchange;
mod outlet;

#[cfg(test)]
pub(crate) mod tests;

use crate::config::{ClientConfig, ConfigError, Price};
use crate::endpoint::{self, Endpoint};
use crate::error::Scene;
use crate::fallback::Change;
use crate::http::Http;
use crate::models;
use crate::profile::{self, Profile};
use letscode_core::model::{Model, ModelInfo, ModelRequest, ModelStream};
use letscode_wire::Usage;
use reqwest::Url;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the server may take to tell the context window.
const WINDOW_TIME: Duration = Duration::from_secs(10);

/// A model behind an OpenAI-compatible Chat Completions endpoint.
///
/// Making one is cheap: nothing is read, resolved or connected before the first request. What
/// the server turns out not to take is remembered for as long as the client lives.
pub struct Client {
    shared: Arc<Shared>,
}

/// What all requests of a client have in common.
struct Shared {
    config: ClientConfig,
    endpoint: Endpoint,
    /// The host, as answers carry it in their `meta`.
    host: String,
    http: Http,
    learned: Mutex<Learned>,
}

/// What earlier requests have taught.
#[derive(Debug, Clone, Copy)]
struct Learned {
    profile: Profile,
    /// Whether the endpoint turned out to be under `/v1`.
    versioned: bool,
    /// Whether the endpoint has ever answered.
    answered: bool,
    /// The model's context window in tokens, where known.
    context_window: Option<u64>,
    /// Whether the server was asked for the window.
    asked_window: bool,
}

impl Client {
    /// Returns a client for these settings.
    ///
    /// # Errors
    /// When the base URL, the key, the user agent or a proxy cannot be used.
    pub fn new(mut config: ClientConfig) -> Result<Self, ConfigError> {
        config.api_key = config.api_key.filter(|key| !key.expose().is_empty());
        let endpoint = endpoint::resolve(&config.base_url)?;
        let http = Http::new(&config, &endpoint)?;
        let host_name = endpoint.url.host_str().unwrap_or_default();
        let learned = Learned {
            profile: profile::lookup(host_name, &config.model),
            versioned: false,
            answered: false,
            context_window: config.context_window,
            asked_window: false,
        };
        let host = endpoint.host();
        if config.provider.is_empty() {
            config.provider.clone_from(&host);
        }
        let learned = Mutex::new(learned);
        Ok(Self { shared: Arc::new(Shared { config, endpoint, host, http, learned }) })
    }
}

impl Model for Client {
    fn info(&self) -> ModelInfo {
        let config = &self.shared.config;
        ModelInfo {
            name: config.model.clone(),
            context_window: self.shared.learned().context_window,
            vision: config.vision,
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let shared = Arc::clone(&self.shared);
        outlet::stream(|outlet| drive::drive(shared, Arc::new(request), outlet))
    }
}

impl Shared {
    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, change: Change) {
        let mut learned = self.learned();
        learned.profile = change.apply(learned.profile);
    }

    /// Asks the server for the model's context window, beside the conversation, if it is unknown
    /// and was not asked for.
    fn learn_window(self: &Arc<Self>) {
        let mut learned = self.learned();
        let is_due = self.config.learns_window && !learned.asked_window;
        if !is_due || learned.context_window.is_some() {
            return;
        }
        learned.asked_window = true;
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            let asked =
                models::context_window(&shared.http, &shared.endpoint, &shared.config.model);
            if let Ok(Some(window)) = tokio::time::timeout(WINDOW_TIME, asked).await {
                tracing::debug!(window, "the server tells its context window");
                // What an overflow has told meanwhile is surer.
                shared.learned().context_window.get_or_insert(window);
            }
        });
    }

    /// Returns the URL to post to.
    fn url(&self, versioned: bool) -> &Url {
        let under_version = self.endpoint.versioned.as_ref().filter(|_| versioned);
        under_version.unwrap_or(&self.endpoint.url)
    }

    fn scene(&self, url: &Url, request: &ModelRequest) -> Scene {
        Scene {
            model: self.config.model.clone(),
            provider: self.config.provider.clone(),
            url: endpoint::shown(url),
            key: self.config.api_key.clone(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        }
    }

    /// Adds what the answer cost in money, where the price is known.
    fn price(&self, usage: &mut Usage) {
        if let Some(price) = &self.config.price {
            usage.cost_usd = Some(cost(usage, price));
        }
    }
}

fn cost(usage: &Usage, price: &Price) -> f64 {
    let cached = usage.cache_read_tokens.min(usage.input_tokens);
    let cached_price = price.cached_per_million.unwrap_or(price.input_per_million);
    let dollars = (usage.input_tokens - cached) as f64 * price.input_per_million
        + cached as f64 * cached_price
        + usage.output_tokens as f64 * price.output_per_million;
    dollars / 1e6
}
