//! Links and branches, and what a crash leaves.

use super::*;
use crate::session::tests::{chain, line, user, user_line};
use proptest::prelude::*;

fn index(content: impl AsRef<[u8]>) -> Index {
    Index::read(&mut Lines::new(io::Cursor::new(content.as_ref()))).unwrap()
}

fn parents(index: &Index) -> Vec<Option<usize>> {
    index.entries.iter().map(Entry::parent).collect()
}

#[test]
fn a_branch_leads_from_the_last_line_to_its_root() {
    let content = [
        user_line(None, "a"),
        user_line(Some("a"), "b"),
        user_line(Some("b"), "c"),
        user_line(Some("a"), "d"),
        user_line(Some("d"), "e"),
    ];
    assert_eq!(index(content.concat()).branch(), [0, 3, 4]);
}

#[test]
fn a_second_root_begins_anew() {
    let content = [user_line(None, "a"), user_line(Some("a"), "b"), user_line(None, "c")];
    assert_eq!(index(content.concat()).branch(), [2]);
}

#[test]
fn a_file_without_parents_is_a_chain() {
    let content = ["a", "b", "c"].map(|id| user_line(None, id)).concat();
    assert_eq!(index(content).branch(), [0, 1, 2]);
}

#[test]
fn lines_of_version_1_follow_the_line_before() {
    let old = user_line(None, "b").replace(r#""_v":2"#, r#""_v":1"#);
    let content = [user_line(None, "a"), old, user_line(Some("b"), "c")];
    assert_eq!(index(content.concat()).branch(), [0, 1, 2]);
}

#[test]
fn a24_the_children_of_a_broken_line_follow_the_line_before_it() {
    let content = [
        user_line(None, "a"),
        "{broken\n".to_owned(),
        user_line(Some("lost"), "c"),
        "\n".to_owned(),
        user_line(Some("c"), "d"),
    ];
    let index = index(content.concat());
    assert_eq!(parents(&index), [None, Some(0), Some(1)]);
    assert_eq!(index.broken, [2]);
    assert_eq!(index.entries[2].span.line, 5);
    assert_eq!(index.tail, None);
}

#[test]
fn a_lost_root_leaves_its_child_as_root() {
    let content = ["broken\n".to_owned(), user_line(Some("lost"), "b")];
    assert_eq!(parents(&index(content.concat())), [None]);
}

#[test]
fn neither_itself_nor_a_later_line_is_a_parent() {
    let content = [user_line(None, "a"), user_line(Some("b"), "b"), user_line(Some("d"), "c")];
    let content = content.concat() + &user_line(Some("c"), "d");
    assert_eq!(parents(&index(content)), [None, Some(0), Some(1), Some(2)]);
}

#[test]
fn a_line_that_was_written_twice_is_once_in_the_branch() {
    let content = [user_line(None, "a"), user_line(Some("a"), "b"), user_line(Some("a"), "b")];
    let content = content.concat() + &user_line(Some("b"), "c");
    assert_eq!(index(content).branch(), [0, 2, 3]);
}

#[test]
fn a24_records_that_are_glued_to_a_torn_line_are_saved() {
    let (a, b, c) = (user_line(None, "a"), user_line(Some("a"), "b"), user_line(Some("b"), "c"));
    let torn = &b[..b.len() / 2];
    let index_of = |content: String| {
        let index = index(content);
        (index.entries.len(), index.branch(), index.broken, index.tail)
    };
    assert_eq!(index_of(format!("{a}{torn}{c}")), (2, vec![0, 1], vec![2], None));
    let glued = format!("{}{b}", a.trim_end());
    assert_eq!(index_of(glued), (2, vec![0, 1], vec![], None));
    let torn_tail = Tail { offset: a.len() as u64 - 1, has_text: true };
    let glued = format!("{}{torn}", a.trim_end());
    assert_eq!(index_of(glued), (1, vec![0], vec![], Some(torn_tail)));
}

#[test]
fn a24_damage_of_all_kinds_at_the_end() {
    let whole = user_line(None, "a");
    let length = whole.len() as u64;
    let torn = |has_text| Some(Tail { offset: length, has_text });
    for (end, tail, broken) in [
        (&b""[..], None, vec![]),
        (b"\n\r\n", None, vec![]),
        (b"  ", None, vec![]),
        (b"\0\0\0", torn(false), vec![]),
        (b"\0\0\n", None, vec![2]),
        (b"{\"_v\":2,\"par", torn(true), vec![]),
        (b"{\"_v\":2\0\0\0", torn(true), vec![]),
        (b"{\"_v\":2\xFF", torn(true), vec![]),
        (b"{\"_v\":2\n", None, vec![2]),
    ] {
        let index = index([whole.as_bytes(), end].concat());
        assert_eq!((index.tail, index.broken), (tail, broken), "{end:?}");
        assert_eq!(index.entries.len(), 1);
        assert_eq!(index.length, length + end.len() as u64);
    }
}

#[test]
fn a27_a_million_entries_are_some_megabytes() {
    assert!(size_of::<Entry>() <= 32, "{}", size_of::<Entry>());
}

#[test]
fn a27_a_span_holds_the_record_and_nothing_else() {
    let a = user_line(None, "a");
    let content = format!("\u{FEFF} {}\r\n\0\0{}", a.trim_end(), user_line(Some("a"), "b"));
    let index = index(&content);
    let records: Vec<&str> = index
        .entries
        .iter()
        .map(|entry| &content[entry.span.offset as usize..][..entry.span.length as usize])
        .collect();
    assert_eq!(records, [a.trim_end(), user_line(Some("a"), "b").trim_end()]);
}

proptest! {
    /// Each number chooses the parent among the lines before.
    #[test]
    fn in_any_tree_the_branch_is_the_way_to_the_root(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
    ) {
        let mut content = line(None, &user("0", ""));
        let mut tree = vec![None];
        for choice in choices {
            let parent = choice.index(tree.len());
            let id = tree.len().to_string();
            content += &line(Some(&parent.to_string()), &user(&id, ""));
            tree.push(Some(parent));
        }
        let index = index(content);
        prop_assert_eq!(parents(&index), tree.clone());

        let branch = index.branch();
        prop_assert_eq!(branch.first(), Some(&0));
        prop_assert_eq!(branch.last(), Some(&(tree.len() - 1)));
        for step in branch.windows(2) {
            prop_assert_eq!(tree[step[1]], Some(step[0]));
        }
    }

    #[test]
    fn a_chain_is_one_branch(length in 0usize..40) {
        let messages: Vec<_> = (0..length).map(|id| user(&id.to_string(), "")).collect();
        prop_assert_eq!(index(chain(&messages)).branch(), (0..length).collect::<Vec<_>>());
    }
}
