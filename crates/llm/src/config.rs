//! What a client is made from: endpoint, key, model, limits, proxies.
//!
//! Owns the settings as plain data. Must not read the environment or files: the caller resolves
//! all values.

use letscode_http::{ProxyError, ProxySettings};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of one [`Client`](crate::Client): one endpoint and one model.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Where the endpoint lives, for example `https://api.openai.com/v1`. A trailing slash or a
    /// pasted `/chat/completions` does no harm.
    pub base_url: String,
    /// The key that is sent as a bearer token; `None` sends none.
    pub api_key: Option<Secret>,
    /// The model's name as the endpoint knows it.
    pub model: String,
    /// The catalog's name for the provider, or the host; appears in messages to the user.
    pub provider: String,
    /// The value of `reasoning_effort`; `None` sends nothing.
    pub thinking: Option<String>,
    /// How long the endpoint may be silent before the attempt counts as stalled; zero for ever.
    pub timeout: Duration,
    /// How often a request that failed in a passing way is sent again.
    pub max_retries: u32,
    /// The model's context window in tokens, where known.
    pub context_window: Option<u64>,
    /// Whether to ask the server for the window, once, after the first answer. Nothing waits for
    /// it.
    pub learns_window: bool,
    /// Whether the model takes images.
    pub vision: bool,
    /// What the model costs, where known.
    pub price: Option<Price>,
    /// Which proxies to go through.
    pub proxy: ProxySettings,
    /// A PEM file of certificates to trust beside the bundled ones (`SSL_CERT_FILE`).
    pub extra_roots: Option<PathBuf>,
    /// The `User-Agent` header.
    pub user_agent: String,
}

impl ClientConfig {
    /// Returns the settings for `model` at `base_url`, everything else at its default.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            model: model.into(),
            provider: String::new(),
            thinking: None,
            timeout: Duration::from_secs(600),
            max_retries: 2,
            context_window: None,
            learns_window: false,
            vision: false,
            price: None,
            proxy: ProxySettings::default(),
            extra_roots: None,
            user_agent: concat!("letscode/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// A text that must not be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Returns a secret with surrounding whitespace taken off.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the text itself.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What a model costs, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// For tokens of the request.
    pub input_per_million: f64,
    /// For tokens of the answer.
    pub output_per_million: f64,
    /// For tokens of the request that came from the provider's cache; `None` as other input.
    pub cached_per_million: Option<f64>,
}

/// Why no client can be made from the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The base URL is no `http://` or `https://` URL.
    #[error("the base URL `{url}` is not usable: {reason}")]
    BaseUrl {
        /// The text as given.
        url: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The key has characters that no header may hold.
    #[error("the API key contains characters that cannot be sent: copy it again, as one line")]
    ApiKey,
    /// The `User-Agent` has characters that no header may hold.
    #[error("the user agent contains characters that cannot be sent")]
    UserAgent,
    /// A proxy's URL cannot be read.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
}
