//! The user's own `catalog.toml`.
//!
//! Owns its format and the warnings about it. A bad entry is left out alone; the others count.

use super::{Catalog, Model, Price, Provider, built_in};
use crate::config::names_in;
use crate::files::TomlFile;
use crate::thinking::ThinkingLevel;
use std::borrow::Cow;
use std::path::Path;
use toml::{Table, Value};

/// Reads the file at `path`; a missing one is an empty catalog.
pub(super) fn read(path: &Path, warnings: &mut Vec<String>) -> Catalog {
    match TomlFile::read(path) {
        Ok(Some(file)) => from_file(&file, warnings),
        Ok(None) => Catalog::default(),
        Err(error) => {
            let broken = format!("catalog left out: {error}");
            warnings.push(broken.clone());
            Catalog { broken: Some(broken), ..Catalog::default() }
        }
    }
}

/// Why an entry cannot be used, in words that end the warning about it.
#[derive(Debug, thiserror::Error)]
enum EntryError {
    #[error("it is no table")]
    NotATable,
    #[error("{field} is missing")]
    Missing { field: &'static str },
    #[error("{field} must be {expected}")]
    WrongType { field: &'static str, expected: &'static str },
    #[error("no provider is named {name:?}")]
    UnknownProvider { name: String },
}

/// Returns the file's models and providers.
pub(super) fn from_file(file: &TomlFile, warnings: &mut Vec<String>) -> Catalog {
    let providers = entries(file, "providers", provider, warnings);
    let mut catalog = Catalog { providers, ..Catalog::default() };
    let checked_model = |table: &Table| {
        let model = model(table)?;
        match catalog.provider(&model.provider) {
            Some(_) => Ok(model),
            None => Err(EntryError::UnknownProvider { name: model.provider.into_owned() }),
        }
    };
    let models = entries(file, "models", checked_model, warnings);
    catalog.models = models;
    catalog
}

/// Returns the usable entries of a list of tables, the later of two equal names first.
fn entries<T>(
    file: &TomlFile,
    list: &str,
    read: impl Fn(&Table) -> Result<T, EntryError>,
    warnings: &mut Vec<String>,
) -> Vec<T> {
    let path = file.path.display();
    let items = match file.table.get(list) {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            let line = file.line_of(list);
            warnings.push(format!("{path}:{line}: {list} is left out: write [[{list}]]"));
            return Vec::new();
        }
    };
    let mut entries = Vec::new();
    for (index, item) in items.iter().enumerate().rev() {
        match item.as_table().ok_or(EntryError::NotATable).and_then(&read) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                let number = index + 1;
                warnings.push(format!("{path}: entry {number} of {list} is left out: {error}"));
            }
        }
    }
    entries
}

fn provider(table: &Table) -> Result<Provider, EntryError> {
    let key_variables = match table.get("api_key_env") {
        None => Vec::new(),
        Some(value) => names_in(value).ok_or(EntryError::WrongType {
            field: "api_key_env",
            expected: "the name of a variable, or a list of them",
        })?,
    };
    Ok(Provider {
        name: required_text(table, "name")?,
        base_url: required_text(table, "base_url")?,
        key_variables: key_variables.into_iter().map(Cow::Owned).collect(),
    })
}

fn model(table: &Table) -> Result<Model, EntryError> {
    let id = required_text(table, "id")?;
    let input_per_million = number(table, "input_per_million")?;
    let output_per_million = number(table, "output_per_million")?;
    let price = match (input_per_million, output_per_million) {
        (Some(input_per_million), Some(output_per_million)) => {
            Some(Price { input_per_million, output_per_million })
        }
        _ => None,
    };
    let vision = match table.get("vision") {
        Some(value) => value
            .as_bool()
            .ok_or(EntryError::WrongType { field: "vision", expected: "true or false" })?,
        None => sees_images(&id),
    };
    Ok(Model {
        provider: required_text(table, "provider")?,
        context_window: context_window(table)?,
        thinking_levels: thinking_levels(table)?,
        price,
        vision,
        id,
    })
}

/// Returns what the built-in catalog says of a model that the user describes anew; a model that
/// nothing is known of gets its images and may refuse them.
fn sees_images(id: &str) -> bool {
    built_in::MODELS.iter().find(|model| model.id == id).is_none_or(|model| model.vision)
}

fn required_text(table: &Table, field: &'static str) -> Result<Cow<'static, str>, EntryError> {
    let value = table.get(field).ok_or(EntryError::Missing { field })?;
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or(EntryError::WrongType { field, expected: "text" })?;
    Ok(Cow::Owned(text.to_owned()))
}

fn number(table: &Table, field: &'static str) -> Result<Option<f64>, EntryError> {
    let Some(value) = table.get(field) else { return Ok(None) };
    #[expect(clippy::cast_precision_loss, reason = "no price has that many digits")]
    let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    match number.filter(|number| number.is_finite() && *number >= 0.0) {
        Some(number) => Ok(Some(number)),
        None => Err(EntryError::WrongType { field, expected: "a number that is not negative" }),
    }
}

fn context_window(table: &Table) -> Result<Option<u64>, EntryError> {
    let Some(value) = table.get("context_window") else { return Ok(None) };
    let tokens = value.as_integer().and_then(|tokens| u64::try_from(tokens).ok());
    match tokens {
        // A window of nothing is how some files write "not known".
        Some(0) => Ok(None),
        Some(tokens) => Ok(Some(tokens)),
        None => Err(EntryError::WrongType {
            field: "context_window",
            expected: "a whole number of tokens",
        }),
    }
}

fn thinking_levels(table: &Table) -> Result<Cow<'static, [ThinkingLevel]>, EntryError> {
    let Some(value) = table.get("thinking_levels") else { return Ok(Cow::Borrowed(&[])) };
    let levels = names_in(value)
        .and_then(|names| names.iter().map(|name| name.parse().ok()).collect::<Option<Vec<_>>>());
    levels.map(Cow::Owned).ok_or(EntryError::WrongType {
        field: "thinking_levels",
        expected: "a list of off, minimal, low, medium, high, xhigh",
    })
}
