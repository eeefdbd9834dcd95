//! Whether the host still hears us, while there is nothing to say.
//!
//! Owns the watch on stdout. Must not write to it.

/// The host's end of our stdout.
pub(super) struct Hearing {
    #[cfg(unix)]
    stdout: Option<tokio::io::unix::AsyncFd<std::io::Stdout>>,
}

impl Hearing {
    /// Watches stdout from now on, where it is something that can be watched: a file, which the
    /// system refuses, has no other end.
    #[cfg(unix)]
    pub(super) fn watch() -> Self {
        use tokio::io::{Interest, unix::AsyncFd};
        #[expect(deprecated, reason = "what replaces it is unsafe, and stdout is never closed")]
        let stdout = AsyncFd::with_interest(std::io::stdout(), Interest::ERROR);
        Self { stdout: stdout.ok() }
    }

    /// Waits until the host has closed its end; for ever where that cannot be seen.
    #[cfg(unix)]
    pub(super) async fn lost(&self) {
        let Some(stdout) = &self.stdout else { return std::future::pending().await };
        if stdout.ready(tokio::io::Interest::ERROR).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Watches nothing: the next line that is written tells.
    #[cfg(not(unix))]
    pub(super) fn watch() -> Self {
        Self {}
    }

    /// Waits for ever.
    #[cfg(not(unix))]
    pub(super) async fn lost(&self) {
        std::future::pending().await
    }
}
