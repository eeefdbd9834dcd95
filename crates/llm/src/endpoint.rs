//! From a base URL, as people write them, to the URL that requests go to.
//!
//! Owns the rules for slashes, pasted paths, versions and what of a URL may be shown. Must not
//! send anything.

#[cfg(test)]
mod tests;

use crate::config::ConfigError;
use reqwest::Url;

const OPERATION: &str = "/chat/completions";

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// The URL that the base stands for.
    pub(crate) url: Url,
    /// The URL with `/v1` put in, where the base has no version: what to try if `url` turns out
    /// to be no endpoint.
    pub(crate) versioned: Option<Url>,
}

/// Returns the endpoint that `base` stands for.
///
/// # Errors
/// When `base` is no `http://` or `https://` URL.
pub(crate) fn resolve(base: &str) -> Result<Endpoint, ConfigError> {
    let base = base.trim();
    let refuse = |reason: &str| ConfigError::BaseUrl {
        url: Url::parse(base).map_or_else(|_| base.to_owned(), |url| shown(&url)),
        reason: reason.to_owned(),
    };
    if !base.contains("://") {
        return Err(refuse("it must begin with http:// or https://"));
    }
    let mut url = Url::parse(base).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it must begin with http:// or https://"));
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(OPERATION).unwrap_or(path).trim_end_matches('/').to_owned();
    url.set_path(&format!("{path}{OPERATION}"));
    let versioned = (!has_version(&path, &url)).then(|| {
        let mut versioned = url.clone();
        versioned.set_path(&format!("{path}/v1{OPERATION}"));
        versioned
    });
    Ok(Endpoint { url, versioned })
}

impl Endpoint {
    /// Returns the host, with the port where it is not the usual one.
    pub(crate) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Returns where the models are listed: the best guess first.
    pub(crate) fn model_lists(&self) -> impl Iterator<Item = Url> {
        std::iter::once(&self.url).chain(&self.versioned).map(|url| {
            let path = url.path().strip_suffix(OPERATION).unwrap_or(url.path());
            sibling(url, &format!("{path}/models"))
        })
    }

    /// Returns the URL of one of the server's own paths, beside the OpenAI-compatible ones: what
    /// stands before the version in the base URL, and `path`.
    pub(crate) fn native(&self, path: &str) -> Url {
        let own = self.url.path().strip_suffix(OPERATION).unwrap_or(self.url.path());
        let root = own.strip_suffix("/v1").unwrap_or(own);
        sibling(&self.url, &format!("{root}{path}"))
    }

    /// Returns whether the endpoint is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        letscode_http::is_loopback(&self.url)
    }
}

/// Returns the URL with another path.
fn sibling(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url
}

/// Returns a URL as text for messages, without what may be secret in it.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // These fail only for URLs without a host, which have nothing to hide there.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    if url.query().is_some() {
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let mut query = url.query_pairs_mut();
        query.clear();
        for (name, value) in pairs {
            let value = if may_be_secret(&name) { "***" } else { value.as_str() };
            query.append_pair(&name, value);
        }
    }
    url.to_string()
}

/// Returns whether a query parameter of this name is better not printed.
fn may_be_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "token", "secret", "sig", "code", "password", "auth"]
        .iter()
        .any(|word| name.contains(word))
}

/// Returns whether the URL says which version of the interface it means: a path segment such as
/// `v1` or `v1beta`, or Azure's query.
fn has_version(path: &str, url: &Url) -> bool {
    let in_path = path.split('/').any(|segment| {
        let digits = segment.strip_prefix('v').unwrap_or_default();
        digits.starts_with(|character: char| character.is_ascii_digit())
    });
    in_path || url.query_pairs().any(|(name, _)| name == "api-version")
}
