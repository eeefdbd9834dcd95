//! A time limit that stands still while the user is asked.
//!
//! Owns the counting. Must not know what is limited.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The clock of one call.
#[derive(Default)]
pub struct Clock {
    hands: watch::Sender<Hands>,
}

#[derive(Default)]
struct Hands {
    /// How many hold it at the moment.
    holds: usize,
    /// How often it began anew.
    laps: u64,
}

/// Stops a clock as long as it lives.
pub struct ClockHold(Arc<Clock>);

impl Clock {
    /// Counts from the beginning again.
    pub fn begin_anew(&self) {
        self.hands.send_modify(|hands| hands.laps += 1);
    }

    /// Does `work`, and gives up (`None`) when it has taken longer than `limit` while nobody held
    /// the clock.
    pub async fn limit<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        let mut hands = self.hands.subscribe();
        let mut work = pin!(work);
        let (mut left, mut lap) = (limit, 0);
        loop {
            let is_held = {
                let hands = hands.borrow_and_update();
                if hands.laps != lap {
                    (left, lap) = (limit, hands.laps);
                }
                hands.holds > 0
            };
            let began = Instant::now();
            let overdue = async {
                if is_held {
                    std::future::pending::<()>().await;
                } else {
                    sleep(left).await;
                }
            };
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                _ = hands.changed() => {
                    if !is_held {
                        left = left.saturating_sub(began.elapsed());
                    }
                }
                () = overdue => return None,
            }
        }
    }
}

impl ClockHold {
    pub(super) fn new(clock: Arc<Clock>) -> Self {
        clock.hands.send_modify(|hands| hands.holds += 1);
        Self(clock)
    }
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        self.0.hands.send_modify(|hands| hands.holds = hands.holds.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// Works for a time, is held for a time, and works again.
    async fn limited(before: u64, held: u64, after: u64) -> Option<()> {
        let clock = Arc::new(Clock::default());
        let seconds = |seconds| sleep(Duration::from_secs(seconds));
        let work = async {
            seconds(before).await;
            let hold = ClockHold::new(Arc::clone(&clock));
            seconds(held).await;
            drop(hold);
            seconds(after).await;
        };
        clock.limit(LIMIT, work).await
    }

    #[tokio::test(start_paused = true)]
    async fn time_counts_only_while_nobody_holds_the_clock() {
        for (before, held, after, expected) in [
            (1, 0, 8, Some(())),
            (11, 0, 0, None),
            (1, 1000, 8, Some(())),
            (0, 1000, 9, Some(())),
            (6, 1000, 6, None),
            (0, 1000, 11, None),
        ] {
            let case = (before, held, after);
            assert_eq!(limited(before, held, after).await, expected, "{case:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_begins_anew_counts_the_whole_limit_again() {
        let clock = Clock::default();
        let work = async {
            for _ in 0..5 {
                sleep(Duration::from_secs(9)).await;
                clock.begin_anew();
            }
            sleep(Duration::from_secs(11)).await;
        };
        let began = Instant::now();
        assert_eq!(clock.limit(LIMIT, work).await, None);
        assert_eq!(began.elapsed().as_secs(), 55);
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_goes_on_when_the_last_hold_is_dropped() {
        let clock = Arc::new(Clock::default());
        let (one, two) = (ClockHold::new(Arc::clone(&clock)), ClockHold::new(Arc::clone(&clock)));
        let work = async {
            drop(one);
            sleep(Duration::from_secs(100)).await;
            drop(two);
            sleep(Duration::from_secs(11)).await;
        };
        let began = Instant::now();
        assert_eq!(clock.limit(LIMIT, work).await, None);
        assert_eq!(began.elapsed().as_secs(), 110);
    }
}
