//! How the endpoints of this world differ, as data.
//!
//! Owns the table of hosts and model families, and the profile that a client starts with and
//! corrects as the server teaches it. Must not hold code for single providers.

#[cfg(test)]
mod tests;

/// What one endpoint and model want of a request.
///
/// There is no entry for the name of the output limit (`max_tokens` or `max_completion_tokens`):
/// requests set no limit, so none is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Profile {
    /// Whether the table names the host.
    pub(crate) known_host: bool,
    /// Whether `stream_options` is sent.
    pub(crate) stream_options: bool,
    /// Whether `reasoning_effort` may be sent.
    pub(crate) reasoning_effort: bool,
    /// Whether `reasoning_split: true` is sent.
    pub(crate) reasoning_split: bool,
    /// What of earlier reasoning goes back.
    pub(crate) reasoning_back: ReasoningBack,
    /// Which ids of tool calls are legal.
    pub(crate) call_ids: CallIdRule,
    /// Whether roles must alternate: neighbouring messages of one role are merged.
    pub(crate) strict_roles: bool,
    /// Which JSON Schema the endpoint understands.
    pub(crate) schema: SchemaRule,
    /// Whether an object schema without properties keeps an empty `properties`.
    pub(crate) empty_properties: bool,
    /// Whether the content beside calls may be `null`; else it is an empty text.
    pub(crate) null_content: bool,
    /// Whether images are sent at all (to a model that takes them).
    pub(crate) images: bool,
    /// Whether calls without a thought signature get the documented value that skips the check.
    pub(crate) signature_filler: bool,
}

/// What of an assistant's earlier reasoning goes back to the model that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasoningBack {
    /// Nothing.
    Never,
    /// The text, in a field of this name, where there is one.
    Text(&'static str),
    /// The text as `reasoning_content` on each assistant message of a tool loop, an empty one
    /// where there is none.
    Required,
    /// The `reasoning_details` as they came.
    Details,
}

/// Which ids of tool calls are legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallIdRule {
    /// Any printable text of at most so many bytes.
    Any(usize),
    /// Exactly nine letters and digits.
    NineAlphanumeric,
}

/// Which JSON Schema an endpoint understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaRule {
    /// All of it.
    Full,
    /// The subset that Gemini's interface takes.
    Gemini,
}

/// Returns the profile to start with for `model` at `host` (without a port).
pub(crate) fn lookup(host: &str, model: &str) -> Profile {
    let host = host.to_ascii_lowercase();
    let model = model.to_ascii_lowercase();
    let known = HOSTS.iter().find(|(name, _)| {
        host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let mut profile = known.map_or(UNKNOWN, |(_, profile)| *profile);
    for family in FAMILIES {
        if family.words.iter().any(|word| model.contains(word)) {
            profile.call_ids = family.call_ids.unwrap_or(profile.call_ids);
            profile.strict_roles |= family.strict_roles;
            profile.schema = family.schema.unwrap_or(profile.schema);
        }
    }
    profile
}

/// An endpoint of which nothing is known gets the plainest request that may work.
const UNKNOWN: Profile = Profile {
    known_host: false,
    stream_options: true,
    reasoning_effort: true,
    reasoning_split: false,
    reasoning_back: ReasoningBack::Never,
    call_ids: CallIdRule::Any(64),
    strict_roles: false,
    schema: SchemaRule::Full,
    empty_properties: true,
    null_content: true,
    images: true,
    signature_filler: false,
};

const KNOWN: Profile = Profile { known_host: true, ..UNKNOWN };

/// By domain: each entry holds for the domain itself and all below it.
const HOSTS: &[(&str, Profile)] = &[
    ("api.openai.com", Profile { call_ids: CallIdRule::Any(40), ..KNOWN }),
    ("api.deepseek.com", Profile { reasoning_back: ReasoningBack::Required, ..KNOWN }),
    ("moonshot.ai", Profile { reasoning_back: ReasoningBack::Required, ..KNOWN }),
    ("moonshot.cn", Profile { reasoning_back: ReasoningBack::Required, ..KNOWN }),
    ("kimi.com", Profile { reasoning_back: ReasoningBack::Required, ..KNOWN }),
    ("minimax.io", MINIMAX),
    ("minimaxi.com", MINIMAX),
    ("minimax.chat", MINIMAX),
    ("bigmodel.cn", ZAI),
    ("z.ai", ZAI),
    ("generativelanguage.googleapis.com", Profile { schema: SchemaRule::Gemini, ..KNOWN }),
    (
        "mistral.ai",
        Profile {
            stream_options: false,
            call_ids: CallIdRule::NineAlphanumeric,
            strict_roles: true,
            ..KNOWN
        },
    ),
    ("groq.com", KNOWN),
    ("cerebras.ai", Profile { reasoning_back: ReasoningBack::Text("reasoning"), ..KNOWN }),
    ("openrouter.ai", Profile { reasoning_back: ReasoningBack::Details, ..KNOWN }),
    ("fireworks.ai", KNOWN),
];

const MINIMAX: Profile =
    Profile { reasoning_split: true, reasoning_back: ReasoningBack::Details, ..KNOWN };

const ZAI: Profile = Profile { reasoning_back: ReasoningBack::Text("reasoning_content"), ..KNOWN };

/// What a family of models wants wherever it is hosted, by words in the model's name.
struct Family {
    words: &'static [&'static str],
    call_ids: Option<CallIdRule>,
    strict_roles: bool,
    schema: Option<SchemaRule>,
}

const FAMILIES: &[Family] = &[
    Family {
        words: &[
            "mistral",
            "ministral",
            "mixtral",
            "codestral",
            "devstral",
            "magistral",
            "pixtral",
        ],
        call_ids: Some(CallIdRule::NineAlphanumeric),
        strict_roles: true,
        schema: None,
    },
    Family {
        words: &["gemini"],
        call_ids: None,
        strict_roles: false,
        schema: Some(SchemaRule::Gemini),
    },
];
