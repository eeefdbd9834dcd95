//! Lists of models in every shape that servers send.
//!
//! Owns the names under which servers tell a model's name, window, price and abilities. A member
//! of an unexpected type counts as absent, never as an error.

use super::ListedModel;
use serde_json::Value;

/// How an LM Studio signs its models.
pub(super) const LM_STUDIO: &str = "organization_owner";
/// How a llama.cpp server signs its models.
pub(super) const LLAMA_CPP: &str = "llamacpp";

/// No list is longer, and no name.
const MOST_MODELS: usize = 20_000;
const LONGEST_NAME: usize = 300;

/// Where the window is told, the one that is really in force first.
const WINDOWS: [&str; 10] = [
    "/meta/n_ctx",
    "/loaded_context_length",
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/top_provider/context_length",
    "/limits/max_context_window_tokens",
    "/max_input_tokens",
    "/meta/n_ctx_train",
];

/// Where the kinds of input are listed, or the abilities.
const ABILITIES: [&str; 4] =
    ["/architecture/input_modalities", "/input_modalities", "/modalities/input", "/capabilities"];

/// A list, with what tells which server it comes from.
#[derive(Debug, Default, PartialEq)]
pub(super) struct List {
    pub(super) models: Vec<ListedModel>,
    owner: Option<String>,
    /// Whether it tells of a context that is loaded, as a llama.cpp server does.
    is_loaded: bool,
}

impl List {
    /// Returns whether the models are signed so.
    pub(super) fn is_owned_by(&self, owner: &str) -> bool {
        self.owner.as_deref() == Some(owner)
    }

    /// Returns the model of that name. A llama.cpp server serves its only one under any name; others
    /// may have one that they do not list.
    pub(super) fn model(&self, id: &str) -> Option<&ListedModel> {
        let found = self.models.iter().find(|model| model.id == id);
        found.or(match &*self.models {
            [only] if self.is_loaded || self.is_owned_by(LLAMA_CPP) => Some(only),
            _ => None,
        })
    }
}

/// Reads a list; `None` where there is none.
pub(super) fn list(json: &Value) -> Option<List> {
    let items = match json {
        Value::Array(items) => items,
        _ => ["data", "models"].iter().find_map(|name| json.get(name)?.as_array())?,
    };
    let mut list = List::default();
    let mut known = std::collections::HashSet::new();
    for item in items.iter().take(MOST_MODELS) {
        let Some(model) = model(item).filter(|model| known.insert(model.id.clone())) else {
            continue;
        };
        let owner = || item.get("owned_by").and_then(Value::as_str).map(str::to_owned);
        list.owner = list.owner.or_else(owner);
        list.is_loaded |= item.pointer("/meta/n_ctx").is_some();
        list.models.push(model);
    }
    Some(list)
}

/// Returns the window that a llama.cpp server's properties tell.
pub(super) fn window_in_properties(json: &Value) -> Option<u64> {
    ["/default_generation_settings/n_ctx", "/n_ctx"].iter().find_map(|at| window(json.pointer(at)?))
}

/// Returns the window that an Ollama runs the model of that name with, by its list of running
/// models.
pub(super) fn window_of_running(json: &Value, id: &str) -> Option<u64> {
    let running = json.get("models")?.as_array()?.iter().find(|model| {
        let names = ["model", "name"].iter().filter_map(|name| model.get(name)?.as_str());
        // A name without a tag means the latest.
        names.into_iter().any(|name| name == id || name.strip_suffix(":latest") == Some(id))
    })?;
    window(running.get("context_length")?)
}

/// Returns the window that an Ollama's description of one model tells: the one that it is set to
/// run with, else the one that it was made with.
pub(super) fn window_in_description(json: &Value) -> Option<u64> {
    let parameters = json.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let set = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok())?
    });
    let made_with = || {
        let info = json.get("model_info")?.as_object()?;
        info.iter().find_map(|(name, value)| {
            name.ends_with(".context_length").then(|| window(value)).flatten()
        })
    };
    set.filter(|tokens| is_plausible(*tokens)).or_else(made_with)
}

fn model(item: &Value) -> Option<ListedModel> {
    let name = match item {
        Value::String(name) => name,
        _ => ["id", "model", "name"].iter().find_map(|name| item.get(name)?.as_str())?,
    };
    // Gemini writes the kind of thing before its name, and takes the name without it.
    let id = name.strip_prefix("models/").unwrap_or(name).trim();
    if id.is_empty() || id.len() > LONGEST_NAME || id.chars().any(char::is_control) {
        return None;
    }
    Some(ListedModel {
        id: id.to_owned(),
        context_window: WINDOWS.iter().find_map(|at| window(item.pointer(at)?)),
        vision: vision(item),
        input_per_million: per_million(item.pointer("/pricing/prompt")),
        output_per_million: per_million(item.pointer("/pricing/completion")),
    })
}

fn vision(item: &Value) -> Option<bool> {
    let flag = ["/capabilities/vision", "/supports_image_in"];
    if let Some(flag) = flag.iter().find_map(|at| item.pointer(at)?.as_bool()) {
        return Some(flag);
    }
    // The kind of an LM Studio's model: `llm`, `vlm`, `embeddings`.
    if let Some(kind @ ("llm" | "vlm")) = item.get("type").and_then(Value::as_str) {
        return Some(kind == "vlm");
    }
    let listed = ABILITIES.iter().find_map(|at| item.pointer(at)?.as_array())?;
    Some(listed.iter().any(|ability| matches!(ability.as_str(), Some("image" | "vision"))))
}

fn window(value: &Value) -> Option<u64> {
    let tokens = match value {
        Value::String(text) => text.trim().parse().ok()?,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        _ => value.as_u64().or_else(|| value.as_f64().map(|tokens| tokens as u64))?,
    };
    is_plausible(tokens).then_some(tokens)
}

/// Returns whether a window may be that large. A placeholder must not make every conversation
/// too long.
pub(crate) fn is_plausible(tokens: u64) -> bool {
    (256..=1_000_000_000).contains(&tokens)
}

/// Returns the price of a million, from that of one token as text or number. A router writes a
/// negative one where the price depends on the model that it picks.
fn per_million(value: Option<&Value>) -> Option<f64> {
    let price = match value? {
        Value::String(text) => text.trim().parse::<f64>().ok()?,
        number => number.as_f64()?,
    };
    let is_price = price.is_finite() && (0.0..1.0).contains(&price);
    // Rounded to a millionth of a dollar: the product is not exact.
    is_price.then(|| (price * 1e12).round() / 1e6)
}
