//! `cargo xtask schema`: the JSON Schemas of the wire types under `schema/`.
//!
//! Owns the files' form. What they describe is the wire crate's; a test here fails when the
//! committed files and the types differ. Must not edit a schema.

use crate::Outcome;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const FOLDER: &str = "schema";
const REPAIR: &str = "run `cargo xtask schema` and commit the result";

/// Writes every schema, and removes those of types that are gone.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write(root: &Path) -> io::Result<Outcome> {
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let wanted = generate()?;
    for name in present(&folder)?.keys().filter(|name| !wanted.contains_key(*name)) {
        std::fs::remove_file(folder.join(name))?;
    }
    for (name, text) in &wanted {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(Outcome::Clean(format!("schema: {} files written", wanted.len())))
}

/// Compares the committed schemas with the types.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn check(root: &Path) -> io::Result<Outcome> {
    let wanted = generate()?;
    let findings = differences(&wanted, &present(&root.join(FOLDER))?);
    if findings.is_empty() {
        return Ok(Outcome::Clean(format!("schema: {} files match the types", wanted.len())));
    }
    Ok(Outcome::Findings(findings))
}

/// Returns the text of every schema file by its name.
fn generate() -> io::Result<BTreeMap<String, String>> {
    let files = letscode_wire::roots().into_iter().map(|(name, schema)| {
        let mut text = serde_json::to_string_pretty(&schema)?;
        text.push('\n');
        Ok((format!("{name}.json"), text))
    });
    files.collect()
}

/// Returns the text of every file in `folder` by its name; none where there is no folder.
fn present(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    if !folder.exists() {
        return Ok(BTreeMap::new());
    }
    let files = std::fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        let text = std::fs::read_to_string(entry.path())?;
        Ok((entry.file_name().to_string_lossy().into_owned(), text))
    });
    files.collect()
}

fn differences(
    wanted: &BTreeMap<String, String>,
    present: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, text) in wanted {
        match present.get(name) {
            None => findings.push(format!("{FOLDER}/{name}:1: it is missing; {REPAIR}")),
            Some(found) if found != text => {
                let same = text.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
                let line = same + 1;
                findings.push(format!("{FOLDER}/{name}:{line}: differs from the type; {REPAIR}"));
            }
            Some(_) => {}
        }
    }
    let gone = present.keys().filter(|name| !wanted.contains_key(*name));
    findings.extend(gone.map(|name| format!("{FOLDER}/{name}:1: no type has it; {REPAIR}")));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_schemas_match_the_types() {
        match check(&crate::workspace_root()).unwrap() {
            Outcome::Clean(_) => {}
            Outcome::Findings(findings) => panic!("{}", findings.join("\n")),
        }
    }

    #[test]
    fn write_then_check_is_clean_and_every_difference_is_found() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(check(root.path()).unwrap(), Outcome::Findings(_)));
        write(root.path()).unwrap();
        let stray = root.path().join(FOLDER).join("stray.json");
        std::fs::write(&stray, "{}\n").unwrap();
        let event = root.path().join(FOLDER).join("event.json");
        let text = std::fs::read_to_string(&event).unwrap().replacen("Event", "Thing", 1);
        std::fs::write(&event, text).unwrap();
        std::fs::remove_file(root.path().join(FOLDER).join("command.json")).unwrap();
        let Outcome::Findings(findings) = check(root.path()).unwrap() else {
            panic!("nothing was found");
        };
        assert_eq!(findings.len(), 3, "{findings:?}");
        assert_eq!(
            findings.first().unwrap(),
            &format!("schema/command.json:1: it is missing; {REPAIR}")
        );
        assert!(findings.get(1).unwrap().contains("event.json:"), "{findings:?}");
        assert_eq!(
            findings.get(2).unwrap(),
            &format!("schema/stray.json:1: no type has it; {REPAIR}")
        );
        write(root.path()).unwrap();
        assert!(matches!(check(root.path()).unwrap(), Outcome::Clean(_)));
        assert!(!stray.exists());
    }
}
