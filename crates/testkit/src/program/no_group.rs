//! What stands for process groups and signals where there are none: only the process itself.
//! Must look like `group`, whose place it takes.

use super::Signal;
use std::io;
use std::process::Child;

#[derive(Debug, Clone, Copy)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_child: &Child) -> Self {
        Self
    }

    pub(super) fn kill(self) {}
}

pub(super) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

pub(super) fn signal(_child: &Child, _signal: Signal) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
