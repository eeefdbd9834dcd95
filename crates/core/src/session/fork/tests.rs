//! Copies, and two processes on one session.

use super::*;
use crate::session::SessionStore as _;
use crate::session::tests::{
    SAMPLE, chain_links, child_test, ids, links, on_disk, session_under_test, user, user_line,
};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

#[tokio::test]
async fn a_fork_holds_the_active_branch_as_a_chain() {
    let content = [
        user_line(None, "a"),
        user_line(Some("a"), "left out"),
        user_line(Some("a"), "b").replace(r#""meta":{}"#, r#""meta":{},"future":1.0"#),
    ];
    let (folder, path) = on_disk(content.concat() + "{torn");
    let target = folder.path().join("other folder");
    let loaded = load(&path).unwrap();
    let store = fork(&loaded, &target).unwrap();
    assert_ne!(store.id(), &loaded.id);
    assert_eq!(links(store.path()), chain_links(&["a", "b"]));
    assert!(std::fs::read_to_string(store.path()).unwrap().contains(r#""future":1.0"#));

    store.append(user("c", "c")).await.unwrap();
    assert_eq!(links(store.path()), chain_links(&["a", "b", "c"]));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), content.concat() + "{torn");
    let left: Vec<_> = std::fs::read_dir(&target).unwrap().collect();
    assert_eq!(left.len(), 2, "the copy and its label");
}

#[tokio::test]
async fn a_fork_of_the_sample_means_the_same() {
    let (folder, path) = on_disk(SAMPLE);
    std::fs::write(path.with_extension("name"), "Print two").unwrap();
    let loaded = load(&path).unwrap();
    let store = fork(&loaded, folder.path()).unwrap();
    let copy = load(store.path()).unwrap();
    assert_eq!(copy.transcript, loaded.transcript);
    assert_eq!(copy.model, loaded.model);
    store.append(user("x", "x")).await.unwrap();
    assert_eq!(load(store.path()).unwrap().label.as_deref(), Some("Print two"));
}

#[test]
fn a_session_that_nobody_holds_is_resumed_itself() {
    let (_folder, path) = on_disk(SAMPLE);
    let resumed = resume(&path).unwrap();
    assert_eq!(resumed.store.path(), path);
    assert_eq!(resumed.loaded.warnings, Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test]
async fn a26_the_second_process_is_told_and_gets_a_copy() {
    let (_folder, path) = on_disk(user_line(None, "a"));
    let mut holder = child_test("", "session::fork::tests::child_holds_a_session", &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(holder.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap().contains("held")));
    let before = std::fs::read(&path).unwrap();

    let resumed = resume(&path).unwrap();
    assert_ne!(resumed.store.path(), path);
    assert_eq!(ids(&resumed.loaded), ["a", "of the holder"]);
    let warning = resumed.loaded.warnings.last().unwrap();
    assert!(warning.contains("is open in another process"), "{warning}");
    resumed.store.append(user("b", "b")).await.unwrap();
    assert_eq!(links(resumed.store.path()), chain_links(&["a", "of the holder", "b"]));
    assert_eq!(std::fs::read(&path).unwrap(), before);

    // SIGKILL; the system releases the lock.
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(resume(&path).unwrap().store.path(), path);
}

#[cfg(unix)]
#[ignore = "run by a26_the_second_process_is_told_and_gets_a_copy"]
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the parent process waits for it")]
async fn child_holds_a_session() {
    let resumed = resume(&session_under_test()).unwrap();
    resumed.store.append(user("of the holder", "x")).await.unwrap();
    println!("held");
    let _ = io::stdin().read_line(&mut String::new());
}

/// Many threads resume one session at the same time and write: one of them gets it, the others
/// a copy each, and every file holds whole lines of one writer.
#[test]
fn a26_no_two_writers_share_a_file() {
    let (folder, path) = on_disk(user_line(None, "a"));
    let start = std::sync::Barrier::new(6);
    let end = std::sync::Barrier::new(6);
    let write = |writer: usize| {
        start.wait();
        let resumed = resume(&path).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for number in 0..20 {
            let message = user(&format!("{writer}-{number}"), &"x".repeat(5_000));
            runtime.block_on(resumed.store.append(message)).unwrap();
        }
        end.wait();
        resumed.store.path().to_path_buf()
    };
    let mut paths: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..6).map(|writer| scope.spawn(move || write(writer))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert!(paths.contains(&path));
    for path in &paths {
        let links = links(path);
        let own: Vec<&str> = links[links.len() - 20..].iter().map(|(id, _)| id.as_str()).collect();
        let writer = own[0].split('-').next().unwrap();
        let expected: Vec<String> = (0..20).map(|number| format!("{writer}-{number}")).collect();
        assert_eq!(own, expected);
    }
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 6);
    let sessions = crate::session::list(folder.path(), crate::session::Scope::Project).unwrap();
    assert_eq!(sessions.len(), 6, "no half copy is left");
}

#[test]
fn an_empty_session_can_be_forked() {
    let (folder, path) = on_disk("");
    let store = fork(&load(&path).unwrap(), folder.path()).unwrap();
    assert_eq!(links(store.path()), []);
}
