//! Which models an endpoint has, and what it tells about them.
//!
//! Owns the questions to the endpoint and their limits in time and size. Must not stand in the
//! way of a request: whoever asks does so beside the conversation.

mod reading;
mod window;

#[cfg(test)]
mod tests;

pub(crate) use reading::is_plausible;
pub(crate) use window::context_window;

use crate::config::{ClientConfig, ConfigError, Secret};
use crate::endpoint::{self, Endpoint};
use crate::http::{Http, SendError};
use letscode_http::{ProxySettings, root_cause};
use reqwest::{StatusCode, Url};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The largest list that is read. The longest known one, of a router, has about 1 MiB.
const LARGEST_LIST: usize = 8 * 1024 * 1024;

/// Where a list of models comes from.
#[derive(Debug, Clone)]
pub struct ListingConfig {
    /// Where the endpoint lives, as for [`ClientConfig`].
    pub base_url: String,
    /// The key that is sent as a bearer token; `None` sends none.
    pub api_key: Option<Secret>,
    /// Which proxies to go through.
    pub proxy: ProxySettings,
    /// A PEM file of certificates to trust beside the bundled ones.
    pub extra_roots: Option<PathBuf>,
    /// How long all of it may take.
    pub timeout: Duration,
}

/// A model that an endpoint has; what it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListedModel {
    /// The name to ask for it by.
    pub id: String,
    /// Its context window in tokens; where the server runs it with a smaller one, that.
    pub context_window: Option<u64>,
    /// Whether it takes images.
    pub vision: Option<bool>,
    /// US dollars for a million tokens of input.
    pub input_per_million: Option<f64>,
    /// US dollars for a million tokens of output.
    pub output_per_million: Option<f64>,
}

/// Why there is no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// The address, the key or a proxy cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No connection, or it broke.
    #[error("cannot ask {url} for its models: {cause}")]
    Unreachable {
        /// The address, fit to be shown.
        url: String,
        /// What happened.
        cause: String,
    },
    /// The server refuses.
    #[error("{url} gives no list of models: HTTP {status}")]
    Refused {
        /// The address, fit to be shown.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// It took too long.
    #[error("{url} gives no list of models within {seconds} s")]
    TimedOut {
        /// The address, fit to be shown.
        url: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// Longer than any list should be.
    #[error("the list of models at {url} is larger than 8 MiB")]
    TooLarge {
        /// The address, fit to be shown.
        url: String,
    },
    /// What came is no list.
    #[error("what {url} sends is no list of models: check the base URL")]
    NotAList {
        /// The address, fit to be shown.
        url: String,
    },
}

/// Asks an endpoint which models it has, in its own order.
///
/// # Errors
/// When the endpoint cannot be reached in time, or sends no list.
pub async fn list_models(config: &ListingConfig) -> Result<Vec<ListedModel>, ListingError> {
    let client_config = ClientConfig {
        api_key: config.api_key.clone(),
        proxy: config.proxy.clone(),
        extra_roots: config.extra_roots.clone(),
        timeout: config.timeout,
        ..ClientConfig::new(config.base_url.clone(), "")
    };
    let endpoint = endpoint::resolve(&config.base_url)?;
    let http = Http::new(&client_config, &endpoint)?;
    let listed = tokio::time::timeout(config.timeout, list(&http, &endpoint)).await;
    listed.unwrap_or_else(|_| {
        let url = endpoint::shown(&endpoint.native(""));
        Err(ListingError::TimedOut { url, seconds: config.timeout.as_secs() })
    })
}

async fn list(http: &Http, endpoint: &Endpoint) -> Result<Vec<ListedModel>, ListingError> {
    match compatible_list(http, endpoint).await {
        // An LM Studio tells the windows only on a path of its own.
        Ok(list) if list.is_owned_by(reading::LM_STUDIO) => {
            let own = fetch(http, &endpoint.native(window::LM_STUDIO_PATH)).await;
            Ok(own.unwrap_or(list).models)
        }
        Ok(list) => Ok(list.models),
        // So does an Ollama without its compatible paths, or behind something that hides them.
        Err(error @ (ListingError::Refused { .. } | ListingError::NotAList { .. })) => {
            let own = fetch(http, &endpoint.native("/api/tags")).await;
            own.map(|own| own.models).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

/// Asks where the list usually is. The first error counts: the second address is a guess.
async fn compatible_list(http: &Http, endpoint: &Endpoint) -> Result<reading::List, ListingError> {
    let mut first_error = None;
    for url in endpoint.model_lists() {
        match fetch(http, &url).await {
            Ok(list) => return Ok(list),
            Err(error) => {
                let may_be_elsewhere = match &error {
                    ListingError::Refused { status, .. } => matches!(status, 404 | 405),
                    ListingError::NotAList { .. } => true,
                    ListingError::Config(_)
                    | ListingError::Unreachable { .. }
                    | ListingError::TimedOut { .. }
                    | ListingError::TooLarge { .. } => false,
                };
                let error = first_error.get_or_insert(error);
                if !may_be_elsewhere {
                    return Err(error.clone());
                }
            }
        }
    }
    let url = || endpoint::shown(&endpoint.url);
    Err(first_error.unwrap_or_else(|| ListingError::NotAList { url: url() }))
}

async fn fetch(http: &Http, url: &Url) -> Result<reading::List, ListingError> {
    let json = ask(http, url, None).await?;
    reading::list(&json).ok_or_else(|| ListingError::NotAList { url: endpoint::shown(url) })
}

/// Asks for one document; a question with a body is a POST.
pub(crate) async fn ask(
    http: &Http,
    url: &Url,
    body: Option<Vec<u8>>,
) -> Result<Value, ListingError> {
    let shown = || endpoint::shown(url);
    let unreachable = |cause| ListingError::Unreachable { url: shown(), cause };
    let mut response = http.ask(url, body).await.map_err(|error| match error {
        SendError::Transport { error, roots_problem: Some(problem) } => {
            unreachable(format!("{} ({problem})", root_cause(&error)))
        }
        SendError::Transport { error, roots_problem: None } => unreachable(root_cause(&error)),
        SendError::Setup(error) => unreachable(error.to_string()),
    })?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(ListingError::Refused { url: shown(), status: status.as_u16() });
    }
    let mut text = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(_)) if text.len() > LARGEST_LIST => {
                return Err(ListingError::TooLarge { url: shown() });
            }
            Ok(Some(bytes)) => text.extend_from_slice(&bytes),
            Ok(None) => break,
            Err(error) => return Err(unreachable(root_cause(&error))),
        }
    }
    serde_json::from_slice(&text).map_err(|_| ListingError::NotAList { url: shown() })
}
