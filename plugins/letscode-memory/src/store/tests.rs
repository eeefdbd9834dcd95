//! The folder of memories, with files of every kind in it.

use super::*;
use std::time::Duration;
use tempfile::TempDir;

struct Home {
    directory: TempDir,
    store: Store,
}

fn home() -> Home {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::of_home(directory.path());
    Home { directory, store }
}

impl Home {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(".letscode/memory").join(name)
    }

    /// Writes a file by hand; a greater `age` is older.
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>, age: u64) {
        fs::create_dir_all(self.path("")).unwrap();
        fs::write(self.path(name), bytes).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
        File::options().write(true).open(self.path(name)).unwrap().set_modified(time).unwrap();
    }

    fn shown(&self) -> Vec<String> {
        let memories = self.store.memories().unwrap();
        let shown = memories.map(|Memory { id, text }| match text {
            Ok(text) => format!("{id}: {text}"),
            Err(reason) => format!("{id}: ! {reason}"),
        });
        shown.collect()
    }
}

fn noon() -> Timestamp {
    "2026-05-13T12:00:00Z".parse().unwrap()
}

#[test]
fn a_memory_is_a_private_file_named_after_its_time() {
    let home = home();
    assert_eq!(home.shown(), [""; 0]);
    assert_eq!(home.store.save("  likes tea \n", noon()).unwrap(), "2026-05-13T120000Z");
    assert_eq!(fs::read_to_string(home.path("2026-05-13T120000Z.md")).unwrap(), "likes tea\n");
    assert_eq!(fs::read_dir(home.path("")).unwrap().count(), 1);
    #[cfg(unix)]
    for (name, mode) in [("", 0o700), ("2026-05-13T120000Z.md", 0o600)] {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[test]
fn those_of_one_second_get_numbers_and_none_is_overwritten() {
    let home = home();
    home.put("2026-05-13T120000Z-1.md", "by hand", 0);
    let save = |text| home.store.save(text, noon()).unwrap();
    assert_eq!(save("a"), "2026-05-13T120000Z");
    assert_eq!(save("b"), "2026-05-13T120000Z-2");
    assert_eq!(fs::read_to_string(home.path("2026-05-13T120000Z-1.md")).unwrap(), "by hand");
}

#[test]
fn the_newest_file_comes_first_whatever_its_name() {
    let home = home();
    home.put("z.md", "old", 9);
    home.put("a.md", "new", 1);
    home.put("2026-05-13T120000Z.md", "first of a second", 5);
    home.put("2026-05-13T120000Z-1.md", "second of it", 5);
    home.put("notes.txt", "no memory", 0);
    home.put(".md", "no name", 0);
    fs::create_dir(home.path("folder.md")).unwrap();
    let expected = [
        "a: new",
        "2026-05-13T120000Z-1: second of it",
        "2026-05-13T120000Z: first of a second",
        "z: old",
    ];
    assert_eq!(home.shown(), expected);
    home.put("z.md", "  edited by hand\n\n", 0);
    assert_eq!(home.shown()[0], "z: edited by hand");
}

#[test]
fn what_is_no_short_text_says_why_it_is_left_out() {
    let home = home();
    let longest = "a".repeat(MOST_BYTES);
    home.put("longest.md", format!("{longest}\n"), 1);
    home.put("longer.md", format!("{longest}b"), 2);
    home.put("cut.md", "ä".repeat(MOST_BYTES + 1), 3);
    home.put("bytes.md", b"\xff\xfe", 4);
    home.put("nul.md", b"a\0b", 5);
    home.put("empty.md", " \n", 6);
    File::create(home.path("huge.md")).unwrap().set_len(1 << 40).unwrap();
    home.put("huge.md.txt", "", 0);
    let shown = home.shown();
    let reasons: Vec<&str> =
        shown.iter().filter_map(|line| line.split_once(": ! ")).map(|(_, reason)| reason).collect();
    let too_long = "it is longer than 8192 bytes";
    let no_text = "it is not UTF-8 text";
    assert_eq!(reasons, [too_long, too_long, too_long, no_text, no_text, "it is empty"]);
    assert_eq!(shown[1], format!("longest: {longest}"));
    let error = home.store.save(&format!("{longest}b"), noon()).unwrap_err().to_string();
    assert!(error.contains("8193 bytes"), "{error}");
    home.store.save(&longest, noon()).unwrap();
}

#[test]
fn forgetting_never_leaves_the_folder() {
    let home = home();
    home.put("a.md", "a", 0);
    home.put("with blanks.md", "b", 1);
    let outside = home.directory.path().join(".letscode/outside.md");
    fs::write(&outside, "stays").unwrap();
    let absolute = outside.with_extension("").to_str().unwrap().to_owned();
    for id in ["../outside", "./a", "", ".", "a.md", "a/", "x/../a", "a\0", &absolute] {
        let error = home.store.forget(id).unwrap_err();
        assert!(matches!(error, StoreError::Unknown { .. }), "{id}: {error}");
    }
    assert_eq!(home.shown().len(), 2);
    home.store.forget("with blanks").unwrap();
    home.store.forget("a").unwrap();
    assert!(home.store.forget("a").is_err());
    assert_eq!(home.shown(), [""; 0]);
    assert!(outside.is_file());
}

#[cfg(unix)]
#[test]
fn a_link_is_read_and_forgotten_without_its_target() {
    let home = home();
    home.put("a.md", "a", 1);
    let outside = home.directory.path().join("elsewhere.txt");
    fs::write(&outside, "kept elsewhere").unwrap();
    std::os::unix::fs::symlink(&outside, home.path("link.md")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.path("device.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", home.path("dangling.md")).unwrap();
    assert_eq!(home.shown(), ["link: kept elsewhere", "a: a"]);
    home.store.forget("link").unwrap();
    assert_eq!(home.shown(), ["a: a"]);
    assert_eq!(fs::read_to_string(outside).unwrap(), "kept elsewhere");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_or_listed_is_told() {
    // Every write into this folder fails, whoever the user is.
    let store = Store { folder: PathBuf::from("/proc/self/memory") };
    let error = store.save("a", noon()).unwrap_err().to_string();
    assert!(error.starts_with("not remembered: /proc/self/memory cannot be written: "), "{error}");
    let home = home();
    fs::create_dir_all(home.path("")).unwrap();
    fs::remove_dir(home.path("")).unwrap();
    fs::write(home.directory.path().join(".letscode/memory"), "a file in its place").unwrap();
    assert!(home.store.save("a", noon()).is_err());
    assert!(matches!(home.store.memories().err(), Some(StoreError::List { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn of_a_file_that_the_system_makes_up_and_of_a_huge_one_nothing_is_read() {
    let home = home();
    fs::create_dir_all(home.path("")).unwrap();
    // It holds text, and says that it has none, as those do whose reading waits.
    std::os::unix::fs::symlink("/proc/version", home.path("a.md")).unwrap();
    File::create(home.path("b.md")).unwrap().set_len(5 << 30).unwrap();
    let mut shown = home.shown();
    shown.sort();
    assert_eq!(shown, ["a: ! it is empty", "b: ! it is longer than 8192 bytes"]);
}
