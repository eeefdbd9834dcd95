//! The end of a run that plugins hold.

use super::*;

/// Returns a machine whose plugins hold the end, behind one answer.
fn held() -> Machine {
    let mut machine = machine(Vec::new());
    machine.set_holds_end(true);
    let lines = trace(&mut machine, [Input::Prompt(text("go").into()), answer("one", &[])]);
    assert_eq!(lines.last().unwrap(), "settle turn_end 1 with 0 results");
    assert!(!machine.is_idle());
    machine
}

#[test]
fn without_anything_queued_the_run_ends_when_the_plugins_are_done() {
    let lines = trace(&mut held(), [Input::Settled]);
    assert_eq!(lines, ["agent_end 2 error=false aborted=false"]);
}

#[test]
fn what_is_queued_meanwhile_goes_on_with_the_run_and_its_end_is_held_again() {
    let mut machine = held();
    let queued = [Input::FollowUp(text("then").into()), Input::Steer(text("left").into())];
    assert_eq!(trace(&mut machine, queued), [""; 0], "the plugins are not done");
    let lines = trace(&mut machine, [Input::Settled]);
    assert_eq!(lines[..2], ["turn_start 2", r#"message_start user "left""#]);
    // Something is still queued: this is not the end.
    let lines = trace(&mut machine, [answer("two", &[])]);
    assert!(lines.contains(&"turn_end 2 with 0 results".to_owned()), "{lines:?}");
    assert!(lines.contains(&r#"message_start user "then""#.to_owned()), "{lines:?}");
    let lines = trace(&mut machine, [answer("three", &[])]);
    assert_eq!(lines.last().unwrap(), "settle turn_end 3 with 0 results");
    assert!(trace(&mut machine, [Input::Settled])[0].starts_with("agent_end 6 "));
}

#[test]
fn an_abort_ends_the_run_at_once_and_a_late_end_of_the_wait_does_nothing() {
    let mut machine = held();
    let lines = trace(&mut machine, [Input::Abort]);
    assert_eq!(lines, ["stop settling", "agent_end 2 error=false aborted=true"]);
    assert!(machine.is_idle());
    assert_eq!(trace(&mut machine, [Input::Settled]), [""; 0]);
}

#[test]
fn a_message_that_a_plugin_keeps_meanwhile_is_in_the_conversation() {
    let mut machine = held();
    let note = machine.custom_message(CustomKind::Reset, Map::new());
    let lines = trace(&mut machine, [Input::Save(note), Input::Settled]);
    assert_eq!(lines.last().unwrap(), "agent_end 3 error=false aborted=false");
}

#[test]
fn only_an_end_after_a_good_answer_is_held() {
    let terminates = Outcome { terminate: true, ..Outcome::default() };
    let cases = [
        vec![failure()],
        vec![Input::Abort],
        vec![answer("", &["a"]), Input::Finished { index: 0, outcome: terminates }],
    ];
    for inputs in cases {
        let mut machine = machine(Vec::new());
        machine.set_holds_end(true);
        trace(&mut machine, [Input::Prompt(text("go").into())]);
        let lines = trace(&mut machine, inputs);
        assert!(lines.last().unwrap().starts_with("agent_end"), "{lines:?}");
    }
}

#[test]
fn a_turn_of_tools_is_not_held() {
    let mut machine = machine(Vec::new());
    machine.set_holds_end(true);
    let inputs = [Input::Prompt(text("go").into()), answer("", &["a"]), result(0)];
    assert!(trace(&mut machine, inputs).contains(&"turn_end 1 with 1 results".to_owned()));
}
