//! Runs a program in a terminal of its own, as a user would.
//!
//! Owns the terminal's other end: a thread reads all output into a [`Screen`]. Whatever happens the
//! process group is gone when the handle is dropped. Must never give a program the test's own
//! environment or terminal.

use crate::program::{self, Signal, group};
use crate::screen::Screen;
use crate::workdir::WorkDir;
use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use std::ffi::OsStr;
use std::io::{self, Read as _, Write};
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a test waits for what it expects: only a hang takes that long.
const LIMIT: Duration = Duration::from_secs(30);
/// How often it looks whether the process has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A program that is about to be started in a terminal.
#[derive(Debug)]
pub struct PtyProgram {
    command: CommandBuilder,
    columns: u16,
    rows: u16,
}

/// A program that runs in a terminal.
///
/// Dropping it kills the process group.
pub struct Pty {
    child: Child,
    /// `None` once it has been hung up.
    master: Option<Box<dyn MasterPty + Send>>,
    /// Keeps the terminal while its settings are to be looked at.
    slave: Option<Box<dyn SlavePty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    shown: Arc<Shown>,
    reader: Option<JoinHandle<()>>,
    settings: String,
    status: Option<i32>,
}

/// What a program that has ended left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code, or minus the number of the signal that ended it.
    pub status: i32,
    /// Whether the terminal's settings are what they were before the start.
    pub settings_restored: bool,
    /// All output.
    pub output: Vec<u8>,
}

#[derive(Debug)]
struct Shown {
    screen: Mutex<Screen>,
    changed: Condvar,
    taking: Mutex<Taking>,
    taking_changed: Condvar,
}

/// What happens to the program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taking {
    All,
    /// Nothing: the program's writes come to wait.
    Nothing,
    /// Nothing any more.
    Over,
}

/// Keeps a terminal from taking output, until it is dropped.
#[derive(Debug)]
pub struct Held(Arc<Shown>);

impl PtyProgram {
    /// Prepares a binary to run in the project of `dir`, in a terminal of 80 columns and 24 rows,
    /// with the environment that [`Program`](crate::program::Program) gives.
    pub fn new(binary: impl AsRef<OsStr>, dir: &WorkDir) -> Self {
        let mut command = CommandBuilder::new(binary);
        command.cwd(dir.project());
        command.env_clear();
        for (name, value) in program::environment(dir) {
            command.env(name, value);
        }
        Self { command, columns: 80, rows: 24 }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Sets the terminal's size.
    #[must_use]
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        (self.columns, self.rows) = (columns, rows);
        self
    }

    /// Starts it.
    ///
    /// # Panics
    /// When the system gives no terminal, or the program cannot be started.
    #[track_caller]
    pub fn start(self) -> Pty {
        let pair = native_pty_system().openpty(size(self.columns, self.rows));
        let pair = pair.expect("there is a terminal for the test");
        let settings = settings(&*pair.master);
        let child = pair.slave.spawn_command(self.command).expect("the program can be started");
        let child = child.into_any().downcast::<Child>().expect("a child of this system");
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let writer = pair.master.take_writer().expect("the terminal can be written to");
        let screen = Mutex::new(Screen::new(self.columns, self.rows));
        let shown = Arc::new(Shown {
            screen,
            changed: Condvar::new(),
            taking: Mutex::new(Taking::All),
            taking_changed: Condvar::new(),
        });
        let filled = Arc::clone(&shown);
        let reader = thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            // It ends with an error once nobody has the terminal open.
            while filled.may_take()
                && let Ok(count @ 1..) = output.read(&mut buffer)
            {
                filled.lock().feed(buffer.get(..count).unwrap_or_default());
                filled.changed.notify_all();
            }
        });
        Pty {
            child: *child,
            master: Some(pair.master),
            slave: Some(pair.slave),
            writer: Some(writer),
            shown,
            reader: Some(reader),
            settings,
            status: None,
        }
    }
}

impl Pty {
    /// Sends what a keyboard would.
    ///
    /// # Panics
    /// When the terminal is gone.
    #[track_caller]
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the terminal is there");
        writer.write_all(bytes.as_ref()).expect("the terminal takes keys");
        writer.flush().expect("the terminal takes keys");
    }

    /// Changes the terminal's size; its screen cuts rows that no longer fit.
    ///
    /// # Panics
    /// When the terminal is gone.
    #[track_caller]
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.shown.lock().resize(columns, rows);
        self.set_size(columns, rows);
    }

    /// Changes the terminal's size; its screen wraps its rows anew.
    ///
    /// # Panics
    /// When the terminal is gone.
    #[track_caller]
    pub fn reflow(&mut self, columns: u16, rows: u16) {
        self.shown.lock().reflow(columns, rows);
        self.set_size(columns, rows);
    }

    /// Waits until the screen is as wanted, and returns what `wanted` made of it.
    ///
    /// # Panics
    /// When it is not, within half a minute: the message shows the screen.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, mut wanted: impl FnMut(&Screen) -> Option<T>) -> T {
        let end = Instant::now() + LIMIT;
        let mut screen = self.shown.lock();
        loop {
            if let Some(found) = wanted(&screen) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} did not come up; the screen:\n{:?}", *screen);
            // What is wanted may be about something else than output.
            let waited = self.shown.changed.wait_timeout(screen, left.min(LOOK_AGAIN));
            screen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until a row of the screen holds a text.
    ///
    /// # Panics
    /// As [`wait_for`](Self::wait_for).
    #[track_caller]
    pub fn wait_for_text(&self, text: &str) {
        self.wait_for(text, |screen| {
            screen.rows().iter().any(|row| row.contains(text)).then_some(())
        });
    }

    /// Returns what `look` makes of the screen as it is.
    pub fn screen<T>(&self, look: impl FnOnce(&Screen) -> T) -> T {
        look(&self.shown.lock())
    }

    /// Returns the terminal's settings in a form that can be compared and shown.
    pub fn settings(&self) -> String {
        self.master.as_deref().map(settings).unwrap_or_default()
    }

    /// Returns whether the terminal's settings are what they were before the start.
    pub fn settings_restored(&self) -> bool {
        self.settings() == self.settings
    }

    /// Sends a signal to the process alone.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        if self.status.is_some() {
            return Ok(());
        }
        group::signal(&self.child, signal)
    }

    /// Waits until the process is stopped, as by Ctrl+Z.
    ///
    /// # Panics
    /// When it is not, within half a minute.
    #[track_caller]
    pub fn wait_until_stopped(&self) {
        let end = Instant::now() + LIMIT;
        while !group::is_stopped(&self.child) {
            assert!(Instant::now() < end, "the program does not stop");
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Has the terminal take no output, as one that is stopped, until what this returns is dropped.
    /// The last read may still be under way.
    #[must_use]
    pub fn hold(&self) -> Held {
        self.shown.set_taking(Taking::Nothing);
        Held(Arc::clone(&self.shown))
    }

    /// Takes the terminal away, as when its window is closed. The program must answer a key with
    /// some output.
    ///
    /// # Panics
    /// When the terminal is gone already.
    #[track_caller]
    pub fn hang_up(&mut self) {
        self.shown.set_taking(Taking::Over);
        // The reading thread has the terminal open until it has read once more.
        self.send(" ");
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the screen takes all output");
        }
        self.writer = None;
        self.master = None;
        self.slave = None;
    }

    /// Waits until the process has ended, whatever of its output is still to be taken.
    ///
    /// # Panics
    /// When it still runs after half a minute.
    #[track_caller]
    pub fn wait_until_ended(&mut self) {
        let end = Instant::now() + LIMIT;
        while !group::has_ended(&mut self.child) {
            assert!(Instant::now() < end, "the program does not end");
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits for the program's end.
    ///
    /// # Panics
    /// When it still runs after half a minute: the message shows the screen.
    #[track_caller]
    pub fn wait(mut self) -> Ended {
        let end = Instant::now() + LIMIT;
        while !group::has_ended(&mut self.child) {
            assert!(Instant::now() < end, "the program does not end: {:?}", *self.shown.lock());
            thread::sleep(LOOK_AGAIN);
        }
        let settings_restored = self.settings_restored();
        let status = self.reap();
        self.slave = None;
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the screen takes all output");
        }
        let output = self.shown.lock().bytes().to_vec();
        Ended { status, settings_restored, output }
    }

    fn set_size(&self, columns: u16, rows: u16) {
        let master = self.master.as_ref().expect("the terminal is there");
        master.resize(size(columns, rows)).expect("the terminal can change its size");
    }

    fn reap(&mut self) -> i32 {
        if let Some(status) = self.status {
            return status;
        }
        group::Group::of(&self.child).kill();
        let status = self.child.wait().expect("a child can be waited for");
        *self.status.insert(program::exit_code(status))
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.reap();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set_taking(Taking::All);
    }
}

impl Shown {
    fn set_taking(&self, taking: Taking) {
        *self.taking.lock().unwrap_or_else(PoisonError::into_inner) = taking;
        self.taking_changed.notify_all();
    }

    /// Waits while nothing is to be taken. Returns whether there is more to take.
    fn may_take(&self) -> bool {
        let taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let held = |taking: &mut Taking| *taking == Taking::Nothing;
        let taking = self.taking_changed.wait_while(taking, held);
        *taking.unwrap_or_else(PoisonError::into_inner) == Taking::All
    }

    fn lock(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn settings(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios())
}

#[cfg(test)]
mod tests;
