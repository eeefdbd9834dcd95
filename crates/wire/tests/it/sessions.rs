//! Session records and the kinds that the core writes.

use crate::messages::{user, user_json};
use crate::{check_both_ways, check_read};
use letscode_wire::{CustomKind, Record, SESSION_VERSION, SessionId};
use serde_json::json;
use std::sync::Arc;

#[test]
fn a_record_is_an_envelope_with_a_parent() {
    let record = |parent_id: Option<&str>| Record {
        version: SESSION_VERSION,
        parent_id: parent_id.map(Into::into),
        msg: Arc::new(user("hi")),
    };
    check_both_ways(&record(None), &json!({"_v": 2, "parent_id": null, "msg": user_json("hi")}));
    check_both_ways(
        &record(Some("p")),
        &json!({"_v": 2, "parent_id": "p", "msg": user_json("hi")}),
    );
}

#[test]
fn a_record_of_version_1_has_no_parent() {
    let line = json!({"_v": 1, "msg": user_json("hi"), "more": 1}).to_string();
    check_read(&line, &Record { version: 1, parent_id: None, msg: Arc::new(user("hi")) });
}

#[test]
fn custom_kinds_are_found_by_their_names() {
    let kinds = [
        (CustomKind::ModelChange, "model_change"),
        (CustomKind::Compaction, "compaction"),
        (CustomKind::Reset, "reset"),
    ];
    for (kind, name) in kinds {
        assert_eq!(kind.name(), name);
        assert_eq!(CustomKind::from_name(name), Some(kind));
    }
    assert_eq!(CustomKind::from_name("memory"), None);
}

#[test]
fn session_ids_sort_by_creation() {
    let ids: Vec<SessionId> = (0..50).map(|_| SessionId::new_v7()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}
