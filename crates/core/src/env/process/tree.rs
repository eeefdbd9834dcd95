//! All processes that one command started, and their end.
//!
//! Owns finding and signalling them. A process is in the tree when it is in the command's session
//! or group; on Linux also when it descends from one that is, or carries the command's marker in
//! its environment, which finds those that left the session and whose parent is gone.
//! Must never signal anything else.

use rustix::process::{
    Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
};
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// The longest pause between two looks at a tree that is ending.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How often a tree is killed anew: processes may be born while it is looked at.
const KILL_ROUNDS: usize = 50;
/// Stands for the time of beginning where only the group as a whole is known.
const WHOLE_GROUP: u64 = 0;

/// The processes of one command, or of one plugin.
#[derive(Debug, Clone)]
pub struct ProcessTree {
    /// The shell: its number is that of the session and of the group too.
    leader: Pid,
    /// What the marker variable holds.
    marker: String,
}

/// A process of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    id: Pid,
    /// Whether it is reached through the group.
    in_group: bool,
    /// When it began; tells it from a later process with the same number.
    began: u64,
}

impl ProcessTree {
    /// Returns the tree of the session that `leader` leads. `marker` is what the variable
    /// [`MARKER`](super::MARKER) holds in its environment.
    ///
    /// # Errors
    /// When no process has that number.
    pub fn new(leader: u32, marker: String) -> io::Result<Self> {
        let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("no process has this number"))?;
        Ok(Self { leader, marker })
    }

    /// Asks the whole tree to end, waits up to `grace`, and kills what is left. Blocks.
    pub(super) fn end(&self, grace: Duration) {
        let mut members = self.members();
        self.signal(&members, Signal::TERM);
        // One that is stopped would not hear it.
        self.signal(&members, Signal::CONT);
        let deadline = Instant::now() + grace;
        let mut pause = Duration::from_millis(2);
        while Instant::now() < deadline {
            members.retain(|member| self.is_alive(member));
            if members.is_empty() {
                // Some may have been born after the last look.
                members = self.members();
                if members.is_empty() {
                    return;
                }
                self.signal(&members, Signal::TERM);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        self.kill();
    }

    /// Kills the whole tree, until nothing of it is left. Blocks, though not for long.
    pub fn kill(&self) {
        for _ in 0..KILL_ROUNDS {
            let members = self.members();
            if members.is_empty() {
                return;
            }
            self.signal(&members, Signal::KILL);
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Tells the group, once its shell is gone, that nobody watches any more.
    pub(super) fn hang_up(&self) {
        // A shell that is there again is another process that got the same number.
        if test_kill_process(self.leader).is_err() {
            let _ = kill_process_group(self.leader, Signal::HUP);
        }
    }

    /// Returns whether anything is left of the command's group.
    pub(super) fn group_exists(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }

    /// Returns the group as a whole, as one member, if there is anything in it.
    fn group(&self) -> Vec<Member> {
        let group = Member { id: self.leader, in_group: true, began: WHOLE_GROUP };
        if self.group_exists() { vec![group] } else { Vec::new() }
    }

    fn signal(&self, members: &[Member], signal: Signal) {
        // A failure means that the process is gone already, or is not ours to end.
        if members.iter().any(|member| member.in_group) {
            let _ = kill_process_group(self.leader, signal);
        }
        for member in members.iter().filter(|member| !member.in_group) {
            if self.is_alive(member) {
                let _ = kill_process(member.id, signal);
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl ProcessTree {
    fn members(&self) -> Vec<Member> {
        let own = rustix::process::getpid();
        let mut others = super::table::processes();
        if others.is_empty() {
            // There is no table: a place where `/proc` is not mounted.
            return self.group();
        }
        others.retain(|process| process.id != own);
        let mut found = Vec::new();
        // Children of those that were found are looked for until none is new.
        loop {
            let before = found.len();
            others.retain(|process| {
                let is_member = process.group == Some(self.leader)
                    || process.session == Some(self.leader)
                    || process.id == self.leader
                    || found.iter().any(|member: &Member| Some(member.id) == process.parent)
                    || (before == 0 && super::table::carries(process.id, &self.marker));
                if is_member {
                    let in_group = process.group == Some(self.leader);
                    found.push(Member { id: process.id, in_group, began: process.began });
                }
                !is_member
            });
            if found.len() == before {
                return found;
            }
        }
    }

    fn is_alive(&self, member: &Member) -> bool {
        if member.began == WHOLE_GROUP {
            return self.group_exists();
        }
        super::table::process(member.id).is_some_and(|process| process.began == member.began)
    }
}

#[cfg(not(target_os = "linux"))]
impl ProcessTree {
    fn members(&self) -> Vec<Member> {
        self.group()
    }

    fn is_alive(&self, _member: &Member) -> bool {
        self.group_exists()
    }
}
