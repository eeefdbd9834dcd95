//! All models that can be switched to: the catalog's, the endpoint's own, and OpenRouter's.
//!
//! Owns the merge into one list. Asks others only when the list is wanted; whoever does not
//! answer in time is left out quietly.

#[cfg(test)]
mod tests;

use crate::catalog::{Catalog, Model, Price, Provider};
use crate::compose::proxy_settings;
use crate::endpoint::Endpoint;
use crate::environment::{Environment, Network};
use crate::router::{self, OPENROUTER};
use crate::settings::Settings;
use letscode_llm::{ListedModel, ListingConfig, Secret, list_models};
use std::collections::HashMap;
use std::time::Duration;

/// How long a server may take to list its models: somebody is waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// A model that can be switched to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownModel {
    /// Its name.
    pub(crate) id: String,
    /// Who serves it: the provider's name, or the host of the endpoint in use.
    pub(crate) provider: String,
    /// Its context window in tokens.
    pub(crate) context_window: Option<u64>,
    /// What it costs.
    pub(crate) price: Option<Price>,
    /// Whether it can be asked: its key is set, or it needs none.
    pub(crate) has_key: bool,
}

/// Returns all models, each name once: the catalog's first, then those of the endpoint in use,
/// then OpenRouter's where its key is set.
pub(crate) async fn all(
    settings: &Settings,
    environment: &Environment,
    in_use: Option<&Endpoint>,
) -> Vec<KnownModel> {
    let (own, routed) =
        tokio::join!(own_models(in_use, &settings.network), routed_models(settings, environment),);
    merge(&settings.catalog, environment, in_use, own, &routed)
}

/// Asks the endpoint in use for its models. OpenRouter's list is kept, so it is not asked here.
async fn own_models(in_use: Option<&Endpoint>, network: &Network) -> Vec<ListedModel> {
    let Some(endpoint) = in_use.filter(|it| it.provider.as_deref() != Some(OPENROUTER)) else {
        return Vec::new();
    };
    let key = endpoint.api_key.as_ref().map(|key| Secret::new(key.expose()));
    let listed = list_models(&listing(&endpoint.base_url, key, network)).await;
    listed.unwrap_or_else(|error| {
        tracing::debug!(%error, "the endpoint's own models are left out");
        Vec::new()
    })
}

/// Returns OpenRouter's models, from the cache while that is fresh. A stale list is better than
/// none.
async fn routed_models(settings: &Settings, environment: &Environment) -> Vec<Model> {
    let Some(provider) = settings.catalog.provider(OPENROUTER) else { return Vec::new() };
    let Some(key) = first_key(provider, environment) else { return Vec::new() };
    let now = environment.seconds_since_epoch();
    let cached = settings.router.read(now);
    if cached.is_fresh {
        return cached.models;
    }
    let config = listing(&provider.base_url, Some(Secret::new(key)), &settings.network);
    match list_models(&config).await {
        Ok(listed) if !listed.is_empty() => {
            if let Err(error) = settings.router.write(&listed, now) {
                tracing::debug!(%error, "the list of OpenRouter's models cannot be kept");
            }
            listed.iter().map(router::model).collect()
        }
        Ok(_) => cached.models,
        Err(error) => {
            tracing::debug!(%error, "OpenRouter's models cannot be asked for");
            cached.models
        }
    }
}

fn listing(base_url: &str, api_key: Option<Secret>, network: &Network) -> ListingConfig {
    ListingConfig {
        base_url: base_url.to_owned(),
        api_key,
        proxy: proxy_settings(network),
        extra_roots: network.certificates.clone(),
        timeout: PATIENCE,
    }
}

/// Makes one list of three. Of a model in several of them, the first tells who serves it, and
/// the others only what it does not tell.
fn merge(
    catalog: &Catalog,
    environment: &Environment,
    in_use: Option<&Endpoint>,
    own: Vec<ListedModel>,
    routed: &[Model],
) -> Vec<KnownModel> {
    let can_be_asked = |name: &str| {
        catalog.provider(name).is_some_and(|provider| {
            provider.key_variables.is_empty() || first_key(provider, environment).is_some()
        })
    };
    let of_catalog = |model: &Model| KnownModel {
        id: model.id.to_string(),
        provider: model.provider.to_string(),
        context_window: model.context_window,
        price: model.price,
        has_key: can_be_asked(&model.provider),
    };
    let server = in_use.map(Endpoint::server_name).unwrap_or_default();
    let of_server = own.into_iter().map(|model| KnownModel {
        price: router::model(&model).price,
        id: model.id,
        provider: server.clone(),
        context_window: model.context_window,
        has_key: true,
    });
    let all = catalog.models_in_force().map(of_catalog);
    let all = all.chain(of_server).chain(routed.iter().map(of_catalog));

    let mut merged: Vec<KnownModel> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for model in all {
        let known = places.get(&model.id).and_then(|place| merged.get_mut(*place));
        match known {
            Some(known) if known.provider == model.provider => {
                known.context_window = known.context_window.or(model.context_window);
                known.price = known.price.or(model.price);
                known.has_key |= model.has_key;
            }
            Some(_) => {}
            None => {
                places.insert(model.id.clone(), merged.len());
                merged.push(model);
            }
        }
    }
    merged
}

/// Returns the provider's key, where it is set.
fn first_key<'a>(provider: &Provider, environment: &'a Environment) -> Option<&'a str> {
    provider.key_variables.iter().find_map(|name| environment.text(name))
}
