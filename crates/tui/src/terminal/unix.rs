//! The terminal as Unix systems have it.
//!
//! Owns the settings that the process found, for as long as it has changed them. Must not panic or
//! block for long on the way back: it is taken in any state of the process.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, QueueSelector, Termios, tcflush, tcgetattr,
    tcgetwinsize, tcsetattr, ttyname,
};
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What a terminal that does not tell its size is taken for.
const USUAL_SIZE: (usize, usize) = (80, 24);

/// How long the system may take to stop all threads: it needs a tiny part of that.
const STOPS_WITHIN: Duration = Duration::from_millis(50);

/// How long a terminal may take for the sequences that end the modes. One that takes nothing must not
/// keep the program.
const LAST_WRITE: Duration = Duration::from_millis(500);

/// What is to be restored, while the terminal is entered.
static FOUND: Mutex<Option<Found>> = Mutex::new(None);

struct Found {
    settings: Termios,
    /// The settings meanwhile.
    raw: Termios,
    /// The sequences that end the modes.
    unset: String,
    /// What is written before, where there was no time to tidy the screen.
    abrupt: String,
}

/// Turns raw mode on. Returns whether it was off. `unset` is written to leave it, and `abrupt`
/// before that where there was no time to.
pub(super) fn enter(unset: String, abrupt: String) -> io::Result<bool> {
    let mut found = found();
    if found.is_some() {
        return Ok(false);
    }
    let settings = settings()?;
    let mut raw = settings.clone();
    raw.make_raw();
    // What others print while we are here stays readable.
    raw.output_modes |= settings.output_modes & (OutputModes::OPOST | OutputModes::ONLCR);
    // Ctrl+C and its kin are keys.
    raw.local_modes -= LocalModes::ISIG;
    tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    *found = Some(Found { settings, raw, unset, abrupt });
    Ok(true)
}

/// Notes the settings as they are, to be restored as those of [`enter`].
pub(super) fn note(unset: String, abrupt: String) -> io::Result<()> {
    let settings = settings()?;
    let raw = settings.clone();
    *found() = Some(Found { settings, raw, unset, abrupt });
    Ok(())
}

/// Turns raw mode on again where another has changed it meanwhile. Returns the sequences that end the
/// modes; `None` where the terminal is not entered.
pub(super) fn renew() -> io::Result<Option<String>> {
    let found = found();
    let Some(Found { raw, unset, .. }) = &*found else { return Ok(None) };
    tcsetattr(io::stdin(), OptionalActions::Now, raw)?;
    Ok(Some(unset.clone()))
}

/// Returns whether the terminal is entered.
pub(super) fn is_entered() -> bool {
    found().is_some()
}

/// Restores what was, if it is not yet: without or with time to tidy the screen before.
pub(super) fn leave(is_abrupt: bool) {
    let mut found = found();
    let Some(Found { settings, unset, abrupt, .. }) = found.take() else { return };
    // Whatever fails, the rest is tried: a terminal that is gone refuses all of it.
    let first = if is_abrupt && !unset.is_empty() { abrupt } else { String::new() };
    write_briefly(&format!("{first}{unset}"));
    // Tails of keys that only we could have read, such as the window's loss of the keyboard.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &settings);
}

/// Returns the name of the terminal that stdin is. Where it has none here, as in a container, stdin
/// itself has.
pub(super) fn name() -> Option<PathBuf> {
    match ttyname(io::stdin(), Vec::new()) {
        Ok(name) => Some(PathBuf::from(OsString::from_vec(name.into_bytes()))),
        #[cfg(target_os = "linux")]
        Err(_) => Some(PathBuf::from(format!("/proc/{}/fd/0", std::process::id()))),
        #[cfg(not(target_os = "linux"))]
        Err(_) => None,
    }
}

pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(super) fn size() -> (usize, usize) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => USUAL_SIZE,
    }
}

pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
    let out = io::stdout();
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(&out, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Another process that shares the terminal may have asked for this.
            Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&out, PollFlags::OUT)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Stops the process group, as the terminal does on Ctrl+Z. Returns when it goes on; at once, and
/// `false`, where no shell is there to have it go on, as in a window of its own.
pub(super) fn stop_process() -> io::Result<bool> {
    if getsid(None)? == getpgrp() {
        return Ok(false);
    }
    // The signal that keyboards send may be listened to, to leave the terminal first.
    kill_current_process_group(Signal::STOP)?;
    // Another thread may be the one that the system stops first. This one must not touch the
    // terminal before it is stopped as well.
    thread::sleep(STOPS_WITHIN);
    Ok(true)
}

/// Writes, but does not wait long for a terminal that takes nothing.
fn write_briefly(text: &str) {
    if text.is_empty() {
        return;
    }
    let text: Arc<str> = text.into();
    let (done, written) = mpsc::channel();
    let writing = thread::Builder::new().spawn({
        let text = Arc::clone(&text);
        move || {
            let _ = write(text.as_bytes());
            let _ = done.send(());
        }
    });
    match writing {
        Ok(_) => {
            let _ = written.recv_timeout(LAST_WRITE);
        }
        Err(_) => {
            let _ = write(text.as_bytes());
        }
    }
}

fn settings() -> io::Result<Termios> {
    if !is_interactive() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "stdin and stdout are no terminal; use `letscode -p` there",
        ));
    }
    Ok(tcgetattr(io::stdin())?)
}

fn found() -> MutexGuard<'static, Option<Found>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}
