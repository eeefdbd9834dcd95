//! The way to one server: a client that is made when it is first needed.
//!
//! Owns certificates and redirects; a way to `http://` never touches certificates. Must not send
//! anything.

use crate::proxy::{self, ProxyError, ProxySettings};
use crate::{fault, roots};
use reqwest::{Client, Proxy, Url, redirect};
use rustls::{ClientConfig as TlsConfig, RootCertStore};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Local servers close idle connections after few seconds; a new one costs them nothing. Far ones
/// keep them for minutes, and a new one costs several round trips.
const LOCAL_IDLE: Duration = Duration::from_secs(3);
const FAR_IDLE: Duration = Duration::from_secs(60);

/// How many redirects are followed, one after the other.
const MOST_REDIRECTS: usize = 5;

/// Makes clients for one server.
pub struct Connector {
    proxy: Option<Proxy>,
    /// The proxy as it may be shown.
    proxy_name: Option<String>,
    uses_tls: bool,
    idle: Duration,
    limits: Limits,
    extra_roots: Option<PathBuf>,
    made: Mutex<Option<Made>>,
}

/// How long things may take.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Until a connection is there; `None` for as long as the system tries.
    pub connect: Option<Duration>,
}

/// Whom to trust beside the bundled certificates and those of the user's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// Nobody.
    Bundled,
    /// Whom the system trusts. To read that is slow on some systems.
    System,
}

/// A client, and what is to be known of it.
#[derive(Clone)]
pub struct Made {
    /// The client. Clones share its connections.
    pub client: Client,
    /// Whom it trusts.
    pub roots: Roots,
    /// What is wrong with the user's own certificates, if something is.
    pub roots_problem: Option<Arc<str>>,
}

impl Connector {
    /// Returns what makes clients for the server at `url`. Nothing is read or opened yet.
    /// `extra_roots` is a PEM file of certificates to trust beside the bundled ones.
    ///
    /// # Errors
    /// When the proxy's URL cannot be read.
    pub fn new(
        url: &Url,
        proxies: &ProxySettings,
        extra_roots: Option<PathBuf>,
        limits: Limits,
    ) -> Result<Self, ProxyError> {
        let proxy_url = proxy::proxy_for(url, proxies)?;
        let over_tls = |url: &str| url.starts_with("https:");
        let uses_tls = over_tls(url.as_str()) || proxy_url.as_deref().is_some_and(over_tls);
        let proxy = proxy_url.as_deref().map(Proxy::all).transpose().map_err(|error| {
            let reason = fault::root_cause(&error);
            ProxyError { scheme: proxy::scheme_of(url), reason }
        })?;
        Ok(Self {
            proxy,
            proxy_name: proxy_url.as_deref().map(proxy::shown),
            uses_tls,
            idle: if proxy::is_loopback(url) { LOCAL_IDLE } else { FAR_IDLE },
            limits,
            extra_roots,
            made: Mutex::new(None),
        })
    }

    /// Returns the proxy that requests go through, fit to be shown.
    pub fn proxy_name(&self) -> Option<&str> {
        self.proxy_name.as_deref()
    }

    /// Returns the client, which is made at the first call, and anew when it is to trust more.
    ///
    /// # Errors
    /// When TLS cannot be set up at all.
    pub async fn client(&self, wanted: Roots) -> Result<Made, rustls::Error> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(made) = made.filter(|made| made.roots == wanted || wanted == Roots::Bundled) {
            return Ok(made);
        }
        let (roots, roots_problem) = self.roots(wanted).await;
        let client = self
            .build(tls_config(roots)?)
            .map_err(|error| rustls::Error::General(fault::root_cause(&error)))?;
        let made = Made { client, roots: wanted, roots_problem };
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
        if let Some(limit) = self.limits.connect {
            builder = builder.connect_timeout(limit);
        }
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(proxy.clone());
        }
        builder.build()
    }

    /// Returns whom to trust, and what is wrong with the user's own file, if something is.
    async fn roots(&self, wanted: Roots) -> (RootCertStore, Option<Arc<str>>) {
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
        if wanted == Roots::System && problem.is_none() {
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

/// Follows a redirect only within the same origin, and only where the request stays a POST: keys
/// must not go anywhere else.
fn same_origin_redirects() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
        let same_origin =
            attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
        if keeps_method && same_origin && attempt.previous().len() <= MOST_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}
