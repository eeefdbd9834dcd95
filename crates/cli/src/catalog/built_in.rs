//! The built-in models and providers, as tables.
//!
//! Owns these facts and nothing else. A price stands here only where it is one figure for every
//! request; where it depends on the size of the prompt or the time of day there is none.

use super::{Model, OPENAI, Price, Provider};
use crate::thinking::ThinkingLevel::{self, High, Low, Medium, Minimal, Off};
use std::borrow::Cow::{self, Borrowed};

const FIREWORKS: &str = "fireworks";
const DEEPSEEK: &str = "deepseek";
const ZAI: &str = "zai";
const OPENROUTER: &str = "openrouter";
const GEMINI: &str = "gemini";

/// The built-in providers.
pub(super) static PROVIDERS: [Provider; 6] = [
    provider(OPENAI, "https://api.openai.com/v1", &[Borrowed("OPENAI_API_KEY")]),
    provider(FIREWORKS, "https://api.fireworks.ai/inference/v1", &[Borrowed("FIREWORKS_API_KEY")]),
    provider(DEEPSEEK, "https://api.deepseek.com/v1", &[Borrowed("DEEPSEEK_API_KEY")]),
    provider(
        ZAI,
        "https://open.bigmodel.cn/api/paas/v4",
        &[Borrowed("ZAI_API_KEY"), Borrowed("GLM_API_KEY")],
    ),
    provider(OPENROUTER, "https://openrouter.ai/api/v1", &[Borrowed("OPENROUTER_API_KEY")]),
    provider(
        GEMINI,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &[Borrowed("GEMINI_API_KEY"), Borrowed("GOOGLE_API_KEY")],
    ),
];

/// The built-in models.
#[rustfmt::skip]
pub(super) static MODELS: [Model; 15] = [
    model("gpt-4o-mini", OPENAI, 128_000, Input::Images, &[], costs(0.15, 0.60)),
    model("gpt-4o", OPENAI, 128_000, Input::Images, &[], costs(2.50, 10.00)),
    model("gpt-4.1-mini", OPENAI, 1_047_576, Input::Images, &[], costs(0.40, 1.60)),
    model("gpt-4.1", OPENAI, 1_047_576, Input::Images, &[], costs(2.00, 8.00)),
    model("gpt-5-mini", OPENAI, 400_000, Input::Images, &[Minimal, Low, Medium, High], costs(0.25, 2.00)),
    model("gpt-5", OPENAI, 400_000, Input::Images, &[Minimal, Low, Medium, High], costs(1.25, 10.00)),
    model("minimax-m2p5", FIREWORKS, 196_000, Input::Text, &[], None),
    model("accounts/fireworks/models/minimax-m2p5", FIREWORKS, 196_000, Input::Text, &[], None),
    model("deepseek-chat", DEEPSEEK, 128_000, Input::Text, &[], None),
    model("deepseek-reasoner", DEEPSEEK, 128_000, Input::Text, &[Off, Low, Medium, High], None),
    model("glm-4.5", ZAI, 128_000, Input::Text, &[], None),
    model("glm-5.2", ZAI, 128_000, Input::Text, &[], None),
    model("gemini-2.5-flash", GEMINI, 1_000_000, Input::Images, &[], costs(0.30, 2.50)),
    model("gemini-2.5-pro", GEMINI, 2_000_000, Input::Images, &[], None),
    model("minimax/minimax-m2.5", OPENROUTER, 196_000, Input::Text, &[], None),
];

/// What a model takes.
#[derive(Clone, Copy)]
enum Input {
    /// Text alone.
    Text,
    /// Text and images.
    Images,
}

/// Returns one row of the table of models.
const fn model(
    id: &'static str,
    provider: &'static str,
    context_window: u64,
    input: Input,
    thinking_levels: &'static [ThinkingLevel],
    price: Option<Price>,
) -> Model {
    Model {
        id: Borrowed(id),
        provider: Borrowed(provider),
        context_window: Some(context_window),
        thinking_levels: Borrowed(thinking_levels),
        price,
        vision: matches!(input, Input::Images),
    }
}

/// Returns a price in US dollars for a million tokens of input and of output.
const fn costs(input_per_million: f64, output_per_million: f64) -> Option<Price> {
    Some(Price { input_per_million, output_per_million })
}

/// Returns one row of the table of providers.
const fn provider(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [Cow<'static, str>],
) -> Provider {
    Provider {
        name: Borrowed(name),
        base_url: Borrowed(base_url),
        key_variables: Borrowed(key_variables),
    }
}
