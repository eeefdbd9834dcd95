//! Changes to the text of a configuration that leave everything else as it was, comments too.
//!
//! Owns where a server's table goes. Must not read or write a file.

use super::NewServer;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// Why a configuration stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read.
    #[error("the config file is not TOML, so it is left as it is: {0}")]
    Syntax(String),
    /// Something else stands where servers would be.
    #[error("{0} in the config file is not a table; repair that first")]
    NotATable(&'static str),
    /// There is a server of that name.
    #[error("there is an MCP server {0} already; remove it first: letscode mcp remove {0}")]
    Exists(String),
    /// There is no server of that name.
    #[error("there is no MCP server {0} in the config file")]
    Missing(String),
}

/// Returns the text with one more server.
///
/// # Errors
/// When it is there already, or the text is no configuration.
pub fn add(text: &str, server: &NewServer) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let servers = servers(&mut document)?;
    if servers.contains_key(&server.name) {
        return Err(EditError::Exists(server.name.clone()));
    }
    let mut table = Table::new();
    if server.is_http() {
        table.insert("url", value(&server.command));
    } else {
        table.insert("command", value(&server.command));
        if !server.args.is_empty() {
            table.insert("args", value(server.args.iter().collect::<Array>()));
        }
    }
    if let Some(cwd) = &server.cwd {
        table.insert("cwd", value(cwd));
    }
    if let Some(prefix) = &server.prefix {
        table.insert("prefix", value(prefix));
    }
    if !server.pairs.is_empty() {
        let mut pairs = Table::new();
        for (name, text) in &server.pairs {
            pairs.insert(name, value(text));
        }
        let key = if server.is_http() { "headers" } else { "env" };
        table.insert(key, value(pairs.into_inline_table()));
    }
    servers.insert(&server.name, Item::Table(table));
    Ok(document.to_string())
}

/// Returns the text without a server.
///
/// # Errors
/// When it is not there, or the text is no configuration.
pub fn remove(text: &str, name: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let servers = servers(&mut document)?;
    if servers.remove(name).is_none() {
        return Err(EditError::Missing(name.to_owned()));
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let message = error.to_string();
        EditError::Syntax(message.lines().next().unwrap_or_default().to_owned())
    })
}

/// Returns the table of servers; one that is not there yet gets no heading of its own.
fn servers(document: &mut DocumentMut) -> Result<&mut dyn TableLike, EditError> {
    let mcp = child(document.as_table_mut(), "mcp").ok_or(EditError::NotATable("mcp"))?;
    child(mcp, "servers").ok_or(EditError::NotATable("mcp.servers"))
}

fn child<'a>(parent: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    if !parent.contains_key(name) {
        let mut table = Table::new();
        table.set_implicit(true);
        parent.insert(name, Item::Table(table));
    }
    parent.get_mut(name)?.as_table_like_mut()
}
