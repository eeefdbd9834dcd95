//! Ids and times for new messages.
//!
//! Owns the source of both, so that the state machine itself has no clock and tests can fix them.

use letscode_wire::MessageId;
use std::time::{SystemTime, UNIX_EPOCH};

/// What makes a message unique: an id and a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stamp {
    /// The id.
    pub id: MessageId,
    /// Seconds since the Unix epoch.
    pub timestamp: f64,
}

/// Gives out stamps.
pub trait Stamps: Send {
    /// Returns a stamp that no message has yet.
    fn next(&mut self) -> Stamp;
}

/// Random ids and the system's clock.
#[derive(Debug, Default)]
pub struct SystemStamps;

impl Stamps for SystemStamps {
    fn next(&mut self) -> Stamp {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place where messages get their time"
        )]
        let now = SystemTime::now();
        // A clock before 1970 gives 0: wrong, but no reason to fail.
        let timestamp = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        Stamp { id: MessageId::random(), timestamp }
    }
}
