//! Where skills are, and which of two with one name holds.
//!
//! Owns the search path (prompt templates have the same one), the limits, and the names of the
//! tools. All reading goes through the environment, a few waits for any number of skills. Must
//! not obey them.

use super::{Document, Skill, one_line, one_warning, readable_text};
use crate::env::{ExecutionEnv, FileError, FileHead};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How much of one file is taken, in bytes.
const SIZE_LIMIT: usize = 64 * 1024;
/// How many files are read.
const FILE_LIMIT: usize = 2_000;
/// How many skills the model may call for: each is a tool in every request.
const TOOL_LIMIT: usize = 100;
/// How long a description may be, in characters.
const DESCRIPTION_LIMIT: usize = 1_024;
/// What an endpoint takes as the name of a tool, in characters.
const TOOL_NAME_LIMIT: usize = 64;

/// The folders in the user's home that hold skills and prompts.
const HOME_FOLDERS: [&str; 4] = [".letscode", ".agents", ".pi/agent", ".claude"];
/// The folders in a project's directories that do.
const PROJECT_FOLDERS: [&str; 4] = [".letscode", ".agents", ".pi", ".claude"];

/// Returns all skills, sorted by name, and what is wrong with them, a line each.
///
/// Of two with one name the one found later holds; that is worth a warning where they differ.
pub async fn load_skills(env: &dyn ExecutionEnv, home: Option<&Path>) -> (Vec<Skill>, Vec<String>) {
    let mut warnings = Vec::new();
    let files = skill_files(env, home, &mut warnings).await;
    let heads = env.read_heads(&files, SIZE_LIMIT).await;
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let mut replaced: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut ranks: HashMap<String, usize> = HashMap::new();
    for (rank, (path, head)) in files.iter().zip(heads).enumerate() {
        let skill = match head {
            Ok(head) => read_skill(path, &head, &mut warnings),
            // A directory that holds no skill.
            Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => continue,
            Err(error) => {
                warnings.push(format!("a skill is left out: {error}"));
                continue;
            }
        };
        if let Some(earlier) = skills.get(&skill.name)
            && earlier.body != skill.body
        {
            let folders = replaced.entry(skill.name.clone()).or_default();
            folders.push(earlier.folder.display().to_string());
        }
        ranks.insert(skill.name.clone(), rank);
        skills.insert(skill.name.clone(), skill);
    }
    for (name, folders) in replaced {
        if let Some(skill) = skills.get(&name) {
            let (used, others) = (skill.folder.display(), folders.join(", "));
            warnings.push(format!("skill {name} in {used} is used, not what differs in {others}"));
        }
    }
    let mut skills: Vec<Skill> = skills.into_values().collect();
    limit_tools(&mut skills, &ranks, &mut warnings);
    name_tools(&mut skills, &mut warnings);
    (skills, warnings)
}

/// Returns the folders called `kind` that may be there, those that outweigh the others last: the
/// user's, then those of the outermost to the nearest directory, the home excluded.
pub(crate) fn source_folders(working_dir: &Path, home: Option<&Path>, kind: &str) -> Vec<PathBuf> {
    let in_home = home.into_iter().flat_map(|home| HOME_FOLDERS.map(|folder| home.join(folder)));
    let mut directories: Vec<&Path> =
        working_dir.ancestors().filter(|directory| Some(*directory) != home).collect();
    directories.reverse();
    let in_projects = directories
        .into_iter()
        .flat_map(|directory| PROJECT_FOLDERS.map(|folder| directory.join(folder)));
    in_home.chain(in_projects).map(|folder| folder.join(kind)).collect()
}

/// Returns where skills may be: a file in each directory of the sources.
async fn skill_files(
    env: &dyn ExecutionEnv,
    home: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Vec<PathBuf> {
    let folders = source_folders(env.working_dir(), home, "skills");
    let mut files = Vec::new();
    for (folder, entries) in folders.iter().zip(env.list_all(&folders).await) {
        match entries {
            Ok(entries) => {
                let directories = entries.into_iter().filter(|entry| entry.is_dir);
                files.extend(directories.map(|entry| folder.join(entry.name).join("SKILL.md")));
            }
            Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => {}
            Err(error) => warnings.push(format!("skills are left out: {error}")),
        }
    }
    if let Some(more) = files.len().checked_sub(FILE_LIMIT).filter(|more| *more > 0) {
        warnings.push(format!("there are more than {FILE_LIMIT} skills: {more} are left out"));
        // The nearest ones, which outweigh the others, are last.
        files.drain(..more);
    }
    files
}

fn read_skill(path: &Path, head: &FileHead, warnings: &mut Vec<String>) -> Skill {
    let mut repairs = Vec::new();
    let text = readable_text(path, head, &mut repairs);
    let document = Document::read(&text);
    let folder = path.parent().unwrap_or(path).to_owned();
    let folder_name = one_line(&folder.file_name().unwrap_or_default().to_string_lossy());
    let shown = path.display();
    let mut odd = Vec::new();

    let mut name = document.field("name").map(one_line).unwrap_or_default();
    if name.is_empty() {
        odd.push("there is no name: the folder's is taken".to_owned());
        name = folder_name;
    } else if name != folder_name {
        odd.push(format!("its name is {name}, not that of its folder"));
    }
    let mut description = document.field("description").map(one_line).unwrap_or_default();
    if description.is_empty() {
        odd.push("there is no description: the model sees only the name".to_owned());
        description.clone_from(&name);
    }
    if let Some((end, _)) = description.char_indices().nth(DESCRIPTION_LIMIT) {
        odd.push(format!("its description is cut after {DESCRIPTION_LIMIT} characters"));
        description.truncate(end);
        description.push('…');
    }
    // One line for a file, however much is odd: a wrong front matter explains the rest.
    let problem = match &document.problem {
        Some(problem) => Some(format!(
            "{shown}:{}: {}; the skill is used all the same, as {name}",
            problem.line,
            one_line(&problem.text)
        )),
        None if odd.is_empty() => None,
        None => Some(format!("{shown}: {}", odd.join("; "))),
    };
    warnings.extend(one_warning(path, problem, repairs));
    let tool = (!document.is_on("disable-model-invocation")).then(|| tool_name(&name));
    Skill { body: document.body.to_owned(), name, description, folder, tool }
}

/// Returns the name of a skill's tool: `skill_` and the name, in the characters that a tool may
/// have.
pub(super) fn tool_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    "skill_".chars().chain(name.chars().map(allowed)).take(TOOL_NAME_LIMIT).collect()
}

/// Leaves the nearest skills their tools where there are too many.
fn limit_tools(skills: &mut [Skill], ranks: &HashMap<String, usize>, warnings: &mut Vec<String>) {
    let mut with_tools: Vec<&mut Skill> =
        skills.iter_mut().filter(|skill| skill.tool.is_some()).collect();
    if with_tools.len() <= TOOL_LIMIT {
        return;
    }
    warnings.push(format!(
        "the model is given the nearest {TOOL_LIMIT} of {} skills; /skill:NAME takes any",
        with_tools.len()
    ));
    with_tools.sort_by_key(|skill| Reverse(ranks.get(&skill.name)));
    with_tools.into_iter().skip(TOOL_LIMIT).for_each(|skill| skill.tool = None);
}

/// Gives each skill a tool of its own where several names come down to one.
fn name_tools(skills: &mut [Skill], warnings: &mut Vec<String>) {
    let mut taken: HashSet<String> = HashSet::new();
    for skill in skills {
        let Some(tool) = &mut skill.tool else { continue };
        if !taken.insert(tool.clone()) {
            let free = (2_usize..).map(|number| numbered(tool, number));
            let Some(free) = free.into_iter().find(|name| !taken.contains(name)) else { continue };
            let name = &skill.name;
            warnings.push(format!("skill {name}: {tool} is another skill's, so it is {free}"));
            taken.insert(free.clone());
            *tool = free;
        }
    }
}

fn numbered(tool: &str, number: usize) -> String {
    let suffix = format!("_{number}");
    let kept: String = tool.chars().take(TOOL_NAME_LIMIT - suffix.len()).collect();
    kept + &suffix
}

#[cfg(test)]
mod tests;
