//! Process groups and signals of Unix.
//!
//! Owns the calls that take ids. Must not be used on a child that has been waited for: its id may
//! be another's then.

use super::Signal;
use rustix::process::{self, Pid, WaitId, WaitIdOptions};
use std::io;
use std::process::Child;

/// The process group of a child that has not been waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(Option<Pid>);

impl Group {
    pub(crate) fn of(child: &Child) -> Self {
        Self(pid(child))
    }

    /// Kills all of it; nothing left is fine.
    pub(crate) fn kill(self) {
        if let Some(pid) = self.0 {
            let _ = process::kill_process_group(pid, process::Signal::KILL);
        }
    }
}

/// Returns whether the child has ended, and leaves its status to be taken.
pub(crate) fn has_ended(child: &mut Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match pid(child) {
        Some(pid) => !matches!(process::waitid(WaitId::Pid(pid), options), Ok(None)),
        None => true,
    }
}

/// Returns whether the child is stopped.
pub(crate) fn is_stopped(child: &Child) -> bool {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let stopped = pid(child).map(|pid| process::waitid(WaitId::Pid(pid), options));
    matches!(stopped, Some(Ok(Some(_))))
}

pub(crate) fn signal(child: &Child, signal: Signal) -> io::Result<()> {
    let signal = match signal {
        Signal::Interrupt => process::Signal::INT,
        Signal::Terminate => process::Signal::TERM,
        Signal::HangUp => process::Signal::HUP,
        Signal::Quit => process::Signal::QUIT,
        Signal::User1 => process::Signal::USR1,
        Signal::Kill => process::Signal::KILL,
        Signal::Continue => process::Signal::CONT,
    };
    let pid = pid(child).ok_or(io::ErrorKind::NotFound)?;
    Ok(process::kill_process(pid, signal)?)
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
