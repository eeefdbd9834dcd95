//! Plugins in processes of their own, as plugins of the core like any other.
//!
//! Owns how such a plugin is described, started, spoken with, watched and ended. Nothing that it
//! does can end or hang the program: its faults are told in a line each, and it is left out. Must not
//! decide which plugins there are, or who is trusted.

mod manifest;

mod settings;

mod process;

mod connection;

mod requests;

mod proxy;

mod remote_tool;

mod supervisor;

mod host;

pub use host::{PluginHost, PluginState, PluginStatus};
pub use manifest::{Manifest, ManifestError, manifests_in};
pub use settings::{PluginSpec, Program, Surroundings};
