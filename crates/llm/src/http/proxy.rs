//! Which proxy an endpoint is reached through, if any.
//!
//! Owns the reading of proxy settings and of the list of exceptions. Must not read the
//! environment.

#[cfg(test)]
mod tests;

use crate::config::{ConfigError, ProxySettings};
use crate::endpoint::Endpoint;
use std::net::IpAddr;

/// Schemes that a proxy may have.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// Returns the URL of the proxy that `endpoint` is to be reached through. This machine is never
/// reached through one.
///
/// # Errors
/// When the proxy's URL has a scheme that no proxy has.
pub(super) fn proxy_for(
    endpoint: &Endpoint,
    settings: &ProxySettings,
) -> Result<Option<String>, ConfigError> {
    if endpoint.is_loopback() || is_exempt(endpoint, settings.no_proxy.as_deref()) {
        return Ok(None);
    }
    let own = match scheme_of(endpoint) {
        "https" => &settings.https,
        _ => &settings.http,
    };
    let Some(url) = given(own.as_deref()).or_else(|| given(settings.all.as_deref())) else {
        return Ok(None);
    };
    let url = match url.split_once("://") {
        Some(("socks", rest)) => format!("socks5://{rest}"),
        Some((scheme, _)) if SCHEMES.contains(&scheme) => url.to_owned(),
        Some(_) => {
            let reason = format!("its scheme must be one of {}", SCHEMES.join(", "));
            return Err(ConfigError::Proxy { scheme: scheme_of(endpoint), reason });
        }
        None => format!("http://{url}"),
    };
    Ok(Some(url))
}

/// Returns `http` or `https`.
pub(super) fn scheme_of(endpoint: &Endpoint) -> &'static str {
    if endpoint.url.scheme() == "https" { "https" } else { "http" }
}

/// Returns a proxy's URL without user and password.
pub(super) fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{}", host.trim_end_matches('/'))
}

fn given(setting: Option<&str>) -> Option<&str> {
    setting.map(str::trim).filter(|text| !text.is_empty())
}

/// Returns whether the list of exceptions names the endpoint: by `*`, a domain (which stands for
/// all below it), an address or a network, each with an optional port.
fn is_exempt(endpoint: &Endpoint, no_proxy: Option<&str>) -> bool {
    let host = endpoint.url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = endpoint.url.port_or_known_default();
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
