//! Tests of splitting thinking from text.

use super::*;
use proptest::prelude::*;

/// Splits a message given in `pieces` and returns all thinking and all text.
fn split<'p>(pieces: impl IntoIterator<Item = &'p str>) -> (String, String) {
    let mut splitter = ThinkSplitter::default();
    let (mut thinking, mut text) = (String::new(), String::new());
    let mut sink = |piece: Piece<'_>| match piece {
        Piece::Thinking(piece) => {
            assert!(!piece.is_empty());
            thinking.push_str(piece);
        }
        Piece::Text(piece) => {
            assert!(!piece.is_empty());
            text.push_str(piece);
        }
    };
    for piece in pieces {
        splitter.push(piece, &mut sink);
    }
    splitter.finish(&mut sink);
    (thinking, text)
}

fn check(message: &str, thinking: &str, text: &str) {
    let expected = (thinking.to_owned(), text.to_owned());
    assert_eq!(split([message]), expected, "{message:?} at once");
    let characters: Vec<String> = message.chars().map(String::from).collect();
    assert_eq!(split(characters.iter().map(String::as_str)), expected, "{message:?} in characters");
}

#[test]
fn w29_tags_over_pieces() {
    let pieces = ["<thi", "nk>plan</th", "ink>answer about <think> tags"];
    assert_eq!(split(pieces), ("plan".to_owned(), "answer about <think> tags".to_owned()));
}

#[test]
fn w29_tags_count_at_the_start_only() {
    check("<think>plan</think>answer about <think> tags", "plan", "answer about <think> tags");
    check("\n <think>\nplan\n</think>\n\nanswer\n", "plan\n", "answer\n");
    check("<think>\n\n</think>\n\nanswer", "", "answer");
    check("<think></think>", "", "");
    check("see <think>x</think>", "", "see <think>x</think>");
    check("`<think>x</think>`", "", "`<think>x</think>`");
    check("<thinker>x", "", "<thinker>x");
    check("<think>a</thin</think>b</think>c", "a</thin", "b</think>c");
    check("<think>a<think>b</think>é", "a<think>b", "é");
    check("<THINK>x</THINK>", "", "<THINK>x</THINK>");
}

#[test]
fn w29_what_is_held_back_comes_at_the_end() {
    check("<thi", "", "<thi");
    check("  \n", "", "  \n");
    check("<think>never closed", "never closed", "");
    check("<think>cut in the tag</thi", "cut in the tag</thi", "");
    check("<think>  ", "", "");
    check("", "", "");
}

#[test]
fn w29_nothing_is_held_back_after_the_start() {
    let mut splitter = ThinkSplitter::default();
    let mut count = 0;
    splitter.push("a", &mut |_| count += 1);
    splitter.push(" <thi", &mut |_| count += 1);
    assert_eq!(count, 2);
}

#[test]
fn w29_thinking_is_given_as_it_comes() {
    let mut splitter = ThinkSplitter::default();
    let mut pieces = Vec::new();
    for piece in ["<think>", "one ", "two<", "three</think>", "four"] {
        splitter.push(piece, &mut |piece| pieces.push(format!("{piece:?}")));
    }
    let expected =
        [r#"Thinking("one ")"#, r#"Thinking("two")"#, r#"Thinking("<three")"#, r#"Text("four")"#];
    assert_eq!(pieces, expected);
}

#[test]
fn w29_lone_closing_tag() {
    let split = split_at_lone_close;
    assert_eq!(split("plan\n</think>\n\nanswer"), Some(("plan", "answer")));
    assert_eq!(split("</think>answer"), Some(("", "answer")));
    assert_eq!(split("a</think>b</think>c"), Some(("a", "b</think>c")));
    assert_eq!(split("answer"), None);
    assert_eq!(split("it writes <think> and </think>"), None);
    assert_eq!(split("the tag `</think>` ends it"), None);
    assert_eq!(split("```\nx</think>\n```"), None);
    assert_eq!(split("```\nx\n```\n</think>y"), Some(("```\nx\n```", "y")));
}

proptest! {
    #[test]
    fn any_split_gives_the_same(
        tokens in prop::collection::vec(
            prop::sample::select(vec!["<think>", "</think>", "<", "</", "think>", " ", "\n", "é", "a"]),
            0..12,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let message = tokens.concat();
        let whole = split([message.as_str()]);
        let characters: Vec<char> = message.chars().collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
        cuts.extend([0, characters.len()]);
        cuts.sort_unstable();
        let pieces: Vec<String> =
            cuts.windows(2).map(|cut| characters[cut[0]..cut[1]].iter().collect()).collect();
        prop_assert_eq!(split(pieces.iter().map(String::as_str)), whole);
    }
}
