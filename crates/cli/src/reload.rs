//! Reading again, in the middle of a conversation, what the agent was made from.
//!
//! Owns what a file that cannot be read any more means: the settings stay as they were. Must not
//! touch the conversation.

use crate::compose::{Source, UnknownNames, equip};
use letscode_core::commands::Reloaded;
use letscode_core::prompts::load_templates;
use letscode_core::tools::UnknownTool;
use std::sync::Arc;

/// Reads all files again and builds what the agent goes on with.
///
/// # Errors
/// Never for a file: what cannot be used of one is a warning.
pub(crate) async fn reload(mut source: Source) -> Result<Reloaded, UnknownTool> {
    let mut warnings = Vec::new();
    match source.settings.read_again(&source.environment) {
        Ok(resolved) => {
            warnings = resolved.warnings;
            warnings.extend(resolved.settings.left_out.as_ref().map(ToString::to_string));
            source.env.remove_variables(resolved.settings.hidden_variables.clone());
            source.settings = Arc::new(resolved.settings);
            source.offers.use_settings(Arc::clone(&source.settings));
        }
        Err(unreadable) => warnings.push(unreadable.to_string()),
    }
    let equipment = equip(&source, UnknownNames::AreWarnings, &mut warnings).await?;
    // They are read whenever one is called for; here only to tell what there is.
    let (templates, template_warnings) =
        load_templates(&*source.env, source.environment.home()).await;
    warnings.extend(template_warnings);
    Ok(Reloaded {
        tools: equipment.tools,
        hooks: equipment.hooks,
        system: equipment.system,
        models: Some(equipment.models),
        host: equipment.host,
        skills: equipment.skills,
        templates: templates.len(),
        context_files: equipment.context_files,
        warnings,
    })
}
