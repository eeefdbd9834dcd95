//! `/permissions`: the rules in force, and the way to take back what was answered.
//!
//! Owns the words of the command. Must not judge calls.

use crate::guard::Guard;
use crate::question::clean;
use crate::rule::Rule;
use letscode_plugin::Error;
use std::fmt::Write as _;

/// How the arguments are written.
pub(crate) const USAGE: &str = "[forget NUMBER | clear]";

/// Runs the command.
pub(crate) fn run(guard: &Guard, typed: &str) -> Result<String, Error> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    match words.as_slice() {
        [] => Ok(list(guard)),
        ["clear"] => {
            let rules = answered(guard)?;
            forget(guard, &rules)?;
            Ok(match rules.len() {
                0 => "nothing was remembered".to_owned(),
                1 => "1 rule is forgotten".to_owned(),
                count => format!("{count} rules are forgotten"),
            })
        }
        ["forget", number] => {
            let rules = answered(guard)?;
            let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let rule = place.and_then(|place| rules.get(place)).ok_or_else(|| {
                Error::new(format!("there is no rule {number}; /permissions lists them"))
            })?;
            forget(guard, std::slice::from_ref(rule))?;
            Ok(format!("forgotten: allow {}", line(rule)))
        }
        _ => Err(Error::new(format!("that is not how it is used: /permissions {USAGE}"))),
    }
}

fn list(guard: &Guard) -> String {
    let mut text = String::new();
    let settings = &guard.settings;
    let config = "config.toml";
    for (word, rules) in
        [("deny", &settings.deny), ("ask", &settings.ask), ("allow", &settings.allow)]
    {
        rules.iter().for_each(|rule| add(&mut text, "", word, &line(rule), config));
    }
    add(&mut text, "", "allow", "read, in the working directory", "built in");
    let session = guard.session_rules();
    let kept = guard.memory.as_ref().map(crate::memory::Memory::rules).transpose();
    let kept_rules = kept.as_ref().ok().cloned().flatten().unwrap_or_default();
    let all = session.iter().map(|rule| (rule, "this session"));
    let all = all.chain(kept_rules.iter().map(|rule| (rule, "always in this project")));
    for (number, (rule, origin)) in (1..).zip(all) {
        add(&mut text, &number.to_string(), "allow", &line(rule), origin);
    }
    add(&mut text, "", settings.default.word(), "all else", "");
    if settings.is_broken {
        text.push_str("[permissions] has faults: nothing is run unasked\n");
    }
    if let Err(error) = kept {
        text.push_str(&format!("{error}: what it allows is asked about\n"));
    }
    if !session.is_empty() || !kept_rules.is_empty() {
        text.push_str(
            "/permissions forget NUMBER takes one back, /permissions clear all of them\n",
        );
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns what the user allowed by answers, in the order of the list.
fn answered(guard: &Guard) -> Result<Vec<Rule>, Error> {
    let mut rules = guard.session_rules();
    if let Some(memory) = &guard.memory {
        rules.extend(memory.rules()?);
    }
    Ok(rules)
}

fn forget(guard: &Guard, rules: &[Rule]) -> Result<(), Error> {
    guard.forget_session(rules);
    match &guard.memory {
        Some(memory) if !rules.is_empty() => Ok(memory.remove(rules)?),
        _ => Ok(()),
    }
}

fn line(rule: &Rule) -> String {
    clean(&rule.to_string()).replace('\n', "\\n")
}

fn add(text: &mut String, number: &str, word: &str, rule: &str, origin: &str) {
    let origin = if origin.is_empty() { String::new() } else { format!("  ({origin})") };
    // Writing into a text does not fail.
    let _ = writeln!(text, "{number:>3} {word:<5} {rule}{origin}");
}
