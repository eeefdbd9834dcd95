//! What a failed connection is called: what happened, and what to do.
//!
//! Owns the look into nested errors. Must not show a header, a body or a password.

use std::error::Error as StdError;
use std::io;

/// A connection that could not be made, or broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Of which kind it is.
    pub kind: FaultKind,
    /// What happened. May hold words of the server's.
    pub what: String,
    /// What to do; may be empty.
    pub hint: String,
}

/// How a connection can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The server is not trusted, or does not encrypt.
    Tls,
    /// The server is not reached, or is gone.
    Network,
}

/// What words for a fault need to know.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// What the setting is called that has the address.
    pub setting: &'a str,
    /// The proxy, fit to be shown.
    pub proxy: Option<&'a str>,
    /// What is wrong with the user's own certificates.
    pub roots_problem: Option<&'a str>,
}

impl Fault {
    /// Returns what an error of the client's means.
    pub fn of(error: &reqwest::Error, around: Surroundings<'_>) -> Self {
        let cause = root_cause(error);
        match tls_error(error) {
            Some(tls) => Self::of_tls(tls, &cause, around),
            None => Self::of_network(error, &cause, around),
        }
    }

    fn of_tls(error: &rustls::Error, cause: &str, around: Surroundings<'_>) -> Self {
        let (what, mut hint) = match error {
            rustls::Error::InvalidCertificate(_) => (
                format!("the server's certificate is not trusted: {cause}"),
                "if your network uses its own certificates, set SSL_CERT_FILE to a PEM file of them"
                    .to_owned(),
            ),
            rustls::Error::InvalidMessage(_) => (
                format!("the server does not speak TLS: {cause}"),
                format!(
                    "if it is meant to, check the port; else write http:// in the {}",
                    around.setting
                ),
            ),
            _ => (format!("no secure connection: {cause}"), String::new()),
        };
        if let Some(problem) = around.roots_problem {
            hint = format!("{hint} ({problem})").trim_start().to_owned();
        }
        Self { kind: FaultKind::Tls, what, hint }
    }

    fn of_network(error: &reqwest::Error, cause: &str, around: Surroundings<'_>) -> Self {
        let through =
            around.proxy.map_or_else(String::new, |proxy| format!(" through the proxy {proxy}"));
        let refused = io_kind(error) == Some(io::ErrorKind::ConnectionRefused);
        let check_address = || format!("check the {} and the network", around.setting);
        let (what, hint) = if error.is_dns() {
            (format!("cannot find the host{through}: {cause}"), check_address())
        } else if error.is_connect() && error.is_timeout() {
            (format!("cannot connect{through}: no answer in time"), check_address())
        } else if refused && around.proxy.is_none() {
            (format!("cannot connect: {cause}"), "is the server running?".to_owned())
        } else if error.is_connect() {
            let hint = "check the proxy and the network".to_owned();
            (format!("cannot connect{through}: {cause}"), hint)
        } else {
            (format!("the connection broke before the answer: {cause}"), String::new())
        };
        Self { kind: FaultKind::Network, what, hint }
    }
}

/// Returns whether a certificate could not be traced to a trusted root.
pub fn is_unknown_issuer(error: &reqwest::Error) -> bool {
    matches!(
        tls_error(error),
        Some(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer))
    )
}

/// Returns the innermost cause in words.
pub fn root_cause(error: &reqwest::Error) -> String {
    chain(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    chain(error).find_map(|cause| cause.downcast_ref::<rustls::Error>())
}

fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind)
}

/// Returns the causes of an error. An I/O error leaves out of its sources what it carries, and may
/// carry another of its kind, so each is opened.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |cause| match cause.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|carried| carried as &(dyn StdError + 'static)),
        None => (*cause).source(),
    })
}
