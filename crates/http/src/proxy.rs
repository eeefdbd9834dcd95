//! Which proxy a server is reached through, if any.
//!
//! Owns the reading of proxy settings and of the list of exceptions. Must not read the
//! environment.

#[cfg(test)]
mod tests;

use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// Schemes that a proxy may have.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// Which proxies to go through, each as the variable of that name holds it. A URL without a
/// scheme is an `http://` one, and `socks://` means `socks5://`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// For `http://` addresses.
    pub http: Option<String>,
    /// For `https://` addresses.
    pub https: Option<String>,
    /// For both, where the one above is unset.
    pub all: Option<String>,
    /// Hosts that are reached directly, separated by commas; `*` for all.
    pub no_proxy: Option<String>,
}

impl fmt::Debug for ProxySettings {
    /// Shows nothing of the URLs: they may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxySettings").finish_non_exhaustive()
    }
}

/// A proxy's URL that cannot be read. It may hold a password, so it is not repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the proxy given for {scheme} is not usable: {reason}")]
pub struct ProxyError {
    /// `http` or `https`: the kind of address that it is for.
    pub scheme: &'static str,
    /// What is wrong.
    pub reason: String,
}

/// Returns whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    let host = host_of(url);
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Returns the URL of the proxy that `url` is to be reached through. This machine is never
/// reached through one.
///
/// # Errors
/// When the proxy's URL has a scheme that no proxy has.
pub(crate) fn proxy_for(url: &Url, settings: &ProxySettings) -> Result<Option<String>, ProxyError> {
    if is_loopback(url) || is_exempt(url, settings.no_proxy.as_deref()) {
        return Ok(None);
    }
    let own = match scheme_of(url) {
        "https" => &settings.https,
        _ => &settings.http,
    };
    let Some(proxy) = given(own.as_deref()).or_else(|| given(settings.all.as_deref())) else {
        return Ok(None);
    };
    let proxy = match proxy.split_once("://") {
        Some(("socks", rest)) => format!("socks5://{rest}"),
        Some((scheme, _)) if SCHEMES.contains(&scheme) => proxy.to_owned(),
        Some(_) => {
            let reason = format!("its scheme must be one of {}", SCHEMES.join(", "));
            return Err(ProxyError { scheme: scheme_of(url), reason });
        }
        None => format!("http://{proxy}"),
    };
    Ok(Some(proxy))
}

/// Returns `http` or `https`.
pub(crate) fn scheme_of(url: &Url) -> &'static str {
    if url.scheme() == "https" { "https" } else { "http" }
}

/// Returns a proxy's URL without user and password.
pub(crate) fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{}", host.trim_end_matches('/'))
}

fn given(setting: Option<&str>) -> Option<&str> {
    setting.map(str::trim).filter(|text| !text.is_empty())
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

/// Returns whether the list of exceptions names the address: by `*`, a domain (which stands for
/// all below it), an address or a network, each with an optional port.
fn is_exempt(url: &Url, no_proxy: Option<&str>) -> bool {
    let host = host_of(url);
    let port = url.port_or_known_default();
    let entries = no_proxy.unwrap_or_default().split([',', ' ']).map(str::trim);
    entries.filter(|entry| !entry.is_empty()).any(|entry| {
        let (name, entry_port) = split_port(entry);
        (entry_port.is_none() || entry_port == port) && names_host(name, host)
    })
}

/// Splits `host:80`, `[::1]:80` and plain hosts and addresses.
fn split_port(entry: &str) -> (&str, Option<u16>) {
    let (name, port) = match entry.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => {
            (name, port.parse().ok())
        }
        _ => (entry, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}

fn names_host(name: &str, host: &str) -> bool {
    if name == "*" {
        return true;
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return match name.split_once('/') {
            Some((network, bits)) => is_within(address, network, bits),
            None => name.parse() == Ok(address),
        };
    }
    let name = name.trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    !name.is_empty()
        && host.strip_suffix(&name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether the address lies in a network such as `10.0.0.0/8`.
fn is_within(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let (difference, width) = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            (u128::from(address.to_bits() ^ network.to_bits()), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => (address.to_bits() ^ network.to_bits(), 128),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return false,
    };
    bits <= width && difference.checked_shr(width - bits).unwrap_or_default() == 0
}
