//! The handle alone: what is asked, what an answer becomes, and who declines.

use super::*;
use serde_json::json;

#[tokio::test]
async fn answers_take_the_form_of_their_question() {
    let (ui, UiInbox(mut inbox)) = channel();
    let options = || vec!["a".to_owned(), "b".to_owned()];
    let answering = async {
        let mut kinds = Vec::new();
        for answer in [json!(true), json!(1), json!("text")] {
            let asked = inbox.recv().await.unwrap();
            kinds.push(serde_json::to_value(&asked.request).unwrap()["kind"].clone());
            asked.answer.send(answer).unwrap();
        }
        // The last one is declined.
        drop(inbox.recv().await.unwrap());
        kinds
    };
    let asking = async {
        assert_eq!(ui.confirm("Run", "sure?").await, Some(true));
        assert_eq!(ui.select("which?", options()).await, Some(1));
        assert_eq!(ui.input("name?", None, None).await.as_deref(), Some("text"));
        assert_eq!(ui.confirm("", "again?").await, None);
    };
    let (kinds, ()) = tokio::join!(answering, asking);
    assert_eq!(kinds, ["confirm", "select", "input"]);
}

#[tokio::test]
async fn with_nobody_behind_it_every_question_is_declined_at_once() {
    let (left, inbox) = channel();
    drop(inbox);
    for ui in [Ui::declining(), left] {
        ui.notify("hi", UiLevel::Info);
        ui.status("k", None);
        assert_eq!(ui.confirm("", "sure?").await, None);
        assert_eq!(ui.select("which?", vec![]).await, None);
        assert_eq!(ui.input("name?", None, None).await, None);
    }
}

#[tokio::test]
async fn a_flood_of_notices_is_bounded_and_holds_nobody_up() {
    let (ui, UiInbox(mut inbox)) = channel();
    for _ in 0..10 * QUEUE {
        ui.notify("again", UiLevel::Info);
    }
    drop(ui);
    let mut count = 0;
    while inbox.recv().await.is_some() {
        count += 1;
    }
    assert_eq!(count, QUEUE);
}
