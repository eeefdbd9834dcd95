//! Properties of the request for any conversation.

use super::*;
use proptest::prelude::*;

fn any_message() -> impl Strategy<Value = Message> {
    let id =
        || prop_oneof![Just(""), Just("a"), Just("a_2"), Just("b"), Just("c d"), Just("123456789")];
    let word = || prop_oneof![Just(""), Just(" "), Just("word"), Just("line\n\"q\"\u{1}é")];
    let parts = move || {
        let part = prop_oneof![
            4 => word().prop_map(ContentPart::text),
            1 => Just(image("QQ==")),
        ];
        prop::collection::vec(part, 0..3)
    };
    prop_oneof![
        2 => parts().prop_map(user_parts),
        3 => (word(), prop::collection::vec(id(), 0..4)).prop_map(|(word, ids)| {
            let calls: Vec<_> = ids.iter().map(|id| (*id, "read", json!({"k": [1, "é"]}))).collect();
            assistant(word, &calls)
        }),
        4 => (id(), parts()).prop_map(|(id, parts)| tool_parts(id, parts)),
        1 => Just(custom()),
    ]
}

proptest! {
    #[test]
    fn w55_any_history_becomes_a_valid_one(
        history in prop::collection::vec(any_message(), 0..14),
        strict in any::<bool>(),
        nine in any::<bool>(),
        vision in any::<bool>(),
    ) {
        let call_ids = if nine { CallIdRule::NineAlphanumeric } else { CallIdRule::Any(64) };
        let profile = Profile { strict_roles: strict, call_ids, ..plain() };
        let (body, _) = body(history, Vec::new(), &profile, |it| it.vision = vision);
        prop_assert_eq!(letscode_testkit::sse_server::violations(&body), [""; 0]);
        let messages = body["messages"].as_array().unwrap();
        assert_valid(messages);
        if strict {
            for pair in messages.windows(2) {
                let roles = (pair[0]["role"].as_str().unwrap(), pair[1]["role"].as_str().unwrap());
                prop_assert!(roles != ("user", "user"));
            }
        }
    }
}
