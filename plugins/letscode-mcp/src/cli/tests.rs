//! The words of `letscode mcp` and the changes to a configuration.

use super::*;
use serde_json::{Map, Value, json};
use std::path::Path;

fn words(line: &str) -> Vec<String> {
    line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn server(line: &str) -> NewServer {
    match parse(&words(line)).unwrap() {
        Request::Add(server) => server,
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_become_requests() {
    assert_eq!(parse(&[]), Ok(Request::Help));
    assert_eq!(parse(&words("list")), Ok(Request::List));
    assert_eq!(parse(&words("add --help")), Ok(Request::Help));
    assert_eq!(parse(&words("remove x")), Ok(Request::Remove("x".into())));
    assert_eq!(parse(&words("test a b")), Ok(Request::Test(vec!["a".into(), "b".into()])));
    let added = server("add fs --env A=b=c --cwd d --prefix p_ npx -y server --help");
    assert_eq!(added.command, "npx");
    assert_eq!(added.args, ["-y", "server", "--help"]);
    assert_eq!(added.pairs.get("A").unwrap(), "b=c");
    assert_eq!((added.cwd.as_deref(), added.prefix.as_deref()), (Some("d"), Some("p_")));
    assert_eq!(server("add fs -- -odd x").command, "-odd");
    for header in ["A=b:c=d", "A:b:c=d"] {
        let added = server(&format!("add web --header {header} http://h"));
        assert_eq!(added.pairs.get("A").unwrap(), "b:c=d", "{header}");
    }
}

#[test]
fn words_that_make_no_sense_say_what_to_do() {
    let cases = [
        ("what", "mcp knows list, add, remove and test, not what"),
        ("add", "say a name and a command"),
        ("add fs", "say a name and a command"),
        ("add a/b npx", "a/b: a name may hold"),
        ("add fs --env", "--env needs a value"),
        ("add fs --env A npx", "--env needs NAME=VALUE"),
        ("add fs --what npx", "no option --what"),
        ("add fs --header A=b npx", "--header is for an address"),
        ("add fs --env A=b http://h", "--env and --cwd are for programs"),
        ("add fs http://h x", "an address takes no arguments"),
        ("add fs ftp://h", "an address must begin with http:// or https://"),
        ("add fs http://", "http:// is no address: empty host"),
        ("add --env A=b fs npx", "the name stands before --env"),
        ("add fs --header =b http://h", "--header needs NAME=VALUE"),
        ("add fs --header b@d=b http://h", "--header needs NAME=VALUE"),
        ("remove", "not how it is used"),
    ];
    for (line, expected) in cases {
        let error = parse(&words(line)).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

const CONFIG: &str = "\
# my settings
model = \"m\" # the model

[mcp.servers.old] # keep
command = \"x\"

# the end
[keys]
";

#[test]
fn adding_keeps_every_comment_and_removing_takes_it_back() {
    let added = add(CONFIG, &server("add fs --env TOKEN=$TOKEN npx -y fs")).unwrap();
    insta::assert_snapshot!(added, @r#"
    # my settings
    model = "m" # the model

    [mcp.servers.old] # keep
    command = "x"

    [mcp.servers.fs]
    command = "npx"
    args = ["-y", "fs"]
    env = { TOKEN = "$TOKEN" }

    # the end
    [keys]
    "#);
    assert_eq!(remove(&added, "fs").unwrap(), CONFIG);
    let http = add("", &server("add web --header Authorization=x https://h/mcp")).unwrap();
    insta::assert_snapshot!(http, @r#"
    [mcp.servers.web]
    url = "https://h/mcp"
    headers = { Authorization = "x" }
    "#);
}

#[test]
fn tables_of_any_form_are_edited() {
    let inline = "mcp = { servers = { a = { command = \"x\" } } }\n";
    let added = add(inline, &server("add b y")).unwrap();
    let parsed: DocumentValue = added.parse().unwrap();
    assert!(parsed["mcp"]["servers"].get("b").is_some(), "{added}");
    let removed = remove(&added, "a").unwrap();
    assert!(!removed.contains("\"x\""), "{removed}");
}

type DocumentValue = toml_edit::DocumentMut;

#[test]
fn what_cannot_be_edited_is_left() {
    let fs = server("add old npx");
    let message = |result: Result<String, EditError>| result.unwrap_err().to_string();
    assert!(message(add(CONFIG, &fs)).contains("there is an MCP server old already"));
    assert!(message(remove(CONFIG, "none")).contains("there is no MCP server none"));
    assert!(message(add("x = ", &fs)).contains("not TOML"));
    assert!(message(add("mcp = 3", &fs)).contains("mcp in the config file is not a table"));
    assert!(message(add("[mcp]\nservers = 3", &fs)).contains("mcp.servers in the config"));
}

#[test]
fn a_list_shows_no_secret() {
    let table: Map<String, Value> = json!({"servers": {
        "b": {"command": "npx", "args": ["-y", "x"], "env": {"KEY": "abcdefgh1234"}},
        "a": {"url": "https://me:abcdefgh1234@h/mcp?key=abcdefgh1234", "headers": {"X": "abcdefgh1234"}},
        "c": {"command": "y", "disabled": true},
        "d": {},
    }})
    .as_object()
    .unwrap()
    .clone();
    let outcome = list(&table, Path::new("/project"));
    insta::assert_snapshot!(outcome.text, @r#"
    a: https://h/mcp
    b: npx -y x
    c: switched off
    mcp server "d" is left out: it has neither command nor url
    "#);
    assert!(!outcome.success);
    assert!(list(&Map::new(), Path::new("/")).text.contains("mcp add"));
}

#[test]
fn a_try_starts_the_servers_and_says_what_they_have() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/scripted.py");
    let table: Map<String, Value> = json!({"servers": {
        "good": {"command": "python3", "args": [script.to_str().unwrap()]},
        "gone": {"command": "/nowhere/at-all"},
    }})
    .as_object()
    .unwrap()
    .clone();
    let good = test(&table, Path::new("/"), &["good".into()]);
    assert!(good.success && good.text.starts_with("good: 15 tools, 1 prompts"), "{good:?}");
    assert!(good.text.contains("\n  mcp_good_echo\n"), "{good:?}");
    let all = test(&table, Path::new("/"), &[]);
    assert!(!all.success && all.text.contains("gone: left out: there is no program "), "{all:?}");
    let none = test(&table, Path::new("/"), &["none".into()]);
    assert_eq!(none.text, "there is no MCP server none; there are good, gone");
    assert!(!none.success);
}
