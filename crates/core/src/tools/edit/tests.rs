//! Tests of the tool `edit`.

use super::*;
use crate::tools::workbench::{Meddling, Workbench};
use crate::tools::{Read, Write};

fn bench() -> (Workbench, Edit) {
    (Workbench::new(), Edit::new(None))
}

fn arguments(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "old_string": old, "new_string": new })
}

#[test]
fn an_edit_tells_where_and_shows_the_new_lines() {
    let (bench, edit) = bench();
    bench.put("a.rs", "one\ntwo\nthree\nfour\nfive\nsix\n");
    let (text, details) = bench.done(&edit, arguments("a.rs", "four", "4\n4b"));
    insta::assert_snapshot!(text, @r"
    replaced 1 place in a.rs, at line 4:
         2	two
         3	three
         4	4
         5	4b
         6	five
         7	six
    ");
    assert_eq!(bench.text("a.rs"), "one\ntwo\nthree\n4\n4b\nfive\nsix\n");
    assert_eq!(details["path"], "a.rs");
    assert_eq!(details["replacements"], 1);
    assert_eq!(details["replace_all"], false);
    assert_eq!(details.get("forgiven"), None);
    insta::assert_snapshot!(details["diff"].as_str().unwrap(), @r"
    --- a.rs
    +++ a.rs
    @@ -1,6 +1,7 @@
     one
     two
     three
    -four
    +4
    +4b
     five
     six
    ");
}

#[test]
fn replace_all_replaces_every_place() {
    let (bench, edit) = bench();
    bench.put("a.py", "x = 1\ny = 3\nx = 1\n");
    let mut all = arguments("a.py", "x = 1", "x = 2");
    all["replace_all"] = json!(true);
    let (text, details) = bench.done(&edit, all);
    assert!(text.starts_with("replaced 2 places in a.py, at lines 1, 3; the first:\n"), "{text}");
    assert_eq!((&details["replacements"], &details["replace_all"]), (&json!(2), &json!(true)));
    assert_eq!(bench.text("a.py"), "x = 2\ny = 3\nx = 2\n");
}

#[test]
fn a09_the_file_keeps_its_typography_outside_the_place() {
    let (bench, edit) = bench();
    let before = "# “Title”  \n\nit’s a – b  \nend\u{a0}\n";
    bench.put("a.md", before);
    let (text, details) = bench.done(&edit, arguments("a.md", "it's a - b", "it is"));
    assert_eq!(bench.text("a.md"), before.replace("it’s a – b", "it is"));
    assert_eq!(details["forgiven"], json!(["typography"]));
    assert!(text.ends_with(
        "[old_string differed from the file in quotes, dashes or spaces that look alike]"
    ));
    let diff = details["diff"].as_str().unwrap();
    assert!(diff.contains("-it’s a – b  \n+it is  \n"), "against the bytes on disk: {diff}");
}

#[test]
fn a10_a11_crlf_mark_and_missing_final_newline_survive() {
    let (bench, edit) = bench();
    bench.put("w.txt", b"\xEF\xBB\xBFone\r\ntwo\r\nthree");
    bench.done(&edit, arguments("w.txt", "one\ntwo", "1\n2"));
    assert_eq!(bench.get("w.txt"), b"\xEF\xBB\xBF1\r\n2\r\nthree");
    bench.done(&edit, arguments("w.txt", "three", "3\n4"));
    assert_eq!(bench.get("w.txt"), b"\xEF\xBB\xBF1\r\n2\r\n3\r\n4");
    bench.done(&edit, arguments("w.txt", "\u{feff}1", "\u{feff}0"));
    assert_eq!(bench.get("w.txt"), b"\xEF\xBB\xBF0\r\n2\r\n3\r\n4");
}

#[test]
fn a12_a_legacy_encoding_is_kept_or_the_edit_refused() {
    let (bench, edit) = bench();
    let latin = b"caf\xE9 = 1\nna\xEFve = 2\n";
    bench.put("l.txt", latin);
    insta::assert_snapshot!(bench.fails(&edit, arguments("l.txt", "= 1", "= “1”")), @"l.txt is not UTF-8 (byte 3 is the first that does not fit): only ASCII text can be replaced in it, and only by ASCII text; for anything else convert it with bash (iconv) first");
    assert_eq!(bench.get("l.txt"), latin);
    bench.done(&edit, arguments("l.txt", "= 1", "= 7"));
    assert_eq!(bench.get("l.txt"), b"caf\xE9 = 7\nna\xEFve = 2\n");
    bench.put("u.txt", b"\xFF\xFEa\0");
    assert!(bench.fails(&edit, arguments("u.txt", "a", "b")).contains("UTF-16LE"));
    bench.put("b.bin", b"a\0");
    assert!(bench.fails(&edit, arguments("b.bin", "a", "b")).contains("binary"));
}

#[test]
fn a13_in_a_changed_file_only_an_exact_place_is_replaced() {
    let (bench, edit) = bench();
    bench.put("a", "one\ntwo\n");
    bench.done(&Read::new(None), json!({ "path": "a" }));
    bench.put("a", "one\n  two  \nx\nx\n");
    let message = bench.fails(&edit, arguments("a", "one\ntwo\n", "x"));
    assert!(
        message.contains("has changed since") && message.contains("read it again"),
        "{message}"
    );
    for old in ["zzz", "x"] {
        let message = bench.fails(&edit, arguments("a", old, "y"));
        assert!(message.ends_with("since it was last read: read it again"), "{message}");
    }
    let (text, details) = bench.done(&edit, arguments("a", "one", "1"));
    assert!(text.contains("had changed since"), "{text}");
    assert_eq!(details.get("fingerprint"), None);
    // The change from outside is still unseen, so the whole file is not ours to replace.
    let whole = json!({ "path": "a", "content": "x" });
    assert!(bench.call(&Write::new(None), whole).is_err());
}

#[test]
fn a13_own_edits_raise_no_alarm() {
    let (bench, edit) = bench();
    bench.put("a", "one two\n");
    bench.done(&Read::new(None), json!({ "path": "a" }));
    bench.done(&edit, arguments("a", "one", "1"));
    let (text, _) = bench.done(&edit, arguments("a", "two", "2"));
    assert!(!text.contains("changed"), "{text}");
    bench.done(&Write::new(None), json!({ "path": "a", "content": "x" }));
}

#[test]
fn a13_a_change_right_before_the_write_is_noticed() {
    let bench = Workbench::meddling(Meddling::Write("a", "one theirs\n"));
    bench.put("a", "one\n");
    let message = bench.fails(&Edit::new(None), arguments("a", "one", "1"));
    assert!(
        message.contains("changed meanwhile") && message.contains("read it again"),
        "{message}"
    );
    assert_eq!(bench.text("a"), "one theirs\n");
}

#[cfg(unix)]
#[test]
fn a14_modes_survive() {
    use std::os::unix::fs::PermissionsExt as _;
    let (bench, edit) = bench();
    for mode in [0o755, 0o600] {
        bench.put("f", "one\n");
        std::fs::set_permissions(bench.path("f"), std::fs::Permissions::from_mode(mode)).unwrap();
        bench.done(&edit, arguments("f", "one", "two"));
        let metadata = std::fs::metadata(bench.path("f")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, mode);
    }
}

#[test]
fn a17_texts_that_make_no_edit() {
    let (bench, edit) = bench();
    bench.put("a", "one\n  “two”\n");
    assert!(bench.fails(&edit, arguments("a", "", "x")).contains("old_string is empty"));
    assert!(bench.fails(&edit, arguments("a", "one", "one")).contains("are the same"));
    assert!(bench.fails(&edit, arguments("a", "one\ntwo", "one\n  two")).contains("Most like it"));
    assert!(bench.fails(&edit, arguments("a", "\"two\"", "“two”")).contains("nothing to change"));
    assert_eq!(bench.text("a"), "one\n  “two”\n");
}

#[test]
fn a17_indentation_is_forgiven_and_said() {
    let (bench, edit) = bench();
    bench.put("a.go", "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n");
    let old = "    if a {\n        b()\n    }\n";
    let (text, details) =
        bench.done(&edit, arguments("a.go", old, "    if c {\n        d()\n    }\n"));
    assert_eq!(bench.text("a.go"), "func f() {\n\tif c {\n\t\td()\n\t}\n}\n");
    assert_eq!(details["forgiven"], json!(["indentation"]));
    assert!(text.ends_with("in indentation; new_string was indented like the file]"), "{text}");
}

#[test]
fn a18_nothing_changes_where_several_places_match() {
    let (bench, edit) = bench();
    bench.put("a.py", "x = 1\ny = 3\nx = 1\n");
    insta::assert_snapshot!(bench.fails(&edit, arguments("a.py", "x = 1", "q")), @"old_string is in a.py 2 times, at lines 1, 3: add lines around it until it is one place, or pass replace_all true to replace every one");
    assert_eq!(bench.text("a.py"), "x = 1\ny = 3\nx = 1\n");
}

#[test]
fn a19_a_refusal_of_the_system_is_no_success() {
    let bench = Workbench::meddling(Meddling::NoSpace);
    bench.put("a", "one\n");
    let message = bench.fails(&Edit::new(None), arguments("a", "one", "two"));
    assert!(message.contains("no space left") && message.contains("nothing was written"));
    assert_eq!(bench.text("a"), "one\n");
    assert_eq!(bench.context.files.known(&bench.path("a")), None);
}

#[test]
fn a21_what_is_no_regular_file_is_refused() {
    let (bench, edit) = bench();
    bench.put("real.py", "a");
    let message = bench.fails(&edit, arguments("rael.py", "a", "b"));
    assert!(
        message.contains("no such file: rael.py; near names: ") && message.ends_with("real.py")
    );
    assert!(bench.fails(&edit, arguments(".", "a", "b")).contains("is a directory"));
    #[cfg(unix)]
    assert!(bench.fails(&edit, arguments("/dev/null", "a", "b")).contains("not a regular file"));
}

#[test]
fn a_huge_file_is_refused() {
    let (bench, edit) = bench();
    bench.put("huge", "a");
    bench.grow("huge", 1 << 32);
    assert!(bench.fails(&edit, arguments("huge", "a", "b")).contains("larger than 64 MB"));
}
