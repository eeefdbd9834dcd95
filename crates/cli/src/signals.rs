//! The signals that end or interrupt the program.
//!
//! Owns listening to them, alike for every mode and system. Must not act on them.

use std::io;
use std::process::ExitCode;

/// A request from outside to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// Ctrl+C.
    Interrupt,
    /// The system or a supervisor ends the program.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

impl StopSignal {
    /// Returns the exit code by which shells know the signal.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Interrupt => ExitCode::from(130),
            Self::Terminate => ExitCode::from(143),
            Self::HangUp => ExitCode::from(129),
        }
    }
}

#[cfg(unix)]
mod system {
    use super::{StopSignal, io};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Listens from its making on; signals no longer end the process by themselves.
    pub(crate) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hang_up: Signal,
    }

    impl Signals {
        pub(crate) fn listen() -> io::Result<Self> {
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
            })
        }

        /// Waits for the next signal.
        pub(crate) async fn received(&mut self) -> StopSignal {
            tokio::select! {
                _ = self.interrupt.recv() => StopSignal::Interrupt,
                _ = self.terminate.recv() => StopSignal::Terminate,
                _ = self.hang_up.recv() => StopSignal::HangUp,
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{StopSignal, io};

    /// Listens from its making on; signals no longer end the process by themselves.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        /// Waits for the next signal.
        pub(crate) async fn received(&mut self) -> StopSignal {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            StopSignal::Interrupt
        }
    }
}

pub(crate) use system::Signals;
