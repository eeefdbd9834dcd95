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
pub(super) struct Group(Option<Pid>);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(pid(child))
    }

    /// Kills all of it; nothing left is fine.
    pub(super) fn kill(self) {
        if let Some(pid) = self.0 {
            let _ = process::kill_process_group(pid, process::Signal::KILL);
        }
    }
}

/// Returns whether the child has ended, and leaves its status to be taken.
pub(super) fn has_ended(child: &mut Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match pid(child) {
        Some(pid) => !matches!(process::waitid(WaitId::Pid(pid), options), Ok(None)),
        None => true,
    }
}

pub(super) fn signal(child: &Child, signal: Signal) -> io::Result<()> {
    let signal = match signal {
        Signal::Interrupt => process::Signal::INT,
        Signal::Terminate => process::Signal::TERM,
        Signal::HangUp => process::Signal::HUP,
        Signal::Kill => process::Signal::KILL,
    };
    let pid = pid(child).ok_or(io::ErrorKind::NotFound)?;
    Ok(process::kill_process(pid, signal)?)
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
