//! For tests: runs one test again in a process of its own, in other circumstances.
//!
//! Owns the way to say which. The inner test is marked as ignored, so that it runs only so.

use std::process::{Command, Stdio};

/// Returns the command that runs the ignored test `path` (`module_path!()` and its name) behind
/// `wrapper`, a program that runs what follows it.
pub(super) fn test_command(wrapper: &[&str], path: &str) -> Command {
    let exe = std::env::current_exe().unwrap();
    let (_, name) = path.split_once("::").unwrap();
    let mut words = wrapper.iter().map(|word| (*word).into()).chain([exe.into_os_string()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["--ignored", "--exact", name, "--nocapture"]);
    command.stdin(Stdio::null());
    command
}

/// Returns the command that runs it where it may mount file systems that nobody else sees, after
/// the shell command `before`; `None` on a machine that does not allow that.
pub(super) fn test_command_with_mounts(before: &str, path: &str) -> Option<Command> {
    let unshare = ["unshare", "--mount", "--map-root-user", "--", "sh", "-c"];
    let mut probe = Command::new(unshare[0]);
    probe.args(&unshare[1..]).arg("mount -t tmpfs tmpfs /mnt").stdin(Stdio::null());
    let is_allowed = probe.output().is_ok_and(|output| output.status.success());
    let script = format!("{before} && exec \"$@\"");
    is_allowed.then(|| test_command(&[&unshare[..], &[&script, "sh"]].concat(), path))
}

/// Runs it; fails unless exactly this test ran and passed.
pub(super) fn require_success(mut command: Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let passed = output.status.success() && text.contains("1 passed");
    assert!(passed, "{text}{}", String::from_utf8_lossy(&output.stderr));
}
