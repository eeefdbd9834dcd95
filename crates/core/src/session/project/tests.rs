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
