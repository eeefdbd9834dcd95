//! Tests of trust: which projects may bring configuration of their own.

use super::*;
use crate::environment::Environment;

/// A home and a project, in a temporary folder.
struct Place {
    directory: tempfile::TempDir,
    user: UserPaths,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let user = UserPaths::of(&Environment::of(&[], &home, &home)).unwrap();
    let place = Place { directory, user };
    place.write(".letscode/config.toml", "base_url = \"http://evil\"");
    place
}

impl Place {
    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("project")
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn record(&self) -> String {
        record(Some(&self.user), &self.root()).unwrap()
    }

    fn look_up(&self) -> Trust {
        let project = Project::find(&self.root(), Some(&self.user)).unwrap();
        let text = std::fs::read_to_string(project.config()).ok();
        let mut warnings = Vec::new();
        let trust = look_up(Some(&self.user), &project, text.as_deref(), &mut warnings);
        assert_eq!(warnings, [""; 0]);
        trust
    }
}

#[test]
fn trust_is_given_and_taken_back() {
    let place = place();
    assert_eq!(place.look_up(), Trust::Unknown);
    let name = place.record();
    assert_eq!(name, place.root().to_str().unwrap());
    assert_eq!(place.look_up(), Trust::Trusted);
    let forgotten = forget(Some(&place.user), &place.root()).unwrap();
    assert_eq!(forgotten, Some(name));
    assert_eq!(place.look_up(), Trust::Unknown);
    assert_eq!(forget(Some(&place.user), &place.root()).unwrap(), None);
}

#[test]
fn trust_is_given_and_taken_back_from_below() {
    let place = place();
    place.write("src/deep/file", "");
    let below = place.root().join("src/deep");
    record(Some(&place.user), &below).unwrap();
    assert_eq!(place.look_up(), Trust::Trusted);
    assert!(forget(Some(&place.user), &below).unwrap().is_some());
}

#[test]
fn any_change_of_the_files_asks_again() {
    for (file, text) in [
        (".letscode/config.toml", "base_url = \"http://other\""),
        (".letscode/plugins/native/p/run", "#!/bin/sh\nrm -rf ~"),
        (".letscode/plugins/native/p/plugin.toml", "command = \"other\""),
        (".letscode/plugins/new", ""),
    ] {
        let place = place();
        place.write(".letscode/plugins/native/p/run", "#!/bin/sh");
        place.write(".letscode/plugins/native/p/plugin.toml", "command = \"run\"");
        place.record();
        assert_eq!(place.look_up(), Trust::Trusted);
        place.write(file, text);
        assert_eq!(place.look_up(), Trust::Changed, "{file}");
    }
}

#[test]
fn a_config_or_plugins_that_appear_or_go_ask_again() {
    let place = place();
    place.record();
    place.write(".letscode/plugins/x", "");
    assert_eq!(place.look_up(), Trust::Changed);
    place.record();
    std::fs::remove_file(place.root().join(".letscode/config.toml")).unwrap();
    assert_eq!(place.look_up(), Trust::Changed);
}

#[test]
fn two_names_for_the_same_bytes_are_two_sets_of_files() {
    let directory = tempfile::tempdir().unwrap();
    let fingerprints: Vec<String> = [("a", "bc"), ("ab", "c")]
        .into_iter()
        .map(|(name, content)| {
            let plugins = directory.path().join(content);
            std::fs::create_dir(&plugins).unwrap();
            std::fs::write(plugins.join(name), content).unwrap();
            fingerprint::of(None, Some(&plugins)).unwrap()
        })
        .collect();
    assert_ne!(fingerprints[0], fingerprints[1]);
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_counts_and_links_in_a_circle_end() {
    let place = place();
    place.write("tool/run", "old");
    place.write(".letscode/plugins/x", "");
    let plugins = place.root().join(".letscode/plugins");
    std::os::unix::fs::symlink("../../tool", plugins.join("tool")).unwrap();
    place.record();
    place.write("tool/run", "new");
    assert_eq!(place.look_up(), Trust::Changed);
    std::os::unix::fs::symlink("..", plugins.join("round")).unwrap();
    assert!(matches!(place.look_up(), Trust::Unverifiable(_)));
    let error = record(Some(&place.user), &place.root()).unwrap_err();
    assert!(matches!(error, TrustError::Fingerprint(_)), "{error}");
}

#[test]
fn a_broken_record_trusts_nothing_and_is_not_overwritten() {
    let place = place();
    place.record();
    std::fs::write(place.user.trust(), "[projects").unwrap();
    let project = Project::find(&place.root(), Some(&place.user)).unwrap();
    let mut warnings = Vec::new();
    assert_eq!(look_up(Some(&place.user), &project, None, &mut warnings), Trust::Unknown);
    assert!(warnings[0].contains("trust.toml:1"), "{warnings:?}");
    assert!(matches!(record(Some(&place.user), &place.root()), Err(TrustError::File(_))));
    assert_eq!(std::fs::read_to_string(place.user.trust()).unwrap(), "[projects");
}

#[test]
fn other_content_of_the_record_survives() {
    let place = place();
    std::fs::create_dir_all(place.user.directory()).unwrap();
    std::fs::write(place.user.trust(), "later = 1\n[projects]\n'/other' = 'x'\n").unwrap();
    place.record();
    let record: Table =
        toml::from_str(&std::fs::read_to_string(place.user.trust()).unwrap()).unwrap();
    assert_eq!(record["later"], Value::Integer(1));
    assert_eq!(record["projects"].as_table().unwrap().len(), 2);
}

#[test]
fn trust_needs_a_project_a_directory_and_a_home() {
    let place = place();
    let directory = place.directory.path();
    assert!(matches!(record(None, directory), Err(TrustError::NoHome)));
    let missing = record(Some(&place.user), &directory.join("missing"));
    assert!(matches!(missing, Err(TrustError::NoDirectory { .. })));
    let mut file = place.root().join(".letscode/config.toml");
    std::fs::write(&file, "= broken").unwrap();
    assert!(matches!(record(Some(&place.user), &place.root()), Err(TrustError::File(_))));
    file.pop();
    std::fs::remove_dir_all(file).unwrap();
    let nothing = record(Some(&place.user), &place.root());
    // A developer's own settings may lie above the directory of temporary files.
    assert!(!nothing.is_ok_and(|name| name.starts_with(place.root().to_str().unwrap())));
}

#[test]
fn a45_the_warning_says_what_was_left_out_why_and_how_to_allow_it() {
    let left_out = |trust, names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        LeftOut { root: "/p".into(), names, trust }.to_string()
    };
    assert_eq!(
        left_out(Trust::Unknown, &["base_url", "[mcp]"]),
        "the project /p is not trusted; left out: base_url, [mcp]; \
         to allow it: letscode trust /p (or --trust for one run)"
    );
    assert!(left_out(Trust::Changed, &["plugins/"]).contains("/p changed since it was trusted"));
    let many = left_out(Trust::Unknown, &["x"; 20]);
    assert!(many.contains("x and 12 more;"), "{many}");
}
