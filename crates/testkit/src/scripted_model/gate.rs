//! Gates: where a script waits for its test instead of a clock.
//!
//! Owns the two-way signal. Must not know what waits.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// A point in an answer where the model waits for the test. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<GateState>);

#[derive(Debug)]
struct GateState {
    arrived: Semaphore,
    opened: Semaphore,
}

impl Gate {
    /// Returns a closed gate.
    pub fn new() -> Self {
        Self(Arc::new(GateState { arrived: Semaphore::new(0), opened: Semaphore::new(0) }))
    }

    /// Waits until the model stands at the gate; each arrival counts once.
    pub async fn reached(&self) {
        take_permit(&self.0.arrived).await;
    }

    /// Lets the model pass once, now or when it comes.
    pub fn open(&self) {
        self.0.opened.add_permits(1);
    }

    /// Stands at the gate until it is opened. A scripted tool may use it too.
    pub async fn pass(&self) {
        self.0.arrived.add_permits(1);
        take_permit(&self.0.opened).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

async fn take_permit(semaphore: &Semaphore) {
    semaphore.acquire().await.expect("the semaphore is never closed").forget();
}
