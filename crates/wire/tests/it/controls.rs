//! Control messages and the protocol check.

use crate::check_both_ways;
use letscode_wire::{Control, PLUGIN_PROTOCOL, RPC_PROTOCOL, protocol_major_matches};
use serde_json::{Value, json};

#[test]
fn every_control_message_has_its_shape() {
    let ready = |features: &[&str]| Control::Ready {
        protocol: RPC_PROTOCOL.to_owned(),
        letscode: "0.8.0".to_owned(),
        features: features.iter().map(|name| (*name).to_owned()).collect(),
    };
    let error = |id: Value, fatal: bool| Control::Error {
        id: id.into(),
        error: "busy".to_owned(),
        recoverable: !fatal,
        fatal,
    };
    let cases = [
        (ready(&[]), json!({"type": "ready", "protocol": "letscode-rpc/1", "letscode": "0.8.0"})),
        (
            ready(&["updates"]),
            json!({"type": "ready", "protocol": "letscode-rpc/1", "letscode": "0.8.0",
                   "features": ["updates"]}),
        ),
        (Control::Ack { id: json!("r1").into() }, json!({"type": "ack", "id": "r1"})),
        (Control::Ack { id: json!(null).into() }, json!({"type": "ack", "id": null})),
        (
            Control::Done { id: json!({"a": [1]}).into(), result: None },
            json!({"type": "done", "id": {"a": [1]}}),
        ),
        (
            Control::Done { id: json!(7).into(), result: Some(json!({"n": 1})) },
            json!({"type": "done", "id": 7, "result": {"n": 1}}),
        ),
        (
            error(json!(null), false),
            json!({"type": "error", "id": null, "error": "busy", "recoverable": true}),
        ),
        (
            error(json!("r1"), true),
            json!({"type": "error", "id": "r1", "error": "busy", "recoverable": false,
                   "fatal": true}),
        ),
        (Control::Bye, json!({"type": "bye"})),
    ];
    for (control, json) in cases {
        check_both_ways(&control, &json);
    }
}

#[test]
fn the_part_behind_the_slash_is_the_major() {
    let cases = [
        ("letscode-rpc/1", true),
        ("letscode-rpc/1.7", true),
        (" letscode-rpc/1\n", true),
        ("letscode-rpc/2", false),
        ("letscode-rpc/10", false),
        ("letscode-rpc/0", false),
        ("letscode-rpc/", false),
        ("letscode-rpc/one", false),
        ("letscode-rpc/+1", false),
        ("letscode-rpc", false),
        ("other/1", false),
        ("1", false),
        ("", false),
    ];
    for (protocol, matches) in cases {
        assert_eq!(protocol_major_matches(protocol, RPC_PROTOCOL), matches, "{protocol:?}");
    }
    assert!(!protocol_major_matches(PLUGIN_PROTOCOL, RPC_PROTOCOL));
}
