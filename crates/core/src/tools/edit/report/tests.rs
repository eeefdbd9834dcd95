//! Tests of what the model is told of an edit.

use super::*;
use crate::tools::edit::plan::plan;

/// Returns what the model is told of an edit.
fn told(file: &str, old: &str, new: &str) -> String {
    let request =
        Request { old: old.to_owned(), new: new.to_owned(), count: Count::One, is_stale: false };
    match plan(file.as_bytes(), &request) {
        Ok(plan) => success("f", &plan, false),
        Err(refused) => refusal("f", &refused, file.as_bytes(), &request),
    }
}

const FILE: &str = "fn main() {\n\tlet a = 1;\n\tcall(a);\n}\n";

#[test]
fn a17_what_is_not_there_shows_what_is_like_it() {
    insta::assert_snapshot!(told(FILE, "let a = 2;\ncall(a);", "x"), @r"
    old_string is nowhere in f. Most like it:
         2		let a = 1;
         3		call(a);
    [line 2 differs in its text; old_string has: let a = 2;]
    ");
    insta::assert_snapshot!(told(FILE, "  let a = 1;\n    Call(a);", "x"), @r"
    old_string is nowhere in f. Most like it:
         2		let a = 1;
         3		call(a);
    [line 2 differs in its indentation: 1 tab in the file, 2 spaces in old_string]
    ");
    insta::assert_snapshot!(told(FILE, "quite another thing", "x"), @"old_string is nowhere in f, and nothing like it: read the file and copy the exact text");
    insta::assert_snapshot!(told("", "a", "b"), @"old_string is nowhere in f: the file is empty; use write");
    let one_line = told(FILE, "fn Main() {", "x");
    assert!(one_line.ends_with("[line 1 differs in upper and lower case]"), "{one_line}");
}

#[test]
fn a17_an_edit_that_was_made_already_is_recognised() {
    let message = told(FILE, "let b = 7;", "let a = 1;");
    assert!(message.contains("new_string is there already, at line 2"), "{message}");
}

#[test]
fn a17_numbers_in_the_new_text_are_named() {
    insta::assert_snapshot!(told(FILE, "     3\t\tcall(a);", "     3\t\tcall(b);\n\tx"), @"some lines of new_string begin with line numbers: leave out the numbers and tabs that read puts before lines");
}

#[test]
fn a17_numbers_in_the_old_text_are_named() {
    insta::assert_snapshot!(told(FILE, "2: call(b);", "x"), @r"
    old_string is nowhere in f; its lines begin with numbers: leave those out. Most like it:
         3		call(a);
    [line 3 differs in its text; old_string has: call(b);]
    ");
}

#[test]
fn a18_places_that_are_alike_are_listed() {
    insta::assert_snapshot!(told("“a”\n“a”", "\"a\"", "x"), @"old_string is nowhere in f exactly, and in 2 places, at lines 1, 2, if quotes, dashes or spaces that look alike may differ: copy the exact text of the place that is meant");
    let many = told(&"x\n".repeat(5_000), "x", "y");
    assert!(many.contains("more than 1000 times, at lines 1, 2, 3,") && many.contains("20, …"));
}

#[test]
fn snippets_are_bounded() {
    insta::assert_snapshot!(told("a\nb\nc", "b\n", ""), @r"
    replaced 1 place in f, at line 2:
         1	a
         2	c
    ");
    insta::assert_snapshot!(told("a", "a", ""), @"replaced 1 place in f, at line 1:");
    let long = told("a\nb\n", "a\n", &"new\n".repeat(50));
    assert!(long.ends_with("    12\tnew\n[and 38 more new lines]"), "{long}");
    let wide = told("a\n", "a", &"é".repeat(5_000));
    assert!(wide.len() < 500 && wide.ends_with('…'), "{wide}");
}
