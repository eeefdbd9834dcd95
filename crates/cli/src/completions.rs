//! Scripts that let a shell complete the command line.
//!
//! Owns the making of the script. The options are those of `args`.

use crate::args::{Args, SUBCOMMANDS};
use crate::thinking::ThinkingLevel;
use clap::{Arg, ArgAction, Command, CommandFactory as _, ValueHint};
use clap_complete::Shell;

/// Returns the script for a shell.
pub(crate) fn script(shell: Shell) -> String {
    let mut command = Args::command()
        .subcommands(SUBCOMMANDS.map(subcommand))
        .mut_arg("mode", |arg| arg.value_parser(["chat", "rpc"]))
        .mut_arg("thinking", |arg| arg.value_parser(ThinkingLevel::ALL.map(ThinkingLevel::as_str)));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "letscode", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns a subcommand with the options that it takes.
fn subcommand(name: &'static str) -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let path = |hint| Arg::new("path").value_hint(hint);
    let command = Command::new(name);
    match name {
        "install" => command.args([flag("project"), flag("link"), path(ValueHint::AnyPath)]),
        "uninstall" => command.arg(flag("project")),
        "run" => command.args([flag("project"), flag("list")]),
        "trust" | "untrust" => command.arg(path(ValueHint::DirPath)),
        _ => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn the_script_of_every_shell_knows_the_options_and_the_subcommands() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for word in ["base-url", "thinking", "no-session", "untrust", "completions", "link"] {
                assert!(script.contains(word), "{shell} {word}");
            }
        }
    }

    #[test]
    fn values_that_are_a_few_words_are_completed() {
        let script = script(Shell::Bash);
        for (option, words) in
            [("--mode", "chat rpc"), ("--thinking", "off minimal low medium high xhigh")]
        {
            let behind = script.split_once(&format!("{option})")).unwrap().1;
            let offered = behind.split_once(";;").unwrap().0;
            assert!(offered.contains(words) && !offered.contains("-f"), "{option}: {offered}");
        }
    }
}
