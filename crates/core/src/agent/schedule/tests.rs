//! Tables for the order among calls, and the property that every call runs once.

use super::{CallClass, Schedule};
use proptest::prelude::*;
use std::path::PathBuf;

fn read(path: &str) -> CallClass {
    CallClass { path: Some(PathBuf::from(path)), ..CallClass::default() }
}

fn edit(path: &str) -> CallClass {
    CallClass { changes: true, ..read(path) }
}

fn bash() -> CallClass {
    CallClass { changes: true, ..CallClass::default() }
}

fn alone() -> CallClass {
    CallClass { sequential: true, ..CallClass::default() }
}

/// Runs a schedule in which every round ends all calls that it started.
fn rounds(classes: &[CallClass]) -> Vec<Vec<usize>> {
    let mut schedule = Schedule::new(classes);
    let mut rounds = Vec::new();
    loop {
        let ready = schedule.take_ready();
        if ready.is_empty() {
            return rounds;
        }
        ready.iter().for_each(|&index| schedule.finish(index));
        rounds.push(ready);
    }
}

#[test]
fn reads_run_together_and_never_wait_for_a_command() {
    assert_eq!(rounds(&[bash(), read("a"), read("b"), read("a")]), [vec![0, 1, 2, 3]]);
}

#[test]
fn calls_that_change_something_keep_source_order() {
    assert_eq!(rounds(&[bash(), edit("a"), bash()]), [[0], [1], [2]]);
}

#[test]
fn calls_on_the_same_file_keep_their_order() {
    assert_eq!(
        rounds(&[read("a"), edit("a"), read("a"), read("b")]),
        [vec![0, 3], vec![1], vec![2]]
    );
}

#[test]
fn a_sequential_call_runs_alone() {
    assert_eq!(rounds(&[read("a"), alone(), read("b")]), [[0], [1], [2]]);
}

fn any_class() -> impl Strategy<Value = CallClass> {
    (any::<bool>(), any::<bool>(), prop::option::of("[ab]")).prop_map(
        |(sequential, changes, path)| CallClass {
            sequential,
            changes,
            path: path.map(PathBuf::from),
        },
    )
}

proptest! {
    #[test]
    fn every_call_runs_exactly_once(classes in prop::collection::vec(any_class(), 0..12)) {
        let mut all: Vec<usize> = rounds(&classes).into_iter().flatten().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..classes.len()).collect::<Vec<_>>());
    }
}
