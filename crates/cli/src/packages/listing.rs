//! The list of plugins: what is where, what of it does not count, and those that the program carries.
//!
//! Owns the words and the order of the list. Must not start or change anything.

use super::native::{self, NativePlugin};
use super::places::Places;
use crate::args::Place;
use crate::plugins::{self, BUNDLED, PYTHON, is_switched_off};
use crate::python_environment::distribution::{Distribution, normal};
use crate::python_environment::{PythonEnvironment, Version};
use std::path::Path;
use toml::Table;

const NOTHING: &str = "\
no plugins are installed
install one with: letscode install SPEC (a package's name, ./PATH, git+https://..., cargo:NAME)
";

/// One place and the plugins in it.
#[derive(Debug)]
struct Section {
    /// What a plugin there is called in a note about another one.
    place: &'static str,
    title: String,
    /// Why nothing in the place counts.
    fault: Option<String>,
    rows: Vec<Row>,
}

/// One plugin.
#[derive(Debug)]
struct Row {
    name: String,
    version: String,
    source: String,
    /// Why it does not count.
    fault: Option<String>,
    /// Whether the configuration switches it off.
    is_off: bool,
    /// The plugin of the program's own in whose place it runs.
    replaces: Option<String>,
}

/// Returns the list as it is printed.
pub(crate) fn overview(places: &Places, config: &Table) -> String {
    let mut sections = sections(places, config);
    sections.retain(|section| !section.rows.is_empty());
    mark_shadowed(&mut sections);
    let installed = if sections.is_empty() { NOTHING.to_owned() } else { render(&sections) };
    format!("{installed}\n{}", render(&[built_in(config)]))
}

/// Returns the places, those first whose plugins win over others of the same name.
fn sections(places: &Places, config: &Table) -> Vec<Section> {
    let mut sections = Vec::new();
    let user = places.python(Place::User).ok();
    let active = places.python(Place::Project).ok().filter(|root| user.as_ref() != Some(root));
    // One Python runs all plugins in Python: that of the first environment with any.
    let mut runs = None;
    for (root, place) in [(user, "user environment"), (active, "active environment")] {
        let environment = root.and_then(|root| PythonEnvironment::at(&root));
        let Some(environment) = environment else { continue };
        let section = python(places, config, &environment, place, runs);
        if section.fault.is_none() && section.rows.iter().any(|row| row.fault.is_none()) {
            runs = runs.or(environment.version());
        }
        sections.push(section);
    }
    if let Ok(root) = places.native(Place::Project) {
        let mut section = not_python(places, config, &root, "project native");
        if !section.rows.is_empty() && !places.is_project_trusted() {
            let untrusted = "none of these is used before the project is trusted: letscode trust";
            section.fault = Some(untrusted.to_owned());
        }
        sections.push(section);
    }
    if let Ok(root) = places.native(Place::User) {
        sections.push(not_python(places, config, &root, "user native"));
    }
    sections
}

/// Returns an environment's plugins, where the Python that `runs` plugins is known already.
fn python(
    places: &Places,
    config: &Table,
    environment: &PythonEnvironment,
    place: &'static str,
    runs: Option<Version>,
) -> Section {
    let own = environment.version().map(|version| version.to_string()).unwrap_or_default();
    let other = runs.filter(|runs| environment.version().is_some_and(|own| own != *runs));
    let fault = match (environment.check(), other) {
        (Err(fault), _) => Some(format!("none of these can be used: {fault}")),
        (Ok(()), Some(runs)) => Some(format!(
            "none of these is used: they are for Python {own}, and those above run in Python {runs}"
        )),
        (Ok(()), None) => None,
    };
    let mut rows: Vec<Row> =
        environment.plugins().into_iter().map(|plugin| row(plugin, None, config)).collect();
    rows.extend(environment.invisible_plugins().into_iter().map(|(version, plugin)| {
        let fault = format!(
            "invisible: installed for Python {version}, and the environment has {own}; install it again"
        );
        row(plugin, Some(fault), config)
    }));
    let version = if own.is_empty() { own } else { format!(", Python {own}") };
    let title = format!("{place} ({}{version})", places.shown(environment.root()));
    Section { place, title, fault, rows }
}

fn row(plugin: Distribution, fault: Option<String>, config: &Table) -> Row {
    let source = plugin.origin.to_string();
    let is_off = is_switched_off(config, PYTHON)
        || plugin.plugins.iter().all(|name| is_switched_off(config, name));
    let replaces = plugin.plugins.into_iter().find(|name| plugins::is_replaceable(name));
    Row { name: plugin.name, version: plugin.version, source, fault, is_off, replaces }
}

fn not_python(places: &Places, config: &Table, root: &Path, place: &'static str) -> Section {
    let rows = native::plugins_in(root).into_iter();
    let rows = rows.map(|plugin| native_row(plugin, config)).collect();
    Section { place, title: format!("{place} ({})", places.shown(root)), fault: None, rows }
}

fn native_row(plugin: NativePlugin, config: &Table) -> Row {
    let NativePlugin { name, version, source, fault, .. } = plugin;
    let replaces = Some(plugins::short_name(&name)).filter(|name| plugins::is_replaceable(name));
    let replaces = replaces.map(str::to_owned);
    let fault = fault.map(|fault| format!("cannot be used: {fault}"));
    let is_off = is_switched_off(config, &name);
    Row { name, version, source, fault, is_off, replaces }
}

/// Returns the plugins that the program carries.
fn built_in(config: &Table) -> Section {
    let rows = BUNDLED.iter().map(|plugin| Row {
        name: plugin.name.to_owned(),
        version: if plugin.is_enabled(config) { "on" } else { "off" }.to_owned(),
        source: plugin.description.to_owned(),
        fault: None,
        is_off: false,
        replaces: None,
    });
    let title = "built in (letscode plugins enable NAME, disable NAME)".to_owned();
    Section { place: "built in", title, fault: None, rows: rows.collect() }
}

/// Notes at each plugin that another one of its name, in a place before its own, stands before it.
fn mark_shadowed(sections: &mut [Section]) {
    let mut seen: Vec<(String, &'static str)> = Vec::new();
    for section in sections.iter_mut().filter(|section| section.fault.is_none()) {
        for row in section.rows.iter_mut().filter(|row| row.fault.is_none()) {
            let name = normal(&row.name);
            match seen.iter().find(|(other, _)| *other == name) {
                Some((_, place)) if *place == section.place => {
                    row.fault =
                        Some("installed twice here; uninstall it, then install again".into());
                }
                Some((_, place)) => row.fault = Some(format!("shadowed by the one in: {place}")),
                None => seen.push((name, section.place)),
            }
        }
    }
}

fn render(sections: &[Section]) -> String {
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let width = |text: fn(&Row) -> &str| {
        rows().map(|row| text(row).chars().count()).max().unwrap_or_default()
    };
    let (names, versions) = (width(|row| &row.name), width(|row| &row.version));
    let mut text = String::new();
    for (index, section) in sections.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&format!("{}\n", section.title));
        if let Some(note) = &section.fault {
            text.push_str(&format!("  ! {note}\n"));
        }
        for row in &section.rows {
            let Row { name, version, source, fault, is_off, replaces } = row;
            let line = format!("  {name:names$}  {version:versions$}  {source}");
            text.push_str(&format!("{}\n", line.trim_end()));
            if let Some(fault) = fault {
                text.push_str(&format!("    ! {fault}\n"));
            } else if *is_off {
                text.push_str("    switched off\n");
            } else if let Some(own) = replaces.as_ref().filter(|_| section.fault.is_none()) {
                text.push_str(&format!("    runs in place of the program's own {own}\n"));
            }
        }
    }
    text
}
