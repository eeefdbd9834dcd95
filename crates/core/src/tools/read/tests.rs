//! Tests of the tool `read`.

use super::*;
use crate::env::Fingerprint;
use crate::tools::workbench::Workbench;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use letscode_wire::ContentPart;
use serde_json::json;

/// Returns a whole, tiny picture of each kind; the PNG first.
pub(super) fn samples() -> Vec<(ImageKind, Vec<u8>)> {
    let decoded = |text: &str| STANDARD.decode(text).unwrap();
    let mut jpeg = decoded(concat!(
        "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP////////////////////////////////////////////////////",
        "//////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgB",
        "AQABPxA="
    ));
    jpeg.extend([0xFF, 0xD9]);
    vec![
        (ImageKind::Png, png()),
        (ImageKind::Jpeg, jpeg),
        (ImageKind::Gif, decoded("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")),
        (ImageKind::WebP, decoded("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")),
    ]
}

fn png() -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        let body = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
    };
    let header = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];
    let pixel = [0x78, 0x9C, 0x63, 0, 0, 0, 2, 0, 1];
    [
        b"\x89PNG\r\n\x1A\n".to_vec(),
        chunk(b"IHDR", &header),
        chunk(b"IDAT", &pixel),
        chunk(b"IEND", b""),
    ]
    .concat()
}

fn bench() -> (Workbench, Read) {
    (Workbench::new(), Read::new(None))
}

#[test]
fn a_small_file_is_shown_whole() {
    let (bench, read) = bench();
    bench.put("app.py", "print(1)\nprint(2)\n");
    let (text, details) = bench.done(&read, json!({ "path": "app.py", "offset": null }));
    assert_eq!(text, "     1\tprint(1)\n     2\tprint(2)");
    assert_eq!(details["path"], "app.py");
    assert_eq!(details["lines_returned"], 2);
    assert_eq!(details["total_lines"], 2);
    assert_eq!(details["offset"], 0);
    assert_eq!(details["size"], 18);
    let known = bench.context.files.known(&bench.path("app.py"));
    assert_eq!(known, Some(Fingerprint::of(b"print(1)\nprint(2)\n")));
}

#[test]
fn paths_in_every_spelling() {
    let (bench, _) = bench();
    bench.put("a b.txt", "x\n");
    let read = Read::new(Some(bench.folder().to_owned()));
    let absolute = bench.path("a b.txt");
    let url = format!("file://{}", absolute.display()).replace(' ', "%20");
    for path in ["a b.txt", "./a b.txt", "@a b.txt", "~/a b.txt", &url, absolute.to_str().unwrap()]
    {
        assert_eq!(bench.done(&read, json!({ "path": path })).0, "     1\tx", "{path}");
    }
    bench.put("@a b.txt", "at\n");
    assert_eq!(bench.done(&read, json!({ "path": "@a b.txt" })).0, "     1\tat");
    assert!(bench.fails(&read, json!({ "path": "" })).contains("empty"));
}

#[test]
fn a20_what_is_left_out_is_announced_with_the_next_offset() {
    let (bench, read) = bench();
    let text: String = (1..=2_500).map(|number| format!("{number}\n")).collect();
    bench.put("long.txt", &text);
    let (shown, details) = bench.done(&read, json!({ "path": "long.txt" }));
    assert!(shown.ends_with("  2000\t2000\n\n[lines 1-2000 of 2500; go on with offset 2000]"));
    assert_eq!(details["total_lines"], 2_500);
    let (shown, details) = bench.done(&read, json!({ "path": "long.txt", "offset": 2_000 }));
    assert!(shown.starts_with("  2001\t2001\n") && shown.ends_with("  2500\t2500"));
    assert_eq!(details["offset"], 2_000);
    let limited = json!({ "path": "long.txt", "offset": 9, "limit": 1 });
    let (shown, _) = bench.done(&read, limited);
    assert_eq!(shown, "    10\t10\n\n[lines 10-10 of 2500; go on with offset 10]");
    let wide = json!({ "path": "long.txt", "limit": 5_000 });
    assert_eq!(bench.done(&read, wide).1["lines_returned"], 2_000);
    for (name, value) in [("offset", -1), ("limit", 0)] {
        assert!(bench.fails(&read, json!({ "path": "long.txt", name: value })).starts_with(name));
    }
}

#[test]
fn a20_a_line_of_50_mb() {
    let (bench, read) = bench();
    bench.put("min.js", vec![b'x'; 50 * 1024 * 1024]);
    let (shown, details) = bench.done(&read, json!({ "path": "min.js" }));
    assert!(shown.len() < 3_000 && shown.contains("2000 characters shown of 52428800 bytes"));
    assert!(shown.contains("sed -n NUMBERp 'min.js' | cut -c2001-4000"), "{shown}");
    assert_eq!((&details["total_lines"], &details["lines_returned"]), (&json!(1), &json!(1)));
}

#[cfg(unix)]
#[test]
fn a20_a_sparse_file_of_5_gb_is_not_read_to_its_end() {
    let (bench, read) = bench();
    let text: String = (1..=3_000).map(|number| format!("{number}\n")).collect();
    bench.put("huge.log", &text);
    bench.grow("huge.log", 5 << 30);
    let (shown, details) =
        bench.done(&read, json!({ "path": "huge.log", "offset": 999, "limit": 2 }));
    assert!(
        shown.starts_with("  1000\t1000\n  1001\t1001\n\n[lines 1000-1001 of more; "),
        "{shown}"
    );
    assert!(shown.contains("offset 1001; the file is larger than 64 MB"), "{shown}");
    assert_eq!((&details["total_lines"], &details["size"]), (&Value::Null, &json!(5_u64 << 30)));
    assert_eq!(details.get("fingerprint"), None);
    // The last line is all hole.
    let (shown, _) = bench.done(&read, json!({ "path": "huge.log", "offset": 2_998 }));
    assert!(shown.starts_with("  2999\t2999\n  3000\t3000\n  3001\t␀␀"), "{}", &shown[..40]);
}

#[test]
fn a21_binary_utf16_and_legacy_encodings_say_what_they_are() {
    let (bench, read) = bench();
    bench.put("a.bin", b"MZ\0\x01");
    bench.put("b.txt", b"\xFF\xFEa\0b\0");
    bench.put("c.txt", b"\xEF\xBB\xBFok\ncaf\xE9\n");
    insta::assert_snapshot!(bench.fails(&read, json!({ "path": "a.bin" })), @"a.bin is a binary file, 4 bytes: use a command in bash that knows its format");
    insta::assert_snapshot!(bench.fails(&read, json!({ "path": "b.txt" })), @"b.txt is UTF-16LE text, 6 bytes: only UTF-8 is shown; convert it with bash (iconv -f UTF-16 -t UTF-8)");
    insta::assert_snapshot!(bench.fails(&read, json!({ "path": "c.txt" })), @"c.txt is not UTF-8: byte 0xE9 at offset 9 (line 2) does not fit, of 11 bytes. Convert it with bash (iconv) to see it; edit can replace ASCII text in it");
}

#[test]
fn a21_a_directory_lists_what_it_holds() {
    let (bench, read) = bench();
    assert!(bench.fails(&read, json!({ "path": "." })).contains("empty directory"));
    bench.put("b.txt", "");
    bench.folder_named("a");
    insta::assert_snapshot!(bench.fails(&read, json!({ "path": "." })), @r"
    . is a directory; it holds 2:
    a/
    b.txt
    ");
    for number in 0..150 {
        bench.put(&format!("c{number:03}"), "");
    }
    let message = bench.fails(&read, json!({ "path": "." }));
    assert!(message.ends_with("\nc097\n(and 52 more: list them with bash)"), "{message}");
}

#[test]
fn a21_a_missing_file_suggests_near_names() {
    let (bench, read) = bench();
    bench.folder_named("src");
    bench.put("src/matching.rs", "");
    let near = |path: &str| {
        let message = bench.fails(&read, json!({ "path": path }));
        message.replace(bench.folder().to_str().unwrap(), "/w")
    };
    assert_eq!(
        near("src/Matching.rs"),
        "no such file: src/Matching.rs; near names: /w/src/matching.rs"
    );
    assert_eq!(
        near("scr/matching.rs"),
        "no such file: scr/matching.rs (there is no /w/scr either); near names: /w/src/"
    );
    assert_eq!(near("zzz"), "no such file: zzz");
    assert_eq!(
        near("src/matching.rs/x"),
        "no such file: src/matching.rs/x; /w/src/matching.rs is a file, not a directory"
    );
}

#[cfg(unix)]
#[test]
fn a21_a_fifo_and_a_device_do_not_hang() {
    let (bench, read) = bench();
    bench.fifo("pipe");
    assert!(bench.fails(&read, json!({ "path": "pipe" })).contains("not a regular file"));
    assert!(bench.fails(&read, json!({ "path": "/dev/zero" })).contains("not a regular file"));
}

#[cfg(unix)]
#[test]
fn a21_a_link_that_leads_nowhere_is_told() {
    let (bench, read) = bench();
    std::os::unix::fs::symlink("gone", bench.path("link")).unwrap();
    for path in ["link", "link/below"] {
        let message = bench.fails(&read, json!({ "path": path }));
        assert!(message.starts_with(&format!("no such file: {path}; ")), "{message}");
        assert!(message.ends_with("/link is a symbolic link whose target is missing"), "{message}");
    }
}

#[test]
fn a21_empty_files_and_offsets_past_the_end() {
    let (bench, read) = bench();
    bench.put("empty", "");
    bench.put("mark", b"\xEF\xBB\xBF");
    bench.put("two", "1\n2\n");
    assert_eq!(bench.done(&read, json!({ "path": "empty" })).0, "[the file is empty]");
    assert_eq!(bench.done(&read, json!({ "path": "mark" })).0, "[the file is empty]");
    for offset in [2, 3, 1_000_000] {
        let message = bench.fails(&read, json!({ "path": "two", "offset": offset }));
        assert!(message.contains("two has 2 lines"), "{message}");
    }
}

#[test]
fn a11_a_mark_is_not_shown() {
    let (bench, read) = bench();
    bench.put("a.txt", "\u{feff}x\r\ny\r\n");
    assert_eq!(bench.done(&read, json!({ "path": "a.txt" })).0, "     1\tx\n     2\ty");
}

#[test]
fn a22_a_picture_goes_to_a_model_that_sees() {
    let (bench, read) = bench();
    for (kind, bytes) in samples() {
        bench.put("picture.txt", &bytes);
        let output = bench.call(&read, json!({ "path": "picture.txt" })).unwrap();
        let image = ContentPart::Image {
            data: STANDARD.encode(&bytes),
            mime_type: kind.mime_type().to_owned(),
        };
        assert_eq!(output.content[1], image);
        assert_eq!(output.details["mime_type"], kind.mime_type());
    }
}

#[test]
fn a22_a_model_that_does_not_see_is_told_so() {
    let (mut bench, read) = bench();
    bench.context.vision = false;
    bench.put("a.png", png());
    let output = bench.call(&read, json!({ "path": "a.png" })).unwrap();
    assert_eq!(output.content.len(), 1);
    let text = letscode_wire::text_of(&output.content);
    assert!(text.contains("does not take pictures"), "{text}");
}

#[test]
fn a22_broken_and_huge_pictures_never_get_in() {
    let (bench, read) = bench();
    bench.put("cut.png", &png()[..50]);
    assert!(bench.fails(&read, json!({ "path": "cut.png" })).contains("broken or cut off"));
    let (_, mut jpeg) = samples().remove(1);
    jpeg.resize(40 * 1024 * 1024, 0);
    bench.put("big.jpg", &jpeg);
    assert!(bench.fails(&read, json!({ "path": "big.jpg" })).contains("at most 5 MB"));
}

#[test]
fn a52_hidden_text_is_made_visible() {
    let (bench, read) = bench();
    bench.put("a.md", "plain\nhi\u{E0069}\u{E0067}\u{202E}\n");
    let (text, _) = bench.done(&read, json!({ "path": "a.md" }));
    assert!(text.contains("\u{202E}\n\n[invisible characters"), "{text}");
    assert!(text.contains("line 2 U+202E") && text.contains("spell \"ig\""), "{text}");
}

#[test]
fn an_interrupted_read_ends() {
    let (bench, read) = bench();
    bench.put("a", "x");
    bench.context.cancel.cancel();
    assert!(bench.fails(&read, json!({ "path": "a" })).contains("interrupted"));
}
