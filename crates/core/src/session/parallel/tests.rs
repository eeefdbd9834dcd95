//! Order and end.

use super::*;

#[test]
fn results_are_in_the_order_of_the_items() {
    for count in [0, 1, 63, 64, 129, 1_000] {
        let items: Vec<usize> = (0..count).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(map_in_order(items, |item| item * 2), expected);
    }
}

#[test]
fn taking_ends_when_there_is_enough_and_leaves_no_gap() {
    let items: Vec<usize> = (0..10_000).collect();
    for enough in [1, 5, 100] {
        let taken = take_until(&items, enough, |item| (1, *item));
        assert!(taken.iter().copied().eq(0..taken.len()));
        assert!((enough..enough + MOST_THREADS).contains(&taken.len()), "{}", taken.len());
    }
    assert_eq!(take_until(&items, 1, |item| (0, *item)).len(), items.len());
    assert!(take_until(&[], 1, |item: &usize| (1, *item)).is_empty());
}
