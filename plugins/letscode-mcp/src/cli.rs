//! `letscode mcp list|add|remove|test`: servers shown, changed and tried from the command line.
//!
//! Owns the words of these commands and the changes to the text of a configuration. Must not read or
//! write a file: whoever calls does.

mod edit;
mod run;
#[cfg(test)]
mod tests;

pub use edit::{EditError, add, remove};
pub use run::{Outcome, list, test};

use std::collections::BTreeMap;
use url::Url;

/// What `letscode mcp` is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Say how it is used.
    Help,
    /// List the servers of the configuration.
    List,
    /// Add a server to the user's configuration.
    Add(NewServer),
    /// Take a server out of the user's configuration.
    Remove(String),
    /// Start these servers, all where none is named, and say what they have.
    Test(Vec<String>),
}

/// A server to add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewServer {
    /// Its name.
    pub name: String,
    /// The program, or an address.
    pub command: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Variables of the program, or headers of each request.
    pub pairs: BTreeMap<String, String>,
    /// Where the program runs.
    pub cwd: Option<String>,
    /// What stands before its tools' names.
    pub prefix: Option<String>,
}

/// How `letscode mcp` is used.
pub const HELP: &str = "\
Usage: letscode mcp list
       letscode mcp add NAME [OPTIONS] COMMAND [ARG]...
       letscode mcp add NAME [OPTIONS] URL
       letscode mcp remove NAME
       letscode mcp test [NAME]...

Shows, adds and removes servers of the Model Context Protocol in ~/.letscode/config.toml, or starts
them and says what they have.

Options of add, before the command:
  --env NAME=VALUE      Give the program this variable; '$OTHER' in the value stays a variable
  --header NAME=VALUE   Send this header with each request
  --cwd DIR             Run the program there
  --prefix TEXT         Put this before its tools' names instead of mcp_NAME_
";

/// Reads the words behind `letscode mcp`.
///
/// # Errors
/// When they make no sense, in one line.
pub fn parse(words: &[String]) -> Result<Request, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["--help" | "-h", ..] | [_, "--help" | "-h"] => Ok(Request::Help),
        ["list"] => Ok(Request::List),
        ["add", rest @ ..] => parse_add(rest).map(Request::Add),
        ["remove", name] => Ok(Request::Remove((*name).to_owned())),
        ["test", names @ ..] => {
            Ok(Request::Test(names.iter().map(|name| (*name).to_owned()).collect()))
        }
        ["list" | "remove", ..] => {
            Err("that is not how it is used; see letscode mcp --help".into())
        }
        [word, ..] => Err(format!("mcp knows list, add, remove and test, not {word}")),
    }
}

fn parse_add(words: &[&str]) -> Result<NewServer, String> {
    let usage = "say a name and a command or an address; see letscode mcp --help";
    let [name, rest @ ..] = words else { return Err(usage.into()) };
    let mut server = NewServer { name: (*name).to_owned(), ..NewServer::default() };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.starts_with('-') {
        return Err(format!("the name stands before {name}; see letscode mcp --help"));
    }
    if name.is_empty() || !name.chars().all(legal) {
        return Err(format!("{name}: a name may hold letters, digits, `_`, `-` and `.` only"));
    }
    let mut words = rest.iter();
    let (mut env, mut headers) = (false, false);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--env" | "--header" => {
                let is_env = *word == "--env";
                let (key, value) =
                    pair(value()?, is_env).ok_or_else(|| format!("{word} needs NAME=VALUE"))?;
                server.pairs.insert(key.to_owned(), value.to_owned());
                *(if is_env { &mut env } else { &mut headers }) = true;
            }
            "--cwd" => server.cwd = Some((*value()?).to_owned()),
            "--prefix" => server.prefix = Some((*value()?).to_owned()),
            "--" => {
                server.command = (*value()?).to_owned();
                break;
            }
            option if option.starts_with('-') => {
                return Err(format!("mcp add has no option {option}; see letscode mcp --help"));
            }
            command => {
                server.command = command.to_owned();
                break;
            }
        }
    }
    server.args = words.map(|word| (*word).to_owned()).collect();
    match (server.command.is_empty(), server.is_http()) {
        (true, _) => Err(usage.into()),
        (false, false) if server.command.contains("://") => {
            Err("an address must begin with http:// or https://".into())
        }
        (false, true) if let Err(error) = Url::parse(&server.command) => {
            Err(format!("{} is no address: {error}", server.command))
        }
        (false, true) if !server.args.is_empty() => Err("an address takes no arguments".into()),
        (false, true) if env || server.cwd.is_some() => {
            Err("--env and --cwd are for programs; an address takes --header".into())
        }
        (false, false) if headers => {
            Err("--header is for an address; a program takes --env".into())
        }
        _ => Ok(server),
    }
}

/// Splits `NAME=VALUE`; a header may be written with a colon, as it is sent.
fn pair(text: &str, is_env: bool) -> Option<(&str, &str)> {
    let at = text.find(|c| c == '=' || (c == ':' && !is_env))?;
    let (key, value) = (text.get(..at)?.trim(), text.get(at + 1..)?);
    let value = if is_env { value } else { value.trim() };
    let legal = is_env || http::HeaderName::try_from(key).is_ok();
    (!key.is_empty() && legal).then_some((key, value))
}

impl NewServer {
    /// Returns whether the server is there already, at an address.
    pub fn is_http(&self) -> bool {
        self.command.starts_with("http://") || self.command.starts_with("https://")
    }
}
