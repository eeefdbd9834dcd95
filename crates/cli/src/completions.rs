//! Scripts that let a shell complete the command line.
//!
//! Owns the making of the script. The options are those of `args`.

use crate::args::{Args, SUBCOMMANDS};
use crate::thinking::ThinkingLevel;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

/// Returns the script for a shell.
pub(crate) fn script(shell: Shell) -> String {
    let mut command = Args::command()
        .subcommands(SUBCOMMANDS.map(Command::new))
        .mut_arg("mode", |arg| arg.value_parser(["chat", "rpc"]))
        .mut_arg("thinking", |arg| arg.value_parser(ThinkingLevel::ALL.map(ThinkingLevel::as_str)));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "letscode", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn the_script_of_every_shell_knows_the_options_and_the_subcommands() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for word in ["base-url", "thinking", "no-session", "untrust", "completions"] {
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
