//! Resets, compactions and model changes as tables.

use super::*;
use crate::session::codec::Role;
use crate::session::records::Span;

/// Replays a chain of entries, one a character of `kinds`: `m` a message, `c` a model change,
/// `r` a reset, a digit a compaction by this index in `compactions`.
fn kept(kinds: &str, compactions: &[(Option<usize>, Option<usize>)]) -> Replay {
    let span = Span { offset: 0, length: 0, line: 0 };
    let entry = |(position, kind): (usize, char)| {
        let kind = match kind {
            'm' => EntryKind::Message,
            'c' => EntryKind::ModelChange(Some(format!("model {position}"))),
            'r' => EntryKind::Reset,
            digit => {
                let (first_kept, collapsed_count) =
                    compactions[digit.to_digit(10).unwrap() as usize];
                EntryKind::Compaction { first_kept, collapsed_count }
            }
        };
        Entry::new(span, Role::User, position.checked_sub(1), kind)
    };
    let entries: Vec<Entry> = kinds.chars().enumerate().map(entry).collect();
    replay(&entries, &(0..entries.len()).collect::<Vec<_>>())
}

#[test]
fn a_compaction_takes_the_place_of_what_it_replaces() {
    for (kinds, compactions, expected) in [
        ("", &[][..], &[][..]),
        ("mmm", &[], &[0, 1, 2]),
        ("mcm", &[], &[0, 2]),
        // By name.
        ("mmmm0mm", &[(Some(2), Some(2))], &[4, 2, 3, 5, 6]),
        ("mmmm0", &[(Some(0), Some(0))], &[4, 0, 1, 2, 3]),
        // The name wins over the count.
        ("mmmm0", &[(Some(3), Some(1))], &[4, 3]),
        // A model change may be the first kept one.
        ("mmcm0", &[(Some(2), None)], &[4, 3]),
        // A second one replaces the first.
        ("mmmm0mm1m", &[(Some(2), None), (Some(5), None)], &[7, 5, 6, 8]),
        // By count.
        ("mmmm0mm", &[(None, Some(3))], &[4, 3, 5, 6]),
        ("mcmmm0", &[(None, Some(2))], &[5, 3, 4]),
        ("mmmm0", &[(None, Some(4))], &[4]),
        ("mmmm0", &[(None, Some(9))], &[4]),
        ("mmmm0", &[(None, Some(0))], &[4, 0, 1, 2, 3]),
        // A reset.
        ("mmrm", &[], &[3]),
        ("mmr", &[], &[]),
        ("mmmm0mrm", &[(Some(2), None)], &[7]),
        ("mmrmmm0", &[(None, Some(2))], &[6, 5]),
        // A name from before the reset is void; the count decides.
        ("mmrmmm0", &[(Some(1), Some(1))], &[6, 4, 5]),
    ] {
        assert_eq!(kept(kinds, compactions).kept, expected, "{kinds} {compactions:?}");
    }
}

#[test]
fn an_earlier_compaction_counts_as_one_message_within_a_run() {
    // The model saw [4, 2, 3, 5, 6, 7], four of which were collapsed.
    let replay = kept("mmmm0mmm1m", &[(None, Some(2)), (None, Some(4))]);
    assert_eq!(replay.kept, [8, 6, 7, 9]);
}

#[test]
fn a_count_that_leaves_nothing_runs_over_the_lines_as_they_stand() {
    // A run that continued the file had all of 0 to 12 before it, and kept the last four.
    let replay = kept("mmmmmmmm0mmmm1m", &[(None, Some(4)), (None, Some(9))]);
    assert_eq!(replay.kept, [13, 9, 10, 11, 12, 14]);
    // Here the first compaction is itself among the four.
    let replay = kept("mmmmmmmm0mmm1m", &[(None, Some(4)), (None, Some(8))]);
    assert_eq!(replay.kept, [12, 8, 9, 10, 11, 13]);
    // The run counted the model change of an earlier run.
    let replay = kept("mcmmmmmmm0mmmm1m", &[(None, Some(4)), (None, Some(10))]);
    assert_eq!(replay.kept, [14, 10, 11, 12, 13, 15]);
}

#[test]
fn compactions_of_both_programs_follow_each_other() {
    // The Python program's, ours behind it, and one of its next run, which kept the last four.
    let compactions = [(None, Some(4)), (Some(12), Some(7)), (None, Some(17))];
    let replay = kept("mmmmmmmm0mmcmmmm1mmmm2mm", &compactions);
    assert_eq!(replay.kept, [21, 17, 18, 19, 20, 22, 23]);
}

#[test]
fn a_compaction_that_says_nothing_keeps_everything() {
    let replay = kept("mm0m", &[(None, None)]);
    assert_eq!(replay.kept, [2, 0, 1, 3]);
    assert!(replay.has_unclear_compaction);
    assert!(!kept("mm0m", &[(None, Some(1))]).has_unclear_compaction);
}

#[test]
fn the_last_model_holds_over_resets_and_compactions() {
    assert_eq!(kept("mm", &[]).model, None);
    assert_eq!(kept("mcmcmr", &[]).model.as_deref(), Some("model 3"));
    assert_eq!(kept("mcm0", &[(Some(2), None)]).model.as_deref(), Some("model 1"));
}

#[test]
fn a28_a_hundred_compactions_leave_one() {
    let kinds = "mm0".repeat(100);
    let replay = kept(&kinds, &[(None, Some(1))]);
    let compactions = replay.kept.iter().filter(|position| *position % 3 == 2).count();
    assert_eq!(compactions, 1, "each stands for the one before it");
}
