//! The list of installed plugins: what is where, and what of it does not count.
//!
//! Owns the words and the order of the list. Must not start or change anything.

use super::distribution::{Distribution, normal};
use super::native::{self, NativePlugin};
use super::places::Places;
use super::python_environment::PythonEnvironment;
use crate::args::Place;
use std::path::Path;

const NOTHING: &str = "\
no plugins are installed
install one with: letscode install SPEC (a package's name, ./PATH, git+https://..., cargo:NAME)
";

/// One place and the plugins in it.
struct Section {
    /// What a plugin there is called in a note about another one.
    place: &'static str,
    title: String,
    /// Whether something is wrong with the whole place.
    notes: Vec<String>,
    rows: Vec<Row>,
}

/// One plugin.
struct Row {
    name: String,
    version: String,
    source: String,
    /// Why it does not count.
    fault: Option<String>,
}

/// Returns the list as it is printed.
pub(crate) fn overview(places: &Places) -> String {
    let mut sections = sections(places);
    sections.retain(|section| !section.rows.is_empty() || !section.notes.is_empty());
    if sections.is_empty() {
        return NOTHING.to_owned();
    }
    mark_shadowed(&mut sections);
    render(&sections)
}

/// Returns the places, those first whose plugins win over others of the same name.
fn sections(places: &Places) -> Vec<Section> {
    let mut sections = Vec::new();
    let user = places.python(Place::User).ok();
    let active = places.python(Place::Project).ok().filter(|root| user.as_ref() != Some(root));
    if let Some(root) = user {
        sections.extend(python(places, &root, "user environment"));
    }
    if let Some(root) = active {
        sections.extend(python(places, &root, "active environment"));
    }
    if let Ok(root) = places.native(Place::User) {
        sections.push(not_python(places, &root, "user native"));
    }
    if let Ok(root) = places.native(Place::Project) {
        sections.push(not_python(places, &root, "project native"));
    }
    sections
}

fn python(places: &Places, root: &Path, place: &'static str) -> Option<Section> {
    let environment = PythonEnvironment::at(root)?;
    let (visible, invisible) = (environment.plugins(), environment.invisible_plugins());
    let mut notes = Vec::new();
    if let Err(fault) = environment.check()
        && !(visible.is_empty() && invisible.is_empty())
    {
        notes.push(format!("none of these can be used: {fault}"));
    }
    let mut rows: Vec<Row> = visible.into_iter().map(|plugin| row(plugin, None)).collect();
    let own = environment.version().map(|version| version.to_string()).unwrap_or_default();
    rows.extend(invisible.into_iter().map(|(version, plugin)| {
        let fault = format!(
            "invisible: installed for Python {version}, and the environment has {own}; install it again"
        );
        row(plugin, Some(fault))
    }));
    let version = if own.is_empty() { own } else { format!(", Python {own}") };
    let title = format!("{place} ({}{version})", places.shown(root));
    Some(Section { place, title, notes, rows })
}

fn row(plugin: Distribution, fault: Option<String>) -> Row {
    let source = plugin.origin.to_string();
    Row { name: plugin.name, version: plugin.version, source, fault }
}

fn not_python(places: &Places, root: &Path, place: &'static str) -> Section {
    let rows = native::plugins_in(root).into_iter().map(native_row).collect();
    Section { place, title: format!("{place} ({})", places.shown(root)), notes: Vec::new(), rows }
}

fn native_row(plugin: NativePlugin) -> Row {
    let NativePlugin { name, version, source, fault, .. } = plugin;
    Row { name, version, source, fault: fault.map(|fault| format!("cannot be used: {fault}")) }
}

/// Notes at each plugin that another one of its name, in a place before its own, stands before it.
fn mark_shadowed(sections: &mut [Section]) {
    let mut seen: Vec<(String, &'static str)> = Vec::new();
    for section in sections {
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
        for note in &section.notes {
            text.push_str(&format!("  ! {note}\n"));
        }
        for row in &section.rows {
            let Row { name, version, source, fault } = row;
            let line = format!("  {name:names$}  {version:versions$}  {source}");
            text.push_str(&format!("{}\n", line.trim_end()));
            if let Some(fault) = fault {
                text.push_str(&format!("    ! {fault}\n"));
            }
        }
    }
    text
}
