//! What a rule against something may not see in a command.
//!
//! Owns the commands that run others out of what is no part of the text, and the other texts that a
//! command may amount to. Takes a command as doubtful rather than as harmless. Must not decide
//! anything.

use super::{HIDES_OTHERS, Part, SHELLS, Suspects, WRAPPERS, base_name};
use crate::pattern::UNKNOWN;

/// Programs with commands of their own, which are no programs.
pub(crate) const WITH_COMMANDS: [&str; 21] = [
    "apt", "brew", "bun", "cargo", "deno", "docker", "dotnet", "gh", "git", "go", "gradle", "just",
    "kubectl", "make", "mvn", "npm", "pip", "pnpm", "podman", "uv", "yarn",
];

/// Programs that take no other program among their arguments.
const RUNS_NOTHING: [&str; 32] = [
    "[", "basename", "cat", "cd", "cp", "cut", "diff", "dirname", "du", "echo", "egrep", "false",
    "fgrep", "file", "grep", "head", "less", "ls", "mkdir", "mv", "printf", "pwd", "rm", "rmdir",
    "stat", "tail", "test", "touch", "tr", "true", "wc", "which",
];

/// Programs that change no file.
const CHANGES_NOTHING: [&str; 24] = [
    "[", "basename", "cat", "cd", "cut", "diff", "dirname", "du", "echo", "egrep", "false",
    "fgrep", "file", "grep", "head", "ls", "printf", "pwd", "stat", "tail", "test", "true", "wc",
    "which",
];

/// Programs that may run what they read, or hand a text to a shell.
const RUNS_TEXT: [&str; 17] = [
    "at",
    "batch",
    "chroot",
    "crontab",
    "nsenter",
    "parallel",
    "runuser",
    "screen",
    "script",
    "setarch",
    "ssh",
    "su",
    "systemd-run",
    "tmux",
    "unshare",
    "watch",
    "xargs",
];

/// Options before a command that change what the command means.
const CHANGES_MEANING: [&str; 3] = ["-c", "--config", "--exec-path"];

/// How many words are looked at one by one.
const MOST_WORDS: usize = 200;

/// How many options before a command are looked at.
const MOST_OPTIONS: usize = 16;

/// Returns whether a simple command changes no file.
pub(super) fn changes_nothing(part: &Part) -> bool {
    let words: Vec<&str> = part.words.iter().take(2).map(String::as_str).collect();
    match words.as_slice() {
        ["git", "status" | "diff" | "log" | "show"] => true,
        [program, ..] => CHANGES_NOTHING.contains(program),
        [] => true,
    }
}

/// Returns why a simple command may run what no rule can see, where it may.
pub(super) fn hidden_in(part: &Part) -> Option<&'static str> {
    let name = base_name(part.words.first()?);
    if part.words.len() > MOST_WORDS {
        return Some("it has more words than anybody reads");
    }
    if SHELLS.contains(&name) {
        return Some("it starts a shell, which runs what it reads");
    }
    if RUNS_TEXT.contains(&name) {
        return Some("it may run a text that is not a command as it stands");
    }
    if (0..part.words.len()).filter_map(|place| part.words.get(place..)).any(changes_meaning) {
        return Some("an option before its command may change what the command means");
    }
    if runs_nothing(part) || WITH_COMMANDS.contains(&name) {
        return None;
    }
    let runs_text = |word: &String| {
        let name = base_name(word);
        [&SHELLS[..], &RUNS_TEXT, &HIDES_OTHERS].iter().any(|list| list.contains(&name))
            && name != "."
    };
    if part.words.iter().skip(1).any(runs_text) {
        return Some("it may start a shell, which runs what it reads");
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,@%+*?~^{}".contains(c) || c == UNKNOWN;
    let is_text = |word: &String| !word.chars().all(is_plain);
    let takes_names = name == "find";
    if WRAPPERS.contains(&name) && !takes_names && part.words.iter().skip(1).any(is_text) {
        return Some("it may hand a text to a shell");
    }
    None
}

/// Returns whether a simple command takes no other program; one with a path may be anything.
fn runs_nothing(part: &Part) -> bool {
    part.words.first().is_some_and(|program| RUNS_NOTHING.contains(&program.as_str()))
}

/// Returns whether words that begin with a program have an option that makes its command another.
fn changes_meaning(words: &[String]) -> bool {
    let has_commands = words.first().is_some_and(|word| WITH_COMMANDS.contains(&base_name(word)));
    let changes = |word: &&String| CHANGES_MEANING.iter().any(|option| word.starts_with(option));
    has_commands && before_commands(words).options.iter().any(changes)
}

/// Adds the texts to which a simple command may amount: behind any of its words where its program may
/// run others, and without the options before the command of each.
pub(super) fn add_likely(part: &Part, likely: &mut Suspects) {
    let Some(name) = part.words.first().map(|word| base_name(word)) else { return };
    if part.words.len() > MOST_WORDS {
        return;
    }
    let first_other = match name {
        _ if runs_nothing(part) => usize::MAX,
        name if WITH_COMMANDS.contains(&name) => 2,
        _ => 1,
    };
    for (place, program) in part.words.iter().enumerate() {
        if place > 0 && place < first_other {
            continue;
        }
        let Some(words) = part.words.get(place..) else { continue };
        if place > 0 {
            likely.add(&words.join(" "), /*may_begin_anywhere*/ false);
        }
        for rest in before_commands(words).rests {
            likely.add(&format!("{program} {}", rest.join(" ")), /*may_begin_anywhere*/ false);
        }
    }
}

struct BeforeCommand<'a> {
    /// The options before it.
    options: Vec<&'a String>,
    /// All that may be the command and its arguments, apart from what stands directly behind the
    /// program.
    rests: Vec<&'a [String]>,
}

/// Takes the options off that stand between a program and its command, each alone and with a value.
fn before_commands(words: &[String]) -> BeforeCommand<'_> {
    let mut before = BeforeCommand { options: Vec::new(), rests: Vec::new() };
    let mut may_begin = vec![false; words.len().min(MOST_OPTIONS * 2) + 2];
    if let Some(first) = may_begin.get_mut(1) {
        *first = true;
    }
    for place in 1..words.len() {
        if may_begin.get(place) != Some(&true) {
            continue;
        }
        if let Some(rest) = words.get(place..).filter(|_| place > 1) {
            before.rests.push(rest);
        }
        if let Some(option) = words.get(place).filter(|word| word.starts_with('-')) {
            before.options.push(option);
            may_begin.iter_mut().skip(place + 1).take(2).for_each(|it| *it = true);
        }
    }
    before
}
