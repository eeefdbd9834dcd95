//! Environments on disk, and what is made of them.

use super::*;
use crate::plugins::{PluginFolders, PluginSettings};
use std::fs;

/// Makes an environment with one package; returns its folder.
fn environment(root: &Path, name: &str, version: &str, entry_points: &str) -> PathBuf {
    let folder = root.join(name);
    let site = folder.join(format!("lib/python{version}/site-packages"));
    let package = site.join("some_plugin-1.0.dist-info");
    fs::create_dir_all(&package).unwrap();
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::write(folder.join("pyvenv.cfg"), format!("home = /usr\nversion = {version}.1\n")).unwrap();
    fs::write(folder.join("bin/python"), "").unwrap();
    fs::write(package.join("entry_points.txt"), entry_points).unwrap();
    folder
}

const PLUGIN: &str =
    "[console_scripts]\nrun = some:main\n\n[letscode]\nsome = some_plugin.plugin\n";

fn find(environments: &[PathBuf], cache: &Path) -> (Option<PythonHost>, Vec<String>) {
    let mut warnings = Vec::new();
    (PythonHost::find(environments, Some(cache), |name| name == "off", &mut warnings), warnings)
}

#[test]
#[cfg(unix)]
fn plugins_of_all_environments_of_one_version_run_in_the_first() {
    let root = tempfile::tempdir().unwrap();
    let user = environment(root.path(), "user", "3.12", PLUGIN);
    let empty = environment(root.path(), "empty", "3.13", "[console_scripts]\nletscode = a:b\n");
    let active = environment(root.path(), "active", "3.12", PLUGIN);
    let missing = root.path().join("missing");
    let (host, warnings) = find(&[user.clone(), missing, empty, active.clone()], root.path());
    assert_eq!(warnings, [""; 0]);
    let spec = host.unwrap().spec().unwrap();
    assert_eq!((spec.name.as_str(), spec.origin), ("python", user.display().to_string()));
    let [python, keep_out, main, option, site] = spec.command.as_slice() else {
        panic!("{:?}", spec.command)
    };
    assert_eq!(Path::new(python), user.join("bin/python"));
    assert_eq!((keep_out.as_os_str(), option.as_os_str()), ("-P".as_ref(), "--site".as_ref()));
    assert!(Path::new(main).is_file());
    assert_eq!(Path::new(site), active.join("lib/python3.12/site-packages"));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_run_is_one_warning_each() {
    let root = tempfile::tempdir().unwrap();
    let old = environment(root.path(), "old", "3.9", PLUGIN);
    let broken = environment(root.path(), "broken", "3.12", PLUGIN);
    fs::remove_file(broken.join("bin/python")).unwrap();
    let good = environment(root.path(), "good", "3.13", PLUGIN);
    let other = environment(root.path(), "other", "3.14", PLUGIN);
    let (host, warnings) = find(&[old, broken, good.clone(), other], root.path());
    assert_eq!(host.unwrap().home.root(), good);
    let [old, broken, other] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(old.contains("3.9") && broken.contains("is gone") && other.contains("3.14"));
}

#[test]
#[cfg(unix)]
fn only_entry_points_of_the_group_that_are_not_our_own_count() {
    let root = tempfile::tempdir().unwrap();
    let cases = [
        (PLUGIN, true),
        ("[ letscode ]\n  a=b:c\n", true),
        ("[letscode]\nbuiltin = letscode.plugins.builtin\n", false),
        ("[letscode]\nbuiltin = letscode:all\nother = letscode_other\n", true),
        ("[letscode]\n# a = b\n[other]\na = b\n", false),
        ("", false),
    ];
    for (number, (text, expected)) in cases.into_iter().enumerate() {
        let folder = environment(root.path(), &number.to_string(), "3.12", text);
        assert_eq!(find(&[folder], root.path()).0.is_some(), expected, "{text}");
    }
}

#[test]
#[cfg(unix)]
fn what_is_switched_off_is_left_out_and_starts_no_python() {
    let root = tempfile::tempdir().unwrap();
    let both = environment(root.path(), "both", "3.12", "[letscode]\noff = a\non = b\n");
    let none = environment(root.path(), "none", "3.12", "[letscode]\noff = a\n");
    assert_eq!(find(std::slice::from_ref(&none), root.path()), (None, Vec::new()));
    let (host, warnings) = find(&[none, both], root.path());
    let host = host.unwrap();
    assert_eq!((host.names(), warnings), (["on".to_owned()].as_slice(), Vec::new()));
    let spec = host.spec().unwrap();
    let without = spec.command.iter().filter(|word| *word == "--without").count();
    assert!(without > 0 && spec.command.last().is_some_and(|word| word == "off"));
}

#[test]
#[cfg(unix)]
fn one_that_is_installed_takes_the_place_of_the_programs_own_unless_it_is_switched_off() {
    let root = tempfile::tempdir().unwrap();
    let servers = "[mcp.servers.a]\ncommand = 'x'\n";
    for (number, (config, entry_point, expected)) in [
        ("", "mcp", vec!["python"]),
        ("[plugins]\nmcp = true\n", "mcp", vec!["python"]),
        ("[plugins]\nmcp = false\n", "mcp", vec![]),
        ("[plugins]\npython = false\n", "mcp", vec!["mcp"]),
        ("", "other", vec!["mcp", "python"]),
    ]
    .into_iter()
    .enumerate()
    {
        let entry_points = format!("[letscode]\n{entry_point} = a\n");
        let folder = environment(root.path(), &number.to_string(), "3.12", &entry_points);
        let cache = Some(root.path().to_owned());
        let folders = PluginFolders { user: None, project: None, python: vec![folder], cache };
        let config = format!("{config}{servers}").parse().unwrap();
        let settings = PluginSettings::new(config, &folders, &mut Vec::new());
        let specs = settings.specs();
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, expected, "{number}");
    }
}

#[test]
fn nothing_is_unpacked_where_there_is_no_plugin() {
    let root = tempfile::tempdir().unwrap();
    let (host, warnings) = find(&[root.path().join("none")], root.path());
    assert_eq!((host, warnings), (None, Vec::new()));
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}
