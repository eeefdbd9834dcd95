//! Writing where the system does not let us: as an ordinary user, on other file systems. Each
//! needs a process of its own; what this machine cannot offer is passed over.

use super::*;
#[cfg(target_os = "linux")]
use crate::env::rerun::test_command_with_mounts;

const NOBODY: &str = "65534";

/// Runs the ignored test `name` as a user who is not above the rules.
fn as_ordinary_user(name: &str) {
    let path = format!("{}::{name}", module_path!());
    let is_root = rustix::process::geteuid().is_root();
    let wrapper = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"];
    let mut command = test_command(if is_root { &wrapper } else { &[] }, &path);
    // The folders of tests are made there; the one of root may be closed to others.
    command.env_remove("TMPDIR");
    require_success(command);
}

#[test]
fn an_unwritable_folder_is_no_hindrance() {
    as_ordinary_user("inner_unwritable_folder");
}

#[tokio::test]
#[ignore = "run by an_unwritable_folder_is_no_hindrance"]
async fn inner_unwritable_folder() {
    let place = place();
    place.put("file", "old and long");
    let set = |mode| {
        fs::set_permissions(place.folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o555);
    let known = Expected::Content(Fingerprint::of(b"old and long"));
    let written = place.write_expecting("file", "new", known.clone()).await;
    let changed = place.write_expecting("file", "newer", known).await;
    let created = place.write("other", "new").await;
    set(0o755);
    assert!(written.is_ok(), "{written:?}");
    assert!(matches!(changed, Err(FileError::Changed { .. })), "{changed:?}");
    assert!(matches!(created, Err(FileError::PermissionDenied { .. })), "{created:?}");
    assert_eq!(place.text("file"), "new");
    assert_eq!(place.names(), ["file"]);
}

#[test]
fn a_write_protected_file_stays_as_it_is() {
    as_ordinary_user("inner_write_protected");
}

#[tokio::test]
#[ignore = "run by a_write_protected_file_stays_as_it_is"]
async fn inner_write_protected() {
    let place = place();
    let path = place.put("file", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let written = place.write("file", "new").await;
    assert!(matches!(written, Err(FileError::PermissionDenied { .. })), "{written:?}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let read = place.read("file").await;
    assert!(matches!(read, Err(FileError::PermissionDenied { .. })), "{read:?}");
    assert_eq!((mode(&path), place.names()), (0, vec!["file".to_owned()]));
}

/// Runs the ignored test `name` where it may mount file systems. Not every machine allows that.
#[cfg(target_os = "linux")]
fn with_own_mounts(name: &str) {
    let path = format!("{}::{name}", module_path!());
    if let Some(command) = test_command_with_mounts("true", &path) {
        require_success(command);
    }
}

#[cfg(target_os = "linux")]
fn mount(arguments: &[&str], at: &Path) {
    assert!(Command::new("mount").args(arguments).arg(at).status().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a19_a_full_disk_is_told_and_the_old_content_stays() {
    with_own_mounts("inner_a19_full_disk");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by a19_a_full_disk_is_told_and_the_old_content_stays"]
async fn inner_a19_full_disk() {
    let place = place();
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], place.folder.path());
    let long = "x".repeat(100_000);
    place.put("file", "old");
    place.put("linked", "old");
    fs::hard_link(place.path("linked"), place.path("other name")).unwrap();
    for name in ["file", "linked", "new"] {
        let written = place.write(name, &long).await;
        assert!(matches!(written, Err(FileError::NoSpace { .. })), "{name}: {written:?}");
    }
    assert_eq!((place.text("file"), place.text("linked")), ("old".to_owned(), "old".to_owned()));
    assert_eq!(place.names(), ["file", "linked", "other name"]);
    let mut spill = place.env.create_temp_file("").await.unwrap();
    let spilt = spill.append(long.into_bytes()).await;
    assert!(matches!(spilt, Err(FileError::NoSpace { .. })), "{spilt:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a19_a_read_only_file_system_is_told() {
    with_own_mounts("inner_a19_read_only");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by a19_a_read_only_file_system_is_told"]
async fn inner_a19_read_only() {
    let place = place();
    mount(&["-t", "tmpfs", "tmpfs"], place.folder.path());
    place.put("file", "old");
    mount(&["-o", "remount,ro"], place.folder.path());
    for name in ["file", "new", "folder/new"] {
        let written = place.write(name, "new").await;
        assert!(matches!(written, Err(FileError::ReadOnly { .. })), "{name}: {written:?}");
    }
    assert_eq!(place.text("file"), "old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_a_mount_point_is_written_in_place() {
    with_own_mounts("inner_mount_point");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by a_file_that_is_a_mount_point_is_written_in_place"]
async fn inner_mount_point() {
    let place = place();
    let (outside, inside) = (place.put("outside", "old"), place.put("inside", ""));
    mount(&["--bind", outside.to_str().unwrap()], &inside);
    place.write("inside", "new").await.unwrap();
    assert_eq!(place.text("outside"), "new");
    assert_eq!(place.names(), ["inside", "outside"]);
}
