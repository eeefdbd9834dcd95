//! A small JSON document from anywhere, for what is nice to know.
//!
//! Owns the way there, which is that of requests to a model. Must not be used for what must not
//! fail.

use crate::config::{ClientConfig, ConfigError};
use crate::endpoint::Endpoint;
use crate::http::Http;
use crate::models::ask;
use letscode_http::ProxySettings;
use reqwest::Url;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Where a document is, and how to get there.
#[derive(Debug, Clone)]
pub struct DocumentConfig {
    /// Its `http://` or `https://` address.
    pub url: String,
    /// Which proxies to go through.
    pub proxy: ProxySettings,
    /// A PEM file of certificates to trust beside the bundled ones.
    pub extra_roots: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
}

/// Returns the document; `None` where there is none, for whatever reason. Sends no key.
pub async fn fetch_document(config: &DocumentConfig) -> Option<Value> {
    let url =
        Url::parse(&config.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let endpoint = Endpoint { url, versioned: None };
    let http = http(config, &endpoint).ok()?;
    let asked = tokio::time::timeout(config.timeout, ask(&http, &endpoint.url, None));
    match asked.await.ok()? {
        Ok(document) => Some(document),
        Err(error) => {
            tracing::debug!(%error, "a document cannot be fetched");
            None
        }
    }
}

fn http(config: &DocumentConfig, endpoint: &Endpoint) -> Result<Http, ConfigError> {
    let client_config = ClientConfig {
        proxy: config.proxy.clone(),
        extra_roots: config.extra_roots.clone(),
        timeout: config.timeout,
        ..ClientConfig::new("", "")
    };
    Http::new(&client_config, endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::server::{Reply, Server};

    fn config(url: &str) -> DocumentConfig {
        DocumentConfig {
            url: url.to_owned(),
            proxy: ProxySettings::default(),
            extra_roots: None,
            timeout: Duration::from_secs(30),
        }
    }

    #[tokio::test]
    async fn a_document_comes_from_its_very_address_and_without_a_key() {
        let server = Server::start([Reply::status(200, &[], r#"{"version":"1.2.3"}"#)]).await;
        let found = fetch_document(&config(&format!("{}/a/b?c=d", server.origin()))).await;
        assert_eq!(found, Some(serde_json::json!({"version": "1.2.3"})));
        let received = &server.received()[0];
        assert_eq!(received.target, "/a/b?c=d");
        assert!(!received.headers.contains_key("authorization"));
    }

    #[tokio::test]
    async fn what_cannot_be_fetched_is_nothing() {
        for reply in [
            Reply::status(404, &[], "{}"),
            Reply::status(200, &[], "<html>"),
            Reply::raw("").close(),
        ] {
            let server = Server::start([reply]).await;
            assert_eq!(fetch_document(&config(&server.origin())).await, None);
        }
        for url in ["", "nonsense", "file:///etc/hosts", "ftp://127.0.0.1/x"] {
            assert_eq!(fetch_document(&config(url)).await, None, "{url}");
        }
    }
}
