//! The way to a server over streamable HTTP.
//!
//! Owns certificates, headers and redirects. Nothing is read from disk for `http://`. Must not
//! show a header.

use reqwest::{Client, redirect};
use rmcp::service::RoleClient;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use rustls::{ClientConfig as TlsConfig, RootCertStore};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// Why there is no way to a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// A header cannot be sent.
    #[error("headers.{0} is no header")]
    Header(String),
    /// The client cannot be made.
    #[error("no HTTP client: {0}")]
    Client(#[from] reqwest::Error),
    /// Encryption cannot be set up.
    #[error("no TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Returns a transport to the server at `url`; nothing is sent yet.
///
/// # Errors
/// When a header cannot be sent, or TLS cannot be set up.
pub(crate) async fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<impl Transport<RoleClient> + 'static, HttpError> {
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let bad = || HttpError::Header(name.clone());
        let header = http::HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        let mut value = http::HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let client = Client::builder()
        .connect_timeout(CONNECT_LIMIT)
        .redirect(same_origin_redirects())
        .tcp_nodelay(true)
        .tls_backend_preconfigured(tls_config(url).await?)
        .build()?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(custom)
        .reinit_on_expired_session(true);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

async fn tls_config(url: &str) -> Result<TlsConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    if url.starts_with("https:") {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        // The system's own too, which `SSL_CERT_FILE` replaces; slow on some systems.
        let system = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
        if let Ok(system) = system {
            roots.add_parsable_certificates(system.certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        TlsConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Follows a redirect only within the same origin, and only where the request stays a POST: the
/// headers must not go anywhere else.
fn same_origin_redirects() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
        let same_origin =
            attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
        if keeps_method && same_origin && attempt.previous().len() <= 5 {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}
