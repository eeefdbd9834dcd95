//! Messages that are too large for the model: before they are sent, and behind a refusal.

use super::*;
use crate::model::ModelErrorKind;

fn overflow() -> Input {
    let kind = ModelErrorKind::ContextOverflow;
    Input::Failed(ModelError { kind, message: "HTTP 400: too long".to_owned() })
}

#[test]
fn a_message_without_room_is_refused_where_the_window_is_known() {
    let limits = |window| Limits { window, overhead: 1200 };
    for (tokens, window, is_refused) in [
        (50_000, Some(9000), true),
        (6451, Some(9000), true),
        (6450, Some(9000), false),
        (50_000, None, false),
        // The system prompt alone fills the window: no reason to refuse a word.
        (10, Some(1000), false),
    ] {
        let refusal = refuse_size(tokens, limits(window));
        assert_eq!(refusal.is_some(), is_refused, "{tokens} {window:?}: {refusal:?}");
    }
    let refusal = refuse_size(50_000, limits(Some(9000))).unwrap_or_default();
    assert!(refusal.contains("about 50000 tokens"), "{refusal}");
    assert!(refusal.contains("window of 9000 has room for about 6450"), "{refusal}");
}

#[test]
fn behind_a_refusal_of_one_large_message_the_next_requests_keep_to_less() {
    let mut machine = machine(Transcript::new());
    machine.set_limits(Limits { window: None, overhead: 1000 });
    let large = Input::Prompt(text(&"w".repeat(200_000)).into());
    let lines = trace(&mut machine, [large]);
    assert!(lines.contains(&"request".to_owned()), "{lines:#?}");
    assert_eq!(machine.bound(), None);

    let mut effects = Vec::new();
    machine.step(overflow(), &mut effects);
    let told = effects.iter().find_map(|effect| match effect {
        Effect::Emit(Event::Error { error, .. }) => Some(error.as_str()),
        _ => None,
    });
    assert!(told.is_some_and(|error| error.contains("without their middle: retry")), "{told:?}");
    assert!(machine.is_idle());

    // The person knows now: each further refusal asks for less, down to an end.
    trace(&mut machine, [Input::Prompt(text("go on").into())]);
    let mut bounds = vec![machine.bound()];
    while !machine.is_idle() {
        trace(&mut machine, [overflow()]);
        bounds.push(machine.bound());
    }
    assert!(bounds.len() > 2, "{bounds:?}");
    assert!(bounds.iter().all(Option::is_some), "{bounds:?}");
    assert!(bounds.iter().rev().skip(1).is_sorted(), "{bounds:?}");

    trace(&mut machine, [Input::Reset]);
    assert_eq!(machine.bound(), None);
}

#[test]
fn a_window_that_the_refusal_told_is_what_counts() {
    let mut machine = machine(Transcript::new());
    trace(&mut machine, [Input::Prompt(text(&"w".repeat(200_000)).into())]);
    machine.set_limits(Limits { window: Some(9000), overhead: 1000 });
    trace(&mut machine, [overflow()]);
    assert_eq!(machine.bound(), Some(6650));
}

#[test]
fn results_that_are_too_long_are_cut_at_once() {
    let mut machine = machine(Transcript::new());
    let outcome = Outcome { content: text(&"w".repeat(200_000)), ..Outcome::default() };
    let finished = Input::Finished { index: 0, outcome };
    trace(&mut machine, [Input::Prompt(text("look").into()), answer("", &["a"]), finished]);
    assert_eq!(trace(&mut machine, [overflow()]), ["request"]);
    assert!(machine.bound().is_some_and(|bound| bound < 25_000), "{:?}", machine.bound());
}
