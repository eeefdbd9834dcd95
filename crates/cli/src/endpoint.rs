//! Where a model's requests go, and with which key.
//!
//! Owns the rules that choose base URL and key.
//!
//! Invariant: a key of a named provider goes to no other scheme, host or port than the
//! provider's own; `OPENAI_API_KEY` goes elsewhere only where the user pointed it.

mod base_url;
mod help;
#[cfg(test)]
mod tests;

pub(crate) use base_url::BaseUrlError;
pub(crate) use help::no_key_help;

use crate::catalog::{Catalog, Model, OPENAI, Price, Provider};
use crate::environment::Environment;
use crate::router::{OPENROUTER, RouterList};
use crate::thinking::ThinkingLevel;
use base_url::BaseUrl;
use std::fmt;

/// The model that needs neither network nor key.
const DEMO_MODEL: &str = "demo";

/// The variable that stands in for the address of `openai`, and of any unknown model.
const BASE_URL_VARIABLE: &str = "OPENAI_BASE_URL";

/// The variable with the key for wherever no other key belongs.
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndpointRequest<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// `--base-url`.
    pub(crate) base_url_flag: Option<&'a str>,
    /// `--api-key`.
    pub(crate) api_key_flag: Option<&'a str>,
    /// `base_url` of the config files.
    pub(crate) base_url_config: Option<&'a str>,
    /// How hard the model should think.
    pub(crate) thinking: ThinkingLevel,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Target {
    /// The built-in demonstration.
    Demo,
    /// A server.
    Endpoint(Box<Endpoint>),
}

/// A model at a server, with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Endpoint {
    /// The server's address, without a slash at its end.
    pub(crate) base_url: String,
    /// The key; `None` where the server needs none.
    pub(crate) api_key: Option<ApiKey>,
    /// The catalog's name of who answers at that address, where it has one.
    pub(crate) provider: Option<String>,
    /// The model's name.
    pub(crate) model: String,
    /// How hard it is asked to think, rounded down to what it knows.
    pub(crate) thinking: ThinkingLevel,
    /// Its context window in tokens, where known.
    pub(crate) context_window: Option<u64>,
    /// Whether it takes images. A model that nothing is known of does.
    pub(crate) vision: bool,
    /// What it costs, where known.
    pub(crate) price: Option<Price>,
    /// Whether the server runs on this machine.
    pub(crate) is_this_machine: bool,
}

/// A key. Its debug output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey(String);

/// Why a model cannot be asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EndpointError {
    /// The address is none.
    #[error("the base URL from {origin} {reason}")]
    BadBaseUrl {
        /// Who gave it.
        origin: BaseOrigin,
        /// What is wrong with it.
        reason: BaseUrlError,
    },
    /// There is no key for it.
    #[error(transparent)]
    MissingKey(MissingKey),
    /// The key cannot be sent.
    #[error("the key in {origin} has a line break or a character that no key has; copy it again")]
    BadKey {
        /// The variable or option that holds it.
        origin: String,
    },
}

/// No key is set that may be sent to the model's server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MissingKey {
    /// The model.
    pub(crate) model: String,
    /// The server's host.
    pub(crate) host: String,
    /// The variables of which one would do.
    pub(crate) variables: Vec<String>,
    /// Whether `OPENAI_API_KEY` is set, but must not go to that host.
    pub(crate) openai_key_is_elsewhere: bool,
    /// Whether the user gave the address: the server may need no key at all.
    pub(crate) is_users_address: bool,
}

/// Who gave a base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BaseOrigin {
    /// `--base-url`.
    CommandLine,
    /// `OPENAI_BASE_URL`.
    Environment,
    /// A config file.
    Config,
    /// The provider of that name.
    Provider(String),
}

/// Finds out who answers for a model.
///
/// # Errors
/// When its address makes no sense, or no key may be sent there.
pub(crate) fn resolve(
    request: &EndpointRequest<'_>,
    catalog: &Catalog,
    router: &RouterList,
    environment: &Environment,
) -> Result<Target, EndpointError> {
    let known = catalog.model(request.model);
    if request.model == DEMO_MODEL && request.base_url_flag.is_none() && known.is_none() {
        return Ok(Target::Demo);
    }
    let routed = match known {
        Some(_) => None,
        None => routed_model(request, catalog, router, environment),
    };
    let known = known.or(routed.as_ref());
    let provider = known.and_then(|model| catalog.provider(&model.provider));
    let (text, origin) = choose_base_url(request, provider, catalog, environment);
    let base = match BaseUrl::parse(text) {
        Ok(base) => base,
        Err(reason) => return Err(EndpointError::BadBaseUrl { origin, reason }),
    };
    let answering = answering_provider(&base, provider, catalog);
    let api_key = choose_key(&KeyQuestion {
        request,
        provider,
        answering,
        base: &base,
        origin: &origin,
        environment,
    })?;
    Ok(Target::Endpoint(Box::new(Endpoint {
        base_url: base.as_str().to_owned(),
        api_key,
        provider: answering.map(|provider| provider.name.clone().into_owned()),
        model: request.model.to_owned(),
        thinking: known.map_or(request.thinking, |model| {
            request.thinking.rounded_down(&model.thinking_levels)
        }),
        context_window: known.and_then(|model| model.context_window),
        vision: known.is_none_or(|model| model.vision),
        price: known.and_then(|model| model.price),
        is_this_machine: base.is_this_machine(),
    })))
}

/// Returns what OpenRouter tells of a model that no catalog knows. Reads its list only where it
/// may decide: the key is set, and no flag gives another address.
fn routed_model(
    request: &EndpointRequest<'_>,
    catalog: &Catalog,
    router: &RouterList,
    environment: &Environment,
) -> Option<Model> {
    let provider = catalog.provider(OPENROUTER)?;
    let has_key = provider.key_variables.iter().any(|name| environment.text(name).is_some());
    if !has_key || request.base_url_flag.is_some() {
        return None;
    }
    router.model(request.model)
}

/// Chooses the address: the flag; the model's provider; for `openai` and unknown models what
/// the environment, then the config says; `openai`'s own.
fn choose_base_url<'a>(
    request: &EndpointRequest<'a>,
    provider: Option<&'a Provider>,
    catalog: &'a Catalog,
    environment: &'a Environment,
) -> (&'a str, BaseOrigin) {
    if let Some(flag) = request.base_url_flag {
        return (flag, BaseOrigin::CommandLine);
    }
    let of_provider = |provider: &'a Provider| {
        (&*provider.base_url, BaseOrigin::Provider(provider.name.to_string()))
    };
    if let Some(provider) = provider.filter(|provider| provider.name != OPENAI) {
        return of_provider(provider);
    }
    if let Some(ambient) = environment.text(BASE_URL_VARIABLE) {
        return (ambient, BaseOrigin::Environment);
    }
    if let Some(configured) = request.base_url_config {
        return (configured, BaseOrigin::Config);
    }
    match catalog.provider(OPENAI) {
        Some(provider) => of_provider(provider),
        None => ("", BaseOrigin::Provider(OPENAI.to_owned())),
    }
}

/// Returns the provider whose address `base` is: the model's own first.
fn answering_provider<'a>(
    base: &BaseUrl,
    provider: Option<&'a Provider>,
    catalog: &'a Catalog,
) -> Option<&'a Provider> {
    let answers = |provider: &&Provider| {
        BaseUrl::parse(&provider.base_url).is_ok_and(|own| own.has_same_origin(base))
    };
    provider.filter(answers).or_else(|| catalog.providers_in_force().find(answers))
}

/// All that decides about the key.
struct KeyQuestion<'a> {
    request: &'a EndpointRequest<'a>,
    /// The model's provider.
    provider: Option<&'a Provider>,
    /// Whose address the base URL is.
    answering: Option<&'a Provider>,
    base: &'a BaseUrl,
    origin: &'a BaseOrigin,
    environment: &'a Environment,
}

/// Chooses the key: the flag; the provider's own, to its own address only; `OPENAI_API_KEY`
/// where it may go; the key of whoever answers at an address that the user gave.
fn choose_key(question: &KeyQuestion<'_>) -> Result<Option<ApiKey>, EndpointError> {
    let KeyQuestion { request, provider, answering, base, origin, environment } = *question;
    let first_of = |provider: &Provider| {
        let set = |name: &&str| environment.text(name).is_some();
        provider.key_variables.iter().map(|name| &**name).find(set).map(str::to_owned)
    };
    if let Some(flag) = request.api_key_flag.map(str::trim).filter(|flag| !flag.is_empty()) {
        return ApiKey::new(flag, "--api-key").map(Some);
    }
    let at_home = provider.filter(|own| answering.is_some_and(|at| std::ptr::eq(at, *own)));
    let openai_key_may_go = may_get_openai_key(question);
    let openai_key = environment.text(KEY_VARIABLE).is_some();
    let variable = at_home
        .and_then(first_of)
        .or_else(|| (openai_key && openai_key_may_go).then(|| KEY_VARIABLE.to_owned()))
        .or_else(|| answering.and_then(first_of));
    if let Some(variable) = variable {
        let value = environment.text(&variable).unwrap_or_default();
        return ApiKey::new(value, &variable).map(Some);
    }
    let is_users_address = !matches!(origin, BaseOrigin::Provider(_));
    let needs_no_key = at_home.is_some_and(|own| own.key_variables.is_empty());
    if needs_no_key || is_users_address && base.is_this_machine() {
        return Ok(None);
    }
    let mut variables: Vec<String> = answering
        .map(|provider| provider.key_variables.iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    if openai_key_may_go && !variables.iter().any(|name| name == KEY_VARIABLE) {
        variables.push(KEY_VARIABLE.to_owned());
    }
    Err(EndpointError::MissingKey(MissingKey {
        model: request.model.to_owned(),
        host: base.host().to_owned(),
        variables,
        openai_key_is_elsewhere: openai_key,
        is_users_address,
    }))
}

/// Returns whether `OPENAI_API_KEY` may go to the address: the model has no provider of another
/// name, the user gave the address on the command line, or the environment names the very
/// address of the model's provider.
fn may_get_openai_key(question: &KeyQuestion<'_>) -> bool {
    let Some(provider) = question.provider.filter(|provider| provider.name != OPENAI) else {
        return true;
    };
    let ambient_is_providers = || {
        let ambient = question.environment.text(BASE_URL_VARIABLE).map(BaseUrl::parse);
        match (ambient, BaseUrl::parse(&provider.base_url)) {
            (Some(Ok(ambient)), Ok(own)) => ambient.is_same_address(&own),
            _ => false,
        }
    };
    *question.origin == BaseOrigin::CommandLine || ambient_is_providers()
}

impl Endpoint {
    /// Returns the name of who answers: the catalog's, or the host.
    pub(crate) fn server_name(&self) -> String {
        let host = || Some(BaseUrl::parse(&self.base_url).ok()?.host().to_owned());
        self.provider.clone().or_else(host).unwrap_or_default()
    }
}

impl ApiKey {
    /// Takes a key that a request header can carry.
    fn new(key: &str, origin: &str) -> Result<Self, EndpointError> {
        if key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            Ok(Self(key.to_owned()))
        } else {
            Err(EndpointError::BadKey { origin: origin.to_owned() })
        }
    }

    /// Returns the key itself, for the request's header and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(hidden)")
    }
}

impl fmt::Display for BaseOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => formatter.write_str("--base-url"),
            Self::Environment => formatter.write_str(BASE_URL_VARIABLE),
            Self::Config => formatter.write_str("base_url in the config file"),
            Self::Provider(name) => write!(formatter, "the catalog's provider {name}"),
        }
    }
}

impl std::error::Error for MissingKey {}

impl fmt::Display for MissingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, host, variables, openai_key_is_elsewhere, is_users_address: _ } = self;
        write!(formatter, "no API key for {model} at {host}: set {}", variables.join(" or "))?;
        if *openai_key_is_elsewhere {
            write!(formatter, " ({KEY_VARIABLE} is set, but does not belong to that host)")?;
        }
        Ok(())
    }
}
