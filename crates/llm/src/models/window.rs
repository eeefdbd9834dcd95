//! The context window of one model, from the server that runs it.
//!
//! Owns the order of questions: the list that every server has, then what the server's own
//! signature suggests. Must not fail: a window that cannot be learned stays unknown.

use super::reading::{self, LLAMA_CPP, LM_STUDIO};
use super::{ask, compatible_list, fetch};
use crate::endpoint::Endpoint;
use crate::http::Http;
use serde_json::json;

/// Where an LM Studio lists its models with their windows.
pub(super) const LM_STUDIO_PATH: &str = "/api/v0/models";

/// Returns the window that the server tells for the model. Takes as long as the server does.
pub(crate) async fn context_window(http: &Http, endpoint: &Endpoint, model: &str) -> Option<u64> {
    let list = compatible_list(http, endpoint).await.unwrap_or_default();
    let listed = list.model(model).and_then(|model| model.context_window);
    if list.is_owned_by(LLAMA_CPP) {
        // Its list may tell only what the model was made with.
        let properties = ask(http, &endpoint.native("/props"), None).await.ok();
        return properties.as_ref().and_then(reading::window_in_properties).or(listed);
    }
    if listed.is_some() {
        return listed;
    }
    // Only servers on this machine are asked on a guess.
    if !list.is_owned_by(LM_STUDIO) && endpoint.is_loopback() {
        let found = of_ollama(http, endpoint, model).await;
        if found.is_some() {
            return found;
        }
    }
    if list.is_owned_by(LM_STUDIO) || endpoint.is_loopback() {
        let list = fetch(http, &endpoint.native(LM_STUDIO_PATH)).await.ok()?;
        return list.model(model)?.context_window;
    }
    None
}

async fn of_ollama(http: &Http, endpoint: &Endpoint, model: &str) -> Option<u64> {
    let running = ask(http, &endpoint.native("/api/ps"), None).await.ok()?;
    if let Some(window) = reading::window_of_running(&running, model) {
        return Some(window);
    }
    let question = json!({ "model": model }).to_string().into_bytes();
    let described = ask(http, &endpoint.native("/api/show"), Some(question)).await.ok()?;
    reading::window_in_description(&described)
}
