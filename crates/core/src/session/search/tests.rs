//! What is found, where, and the bounds of an answer.

use super::*;
use crate::session::tests::{SAMPLE, line, user, user_line};
use std::fs;
use tempfile::TempDir;

/// Returns a folder with sessions of these contents.
fn folder(contents: &[String]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (number, content) in contents.iter().enumerate() {
        fs::write(folder.path().join(format!("{number:04}.jsonl")), content).unwrap();
    }
    folder
}

fn places_of(folder: &TempDir, query: &str) -> Vec<(String, usize, String)> {
    let found = search(folder.path(), Scope::Project, query).unwrap();
    let place = |hit: SearchHit| (hit.session.id.to_string(), hit.entry, hit.text);
    found.hits.into_iter().map(place).collect()
}

#[test]
fn a_text_is_found_however_it_is_written() {
    let ascii_only =
        user_line(None, "a").replace("\"text\":\"a\"", r#""text":"Caf\u00c9 \u006Eoir""#);
    let parts = line(Some("a"), &user("b", "one")).replace(
        r#"{"type":"text","text":"one"}"#,
        r#"{"type":"text","text":"Need"},{"type":"text","text":"le"}"#,
    );
    let odd = line(Some("b"), &user("c", "\u{212A}elvin\n\"quoted\" \\path"));
    let folder = folder(&[[ascii_only, parts, odd].concat()]);
    for (query, entry) in [
        ("café", 1),
        ("NOIR", 1),
        ("é n", 1),
        ("needle", 2),
        ("eedl", 2),
        ("kelvin", 3),
        ("\"QUOTED\"", 3),
        ("vin\n\"q", 3),
        (r"\path", 3),
    ] {
        let entries: Vec<usize> =
            places_of(&folder, query).into_iter().map(|(_, entry, _)| entry).collect();
        assert_eq!(entries, [entry], "{query:?}");
    }
    assert!(places_of(&folder, "none of these").is_empty());
}

#[test]
fn entries_are_counted_over_damage_and_tools_are_no_speakers() {
    let (a, b) = (user_line(None, "a"), line(Some("a"), &user("b", "sought")));
    let glued = format!("{}{}", b.get(..40).unwrap(), line(Some("a"), &user("c", "Sought too")));
    let folder = folder(&[format!("broken\n\n{a}{glued}{b}"), SAMPLE.to_owned()]);
    let found: Vec<(usize, String)> =
        places_of(&folder, "sought").into_iter().map(|(_, entry, text)| (entry, text)).collect();
    assert_eq!(found, [(2, "Sought too".to_owned()), (3, "sought".to_owned())]);
    let roles = search(folder.path(), Scope::Project, "print")
        .unwrap()
        .hits
        .into_iter()
        .map(|hit| hit.role);
    assert!(roles.into_iter().all(|role| role == "user" || role == "assistant"));
}

#[test]
fn a27_what_is_said_in_a_line_too_long_to_be_held_is_found() {
    let long = format!("{}sought{}", "text ".repeat(300_000), " text".repeat(300_000));
    let tool = line(Some("a"), &user("b", &long)).replace(r#""role":"user""#, r#""role":"tool""#);
    let content = [user_line(None, "a"), tool, line(Some("b"), &user("c", &long))];
    let folder = folder(&[content.concat()]);
    let found = places_of(&folder, "Sought");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, 3);
    assert!(found[0].2.len() < 200, "{}", found[0].2);
}

#[test]
fn an_answer_has_bounds_and_an_order() {
    let said =
        |count: usize| -> String { (0..count).map(|_| line(None, &user("a", "sought"))).collect() };
    let few = folder(&[said(2), said(7)]);
    let found = search(few.path(), Scope::Project, "sought").unwrap();
    assert!(found.truncated && found.hits.len() == 2 + MAX_HITS_PER_SESSION);
    assert!(!search(folder(&[said(5)]).path(), Scope::Project, "sought").unwrap().truncated);

    let many = folder(&vec![said(3); 200]);
    let found = search(many.path(), Scope::Project, "sought").unwrap();
    assert!(found.truncated && found.hits.len() == MAX_HITS.next_multiple_of(3));
    let listed: Vec<_> =
        scan(many.path(), Scope::Project).unwrap().into_iter().map(|found| found.id).collect();
    let mut sessions: Vec<_> = found.hits.into_iter().map(|hit| hit.session.id).collect();
    sessions.dedup();
    assert_eq!(sessions, listed[..sessions.len()]);
}
