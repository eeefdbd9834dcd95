//! Where the border falls, what a summary is asked with, and what it says about files.

use super::request::summary_messages;
use super::*;
use letscode_wire::{
    AssistantMessage, ContentPart, ToolCall, ToolMessage, Transcript, UserMessage, text_of,
};
use proptest::prelude::*;

fn user(id: &str, text: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        id: id.into(),
        content: vec![ContentPart::text(text)],
        timestamp: 1.0,
        meta: Meta::new(),
    }))
}

fn answer(id: &str, text: &str, calls: &[(&str, &str, &str)]) -> Arc<Message> {
    let call = |(id, name, path): &(&str, &str, &str)| ToolCall {
        id: (*id).into(),
        name: (*name).to_owned(),
        arguments: [("path".to_owned(), json!(path))].into_iter().collect(),
    };
    Arc::new(Message::Assistant(AssistantMessage {
        id: id.into(),
        content: vec![ContentPart::text(text)],
        tool_calls: calls.iter().map(call).collect(),
        timestamp: 1.0,
        stop_reason: None,
        usage: None,
        meta: Meta::new(),
    }))
}

fn result(call: &str, text: &str, is_error: bool) -> Arc<Message> {
    Arc::new(Message::Tool(ToolMessage {
        id: format!("r-{call}").into(),
        tool_call_id: call.into(),
        content: vec![ContentPart::text(text)],
        is_error,
        timestamp: 1.0,
        details: Meta::new(),
    }))
}

fn compacted(collapsed: &[Arc<Message>], summary: &str) -> Arc<Message> {
    let first_kept = MessageId::from("kept");
    Arc::new(compaction_message(("c".into(), 2.0), collapsed, &first_kept, summary, None))
}

/// Returns a transcript from one letter a message: user, answer, answer with two calls, result.
fn transcript(letters: &str) -> Transcript {
    let message = |(index, letter): (usize, char)| {
        let id = index.to_string();
        match letter {
            'u' => user(&id, "words"),
            'a' => answer(&id, "words", &[]),
            'c' => answer(
                &id,
                "words",
                &[(&format!("{id}x"), "read", "f"), (&format!("{id}y"), "read", "g")],
            ),
            'r' => result(&id, "words", false),
            's' => compacted(&[], "summary"),
            other => panic!("{other}"),
        }
    };
    letters.chars().enumerate().map(message).collect()
}

#[test]
fn the_border_leaves_the_last_four_and_parts_no_call_from_its_results() {
    for (letters, expected) in [
        ("", None),
        ("uaua", None),
        ("uauau", Some(1)),
        ("uauauauaua", Some(6)),
        ("uacrrua", Some(2)),
        ("ucrrarr", Some(1)),
        ("crrrrr", None),
        ("ucrrcrra", Some(4)),
        ("saaau", None),
        ("suaaau", Some(2)),
    ] {
        assert_eq!(border(&transcript(letters), Keep::Last), expected, "{letters}");
    }
}

#[test]
fn a_share_of_the_window_keeps_what_fits_and_at_least_four() {
    let long = "x".repeat(4 * 84);
    // 88 tokens each, with what a message costs beside its text.
    let transcript: Transcript = (0..20).map(|id| user(&id.to_string(), &long)).collect();
    for (window, expected) in [(4 * 88 * 10, Some(10)), (4 * 88 * 6, Some(14)), (40, Some(16))] {
        assert_eq!(border(&transcript, Keep::Share { window }), expected, "{window}");
    }
    // Less than is worth a request.
    assert_eq!(border(&transcript, Keep::Share { window: 88 * 20 * 4 - 88 }), None);
}

proptest! {
    #[test]
    fn a_border_never_begins_with_results(letters in "[uac][uacr]{0,40}", window in 0u64..4000) {
        let transcript = transcript(&letters);
        for keep in [Keep::Last, Keep::Share { window }] {
            if let Some(border) = border(&transcript, keep) {
                prop_assert!(border > 0 && border + 4 <= transcript.len());
                prop_assert!(transcript[border].as_tool().is_none());
            }
        }
    }
}

#[test]
fn the_providers_count_goes_before_the_estimate_unless_a_compaction_came_since() {
    let counted = |at: f64| {
        let usage = Usage { input_tokens: 900, output_tokens: 100, ..Usage::default() };
        let message = answer("n", "words", &[]);
        let answer = message.as_assistant().unwrap().clone();
        Arc::new(Message::Assistant(AssistantMessage {
            usage: Some(usage),
            timestamp: at,
            ..answer
        }))
    };
    let (old, new) = (counted(1.0), counted(3.0));
    let since = user("u", "0123456789ab");
    assert_eq!(context_tokens(&[user("a", "x"), Arc::clone(&old), Arc::clone(&since)], 50), 1007);
    let summary = compacted(&[], "short");
    let kept = [Arc::clone(&summary), old, Arc::clone(&since)];
    assert_eq!(context_tokens(&kept, 50), 50 + estimate_tokens(&kept));
    assert_eq!(context_tokens(&[summary, since, new], 50), 1000);
}

#[test]
fn the_list_of_files_comes_from_the_calls_and_outlives_a_second_compaction() {
    let calls = [
        ("1", "read", "a.rs"),
        ("2", "edit", "b.rs"),
        ("3", "write", "bad.rs"),
        ("4", "bash", "no"),
    ];
    let first = [
        answer("x", "", &calls),
        result("1", "ok", false),
        result("2", "ok", false),
        result("3", "no", true),
        result("4", "ok", false),
    ];
    let once = compacted(&first, "What was done.");
    let second = [once, answer("y", "", &[("5", "read", "c.rs")]), result("5", "ok", false)];
    let twice = compacted(&second, "More was done.");
    let payload = &twice.as_custom().unwrap().payload;
    assert_eq!(
        payload["summary"],
        json!("More was done.\n\nFiles read:\n- a.rs\n- c.rs\n\nFiles changed:\n- b.rs")
    );
    assert_eq!(payload["collapsed_count"], json!(3));
    assert_eq!(payload["first_kept_id"], json!("kept"));
}

#[test]
fn a_request_that_fits_is_the_conversation_and_one_question() {
    let messages = transcript("uacrrua");
    let asked = summary_messages(messages.clone(), Some("the tests"), Some(10_000));
    assert_eq!(asked[..7], messages[..]);
    assert_eq!(asked.len(), 8);
    assert!(text_of(asked[7].content()).ends_with("Dwell on this above all: the tests"));
    // A user's message does not stand behind results.
    let asked = summary_messages(transcript("ucrr"), None, None);
    let roles: Vec<bool> = asked.iter().map(|m| m.as_assistant().is_some()).collect();
    assert_eq!(roles, [false, true, false, false, true, false]);
}

#[test]
fn a_request_that_does_not_fit_loses_output_first_and_then_the_oldest_messages() {
    let output = "o".repeat(8000);
    let messages = vec![
        user("0", "the goal"),
        answer("1", "", &[("c", "read", "f")]),
        result("c", &output, false),
        answer("2", "done", &[]),
        user("3", &"w".repeat(4000)),
        answer("4", "last", &[]),
    ];
    let clipped = summary_messages(messages.clone(), None, Some(2200));
    assert_eq!(clipped.len(), 7);
    let text = text_of(clipped[2].content());
    assert!(text.len() < 1600 && text.contains("[…]"), "{}", text.len());

    let cut = summary_messages(messages, None, Some(600));
    let ids: Vec<&str> = cut.iter().map(|message| message.id().as_str()).collect();
    assert_eq!(ids, ["0", "2", "3", "4", "summary-request"]);
    assert!(text_of(cut[2].content()).contains("bytes left out"), "no text pushes all others out");
}

#[test]
fn one_text_that_does_not_fit_is_cut_and_the_others_stay() {
    let large = format!("head {} tail", "ä".repeat(100_000));
    let messages = vec![user("0", &large), answer("1", "short", &[]), user("2", "go on")];
    let shortened = shorten(messages.clone(), 5000);
    assert!(estimate_tokens(&shortened) <= 5000);
    assert!(estimate_tokens(&shortened) > 3500, "no more is cut than must be");
    let text = text_of(shortened[0].content());
    assert!(text.starts_with("head ä") && text.ends_with("ä tail"), "{text:.50}");
    assert!(text.contains("bytes left out here"));
    assert_eq!(shortened[1..], messages[1..]);
    assert_eq!(shorten(messages.clone(), 60_000), messages);

    let asked = summary_messages(messages, None, Some(5000));
    assert!(estimate_tokens(&asked) <= 5000);
    assert!(text_of(asked[0].content()).starts_with("head ä"));
}

proptest! {
    #[test]
    fn cut_texts_fit_as_far_as_texts_can(
        lengths in prop::collection::vec(0_usize..30_000, 1..8),
        budget in 2000_u64..20_000,
    ) {
        let messages: Transcript =
            lengths.iter().map(|length| user("m", &"x€".repeat(*length))).collect();
        let shortened = shorten(messages.clone(), budget);
        prop_assert_eq!(shortened.len(), messages.len());
        prop_assert!(estimate_tokens(&shortened) <= budget);
    }
}
