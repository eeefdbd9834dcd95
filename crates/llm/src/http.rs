//! The HTTP client: connections, certificates, proxies and headers.
//!
//! Owns what is needed to send a request and get a response, made at the first request: a client for
//! `http://` never touches certificates. Must not read answers or word errors.

mod proxy;
mod roots;

use crate::config::{ClientConfig, ConfigError};
use crate::endpoint::Endpoint;
use crate::error;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderMap,
    HeaderValue, USER_AGENT,
};
use reqwest::{Client, Method, Proxy, Request, Response, Url, redirect};
use rustls::{ClientConfig as TlsConfig, RootCertStore};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Local servers close idle connections after few seconds; a new one costs them nothing. Far ones
/// keep them for minutes, and a new one costs several round trips.
const LOCAL_IDLE: Duration = Duration::from_secs(3);
const FAR_IDLE: Duration = Duration::from_secs(60);

/// Sends requests to one endpoint.
pub(crate) struct Http {
    headers: HeaderMap,
    proxy: Option<Proxy>,
    /// The proxy as it may be shown.
    proxy_name: Option<String>,
    uses_tls: bool,
    idle: Duration,
    connect_limit: Option<Duration>,
    extra_roots: Option<PathBuf>,
    made: Mutex<Option<Made>>,
    /// Whether an answer came to its end, after which a connection may have been kept.
    kept_connection: AtomicBool,
}

#[derive(Clone)]
struct Made {
    client: Client,
    with_system_roots: bool,
    /// What is wrong with the user's own certificates.
    roots_problem: Option<Arc<str>>,
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
        let proxy_url = proxy::proxy_for(endpoint, &config.proxy)?;
        let over_tls = |url: &str| url.starts_with("https:");
        let uses_tls =
            over_tls(endpoint.url.as_str()) || proxy_url.as_deref().is_some_and(over_tls);
        let proxy = proxy_url.as_deref().map(Proxy::all).transpose().map_err(|error| {
            let reason = error::root_cause(&error);
            ConfigError::Proxy { scheme: proxy::scheme_of(endpoint), reason }
        })?;
        let limit = config.timeout;
        Ok(Self {
            headers,
            proxy,
            proxy_name: proxy_url.as_deref().map(proxy::shown),
            uses_tls,
            idle: if endpoint.is_loopback() { LOCAL_IDLE } else { FAR_IDLE },
            connect_limit: (!limit.is_zero()).then(|| limit.min(CONNECT_LIMIT)),
            extra_roots: config.extra_roots.clone(),
            made: Mutex::new(None),
            kept_connection: AtomicBool::new(false),
        })
    }

    /// Returns the proxy that requests go through, fit to be shown.
    pub(crate) fn proxy_name(&self) -> Option<&str> {
        self.proxy_name.as_deref()
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
        let made = self.made(/*with_system_roots*/ false).await?;
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
        } else if error::is_unknown_issuer(&error) && !made.with_system_roots {
            let made = self.made(/*with_system_roots*/ true).await?;
            made.client.execute(again).await.map_err(failed)
        } else {
            Err(failed(error))
        }
    }

    async fn made(&self, with_system_roots: bool) -> Result<Made, SendError> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(made) = made.filter(|made| made.with_system_roots || !with_system_roots) {
            return Ok(made);
        }
        let (roots, roots_problem) = self.roots(with_system_roots).await;
        let tls = tls_config(roots).map_err(SendError::Setup)?;
        let client = self.build(tls).map_err(|error| SendError::Transport {
            error,
            roots_problem: roots_problem.clone(),
        })?;
        let made = Made { client, with_system_roots, roots_problem };
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }

    fn build(&self, tls: TlsConfig) -> reqwest::Result<Client> {
        let mut builder = Client::builder()
            .no_proxy()
            .redirect(same_origin_redirects())
            .pool_idle_timeout(self.idle)
            .tcp_nodelay(true)
            .tls_backend_preconfigured(tls);
        if let Some(limit) = self.connect_limit {
            builder = builder.connect_timeout(limit);
        }
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(proxy.clone());
        }
        builder.build()
    }

    /// Returns the roots to trust, and what is wrong with the user's own file, if something is.
    async fn roots(&self, with_system_roots: bool) -> (RootCertStore, Option<Arc<str>>) {
        let mut roots = RootCertStore::empty();
        if !self.uses_tls {
            return (roots, None);
        }
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let mut problem = None;
        if let Some(path) = self.extra_roots.clone() {
            let mut all = roots.clone();
            let read = tokio::task::spawn_blocking(move || {
                let added = roots::add_from_file(&mut all, &path);
                (all, added)
            });
            if let Ok((all, added)) = read.await {
                roots = all;
                problem = added.err();
            }
        }
        // What loads them reads the user's file again, without our care.
        if with_system_roots && problem.is_none() {
            // Slow on some systems, so it must not hold up everything else.
            let system = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
            if let Ok(system) = system {
                roots.add_parsable_certificates(system.certs);
            }
        }
        (roots, problem.map(Arc::from))
    }
}

/// Returns the TLS settings for these roots.
fn tls_config(roots: RootCertStore) -> Result<TlsConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        TlsConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Follows a redirect only within the same origin, and only where the request stays a POST: the
/// key must not go anywhere else.
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
