//! Streaming client for any OpenAI-compatible Chat Completions endpoint.
//!
//! Owns the wire format of Chat Completions: requests, the byte-level event stream, the assembly
//! of answers, the differences among servers, errors and retries. Must not know tools, sessions
//! or front ends.

mod assemble;
mod chunk;
mod sse;
mod think;
mod usage;

mod endpoint;
mod profile;
mod request;

mod error;
mod http;
mod retry;

mod client;
