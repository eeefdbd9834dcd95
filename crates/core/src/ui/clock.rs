//! A time limit that stands still while the user is asked.
//!
//! Owns the counting. Must not know what is limited.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The clock of one call.
pub(crate) struct Clock {
    /// How many hold it at the moment.
    holds: watch::Sender<usize>,
}

/// Stops a clock as long as it lives.
pub struct ClockHold(Arc<Clock>);

impl Clock {
    pub(crate) fn new() -> Self {
        Self { holds: watch::Sender::new(0) }
    }

    /// Does `work`, and gives up (`None`) when it has taken longer than `limit` while nobody held
    /// the clock.
    pub(crate) async fn limit<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut holds = self.holds.subscribe();
        let mut work = pin!(work);
        let mut left = limit;
        loop {
            let is_held = *holds.borrow_and_update() > 0;
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
                _ = holds.changed() => {
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
        clock.holds.send_modify(|holds| *holds += 1);
        Self(clock)
    }
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        self.0.holds.send_modify(|holds| *holds = holds.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// Works for a time, is held for a time, and works again.
    async fn limited(before: u64, held: u64, after: u64) -> Option<()> {
        let clock = Arc::new(Clock::new());
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
    async fn the_clock_goes_on_when_the_last_hold_is_dropped() {
        let clock = Arc::new(Clock::new());
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
