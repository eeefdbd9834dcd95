//! What servers need from the program around the plugin.
//!
//! Owns the port: asking, showing, registering. Must not know the protocol that carries it.

use letscode_wire::{Registrations, UiRequest};
use serde_json::Value;
use std::pin::Pin;

/// A future of any kind that can be sent between threads.
pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The program, as servers see it. Nothing here may block.
pub(crate) trait Front: Send + Sync {
    /// Asks the user; `None` where the question was declined or nobody can answer.
    fn ask(&self, request: UiRequest) -> BoxFuture<Option<Value>>;

    /// Replaces the tools and commands that there are.
    fn register(&self, registrations: Registrations);

    /// Tells the user about a fault, in one line.
    fn warn(&self, line: &str);
}
