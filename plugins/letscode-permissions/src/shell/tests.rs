//! Tests of the reader: tables, properties, and the shell itself as the judge.

use super::*;
use proptest::prelude::*;

fn suspects(command: &str) -> Vec<String> {
    read(command).suspects.for_pattern("x").map(str::to_owned).collect()
}

fn texts(command: &str) -> Vec<String> {
    read(command).parts.into_iter().map(|part| part.text).collect()
}

#[test]
fn what_can_be_known_is_read() {
    for (command, expected) in [
        ("", &[][..]),
        ("ls", &["ls"]),
        ("  ls   -l\t a ", &["ls -l a"]),
        ("a;b", &["a", "b"]),
        ("a && b || c | d |& e\nf", &["a", "b", "c", "d", "e", "f"]),
        ("a \\\n b", &["a b"]),
        ("c a\\ b", &["c a b"]),
        ("git commit -m 'a; b && c'", &["git commit -m a; b && c"]),
        ("git commit -m \"it's \\\"fine\\\" \\n\"", &["git commit -m it's \"fine\" \\n"]),
        ("echo a#b # c; rm x\nls", &["echo a#b", "ls"]),
        ("r'm' x", &["rm x"]),
        ("a >/dev/null 2>&1", &["a"]),
        ("a 2> /dev/null; b 2>&- &>/dev/null", &["a", "b"]),
        ("a 12", &["a 12"]),
        ("echo $HOME/x ${A}b \"$C\"", &["echo \0/x \0b \0"]),
        ("ls *.rs a?b ~/x a~", &["ls \0.rs a\0b \0/x a~"]),
        ("ls x[ab]c {a,b}d", &["ls x\0\u{1}"]),
        ("echo 100$ \"5$\"", &["echo 100$ 5$"]),
        ("git $X push $Y$Z", &["git\u{1} push\u{1}"]),
        ("git \"$X\" push", &["git \0 push"]),
        ("cargo test -- --nocapture", &["cargo test -- --nocapture"]),
    ] {
        let reading = read(command);
        let texts: Vec<&str> = reading.parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(reading.doubt, None, "{command}");
        let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(texts, expected, "{command}");
    }
}

#[test]
fn what_cannot_be_known_is_in_doubt() {
    for command in [
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"$(rm x)\"",
        "echo \"`rm x`\"",
        "diff <(a) b",
        "a > >(b)",
        "echo x > file",
        "echo x >> file",
        "echo x >| file",
        "echo x &> file",
        "echo x >& file",
        "wc < file",
        "a <> file",
        "a > $X",
        "cat << END\nrm x\nEND",
        "cat <<< x",
        "echo 'a",
        "echo \"a",
        "echo a\\",
        "eval rm x",
        ". ./x",
        "source x",
        "trap 'rm x' EXIT",
        "sleep 1 &",
        "a & b",
        "(a)",
        "{ a; }",
        "if a; then b; fi",
        "for x in a; do b; done",
        "! a",
        "[[ a ]]",
        "f() { a; }",
        "X=1 a",
        "X+=1",
        "PATH=/x",
        "$X a",
        "${X} a",
        "~/x",
        "/bin/r? x",
        "{rm,x}",
        "echo ${X:-$(rm x)}",
        "echo ${X@P}",
        "echo $'a'",
        "echo $\"a\"",
        "bash -c 'rm x'",
        "/bin/sh -ec 'rm x'",
        "'a b' c",
        "'' a",
        "a >",
        "a > > b",
        "a\0b",
        "x=(a b)",
        "test -v 'a[$(rm x)]'",
        "[ -v \"a[\\$(rm x)]\" ]",
        "printf -v 'a[`rm x`]' y",
        "unset 'a[$(rm x)]'",
        "coproc a",
        "time a",
        "$\\\nx a",
        "a $x\\\ny",
        "a \"$\\\nx\"",
    ] {
        assert!(read(command).doubt.is_some(), "{command}");
    }
}

#[test]
fn a_rule_against_a_command_is_held_against_all_its_disguises() {
    for command in [
        "rm x",
        "a; rm x",
        "a && rm x",
        "a || rm x",
        "a | rm x",
        "a & rm x",
        "a\nrm x",
        "a \\\n&& rm x",
        "/bin/rm x",
        "../rm x",
        "\\rm x",
        "r'm' x",
        "\"rm\" x",
        "X=1 rm x",
        "env X=1 rm x",
        "/usr/bin/env -i rm x",
        "sudo -u y rm x",
        "command rm x",
        "nohup rm x",
        "timeout 5 rm x",
        "find . -exec rm x",
        "echo x | xargs rm x",
        "(rm x)",
        "{ rm x; }",
        "! rm x",
        "if a; then rm x; fi",
        "while rm x; do a; done",
        "echo $(rm x)",
        "echo \"`rm x`\"",
        "echo \"a$(b \"$(rm x)\")\"",
        "diff <(rm x) b",
        "eval rm x",
        "eval 'rm' \"x\"",
        "eval \"r\"'m x'",
        "bash -c 'rm x'",
        "bash -c \"a; rm x\"",
        "sh << END\nrm x\nEND",
        "rm   x > y",
        "rm x # a",
        "su -c 'rm x'",
        "ssh h \"rm x\"",
        "watch 'rm x'",
    ] {
        let suspects = suspects(command);
        assert!(suspects.iter().any(|text| text.starts_with("rm x")), "{command}: {suspects:?}");
    }
    for command in ["echo rm x", "git commit -m 'a; rm x'", "echo a # ; rm x", "grep 'rm x' y"] {
        let suspects = suspects(command);
        assert!(!suspects.iter().any(|text| text.starts_with("rm x")), "{command}");
    }
}

#[test]
fn what_is_kept_of_a_long_command_grows_no_faster_than_it() {
    for command in
        [format!("eval {}", "a ".repeat(50_000)), format!("sudo {}", "/a/b ".repeat(50_000))]
    {
        let kept = read(&command).suspects;
        assert!(kept.text.len() < 4 * command.len());
    }
}

/// Returns text as one word of the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

proptest! {
    #[test]
    fn quoted_words_are_read_back_whatever_is_in_them(
        words in proptest::collection::vec("[ -~\n]{0,8}", 0..4),
    ) {
        let all: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let reading = read(&format!("cmd {}", all.join(" ")));
        prop_assert_eq!(reading.doubt, None);
        let mut expected = vec!["cmd".to_owned()];
        expected.extend(words);
        prop_assert_eq!(&reading.parts[0].words, &expected);
    }

    #[test]
    fn whatever_stands_before_or_behind_a_command_of_its_own_line_it_is_seen(
        before in "[a-c ;|&$\\(\\)'\"\\\\#<>]{0,8}", between in "[;|&\n]{1,2}",
    ) {
        let command = format!("{before}{between}rm x");
        let reading = read(&command);
        let is_seen = suspects(&command).iter().any(|text| text == "rm x");
        // In quotes or behind a `#` it is none, which only a command without a doubt can tell.
        let is_none = reading.doubt.is_none() && before.contains(['\'', '"', '#', '\\']);
        prop_assert!(is_seen || is_none, "{:?}: {:?}", command, reading);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn joined_commands_are_read_as_each_of_them(
        one in "[a-c]{1,3}( [a-c'\" -]{0,4})?", two in "[a-c]{1,3}", joint in "(;|&&|\\|\\||\\||\n)",
    ) {
        if read(&one).doubt.is_none() {
            let mut expected = texts(&one);
            expected.extend(texts(&two));
            prop_assert_eq!(texts(&format!("{one}{joint}{two}")), expected);
        }
    }
}

/// Asks bash which commands it would run.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the shell is the judge here")]
fn run_by_bash(command: &str, folder: &std::path::Path) -> Option<Vec<String>> {
    // Nothing is found on this path, so that nothing but this function runs.
    let script =
        format!("command_not_found_handle() {{ printf '\\001%s\\002' \"$*\"; }} >&3\n{command}");
    let log = folder.join("log");
    let judge = "exec 3>log; PATH=/nowhere; exec /bin/bash --norc -c \"$0\" </dev/null";
    let status = std::process::Command::new("/bin/bash")
        .args(["-c", judge, &script])
        .current_dir(folder)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    status.ok()?;
    let text = std::fs::read_to_string(log).ok()?;
    let runs = text.split('\u{1}').filter_map(|run| run.split_once('\u{2}'));
    Some(runs.map(|(run, _)| run.to_owned()).collect())
}

#[cfg(target_os = "linux")]
#[test]
fn the_judge_says_what_is_run() {
    let folder = tempfile::tempdir().unwrap();
    for (command, expected) in [
        ("x; y 'a b' | z", &["x", "y a b", "z"][..]),
        ("x $(y)", &["y", "x"]),
        ("if x; then y; fi", &["x", "y"]),
        ("echo x", &[]),
    ] {
        if let Some(mut runs) = run_by_bash(command, folder.path()) {
            let mut expected = expected.to_vec();
            runs.sort();
            expected.sort_unstable();
            assert_eq!(runs, expected, "{command}");
        }
    }
}

#[cfg(target_os = "linux")]
proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn without_a_doubt_bash_runs_nothing_else(
        command in "([x-z]|[x-z] |[;|&$'\"\\\\\n#<>\\(\\)`{}! ~*=-]|&&|\\|\\||;x|x#|\\\\\n|2>&1 |\\$\\(|if |\\{ ){1,9}",
    ) {
        let reading = read(&command);
        if reading.doubt.is_none() {
            let folder = tempfile::tempdir().unwrap();
            let known: Vec<String> = reading.parts.iter().map(|part| part.text.clone()).collect();
            for run in run_by_bash(&command, folder.path()).unwrap_or_default() {
                let is_known = known.iter().any(|text| crate::pattern::may_match(&run, text));
                prop_assert!(is_known, "{:?} runs {:?} beside {:?}", command, run, known);
            }
        }
    }
}
