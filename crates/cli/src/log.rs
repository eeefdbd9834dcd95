//! The log of `--debug`, on stderr.
//!
//! Owns its format and its masking: no key ever stands in it. Without `--debug` nothing is set
//! up and nothing is formatted.

use letscode_core::secrets::Secrets;
use letscode_tui::harmless;
use std::io::{self, Write};
use std::sync::Arc;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The prefix of the names of all our crates; what others log may hold anything.
const OUR_CRATES: &str = "letscode";

/// Starts the log.
pub(crate) fn start(secrets: Arc<Secrets>) {
    let writer = Masking { secrets, sink: io::stderr };
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    let ours = Targets::new().with_target(OUR_CRATES, LevelFilter::DEBUG);
    // It fails only where a log runs already, which then goes on.
    let _ = tracing_subscriber::registry().with(layer).with(ours).try_init();
}

/// Makes writers that mask keys on the way to a sink.
struct Masking<M> {
    secrets: Arc<Secrets>,
    sink: M,
}

/// A writer for one line of the log.
struct MaskingWriter<'a, W> {
    secrets: &'a Secrets,
    sink: W,
}

impl<'a, W: Write, M: Fn() -> W + 'a> MakeWriter<'a> for Masking<M> {
    type Writer = MaskingWriter<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        MaskingWriter { secrets: &self.secrets, sink: (self.sink)() }
    }
}

impl<W: Write> Write for MaskingWriter<'_, W> {
    /// Takes a whole line at once, as the log writes it: a key is never split.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let masked = self.secrets.mask(text);
        self.sink.write_all(harmless(&masked).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A sink that a test can read.
    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a50_no_key_stands_in_the_log() {
        let sink = Sink::default();
        let secrets = Arc::new(Secrets::new(["sk-0123456789"], []));
        let copy = sink.clone();
        let writer = Masking { secrets, sink: move || copy.clone() };
        let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::debug!(header = "Bearer sk-0123456789", "sent {:?}", "sk-0123456789");
        });
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert!(text.contains("sent") && text.contains("Bearer [key hidden]"), "{text}");
        assert!(!text.contains("0123456789"), "{text}");
    }
}
