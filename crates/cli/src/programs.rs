//! Other programs of the user's that are asked for a small service, such as a clipboard tool.
//!
//! Owns finding them and running them to their end within a time. Commands of the model do not
//! come here: they go through the environment of the tools.

#![expect(clippy::disallowed_methods, reason = "it is the owner of such programs")]

mod shown;

pub(crate) use shown::{ShownEnd, ShownRequest, show};

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// A program to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Where it is.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) arguments: &'a [&'a str],
    /// What it reads from stdin.
    pub(crate) input: &'a [u8],
    /// Variables that it gets beside ours.
    pub(crate) variables: &'a [(&'a str, &'a str)],
    /// Variables of ours that it does not get.
    pub(crate) hidden_variables: &'a [String],
    /// After this it is killed.
    pub(crate) time_limit: Duration,
}

/// What a program did.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// What it wrote to stdout.
    pub(crate) stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
}

/// Why a program did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// It cannot be started, or not be waited for.
    #[error("cannot be run: {0}")]
    Io(#[from] io::Error),
    /// It took too long and was killed.
    #[error("did not end within {} s", .0.as_secs())]
    TimedOut(Duration),
}

/// Returns where a program is by the folders of `search_path`. Those that are relative are left
/// out: what lies in the folder of a project is not the user's program.
pub(crate) fn find(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    let file_name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::split_paths(search_path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(&file_name)).find(|path| is_program(path))
}

/// Runs a program and returns what it wrote. It must close its output when it ends.
///
/// # Errors
/// When it cannot be run or takes too long.
pub(crate) async fn collect(request: Request<'_>) -> Result<Finished, RunError> {
    let mut command = command(request);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = async {
        let mut child = command.spawn()?;
        let mut stdin = child.stdin.take();
        let feeding = async {
            if let Some(stdin) = &mut stdin {
                feed(stdin, request.input).await?;
            }
            drop(stdin);
            Ok(())
        };
        let (fed, output) = tokio::join!(feeding, child.wait_with_output());
        fed.and(output)
    };
    let output = within(request.time_limit, running).await?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Finished { status: output.status, stdout: output.stdout, stderr })
}

/// Runs a program whose output does not matter; a child of it may live on.
///
/// # Errors
/// When it cannot be run or takes too long.
pub(crate) async fn feed_only(request: Request<'_>) -> Result<ExitStatus, RunError> {
    let mut command = command(request);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = async {
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            feed(&mut stdin, request.input).await?;
        }
        child.wait().await
    };
    within(request.time_limit, running).await
}

fn command(request: Request<'_>) -> Command {
    let mut command = Command::new(request.program);
    command.args(request.arguments).stdin(Stdio::piped()).kill_on_drop(true);
    for name in request.hidden_variables {
        command.env_remove(name);
    }
    command.envs(request.variables.iter().copied());
    command
}

/// Writes all of `input`. A program that ended before it read all is no failure of ours: its
/// status tells.
async fn feed(stdin: &mut tokio::process::ChildStdin, input: &[u8]) -> io::Result<()> {
    match stdin.write_all(input).await {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

async fn within<T>(
    limit: Duration,
    running: impl Future<Output = io::Result<T>>,
) -> Result<T, RunError> {
    match tokio::time::timeout(limit, running).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(RunError::TimedOut(limit)),
    }
}

/// Returns whether a path is a file that can be run.
#[cfg(unix)]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Returns whether a path is a file that can be run.
#[cfg(not(unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
#[cfg(test)]
pub(crate) mod fakes {
    //! Small programs for tests.

    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// Makes a shell script that can be run.
    pub(crate) fn script(folder: &Path, name: &str, body: &str) {
        let (path, source) = (folder.join(name), folder.join(format!("{name}.source")));
        fs::write(&source, format!("#!/bin/sh\n{body}\n")).unwrap();
        // A file that this process wrote may still be open in a program that another test is just
        // starting, and an open file cannot be run; a copy by another process is closed.
        let copy = ["-c", "cp \"$0\" \"$1\" && chmod 755 \"$1\""];
        assert!(Command::new("sh").args(copy).args([&source, &path]).status().unwrap().success());
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn request<'a>(program: &'a Path, input: &'a [u8]) -> Request<'a> {
        Request {
            program,
            arguments: &["-"],
            input,
            variables: &[("ADDED", "yes")],
            hidden_variables: &[],
            time_limit: Duration::from_secs(30),
        }
    }

    #[test]
    fn a_program_is_found_in_absolute_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for sub in ["plain", "bin"] {
            fs::create_dir(folder.join(sub)).unwrap();
        }
        fs::write(folder.join("plain/tool"), "").unwrap();
        fs::create_dir(folder.join("tool")).unwrap();
        fakes::script(&folder.join("bin"), "tool", "true");
        let absolute = std::env::join_paths([folder, &folder.join("plain"), &folder.join("bin")]);
        assert_eq!(find("tool", &absolute.unwrap()), Some(folder.join("bin/tool")));
        assert_eq!(find("other", folder.as_os_str()), None);
        assert_eq!(find("Cargo.toml", OsStr::new(":.:src/..")), None);
    }

    #[tokio::test]
    async fn a_program_gets_its_input_and_says_what_it_wrote() {
        let folder = tempfile::tempdir().unwrap();
        fakes::script(folder.path(), "tool", "cat \"$@\"; echo \"$ADDED\" >&2; exit 3");
        let program = folder.path().join("tool");
        let input = "text\n".repeat(100_000);
        let finished = collect(request(&program, input.as_bytes())).await.unwrap();
        assert_eq!(finished.status.code(), Some(3));
        assert!(finished.stdout == input.as_bytes(), "{} bytes", finished.stdout.len());
        assert_eq!(finished.stderr, "yes\n");
    }

    #[tokio::test]
    async fn a_program_that_reads_nothing_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        fakes::script(folder.path(), "tool", "exit 4");
        let program = folder.path().join("tool");
        let input = vec![b'x'; 1024 * 1024];
        assert_eq!(collect(request(&program, &input)).await.unwrap().status.code(), Some(4));
        assert_eq!(feed_only(request(&program, &input)).await.unwrap().code(), Some(4));
    }

    #[tokio::test]
    async fn a_program_that_hangs_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        fakes::script(folder.path(), "tool", "exec sleep 1000");
        let program = folder.path().join("tool");
        let hasty = Request { time_limit: Duration::from_millis(20), ..request(&program, b"") };
        assert!(matches!(collect(hasty).await, Err(RunError::TimedOut(_))));
        assert!(matches!(feed_only(hasty).await, Err(RunError::TimedOut(_))));
    }

    #[tokio::test]
    async fn a_child_that_keeps_the_output_open_does_not_hold_up() {
        let folder = tempfile::tempdir().unwrap();
        fakes::script(folder.path(), "tool", "sleep 20 & exit 0");
        let program = folder.path().join("tool");
        let began = std::time::Instant::now();
        assert!(feed_only(request(&program, b"")).await.unwrap().success());
        assert!(began.elapsed() < Duration::from_secs(20), "it waited for the child");
    }
}
