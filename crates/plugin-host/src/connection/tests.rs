//! Calls and their replies over pipes in memory.

use super::*;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream, duplex};

/// A connection, and the plugin's end of what is written.
fn connection() -> (Connection, BufReader<DuplexStream>) {
    let (ours, theirs) = duplex(1024 * 1024);
    (Connection::new(ours), BufReader::new(theirs))
}

async fn read(plugin: &mut BufReader<DuplexStream>) -> Value {
    let mut line = String::new();
    plugin.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap()
}

fn command(call: u64) -> ToPlugin {
    ToPlugin::RunCommand { call, name: "c".to_owned(), args: String::new() }
}

#[tokio::test]
async fn replies_find_their_calls_in_any_order() {
    let (connection, mut plugin) = connection();
    let call = || connection.call(Ui::declining(), None, command);
    let (first, second, ()) = tokio::join!(call(), call(), async {
        let numbers = [read(&mut plugin).await, read(&mut plugin).await];
        let numbers = numbers.map(|line| line["call"].as_u64().unwrap());
        connection.reply(numbers[1], json!("second"), None);
        connection.reply(77, json!("nobody's"), None);
        connection.reply(numbers[0], Value::Null, Some("cannot".to_owned()));
    });
    assert_eq!(first, Err(CallFault::Refused("cannot".to_owned())));
    assert_eq!(second, Ok(json!("second")));
}

#[tokio::test]
async fn a_call_that_is_let_go_is_taken_back_and_one_that_is_answered_is_not() {
    let (connection, mut plugin) = connection();
    {
        let call = connection.call(Ui::declining(), None, command);
        tokio::select! {
            _ = call => panic!("nobody answered"),
            line = read(&mut plugin) => assert_eq!(line["type"], "run_command"),
        }
    }
    assert_eq!(read(&mut plugin).await, json!({"type": "cancel", "call": 1}));
    connection.reply(1, Value::Null, None);
    connection.tell(&Arc::new(Event::TurnStart { turn: 1 }));
    assert_eq!(read(&mut plugin).await["type"], "event");
}

#[tokio::test]
async fn what_waits_when_the_plugin_ends_and_what_comes_later_is_answered() {
    let (connection, mut plugin) = connection();
    let (waiting, ()) = tokio::join!(connection.call(Ui::declining(), None, command), async {
        read(&mut plugin).await;
        connection.close();
    });
    assert_eq!(waiting, Err(CallFault::Gone));
    let later = connection.call(Ui::declining(), None, command).await;
    assert_eq!(later, Err(CallFault::Gone));
}

#[tokio::test]
async fn events_are_dropped_where_the_plugin_does_not_read() {
    let (ours, theirs) = duplex(16);
    let connection = Connection::new(ours);
    for turn in 0..10_000 {
        connection.tell(&Arc::new(Event::TurnStart { turn }));
    }
    assert_eq!(connection.outbox.capacity(), 0);
    drop(theirs);
}

#[tokio::test]
async fn lines_are_read_leniently_and_what_is_none_is_a_fault() {
    let mut lines = Lines::new(
        &b"\n{\"type\":\"new_thing\",\"x\":1}\r\n{\"type\":\"goodbye\",\"more\":true}\n"[..],
    );
    assert_eq!(lines.next().await.unwrap(), FromPlugin::Goodbye);
    assert!(matches!(lines.next().await, Err(ReadFault::Ended)));
    for bytes in ["debug: hello\n", "{\"type\":\"reply\"}\n", "[1]\n", "{\"type\":7}\n"] {
        let fault = Lines::new(bytes.as_bytes()).next().await.unwrap_err();
        assert!(matches!(fault, ReadFault::NotALine(_)), "{bytes}: {fault}");
    }
    let cut = Lines::new(&b"{\"type\":\"goodbye\"}"[..]).next().await;
    assert!(matches!(cut, Err(ReadFault::Ended)), "a line without its end counts");
}
