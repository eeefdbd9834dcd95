//! The address of a server, checked and comparable.
//!
//! Owns what counts as an address, the same address, and this machine.

use url::{Host, Url};

/// An `http://` or `https://` address.
#[derive(Debug)]
pub(super) struct BaseUrl {
    text: String,
    url: Url,
}

/// What is wrong with an address. Does not show it: a password may be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BaseUrlError {
    /// No scheme, or another one.
    #[error("is no web address: it must start with http:// or https://")]
    NotHttp,
    /// Nothing that a host can be found in.
    #[error("is no web address that makes sense; it looks like https://api.example.com/v1")]
    Malformed,
}

impl BaseUrl {
    /// Reads an address; space around it and slashes at its end do not count.
    pub(super) fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let text = text.trim().trim_end_matches('/');
        match Url::parse(text) {
            Ok(url) if !matches!(url.scheme(), "http" | "https") => Err(BaseUrlError::NotHttp),
            Ok(url) if url.host_str().is_none_or(str::is_empty) => Err(BaseUrlError::Malformed),
            Ok(url) => Ok(Self { text: text.to_owned(), url }),
            Err(url::ParseError::RelativeUrlWithoutBase) => Err(BaseUrlError::NotHttp),
            Err(_) => Err(BaseUrlError::Malformed),
        }
    }

    /// Returns the address as it was written, without slashes at its end.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host's name.
    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns whether a key for one address may be sent to the other: same scheme, host, port.
    pub(super) fn has_same_origin(&self, other: &Self) -> bool {
        self.url.scheme() == other.url.scheme()
            && self.url.host() == other.url.host()
            && self.url.port_or_known_default() == other.url.port_or_known_default()
    }

    /// Returns whether two addresses are one, written alike or not.
    pub(super) fn is_same_address(&self, other: &Self) -> bool {
        self.has_same_origin(other)
            && self.url.path() == other.url.path()
            && self.url.query() == other.url.query()
    }

    /// Returns whether the server runs on this machine.
    pub(super) fn is_this_machine(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> BaseUrl {
        BaseUrl::parse(text).unwrap()
    }

    #[test]
    fn addresses_are_checked() {
        for (text, expected) in [
            (" https://a.b/v1/ ", Ok("https://a.b/v1")),
            ("http://[::1]:8080/v1//", Ok("http://[::1]:8080/v1")),
            ("HTTP://A", Ok("HTTP://A")),
            ("localhost:11434/v1", Err(BaseUrlError::NotHttp)),
            ("api.example.com/v1", Err(BaseUrlError::NotHttp)),
            ("ftp://a/b", Err(BaseUrlError::NotHttp)),
            ("", Err(BaseUrlError::NotHttp)),
            ("http://", Err(BaseUrlError::Malformed)),
            ("http://a:port/", Err(BaseUrlError::Malformed)),
        ] {
            let found = BaseUrl::parse(text).map(|url| url.text);
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_key_stays_at_its_scheme_host_and_port() {
        for (other, same) in [
            ("https://api.x.com/v1", true),
            ("https://API.x.com:443/other", true),
            ("https://user@api.x.com/v1", true),
            ("http://api.x.com/v1", false),
            ("https://api.x.com:8443/v1", false),
            ("https://api.x.com.evil.com/v1", false),
            ("https://api.x.com@evil.com/v1", false),
            ("https://evil.com/api.x.com", false),
        ] {
            assert_eq!(
                parse("https://api.x.com/v1").has_same_origin(&parse(other)),
                same,
                "{other}"
            );
        }
    }

    #[test]
    fn one_address_may_be_written_in_several_ways() {
        for (other, same) in [
            ("https://API.x.com:443/v1/", true),
            ("https://api.x.com/v2", false),
            ("https://api.x.com", false),
        ] {
            assert_eq!(
                parse("https://api.x.com/v1").is_same_address(&parse(other)),
                same,
                "{other}"
            );
        }
    }

    #[test]
    fn this_machine_has_many_names() {
        for (text, expected) in [
            ("http://localhost:1234", true),
            ("http://LOCALHOST/v1", true),
            ("http://model.localhost", true),
            ("http://127.0.0.1:1", true),
            ("http://127.8.9.1", true),
            ("http://0.0.0.0:8000", true),
            ("http://[::1]:1", true),
            ("http://localhost.evil.com", false),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.evil.com", false),
        ] {
            assert_eq!(parse(text).is_this_machine(), expected, "{text}");
        }
    }
}
