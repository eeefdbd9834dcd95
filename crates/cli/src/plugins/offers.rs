//! What plugins may ask of the program: the configuration, and the way to the model for a process of
//! their own.
//!
//! Owns the answers. Must not act.

use crate::endpoint::Target;
use crate::environment::Environment;
use crate::settings::Settings;
use letscode_core::BoxFuture;
use letscode_plugin_host::Program;
use serde_json::{Map, Value};
use std::sync::{Arc, PoisonError, RwLock};

/// Answers plugins, by the settings of the last reload.
pub(crate) struct Offers {
    settings: RwLock<Arc<Settings>>,
    environment: Environment,
}

impl Offers {
    pub(crate) fn new(settings: Arc<Settings>, environment: Environment) -> Self {
        Self { settings: RwLock::new(settings), environment }
    }

    /// Answers by these settings from now on.
    pub(crate) fn use_settings(&self, settings: Arc<Settings>) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn variables(&self, model: &str) -> Result<Map<String, Value>, String> {
        let settings = self.settings();
        let target = settings.target(model, settings.thinking, &self.environment);
        let mut variables = Map::new();
        variables.insert("LETSCODE_MODEL".to_owned(), model.into());
        if let Target::Endpoint(endpoint) = target.map_err(|error| error.to_string())? {
            variables.insert("OPENAI_BASE_URL".to_owned(), endpoint.base_url.into());
            if let Some(key) = endpoint.api_key {
                variables.insert("OPENAI_API_KEY".to_owned(), key.expose().into());
            }
        }
        Ok(variables)
    }
}

impl Program for Offers {
    fn config(&self, table: Option<&str>) -> Value {
        self.settings().plugins.section(table)
    }

    fn subagent_env(
        &self,
        model: String,
    ) -> BoxFuture<'static, Result<Map<String, Value>, String>> {
        let variables = self.variables(&model);
        Box::pin(async { variables })
    }
}
