//! HTTP clients as the program makes them, for whoever sends something.
//!
//! Owns certificates, redirects, proxies, and what a failed connection is called. Must not know
//! what is sent, to whom, or what an answer means.

mod connector;
mod fault;
mod proxy;
mod roots;

pub use connector::{Connector, Limits, Made, Roots};
pub use fault::{Fault, FaultKind, Surroundings, is_unknown_issuer, root_cause};
pub use proxy::{ProxyError, ProxySettings, is_loopback};
