//! Which plugins run in processes of their own, and what the program offers them.
//!
//! Owns the search for them, their settings, and their list. Must not speak with any: the plugin host
//! does.

mod bundled;
mod offers;
mod python;
mod settings;
mod switch;

pub(crate) use bundled::{BUNDLED, guards, is_replaceable};
pub(crate) use offers::Offers;
pub(crate) use python::NAME as PYTHON;
pub(crate) use settings::{
    PluginFolders, PluginSettings, is_reserved, is_switched_off, short_name,
};
pub(crate) use switch::switch;

use crate::compose::Source;
use letscode_core::hooks::Plugin;
use letscode_plugin_host::{PluginHost, PluginState, PluginStatus, Surroundings};
use letscode_tui::terminal;
use letscode_wire::PluginInfo;
use std::process::ExitCode;
use std::sync::Arc;

/// Starts the plugins that there are, in the background, and returns them in the order of
/// registration. Those that run already go on.
pub(crate) fn run(source: &Source) -> Vec<Arc<dyn Plugin>> {
    let settings = &source.settings.plugins;
    let surroundings = Surroundings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        working_dir: source.environment.working_dir().to_owned(),
        terminal: terminal::name(),
        removed_variables: source.settings.hidden_variables.clone(),
        hello_limit: settings.hello_limit(),
        register_limit: settings.register_limit(),
        call_limit: settings.call_limit(),
        command_limit: settings.command_limit(),
        ui: source.ui.clone(),
        agent: source.agent.clone(),
        program: Arc::<Offers>::clone(&source.offers),
    };
    source.plugins.run(settings.specs(), &surroundings)
}

/// Runs a plugin that the program carries, on this process's stdin and stdout, until it is over;
/// `None` where it carries none of that name.
pub(crate) fn serve(name: &str) -> Option<ExitCode> {
    let plugin = bundled::find(name)?;
    Some((plugin.serve)())
}

/// Returns what lists show: the plugins that are a part of the program, then the others.
pub(crate) fn list(built_in: &[String], host: &PluginHost) -> Vec<PluginInfo> {
    let own = built_in.iter().map(|name| PluginInfo {
        name: name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: "built in".to_owned(),
        state: "running".to_owned(),
        error: None,
    });
    own.chain(host.list().into_iter().flat_map(infos)).collect()
}

/// Returns a plugin as lists show it, and those that it carries.
fn infos(status: PluginStatus) -> Vec<PluginInfo> {
    let state = match status.state {
        PluginState::Starting => "starting",
        PluginState::Running => "running",
        PluginState::Restarting => "restarting",
        PluginState::Ended => "ended",
        PluginState::Failed => "failed",
    };
    let carried = status.carried.into_iter().map(|plugin| PluginInfo {
        state: if plugin.error.is_some() { "failed" } else { state }.to_owned(),
        name: plugin.name,
        version: plugin.version,
        origin: plugin.origin,
        error: plugin.error,
    });
    let own = PluginInfo {
        name: status.name,
        version: status.version,
        origin: status.origin,
        state: state.to_owned(),
        error: status.last_error,
    };
    std::iter::once(own).chain(carried).collect()
}
