//! Requests to one endpoint: headers, and the second try that nobody sees.
//!
//! Owns what is sent beside a body. Must not read answers or word errors.

use crate::config::{ClientConfig, ConfigError};
use crate::endpoint::Endpoint;
use letscode_http::{Connector, Limits, Roots, is_unknown_issuer};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderMap,
    HeaderValue, USER_AGENT,
};
use reqwest::{Method, Request, Response, Url};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Sends requests to one endpoint.
pub(crate) struct Http {
    headers: HeaderMap,
    connector: Connector,
    /// Whether an answer came to its end, after which a connection may have been kept.
    kept_connection: AtomicBool,
}

/// Why no response came.
#[derive(Debug)]
pub(crate) enum SendError {
    /// The connection could not be made, or broke.
    Transport {
        error: reqwest::Error,
        /// What is wrong with the user's own certificates.
        roots_problem: Option<Arc<str>>,
    },
    /// TLS cannot be set up at all.
    Setup(rustls::Error),
}

impl Http {
    /// Returns a client for `endpoint`. Nothing is read or opened yet.
    ///
    /// # Errors
    /// When a value cannot be a header, or the proxy's URL cannot be read.
    pub(crate) fn new(config: &ClientConfig, endpoint: &Endpoint) -> Result<Self, ConfigError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        // A compressed stream is often held back by what compresses it.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agent =
            HeaderValue::from_str(&config.user_agent).map_err(|_| ConfigError::UserAgent)?;
        headers.insert(USER_AGENT, agent);
        if let Some(key) = config.api_key.as_ref().filter(|key| !key.expose().is_empty()) {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| ConfigError::ApiKey)?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let limit = config.timeout;
        let limits = Limits { connect: (!limit.is_zero()).then(|| limit.min(CONNECT_LIMIT)) };
        let extra_roots = config.extra_roots.clone();
        let connector = Connector::new(&endpoint.url, &config.proxy, extra_roots, limits)?;
        Ok(Self { headers, connector, kept_connection: AtomicBool::new(false) })
    }

    /// Returns the proxy that requests go through, fit to be shown.
    pub(crate) fn proxy_name(&self) -> Option<&str> {
        self.connector.proxy_name()
    }

    /// Notes that an answer came to its end.
    pub(crate) fn note_kept_connection(&self) {
        self.kept_connection.store(true, Ordering::Relaxed);
    }

    /// Posts `body` to `url` and returns the response's head.
    pub(crate) async fn post(&self, url: &Url, body: Vec<u8>) -> Result<Response, SendError> {
        let mut request = Request::new(Method::POST, url.clone());
        *request.headers_mut() = self.headers.clone();
        *request.body_mut() = Some(body.into());
        self.send(request).await
    }

    /// Asks `url` a question beside the conversation and returns the response's head. The
    /// connection is not kept: a server that serves one at a time must be free for the next
    /// request.
    pub(crate) async fn ask(
        &self,
        url: &Url,
        body: Option<Vec<u8>>,
    ) -> Result<Response, SendError> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut request = Request::new(method, url.clone());
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        match body {
            Some(body) => *request.body_mut() = Some(body.into()),
            None => drop(headers.remove(CONTENT_TYPE)),
        }
        self.send(request).await
    }

    /// Sends a request and returns the response's head.
    ///
    /// Two failures are met by a second try that nobody sees: a kept connection that the server
    /// had closed meanwhile, and a certificate that only the system's own roots vouch for.
    async fn send(&self, request: Request) -> Result<Response, SendError> {
        let made = self.connector.client(Roots::Bundled).await.map_err(SendError::Setup)?;
        let again = request.try_clone();
        let error = match made.client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let problem = made.roots_problem.clone();
        let failed = |error| SendError::Transport { error, roots_problem: problem };
        let Some(again) = again else { return Err(failed(error)) };
        let lost_connection = error.is_request() && !error.is_connect() && !error.is_timeout();
        if lost_connection && self.kept_connection.swap(false, Ordering::Relaxed) {
            made.client.execute(again).await.map_err(failed)
        } else if is_unknown_issuer(&error) && made.roots == Roots::Bundled {
            let made = self.connector.client(Roots::System).await.map_err(SendError::Setup)?;
            made.client.execute(again).await.map_err(failed)
        } else {
            Err(failed(error))
        }
    }
}
