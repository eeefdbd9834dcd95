//! Streaming client for any OpenAI-compatible Chat Completions endpoint.
//!
//! Owns the wire format of Chat Completions: requests, the byte-level event stream, the assembly
//! of answers, the differences among servers, errors and retries. Must not know tools, sessions
//! or front ends.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests prepare and look at real files")
)]

mod assemble;
mod chunk;
mod sse;
mod think;
mod tool_name;
mod usage;

mod config;
mod endpoint;
mod profile;
mod request;

mod error;
mod fallback;
mod http;
mod retry;

mod document;
mod models;

mod client;

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

pub use client::Client;
pub use config::{ClientConfig, ConfigError, Price, Secret};
pub use document::{DocumentConfig, fetch_document};
pub use letscode_http::ProxySettings;
pub use models::{ListedModel, ListingConfig, ListingError, list_models};
