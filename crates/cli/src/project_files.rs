//! The files and folders of the project, found by a few letters of their path.
//!
//! Owns when the project is looked through: in the background, at the first question and again
//! when what is known has become old. A question is answered from memory with what is known so
//! far. Must not read any file but those that say what to ignore.

mod paths;
mod walk;

#[cfg(test)]
mod tests;

use letscode_wire::FilesResult;
use paths::Paths;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long what is known counts as new.
const FRESH: Duration = Duration::from_secs(5);

/// How many times longer than a walk took the project is left alone after it.
const REST: u32 = 10;

/// How long a question waits for the first walk: most projects are looked through by then.
const PATIENCE: Duration = Duration::from_millis(100);

/// The files and folders of a project. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ProjectFiles {
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    known: Mutex<Known>,
    /// Tells that a walk has ended.
    walked: Condvar,
}

#[derive(Default)]
struct Known {
    paths: Paths,
    /// Whether a walk has seen the whole project.
    is_complete: bool,
    walk: Walk,
}

#[derive(Default)]
enum Walk {
    #[default]
    Never,
    Running,
    Ended {
        next: Instant,
    },
}

impl ProjectFiles {
    /// Returns the files below `root`. Nothing is looked at before the first question.
    pub(crate) fn new(root: &Path) -> Self {
        let shared =
            Shared { root: root.to_owned(), known: Mutex::default(), walked: Condvar::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Returns at most `limit` paths that fit `query`, the best first. Takes some milliseconds
    /// where the project is large; never waits long for a walk.
    pub(crate) fn find(&self, query: &str, limit: usize) -> FilesResult {
        let mut known = self.shared.known();
        let is_due = match known.walk {
            Walk::Never => true,
            Walk::Running => false,
            Walk::Ended { next } => Instant::now() >= next,
        };
        if is_due {
            self.begin_walk(&mut known);
        }
        let is_first =
            |known: &mut Known| matches!(known.walk, Walk::Running) && !known.is_complete;
        let waited = self.shared.walked.wait_timeout_while(known, PATIENCE, is_first);
        let (known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        FilesResult { paths: known.paths.best(query, limit), complete: known.is_complete }
    }

    fn begin_walk(&self, known: &mut Known) {
        let shared = Arc::clone(&self.shared);
        let is_first = matches!(known.walk, Walk::Never);
        let walk = thread::Builder::new().name("files".to_owned());
        known.walk = match walk.spawn(move || shared.walk(is_first)) {
            Ok(_) => Walk::Running,
            Err(error) => {
                tracing::debug!(%error, "the project cannot be looked through");
                Walk::Ended { next: Instant::now() + FRESH }
            }
        };
    }
}

impl Shared {
    /// Looks the project through. What the first walk finds is known at once; a later one changes
    /// nothing before its end.
    fn walk(&self, is_first: bool) {
        let began = Instant::now();
        let mut found = Paths::default();
        let is_complete = walk::walk(&self.root, |batch| {
            if is_first {
                self.known().paths.append(&batch);
            } else {
                found.append(&batch);
            }
        });
        let mut known = self.known();
        if !is_first {
            known.paths = found;
        }
        known.is_complete = is_complete;
        let now = Instant::now();
        known.walk = Walk::Ended { next: now + FRESH.max((now - began) * REST) };
        self.walked.notify_all();
    }

    /// Locks what is known. A panic in another thread has left nothing half done in it.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
