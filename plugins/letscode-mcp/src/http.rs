//! The way to a server over streamable HTTP.
//!
//! Owns headers, and which proxies and certificates count. Must not show a header.

use crate::environment::Environment;
use letscode_http::{Connector, Limits, ProxyError, ProxySettings, Roots, Surroundings};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// Messages as requests.
pub(crate) type HttpTransport = StreamableHttpClientTransport<Client>;

/// Why there is no way to a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// A header cannot be sent.
    #[error("headers.{0} is no header")]
    Header(String),
    /// The address cannot be read.
    #[error("url: {0}")]
    Address(String),
    /// There is no way through the proxy.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// Encryption cannot be set up.
    #[error("no TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// What words for a failure need to know of the way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Around {
    proxy: Option<String>,
    roots_problem: Option<Arc<str>>,
}

impl Around {
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            setting: "url",
            proxy: self.proxy.as_deref(),
            roots_problem: self.roots_problem.as_deref(),
        }
    }
}

/// Returns a transport to the server at `url`; nothing is sent yet.
///
/// # Errors
/// When a header cannot be sent, or no client can be made.
pub(crate) async fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
    environment: &Environment,
) -> Result<(HttpTransport, Around), HttpError> {
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let bad = || HttpError::Header(name.clone());
        let header = http::HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        let mut value = http::HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let address = Url::parse(url).map_err(|error| HttpError::Address(error.to_string()))?;
    let limits = Limits { connect: Some(CONNECT_LIMIT) };
    let extra_roots = environment.text("SSL_CERT_FILE").map(PathBuf::from);
    let connector = Connector::new(&address, &proxies(environment), extra_roots, limits)?;
    // Once made the client cannot be exchanged, so it trusts all from the beginning.
    let made = connector.client(Roots::System).await?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(custom)
        .reinit_on_expired_session(true);
    let around = Around {
        proxy: connector.proxy_name().map(str::to_owned),
        roots_problem: made.roots_problem,
    };
    Ok((StreamableHttpClientTransport::with_client(made.client, config), around))
}

fn proxies(environment: &Environment) -> ProxySettings {
    let either = |lower: &str, upper: &str| environment.text(lower).or(environment.text(upper));
    ProxySettings {
        http: either("http_proxy", "HTTP_PROXY"),
        https: either("https_proxy", "HTTPS_PROXY"),
        all: either("all_proxy", "ALL_PROXY"),
        no_proxy: either("no_proxy", "NO_PROXY"),
    }
}
