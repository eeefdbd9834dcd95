//! Tests of which rules let a call through, and which are suggested.

use super::*;
use serde_json::json;

fn surroundings() -> Surroundings {
    Surroundings::new(Path::new("/nowhere/project"), Some("/nowhere/home".into()), Path::new("/"))
}

fn subject(tool: &str, argument: &str) -> Subject {
    let name = if tool == "bash" { "command" } else { "path" };
    let arguments = json!({name: argument}).as_object().cloned().unwrap();
    let call = ToolCall { id: "c".into(), name: tool.to_owned(), arguments };
    Subject::of(&call, &surroundings())
}

fn is_admitted(rules: &[&str], tool: &str, argument: &str) -> bool {
    let rules: Vec<Rule> = rules.iter().map(|text| Rule::parse(text).unwrap()).collect();
    let rules: Vec<&Rule> = rules.iter().collect();
    subject(tool, argument).is_admitted(&rules, &surroundings())
}

#[test]
fn a_command_runs_when_each_part_of_it_may() {
    let rules = ["bash:cargo test *", "bash:ls *", "bash:echo *"];
    for (command, expected) in [
        ("cargo test", true),
        ("cargo test --lib foo 2>&1", true),
        ("cargo test && ls -l", true),
        ("cargo test | ls; echo 'a; rm x'", true),
        ("ls *.rs $HOME", true),
        ("", true),
        ("cargo testx", false),
        ("cargo build", false),
        ("cargo test; rm x", false),
        ("cargo test && rm x", false),
        ("cargo test || rm x", false),
        ("cargo test | rm x", false),
        ("cargo test & rm x", false),
        ("cargo test\nrm x", false),
        ("cargo test $(rm x)", false),
        ("cargo test `rm x`", false),
        ("cargo test \"$(rm x)\"", false),
        ("cargo test > file", false),
        ("cargo test < <(rm x)", false),
        ("X=1 cargo test", false),
        ("env X=1 cargo test", false),
        ("/bin/cargo test", false),
        ("./cargo test", false),
        ("$X test", false),
        ("cargo $X", false),
        ("cargo te*", false),
        ("cargo test &", false),
        ("(cargo test)", false),
        ("cargo test 'a", false),
        ("eval cargo test", false),
        ("ls -l\\\n; rm x", false),
        ("ls # \nrm x", false),
    ] {
        assert_eq!(is_admitted(&rules, "bash", command), expected, "{command}");
    }
}

#[test]
fn no_pattern_admits_what_cannot_be_read_and_the_bare_tool_does() {
    for command in ["a $(b)", "a > b", "a 'b", "a &", "eval b", "if a; then b; fi", "cat <<E\nE"] {
        assert!(!is_admitted(&["bash:*", "bash:a *"], "bash", command), "{command}");
        assert!(is_admitted(&["bash"], "bash", command), "{command}");
        assert!(is_admitted(&[&format!("bash={command}")], "bash", command), "{command}");
    }
    assert!(!is_admitted(&["bash=a > b"], "bash", "a > b; c"));
    assert!(is_admitted(&["*"], "bash", "a $(b)"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the folder must be there")]
fn only_the_way_to_the_working_directory_needs_no_rule() {
    let rules = ["bash:cargo test *", "bash:git status", "bash:./run"];
    for (command, expected) in [
        ("cd . && cargo test", true),
        ("cd /nowhere/project && cargo test", true),
        ("cd /nowhere/project && cd /nowhere/project/sub/.. && cargo test", true),
        ("cd /nowhere/project && ./run", true),
        ("cd sub && git status", false),
        ("cd sub && cargo test", false),
        ("cd sub/.. && cargo test", false),
        ("cd /nowhere/project/sub && cargo test", false),
        ("cd .. && cargo test", false),
        ("cd sub && cd .. && cargo test", false),
        ("cd / && cargo test", false),
        ("cd - && cargo test", false),
        ("cd ~ && cargo test", false),
        ("cd $X && cargo test", false),
        ("cd && cargo test", false),
        ("./run", true),
        ("cd sub && ./run", false),
    ] {
        // The folder has to be there for that to be known.
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        let surroundings = Surroundings::new(&root, None, &root);
        let command = command.replace("/nowhere/project", root.to_str().unwrap());
        let rules: Vec<Rule> = rules.iter().map(|text| Rule::parse(text).unwrap()).collect();
        let rules: Vec<&Rule> = rules.iter().collect();
        let reading = shell::read(&command);
        let subject = Subject::Command { command: command.clone(), reading };
        assert_eq!(subject.is_admitted(&rules, &surroundings), expected, "{command}");
    }
}

#[test]
fn files_are_admitted_by_where_they_are() {
    for (rules, tool, path, expected) in [
        (&["write"][..], "write", "src/a", true),
        (&["write"], "edit", "src/a", false),
        (&["write"], "write", "../a", false),
        (&["write"], "write", "/etc/a", false),
        (&["write:src/*"], "write", "src/a/b", true),
        (&["write:src/*"], "write", "src/../b", false),
        (&["write:src/*"], "write", "other/src/a", false),
        (&["write:*"], "write", "/etc/a", false),
        (&["write:/etc/*"], "write", "/etc/a", true),
        (&["write:/etc/*"], "write", "/etc/../b", false),
        (&["write:~/notes/*"], "write", "/nowhere/home/notes/a", true),
        (&["write:./src"], "write", "src/a/b", true),
        (&["write:src/"], "write", "src2/a", false),
        (&["write:~/notes"], "write", "~/notes/a", true),
        (&["write:/"], "write", "/etc/a", true),
        (&["write=src/a"], "write", "src/a", true),
        (&["write=src/*"], "write", "src/a", false),
        (&["write"], "write", ".git/hooks/x", false),
        (&["write:*"], "write", "sub/.git/x", false),
        (&["write:.git/hooks/*"], "write", ".git/hooks/x", true),
        (&["write:/nowhere/*"], "write", "~/.letscode/config.toml", false),
        (&["write"], "write", ".letscode/config.toml", false),
        (&["read"], "read", ".git/config", true),
        (&["*"], "write", "src/a", true),
    ] {
        assert_eq!(is_admitted(rules, tool, path), expected, "{rules:?} {tool} {path}");
    }
}

#[test]
fn other_tools_are_admitted_by_name() {
    for (rules, tool, expected) in [
        (&["mcp_*"][..], "mcp_x", true),
        (&["mcp_*"], "other", false),
        (&["mcp_x"], "mcp_xy", false),
        (&["bash"], "bashful", false),
    ] {
        assert_eq!(is_admitted(rules, tool, "x"), expected, "{rules:?} {tool}");
    }
}

#[test]
fn what_is_suggested_admits_the_call_and_says_what_more() {
    for (tool, argument, expected) in [
        ("bash", "cargo test --lib a", &["bash:cargo test *"][..]),
        ("bash", "cargo test a; cargo test b", &["bash:cargo test *"]),
        ("bash", "cargo test && git status", &["bash:cargo test *", "bash:git status *"]),
        ("bash", "npm run build -- -x", &["bash:npm run build *"]),
        ("bash", "cargo run x", &["bash=cargo run x"]),
        ("bash", "uv run python x", &["bash=uv run python x"]),
        ("bash", "git -c a=b status", &["bash=git -c a=b status"]),
        ("bash", "rm -rf build", &["bash=rm -rf build"]),
        ("bash", "cargo test && rm x", &["bash=cargo test && rm x"]),
        ("bash", "ls *.rs", &["bash=ls *.rs"]),
        ("bash", "a > b", &["bash=a > b"]),
        ("write", "src/a", &["write", "edit"]),
        ("edit", "src/a", &["write", "edit"]),
        ("write", ".git/hooks/x", &["write=.git/hooks/x"]),
        ("read", "/nowhere/x/a", &["read:/nowhere/x/*"]),
        ("write", "/nowhere/x/a", &["write=/nowhere/x/a"]),
        ("write", "file:///x", &[]),
        ("read", "/nowhere/*/a", &["read=/nowhere/*/a"]),
        ("read", "/nowhere/x/*", &["read:/nowhere/x/*"]),
        ("read", "/nofile", &["read=/nofile"]),
        ("read", "/nowhere/x\u{1}/a", &[]),
        ("write", "/nowhere/*", &["write=/nowhere/*"]),
        ("mcp_x", "x", &["mcp_x"]),
        ("write:.git", "x", &[]),
        ("bash:touch", "x", &[]),
        ("bash=touch", "x", &[]),
        ("mcp_*", "x", &[]),
        ("a b", "x", &[]),
        ("", "x", &[]),
    ] {
        let suggested = subject(tool, argument).suggestion(&[], &surroundings());
        let texts: Vec<String> = suggested.iter().map(Rule::to_string).collect();
        assert_eq!(texts, expected, "{tool} {argument}");
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(texts.is_empty() || is_admitted(&texts, tool, argument));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the folder must be there")]
fn a_file_may_be_moved_by_what_names_it_or_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let surroundings = Surroundings::new(folder.path(), None, Path::new("/"));
    let of = |tool: &str, name: &str, argument: &str| {
        let arguments = json!({name: argument}).as_object().cloned().unwrap();
        let call = ToolCall { id: "c".into(), name: tool.to_owned(), arguments };
        (Subject::of(&call, &surroundings), call)
    };
    for (tool, name, argument, path, expected) in [
        ("bash", "command", "ln -s ../outside lnk", "lnk/f", true),
        ("bash", "command", "ln -s ../outside lnk", "./lnk", true),
        ("bash", "command", "ln -s /etc/passwd 'src/new'", "src/new", true),
        ("bash", "command", "rm -r src && ln -s ../outside src", "src/a", true),
        ("bash", "command", "tar xf all.tar", "unpacked/f", true),
        ("mcp_link", "to", "src", "src/a", true),
        ("bash", "command", "cargo test", "src/a", false),
        ("bash", "command", "cargo test --test src2", "src/a", false),
        ("bash", "command", "ls src; cat src/a | head; git diff src", "src/a", false),
        ("bash", "command", "cat src/a > src/b", "src/b", true),
        ("write", "path", "src/a", "src/a", false),
    ] {
        let (before, call) = of(tool, name, argument);
        let moving = before.may_move_files(&call);
        let (file, _) = of("read", "path", path);
        let is_moved = moving.is_some_and(|text| file.may_be_moved_by(&text));
        assert_eq!(is_moved, expected, "{argument}: {path}");
    }
}

#[test]
fn a_project_within_a_guarded_folder_is_guarded() {
    let hooks = Surroundings::new(Path::new("/nowhere/x/.git/hooks"), None, Path::new("/"));
    let arguments = json!({"path": "post-commit"}).as_object().cloned().unwrap();
    let call = ToolCall { id: "c".into(), name: "write".to_owned(), arguments };
    let subject = Subject::of(&call, &hooks);
    for (rule, expected) in [
        ("write", false),
        ("write:*", false),
        ("write:post-commit", false),
        ("write:/nowhere/*", false),
        ("write:/nowhere/x/.git/*", true),
    ] {
        let rule = Rule::parse(rule).unwrap();
        assert_eq!(subject.is_admitted(&[&rule], &hooks), expected, "{rule}");
    }
    let suggested = subject.suggestion(&[], &hooks);
    assert_eq!(suggested, [Rule::with("write", "/nowhere/x/.git/hooks/post-commit".to_owned())]);
}

proptest::proptest! {
    #[test]
    fn what_is_offered_for_any_tool_is_read_back_as_the_same_rule(
        tool in "[a-z:=* .\n-]{0,8}|bash[:=* ].{0,3}|.{0,6}",
    ) {
        let suggested = subject(&tool, "x").suggestion(&[], &surroundings());
        for rule in suggested {
            proptest::prop_assert_eq!(Rule::parse(&rule.to_string()), Ok(rule.clone()));
            let other = format!("{tool}x");
            proptest::prop_assert!(!rule.admits_all_of(&other), "{} admits {}", rule, other);
        }
    }

    #[test]
    fn what_is_offered_for_a_file_elsewhere_lets_nothing_else_be_read_but_its_folder(
        folder in "(/[a-c* ~:=]{1,5}){0,3}", name in "[a-c*]{1,4}", other in "(/[a-c]{1,3}){1,3}",
    ) {
        let given = format!("/nowhere/elsewhere{folder}/{name}");
        let suggested = subject("read", &given).suggestion(&[], &surroundings());
        let rules: Vec<&Rule> = suggested.iter().collect();
        let is_read = subject("read", &other).is_admitted(&rules, &surroundings());
        proptest::prop_assert!(!is_read, "{:?} lets {} be read", suggested, other);
        let beside = format!("/nowhere/elsewhere{folder}x/{name}");
        let is_read = subject("read", &beside).is_admitted(&rules, &surroundings());
        proptest::prop_assert!(!is_read, "{:?} lets {} be read", suggested, beside);
    }

    #[test]
    fn whatever_is_appended_needs_leave_of_its_own(
        tail in "[a-z \n;|&$\\(\\)'\"\\\\#<>`{}=~*-]{0,12}",
    ) {
        // Only the program `a` may run: whatever runs `rm` has to be asked about.
        let command = format!("a {tail}");
        for joint in [";", "&&", "||", "|", "\n", "&", "$(", "`", "\"$(", "'';"] {
            let command = format!("{command}{joint}rm x");
            if is_admitted(&["bash:a *"], "bash", &command) {
                let parts = shell::read(&command).parts;
                let programs: Vec<&str> = parts.iter().map(|part| part.words[0].as_str()).collect();
                proptest::prop_assert!(programs.iter().all(|program| *program == "a"), "{}", command);
                proptest::prop_assert!(command.contains(['\'', '"', '#', '\\']), "{}", command);
            }
        }
    }
}
