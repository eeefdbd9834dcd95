//! The threads on which calls are answered.
//!
//! Owns how many there are: one for each call under way, and some that wait for the next. Starting one
//! costs more than most handlers do. Must not know what runs on them.

use std::sync::mpsc::{SendError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many threads wait for more to do.
const MOST_IDLE: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Threads that run work at once, however much there is. Those that wait end when this is dropped.
#[derive(Default)]
pub(crate) struct Threads {
    idle: Arc<Idle>,
}

#[derive(Default)]
struct Idle(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    threads: Vec<Sender<Work>>,
    is_over: bool,
}

impl Threads {
    /// Runs `work` on a thread that waits, or on a new one where none does.
    pub(crate) fn run(&self, work: impl FnOnce() + Send + 'static) {
        let waiting = self.idle.lock().threads.pop();
        let work: Work = Box::new(work);
        let left = match waiting {
            Some(thread) => thread.send(work).err(),
            None => Some(SendError(work)),
        };
        if let Some(SendError(work)) = left {
            let idle = Arc::clone(&self.idle);
            thread::spawn(move || idle.serve(work));
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let mut idle = self.idle.lock();
        idle.is_over = true;
        idle.threads.clear();
    }
}

impl Idle {
    /// Does `work`, and then what comes, until it is over or enough others wait.
    fn serve(&self, mut work: Work) {
        loop {
            work();
            let (sender, more) = channel();
            {
                let mut idle = self.lock();
                if idle.is_over || idle.threads.len() >= MOST_IDLE {
                    return;
                }
                idle.threads.push(sender);
            }
            match more.recv() {
                Ok(next) => work = next,
                Err(_) => return,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread::ThreadId;

    #[test]
    fn work_never_waits_for_other_work_and_few_threads_stay() {
        let threads = Threads::default();
        let all = Arc::new(Barrier::new(33));
        for _ in 0..32 {
            let all = Arc::clone(&all);
            threads.run(move || {
                all.wait();
            });
        }
        // It is reached only when all run at once.
        all.wait();
        while threads.idle.lock().threads.len() < MOST_IDLE {
            thread::yield_now();
        }
        assert_eq!(threads.idle.lock().threads.len(), MOST_IDLE);
    }

    #[test]
    fn a_thread_that_waits_is_taken_again_and_ends_with_the_others() {
        let threads = Threads::default();
        let run = || -> ThreadId {
            let (sender, id) = channel();
            threads.run(move || sender.send(thread::current().id()).unwrap());
            let id = id.recv().unwrap();
            while threads.idle.lock().threads.is_empty() {
                thread::yield_now();
            }
            id
        };
        let first = run();
        assert_eq!([run(), run()], [first, first]);
        let idle = Arc::clone(&threads.idle);
        drop(threads);
        while Arc::strong_count(&idle) > 1 {
            thread::yield_now();
        }
    }
}
