//! What to do without a key, in a few lines.
//!
//! Owns that text. Must not look for servers itself: it is told which ones listen.

use super::MissingKey;
use crate::catalog::Catalog;
use crate::environment::Environment;
use crate::local_servers::LocalServer;
use std::fmt::Write as _;

/// Returns the message of a start without a key: what to set, and what works without.
pub(crate) fn no_key_help(
    missing: &MissingKey,
    catalog: &Catalog,
    environment: &Environment,
    servers: &[LocalServer],
) -> String {
    let mut ways: Vec<(String, String)> = Vec::new();
    if let Some(variable) = missing.variables.first() {
        let or_any = if missing.is_users_address { "; any text if it asks for none" } else { "" };
        ways.push((
            format!("export {variable}=..."),
            format!("the key for {}{or_any}", missing.host),
        ));
    }
    if let Some((variable, model)) = model_with_key(catalog, environment) {
        ways.push((format!("letscode --model {model} MESSAGE"), format!("{variable} is set")));
    }
    for LocalServer { name, port } in servers {
        ways.push((
            format!("letscode --base-url http://127.0.0.1:{port}/v1 --model NAME MESSAGE"),
            format!("a server listens on {name}'s usual port"),
        ));
    }
    ways.push((
        "letscode --model demo \"show me around\"".to_owned(),
        "a tour without network and key".to_owned(),
    ));
    ways.push((
        "letscode --init".to_owned(),
        "writes ~/.letscode/config.toml; keys stay in the environment".to_owned(),
    ));

    let width = ways.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let mut text = missing.to_string();
    for (command, purpose) in ways {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {command:width$}  {purpose}");
    }
    text
}

/// Returns a variable that holds a provider's key, and a model that it opens.
fn model_with_key<'a>(
    catalog: &'a Catalog,
    environment: &Environment,
) -> Option<(&'a str, &'a str)> {
    catalog.models_in_force().find_map(|model| {
        let provider = catalog.provider(&model.provider)?;
        let is_set = |name: &&str| environment.text(name).is_some();
        let variable = provider.key_variables.iter().map(|name| &**name).find(is_set)?;
        Some((variable, &*model.id))
    })
}
