//! Tests of paths, on real folders and links.

use super::*;

/// A project with links, beside a folder that is outside of it.
fn place() -> (tempfile::TempDir, Surroundings) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["project/src", "project/.git", "outside", "home", "tmp/letscode-1"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["project/src/a", "outside/secret", "tmp/letscode-1/letscode-x.log"] {
        std::fs::write(root.join(name), "").unwrap();
    }
    let surroundings =
        Surroundings::new(&root.join("project"), Some(root.join("home")), &root.join("tmp"));
    (folder, surroundings)
}

fn is_inside(surroundings: &Surroundings, given: &str) -> bool {
    let target = surroundings.read(given);
    target.is_known && target.places.iter().all(|place| place.inside.is_some())
}

#[test]
fn what_is_inside_is_named_from_the_working_directory() {
    let (folder, surroundings) = place();
    let absolute = folder.path().canonicalize().unwrap().join("project/src/a");
    let absolute = absolute.to_str().unwrap();
    for given in ["src/a", "./src/a", "src/../src//a", "../project/src/a", absolute] {
        let target = surroundings.read(given);
        assert!(target.is_known, "{given}");
        let [place] = target.places.as_slice() else { panic!("{target:?}") };
        assert_eq!(place.inside.as_deref(), Some("src/a"), "{given}");
        assert_eq!(place.absolute, absolute, "{given}");
    }
    assert_eq!(surroundings.read("new/x").places[0].inside.as_deref(), Some("new/x"));
    let root = folder.path().canonicalize().unwrap().join("project");
    for (path, expected) in [("", true), ("/src/..", true), ("/src", false), ("/..", false)] {
        let path = format!("{}{path}", root.display());
        assert_eq!(surroundings.is_working_dir(&path), expected, "{path}");
    }
    assert!(!surroundings.is_working_dir("src/.."), "the shell may look elsewhere for it");
}

#[test]
fn what_is_outside_is_not_inside_however_it_is_written() {
    let (folder, surroundings) = place();
    let home = folder.path().canonicalize().unwrap().join("home/x");
    for given in
        ["../outside/secret", "src/../../outside/secret", "/etc/hosts", "~/x", "@../x", "", "/"]
    {
        let target = surroundings.read(given);
        let is_outside = target.places.iter().any(|place| place.inside.is_none());
        assert!(is_outside || given.is_empty(), "{given}: {target:?}");
    }
    assert_eq!(surroundings.read("~/x").places[0].absolute, home.to_str().unwrap());
    for (written, expected) in [
        ("~/x", home.to_str().unwrap()),
        ("~", home.parent().unwrap().to_str().unwrap()),
        ("~x", "~x"),
        ("./a/*", "a/*"),
        ("a/", "a"),
        ("/", "/"),
    ] {
        assert_eq!(surroundings.pattern(written), expected);
    }
}

#[test]
fn what_cannot_be_read_for_sure_is_not_known() {
    let (_folder, surroundings) = place();
    for given in ["file:///etc/%68osts", "src/a/x", "missing/../../x", "a\0b"] {
        assert!(!surroundings.read(given).is_known, "{given}");
        assert!(!is_inside(&surroundings, given), "{given}");
    }
}

#[test]
fn a_leading_at_sign_is_read_both_ways() {
    let (_folder, surroundings) = place();
    let target = surroundings.read("@src/a");
    let inside: Vec<_> = target.places.iter().filter_map(|it| it.inside.as_deref()).collect();
    assert_eq!(inside, ["@src/a", "src/a"]);
}

#[test]
fn guarded_folders_and_output_put_aside_are_known() {
    let (folder, surroundings) = place();
    for (given, expected) in [
        (".git/hooks/x", Some(".git")),
        (".git", Some(".git")),
        ("sub/.GIT/config", Some(".git")),
        (".letscode/config.toml", Some(".letscode")),
        ("~/.letscode/config.toml", Some(".letscode")),
        (".gitignore", None),
        ("src/a", None),
    ] {
        assert_eq!(surroundings.read(given).places[0].guarded, expected, "{given}");
    }
    let tmp = folder.path().canonicalize().unwrap().join("tmp");
    for (name, expected) in [
        ("letscode-1/letscode-x.log", true),
        ("letscode-1/x.log", false),
        ("other/letscode-x.log", false),
        ("letscode-x.log", false),
    ] {
        let target = surroundings.read(tmp.join(name).to_str().unwrap());
        assert_eq!(target.places[0].is_scratch, expected, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_counts_as_itself_and_as_where_it_leads() {
    use std::os::unix::fs::symlink;
    let (folder, surroundings) = place();
    let root = folder.path().canonicalize().unwrap();
    symlink(root.join("outside"), root.join("project/link")).unwrap();
    symlink(root.join("nowhere"), root.join("project/dangling")).unwrap();
    symlink("src", root.join("project/sources")).unwrap();
    symlink(root.join("project"), root.join("alias")).unwrap();
    let target = surroundings.read("link/secret");
    let inside: Vec<_> = target.places.iter().map(|place| place.inside.as_deref()).collect();
    assert_eq!(inside, [Some("link/secret"), None]);
    assert!(!is_inside(&surroundings, "link/new"));
    assert!(!surroundings.read("dangling").is_known, "a file could be made through it");
    assert!(!surroundings.read("dangling/x").is_known);
    let inside: Vec<_> = surroundings.read("sources/a").places.into_iter().collect();
    assert_eq!(inside.len(), 2);
    assert!(is_inside(&surroundings, "sources/a"));
    // By name this is the project's own, but the system goes another way.
    let target = surroundings.read("link/../src/a");
    assert!(target.places.iter().any(|place| place.inside.is_none()), "{target:?}");
    let through = Surroundings::new(&root.join("alias"), None, &root);
    assert!(is_inside(&through, "src/a"));
    assert_eq!(through.project(), root.join("project").to_str().unwrap());
}
