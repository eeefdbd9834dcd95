//! The signals that end or interrupt the program.
//!
//! Owns listening to them, alike for every mode and system, and the check that there is room to.
//! Must not act on them.

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
    /// Another one that ends a program, by its number: a quit, or one of the user's own.
    Other(u8),
}

impl StopSignal {
    /// Returns the exit code by which shells know the signal.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Interrupt => ExitCode::from(130),
            Self::Terminate => ExitCode::from(143),
            Self::HangUp => ExitCode::from(129),
            Self::Other(number) => ExitCode::from(number.saturating_add(128)),
        }
    }
}

/// What a shell or a terminal does with a program in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobSignal {
    /// The terminal has another size.
    Resized,
    /// The program is to stop for a while.
    Stop,
    /// It goes on after a stop.
    Continue,
}

#[cfg(unix)]
mod system {
    use super::{StopSignal, io};
    use rustix::process::Signal as Number;
    use std::os::unix::net::UnixStream;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Pairs of descriptors that the runtime and its listening open at the start; where they are
    /// not to be had it would panic.
    const PAIRS: usize = 4;

    /// "File too large", of the same number on Linux and macOS. By default it ends the process.
    const FILE_SIZE_LIMIT: SignalKind = SignalKind::from_raw(25);

    /// Returns an error where too few files may be open for the program to start.
    pub(crate) fn check_descriptors() -> io::Result<()> {
        let pairs: io::Result<Vec<_>> = (0..PAIRS).map(|_| UnixStream::pair()).collect();
        pairs.map(drop)
    }

    /// Listens from its making on; signals no longer end the process by themselves.
    pub(crate) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hang_up: Signal,
        quit: Signal,
        user_1: Signal,
        user_2: Signal,
    }

    impl Signals {
        pub(crate) fn listen() -> io::Result<Self> {
            // Listened to and ignored, it has the write fail instead. What we start gets the
            // default back.
            drop(signal(FILE_SIZE_LIMIT)?);
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
                quit: signal(SignalKind::quit())?,
                user_1: signal(SignalKind::user_defined1())?,
                user_2: signal(SignalKind::user_defined2())?,
            })
        }

        /// Waits for the next signal.
        pub(crate) async fn received(&mut self) -> StopSignal {
            tokio::select! {
                _ = self.interrupt.recv() => StopSignal::Interrupt,
                _ = self.terminate.recv() => StopSignal::Terminate,
                _ = self.hang_up.recv() => StopSignal::HangUp,
                _ = self.quit.recv() => other(Number::QUIT),
                _ = self.user_1.recv() => other(Number::USR1),
                _ = self.user_2.recv() => other(Number::USR2),
            }
        }
    }

    fn other(number: Number) -> StopSignal {
        StopSignal::Other(u8::try_from(number.as_raw()).unwrap_or_default())
    }
}

#[cfg(unix)]
mod jobs {
    use super::{JobSignal, io};
    use rustix::process::Signal as Number;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Listens from its making on.
    pub(crate) struct JobSignals {
        resized: Signal,
        stop: Signal,
        continued: Signal,
    }

    impl JobSignals {
        pub(crate) fn listen() -> io::Result<Self> {
            Ok(Self {
                resized: signal(SignalKind::window_change())?,
                stop: signal(SignalKind::from_raw(Number::TSTP.as_raw()))?,
                continued: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
            })
        }

        /// Waits for the next one.
        pub(crate) async fn received(&mut self) -> JobSignal {
            tokio::select! {
                _ = self.resized.recv() => JobSignal::Resized,
                _ = self.stop.recv() => JobSignal::Stop,
                _ = self.continued.recv() => JobSignal::Continue,
            }
        }
    }
}

#[cfg(not(unix))]
mod jobs {
    use super::{JobSignal, io};

    /// There is no such thing on this system.
    pub(crate) struct JobSignals;

    impl JobSignals {
        pub(crate) fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) async fn received(&mut self) -> JobSignal {
            std::future::pending().await
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{StopSignal, io};

    /// Returns an error where too few files may be open for the program to start.
    pub(crate) fn check_descriptors() -> io::Result<()> {
        Ok(())
    }

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

pub(crate) use jobs::JobSignals;
pub(crate) use system::{Signals, check_descriptors};
