//! The sessions of a project over a folder of files.

use super::*;
use crate::session::tests::{custom, user};
use letscode_wire::{CustomKind, Message, text_of};
use serde_json::json;
use std::sync::Arc;
use tempfile::TempDir;

fn project() -> (TempDir, ProjectSessions) {
    let root = TempDir::new().unwrap();
    let project = ProjectSessions::new(root.path().join("0123456789ab"));
    (root, project)
}

async fn session_of(project: &ProjectSessions, messages: &[Arc<Message>]) -> OpenSession {
    let session = project.create();
    for message in messages {
        session.store.append(Arc::clone(message)).await.unwrap();
    }
    session
}

fn ids(transcript: &[Arc<Message>]) -> Vec<&str> {
    transcript.iter().map(|message| message.id().as_str()).collect()
}

fn three() -> [Arc<Message>; 3] {
    [user("a", "first words"), user("b", "needle in hay"), user("c", "last words")]
}

#[tokio::test]
async fn a_fork_ends_with_the_entry_and_leaves_the_original_alone() {
    let (_root, project) = project();
    let session = session_of(&project, &three()).await;
    let fork = project.fork(&session.path, Some(2)).await.unwrap();
    assert_ne!(fork.path, session.path);
    assert_eq!(ids(&fork.transcript), ["a", "b"]);
    fork.store.append(user("d", "d")).await.unwrap();
    assert_eq!(ids(&load(&fork.path).unwrap().transcript), ["a", "b", "d"]);
    assert_eq!(ids(&load(&session.path).unwrap().transcript), ["a", "b", "c"]);

    let clone = project.fork(&session.path, None).await.unwrap();
    assert_eq!(ids(&clone.transcript), ["a", "b", "c"]);
    for entry in [0, 4] {
        let error = project.fork(&session.path, Some(entry)).await.err().unwrap();
        assert!(matches!(error, SessionError::NoSuchEntry { count: 3, .. }), "{error}");
    }
}

#[tokio::test]
async fn going_to_an_entry_makes_a_branch_that_a_later_start_finds() {
    let (_root, project) = project();
    let session = session_of(&project, &three()).await;
    let branch = project.branch(&session.path, 1).await.unwrap();
    assert_eq!(ids(&branch.transcript), ["a"]);
    session.store.continue_behind(branch.last_id);
    let mark = custom("mark", CustomKind::GoTo.name(), json!({}));
    session.store.append(mark).await.unwrap();
    assert_eq!(ids(&load(&session.path).unwrap().transcript), ["a"]);
    session.store.append(user("d", "other way")).await.unwrap();
    assert_eq!(ids(&load(&session.path).unwrap().transcript), ["a", "d"]);

    let tree = project.tree(&session.path).await.unwrap();
    let row = |entry: &letscode_wire::TreeEntry| {
        let parent = entry.parent.map_or("-".to_owned(), |parent| parent.to_string());
        format!("{} {parent} {} {} {}", entry.entry, entry.role, entry.active, entry.text)
    };
    let rows: Vec<String> = tree.entries.iter().map(row).collect();
    assert_eq!(
        rows,
        [
            "1 - user true first words",
            "2 1 user false needle in hay",
            "3 2 user false last words",
            "4 1 custom true ",
            "5 4 user true other way",
        ]
    );
    assert_eq!(tree.label.as_deref(), Some("first words"));
}

#[tokio::test]
async fn a_new_session_has_nothing_to_fork_and_an_empty_tree() {
    let (root, project) = project();
    let session = project.create();
    let error = project.fork(&session.path, None).await.err().unwrap();
    assert!(matches!(error, SessionError::Empty), "{error}");
    assert!(project.tree(&session.path).await.unwrap().entries.is_empty());
    assert_eq!(project.usage(&session.path).await.unwrap().answers, 0);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "nothing was written");
}

#[tokio::test]
async fn sessions_are_listed_found_by_their_words_and_renamed() {
    let (_root, project) = project();
    let first = session_of(&project, &three()).await;
    let second = session_of(&project, &[user("x", "Needle again")]).await;
    let list = project.list(Scope::Project, Some(&first.path)).await.unwrap();
    let open: Vec<bool> = list.iter().map(|entry| entry.open).collect();
    assert_eq!((open, list[0].number), (vec![false, true], 1));

    let found = project.search(Scope::Project, "NEEDLE").await.unwrap();
    let hits: Vec<(&str, usize)> =
        found.hits.iter().map(|hit| (hit.text.as_str(), hit.entry)).collect();
    assert_eq!(hits, [("Needle again", 1), ("needle in hay", 2)]);
    assert!(project.search(Scope::Project, "no such words").await.unwrap().hits.is_empty());

    let label = project.label(&second.path, "  another\nname ").await.unwrap();
    assert_eq!(label, "another name");
    assert_eq!(project.describe(&second.path).await.label.as_deref(), Some("another name"));
    let error = project.label(&second.path, " \n").await.err().unwrap();
    assert!(matches!(error, SessionError::EmptyLabel), "{error}");
}

#[tokio::test]
async fn a_deleted_session_is_in_the_trash_and_an_open_one_is_not_deleted() {
    let (root, project) = project();
    let session = session_of(&project, &three()).await;
    let path = session.path.clone();
    let error = project.delete(&path).await.err().unwrap();
    assert!(matches!(error, SessionError::Held { .. }), "{error}");
    drop(session);
    let trash = project.delete(&path).await.unwrap();
    assert!(trash.starts_with(root.path().join("trash/0123456789ab")), "{}", trash.display());
    assert!(!path.exists() && !label_path(&path).exists() && label_path(&trash).exists());
    assert_eq!(text_of(load(&trash).unwrap().transcript[0].content()), "first words");
    assert!(project.list(Scope::Project, None).await.unwrap().is_empty());
}

/// Returns a project beside `project`.
fn beside(root: &TempDir, name: &str) -> ProjectSessions {
    ProjectSessions::new(root.path().join(name))
}

/// Makes a session look as if it was added to so many seconds after the epoch.
fn touch(session: &Path, seconds: u64) {
    let file = fs::File::options().append(true).open(session).unwrap();
    file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
}

#[tokio::test]
async fn sessions_of_all_projects_are_listed_newest_first_and_only_own_ones_have_numbers() {
    let (root, project) = project();
    let other = beside(&root, "other");
    let (old, new) = (session_of(&project, &three()).await, session_of(&project, &three()).await);
    let (between, deleted) =
        (session_of(&other, &three()).await.path, session_of(&other, &three()).await.path);
    other.delete(&deleted).await.unwrap();
    fs::write(root.path().join("stray.jsonl"), "{}\n").unwrap();
    fs::write(root.path().join("other/notes.txt"), "none").unwrap();
    fs::create_dir(root.path().join("empty")).unwrap();
    for (path, seconds) in [(&old.path, 100), (&between, 200), (&new.path, 300)] {
        touch(path, seconds);
    }
    let rows = |list: Vec<SessionEntry>| -> Vec<(usize, String, bool)> {
        list.into_iter().map(|entry| (entry.number, entry.session.path, entry.open)).collect()
    };
    let shown = |path: &Path| path.display().to_string();
    let all = project.list(Scope::AllProjects, Some(&old.path)).await.unwrap();
    assert!(all.iter().all(|entry| entry.session.label.as_deref() == Some("first words")));
    assert_eq!(
        rows(all),
        [(1, shown(&new.path), false), (0, shown(&between), false), (2, shown(&old.path), true)]
    );
    let own = project.list(Scope::Project, None).await.unwrap();
    assert_eq!(rows(own), [(1, shown(&new.path), false), (2, shown(&old.path), false)]);
}

#[tokio::test]
async fn a_project_without_a_session_lists_those_of_others_and_a_lonely_one_none() {
    let (root, project) = project();
    assert!(project.list(Scope::AllProjects, None).await.unwrap().is_empty());
    session_of(&beside(&root, "other"), &three()).await;
    assert_eq!(project.list(Scope::AllProjects, None).await.unwrap().len(), 1);
    assert!(project.list(Scope::Project, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_search_of_all_projects_finds_what_was_said_in_others() {
    let (root, project) = project();
    let own = session_of(&project, &three()).await;
    let other = session_of(&beside(&root, "other"), &[user("x", "a needle too")]).await;
    touch(&own.path, 200);
    touch(&other.path, 100);
    let texts = async |scope| -> Vec<String> {
        let found = project.search(scope, "needle").await.unwrap();
        found.hits.into_iter().map(|hit| hit.text).collect()
    };
    assert_eq!(texts(Scope::AllProjects).await, ["needle in hay", "a needle too"]);
    assert_eq!(texts(Scope::Project).await, ["needle in hay"]);
}

#[tokio::test]
async fn a_session_of_another_project_goes_by_its_whole_id_only() {
    let (root, project) = project();
    let other = session_of(&beside(&root, "other"), &three()).await;
    let id = other.id.as_str();
    assert_eq!(project.find(id).await.unwrap(), other.path, "without an own session");
    let own = session_of(&project, &three()).await;
    assert_eq!(project.find(&format!(" {} ", id.to_uppercase())).await.unwrap(), other.path);
    assert_eq!(project.find(own.id.as_str()).await.unwrap(), own.path);
    fs::copy(&other.path, root.path().join("other/2.jsonl")).unwrap();
    for query in [&id[..id.len() - 1], "2", "", "x", "../other", &format!("../other/{id}"), "."] {
        let found = project.find(query).await;
        assert!(!matches!(&found, Ok(path) if *path != own.path), "{query:?}: {found:?}");
    }
    let error = project.find("2").await.unwrap_err();
    assert!(matches!(error, SessionError::NoSuchNumber { number: 2, count: 1 }), "{error}");

    fs::create_dir(root.path().join("third")).unwrap();
    fs::copy(&other.path, root.path().join(format!("third/{id}.jsonl"))).unwrap();
    let error = project.find(id).await.unwrap_err();
    assert!(matches!(error, SessionError::InSeveralProjects { count: 2, .. }), "{error}");
}

#[tokio::test]
async fn a_session_of_another_project_goes_on_in_a_copy_and_stays_as_it_is() {
    let (root, project) = project();
    let other = session_of(&beside(&root, "other"), &three()).await;
    beside(&root, "other").label(&other.path, "named").await.unwrap();
    let before = fs::read(&other.path).unwrap();
    let copy = project.resume(&other.path).await.unwrap();
    assert_eq!(copy.path.parent(), Some(root.path().join("0123456789ab").as_path()));
    assert_eq!(ids(&copy.transcript), ["a", "b", "c"]);
    let (from, to) = (other.id.as_str(), copy.id.as_str());
    let warning = format!("session {from} belongs to another project: going on in a copy, {to}");
    assert_eq!(copy.warnings, [warning]);
    copy.store.append(user("d", "here")).await.unwrap();
    assert_eq!(ids(&load(&copy.path).unwrap().transcript), ["a", "b", "c", "d"]);
    assert_eq!(fs::read(&other.path).unwrap(), before);
    assert_eq!(project.describe(&copy.path).await.label.as_deref(), Some("named"));
    drop(copy);
    assert_eq!(project.list(Scope::Project, None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_deleted_session_of_another_project_is_in_that_ones_trash() {
    let (root, project) = project();
    let path = session_of(&beside(&root, "other"), &three()).await.path;
    let trash = project.delete(&path).await.unwrap();
    assert!(trash.starts_with(root.path().join("trash/other")), "{}", trash.display());
    assert!(!path.exists() && project.list(Scope::AllProjects, None).await.unwrap().is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn what_cannot_be_read_of_other_projects_hides_nothing_else() {
    use std::os::unix::fs::symlink;
    let (root, project) = project();
    session_of(&project, &three()).await;
    fs::create_dir(root.path().join("odd")).unwrap();
    symlink("/dev/zero", root.path().join("odd/zero.jsonl")).unwrap();
    symlink("nowhere", root.path().join("odd/gone.jsonl")).unwrap();
    symlink("loop", root.path().join("loop")).unwrap();
    fs::write(root.path().join("odd/broken.jsonl"), b"\xff\n{").unwrap();
    let all = project.list(Scope::AllProjects, None).await.unwrap();
    assert_eq!(all.len(), 2, "{all:?}");
    let found = project.search(Scope::AllProjects, "needle").await.unwrap();
    assert_eq!(found.hits.len(), 1, "{found:?}");
}

#[tokio::test]
async fn a_copy_keeps_the_label_that_was_given() {
    let (_root, project) = project();
    let session = session_of(&project, &three()).await;
    project.label(&session.path, "my own words").await.unwrap();
    for entry in [None, Some(2)] {
        let copy = project.fork(&session.path, entry).await.unwrap();
        let label = project.describe(&copy.path).await.label;
        assert_eq!(label.as_deref(), Some("my own words"), "{entry:?}");
    }
}
