//! Tests of the arguments: what each command line means, and what is refused.

use super::*;

fn parse_words(words: &[&str]) -> Result<Invocation, UsageError> {
    let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    parse(&arguments)
}

/// Parses a command line that must be a run.
fn run(words: &[&str]) -> Args {
    match parse_words(words) {
        Ok(Invocation::Run(args)) => *args,
        other => panic!("{words:?}: {other:?}"),
    }
}

#[test]
fn the_options_are_consistent() {
    Args::command().debug_assert();
}

#[test]
fn options_may_stand_anywhere_and_words_need_no_quotes() {
    for words in [
        &["what", "is", "this", "-m", "x", "--tools=read,bash", "-p"][..],
        &["-p", "--model", "x", "what", "is", "this", "--tools", "read, bash"],
        &["what", "--model=x", "is", "-p", "this", "--tools", "read,bash,read"],
    ] {
        let args = run(words);
        assert_eq!(args.message, ["what", "is", "this"], "{words:?}");
        assert_eq!(args.model.as_deref(), Some("x"));
        assert_eq!(args.tools, Some(ToolNames(vec!["read".to_owned(), "bash".to_owned()])));
        assert!(args.print);
    }
}

#[test]
fn every_option_is_read() {
    let args = run(&[
        "--model=m",
        "--base-url=u",
        "--api-key=k",
        "--thinking=high",
        "--timeout=1.5",
        "--print",
        "--mode=rpc",
        "--frontend=basic",
        "--shutdown-grace=0",
        "--continue",
        "--no-session",
        "--tools=read",
        "--no-tools",
        "--system=-s",
        "--no-context-files",
        "--trust",
        "--isolated",
        "--debug",
        "hello",
    ]);
    let expected = Args {
        message: vec!["hello".to_owned()],
        model: Some("m".to_owned()),
        base_url: Some("u".to_owned()),
        api_key: Some("k".to_owned()),
        thinking: Some(ThinkingLevel::High),
        timeout: Some(Duration::from_millis(1500)),
        print: true,
        mode: Some(Mode::Rpc),
        frontend: Some("basic".to_owned()),
        shutdown_grace: Some(Duration::ZERO),
        continue_session: true,
        resume: None,
        no_session: true,
        tools: Some(ToolNames(vec!["read".to_owned()])),
        no_tools: true,
        system: Some("-s".to_owned()),
        no_context_files: true,
        trust: true,
        isolated: true,
        init: false,
        debug: true,
    };
    assert_eq!(args, expected);
}

#[test]
fn one_session_goes_on_or_none() {
    assert_eq!(run(&["--resume", "3"]).resume.as_deref(), Some("3"));
    for words in [&["-c", "--resume", "3"][..], &["--resume=3", "hi", "--continue"]] {
        let error = parse_words(words).unwrap_err().to_string();
        assert!(error.contains("--continue") && error.contains("--resume"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_last_of_a_repeated_option_counts() {
    assert_eq!(run(&["-m", "a", "x", "-m", "b"]).model.as_deref(), Some("b"));
}

#[test]
fn a_subcommand_is_the_very_first_word_only() {
    for (words, expected) in [
        (&["trust"][..], Invocation::Trust(None)),
        (&["trust", "a b"], Invocation::Trust(Some("a b".into()))),
        (&["untrust", "/x"], Invocation::Untrust(Some("/x".into()))),
    ] {
        assert_eq!(parse_words(words), Ok(expected), "{words:?}");
    }
    for (words, message) in [
        (&["--", "run", "the", "tests"][..], &["run", "the", "tests"][..]),
        (&["-p", "run", "the", "tests"], &["run", "the", "tests"]),
        (&["please", "install", "it"], &["please", "install", "it"]),
        (&["running"], &["running"]),
        (&["--", "--help"], &["--help"]),
        (&["what", "is", "-5", "+", "3"], &["what", "is", "-5", "+", "3"]),
        (&["/etc/hosts", "is", "odd"], &["/etc/hosts", "is", "odd"]),
        (&[], &[]),
    ] {
        assert_eq!(run(words).message, message, "{words:?}");
    }
}

#[test]
fn the_commands_about_plugins_are_read() {
    let install = |place, keeping| {
        Invocation::Packages(PackageCommand::Install { spec: "x>=1".to_owned(), place, keeping })
    };
    let run = |tool: Option<&str>, arguments: &[&str], place| {
        let arguments = arguments.iter().map(OsString::from).collect();
        let tool = tool.map(OsString::from);
        Invocation::Packages(PackageCommand::RunTool { tool, arguments, place })
    };
    let uninstall = PackageCommand::Uninstall { name: "x".to_owned(), place: Place::Project };
    for (words, expected) in [
        (&["install", "x>=1"][..], install(Place::User, Keeping::Copy)),
        (&["install", "--link", "x>=1", "--project"], install(Place::Project, Keeping::Link)),
        (&["uninstall", "--project", "x"], Invocation::Packages(uninstall)),
        (&["plugins"], Invocation::Packages(PackageCommand::List)),
        (&["run"], run(None, &[], Place::User)),
        (&["run", "--list"], run(None, &[], Place::User)),
        (&["run", "t"], run(Some("t"), &[], Place::User)),
        (&["run", "--", "t"], run(Some("t"), &[], Place::User)),
        (
            &["run", "--project", "t", "--list", "--", "-h", ""],
            run(Some("t"), &["--list", "--", "-h", ""], Place::Project),
        ),
        (&["run", "t", "--help"], run(Some("t"), &["--help"], Place::User)),
    ] {
        assert_eq!(parse_words(words), Ok(expected), "{words:?}");
    }
}

#[test]
fn version_help_and_init_are_recognised_anywhere() {
    for words in [&["--version"][..], &["-V"], &["hello", "--version"]] {
        assert_eq!(parse_words(words), Ok(Invocation::Version), "{words:?}");
    }
    for words in [&["--init"][..], &["--init", "-m", "x"]] {
        assert_eq!(parse_words(words), Ok(Invocation::Init), "{words:?}");
    }
    for words in [
        &["--help"][..],
        &["-h"],
        &["x", "--help"],
        &["trust", "--help"],
        &["install", "--help"],
        &["uninstall", "-h"],
        &["plugins", "--help"],
        &["run", "--help"],
    ] {
        assert!(matches!(parse_words(words), Ok(Invocation::Help(_))), "{words:?}");
    }
}

#[test]
fn wrong_usage_is_one_line_that_says_what_would_be_right() {
    for (words, part) in [
        (&["--thinking", "bogus"][..], "'bogus' for '--thinking <LEVEL>': use off, minimal, low"),
        (&["--mode", "zzz", "x"], "'zzz' for '--mode <chat|rpc>': use chat or rpc"),
        (&["--timeout", "-1"], "'-1' for '--timeout <SECONDS>': use a number of seconds above 0"),
        (&["--timeout", "0"], "above 0"),
        (&["--timeout", "soon"], "above 0"),
        (&["--timeout", "inf"], "above 0"),
        (&["--timeout", "1e300"], "above 0"),
        (&["--shutdown-grace", "-1"], "use a number of seconds"),
        (&["--model", ""], "it must not be empty"),
        (&["--model"], "value is required for '--model <NAME>'"),
        (&["--moddel", "x"], "'--moddel' found; did you mean --model?"),
        (&["-x"], "'-x' found"),
        (&["--trust=1"], "'--trust'"),
        (&["trust", "a", "b"], "letscode -- trust ..."),
        (&["trust", "--all"], "takes one directory at most"),
        (&["mcp", "what"], "mcp knows list, add, remove and test, not what"),
        (&["install"], "install takes one SPEC, --project and --link (try letscode install --help"),
        (&["install", "a", "b"], "for a message that begins with that word: letscode -- install"),
        (&["install", "-r", "x"], "install takes one SPEC"),
        (&["install", ""], "install takes one SPEC"),
        (&["uninstall"], "uninstall takes one NAME"),
        (&["uninstall", "x", "--link"], "uninstall takes one NAME"),
        (&["plugins", "x"], "plugins takes no arguments, or enable or disable"),
        (&["run", "--list", "x"], "run takes --project or --list, then a tool"),
        (&["run", "--all", "x"], "run takes --project or --list, then a tool"),
        (&["completions"], "completions takes one shell of bash, elvish, fish, powershell, zsh"),
        (&["completions", "cmd"], "completions takes one shell"),
        (&["completions", "bash", "zsh"], "letscode -- completions"),
    ] {
        let error = parse_words(words).unwrap_err().to_string();
        assert!(error.contains(part), "{words:?}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_utf8_are_wrong_usage() {
    use std::os::unix::ffi::OsStringExt as _;
    let error = parse(&[OsString::from_vec(vec![0xff])]).unwrap_err().to_string();
    assert!(error.contains("UTF-8") && !error.contains('\n'), "{error}");
}

#[test]
fn the_help_names_every_option_that_is_not_hidden_and_is_narrow() {
    let Ok(Invocation::Help(help)) = parse_words(&["--help"]) else { panic!("no help") };
    for argument in Args::command().get_arguments().filter(|argument| !argument.is_hide_set()) {
        let Some(name) = argument.get_long() else { continue };
        assert!(help.contains(&format!("--{name}")), "{name}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    assert!(help.lines().count() <= 70, "{help}");
}

#[test]
fn completions_are_for_a_shell_of_that_name() {
    for (name, shell) in [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish)] {
        let arguments = ["completions", name].map(OsString::from);
        assert_eq!(parse(&arguments), Ok(Invocation::Completions(shell)));
    }
    let help = parse(&["completions", "--help"].map(OsString::from));
    assert!(matches!(help, Ok(Invocation::Help(text)) if text.contains("bash|elvish|fish")));
}
