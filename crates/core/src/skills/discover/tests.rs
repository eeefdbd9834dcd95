//! The search path, which skill holds, and what is said about odd ones.

use super::*;
use crate::env::{LocalEnv, LocalEnvOptions};
use tempfile::TempDir;

/// A home and a project below it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        std::fs::create_dir_all(place.home().join("work/app")).unwrap();
        place
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn env(&self) -> LocalEnv {
        let working_dir = self.home().join("work/app");
        LocalEnv::new(LocalEnvOptions { working_dir, ..LocalEnvOptions::default() })
    }

    /// Loads the skills; the folder's own path is left out of what is said.
    async fn load(&self) -> (Vec<Skill>, Vec<String>) {
        let (skills, warnings) = load_skills(&self.env(), Some(&self.home())).await;
        let root = format!("{}/", self.home().display());
        (skills, warnings.iter().map(|warning| warning.replace(&root, "")).collect())
    }
}

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\n---\n{body}\n")
}

#[test]
fn the_search_path_goes_from_the_home_to_the_nearest_directory() {
    let folders = source_folders(Path::new("/h/u/w"), Some(Path::new("/h/u")), "skills");
    let shown: Vec<&str> = folders.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(
        shown,
        [
            "/h/u/.letscode/skills",
            "/h/u/.agents/skills",
            "/h/u/.pi/agent/skills",
            "/h/u/.claude/skills",
            "/.letscode/skills",
            "/.agents/skills",
            "/.pi/skills",
            "/.claude/skills",
            "/h/.letscode/skills",
            "/h/.agents/skills",
            "/h/.pi/skills",
            "/h/.claude/skills",
            "/h/u/w/.letscode/skills",
            "/h/u/w/.agents/skills",
            "/h/u/w/.pi/skills",
            "/h/u/w/.claude/skills",
        ]
    );
}

#[tokio::test]
async fn the_later_skill_holds_and_a_different_one_is_said_once() {
    let place = Place::new();
    place.put(".letscode/skills/same/SKILL.md", skill("same", "alike"));
    place.put("work/.claude/skills/same/SKILL.md", skill("same", "alike"));
    place.put(".claude/skills/other/SKILL.md", skill("other", "user's"));
    place.put("work/.agents/skills/other/SKILL.md", skill("other", "outer"));
    place.put("work/app/.letscode/skills/other/SKILL.md", skill("other", "nearest"));
    place.put(".pi/agent/skills/mine/SKILL.md", skill("mine", "pi's"));
    place.put("work/app/.agents/skills/notes.md", "no skill");
    std::fs::create_dir_all(place.home().join(".agents/skills/empty")).unwrap();
    let (skills, warnings) = place.load().await;
    let found: Vec<(&str, &str)> =
        skills.iter().map(|skill| (skill.name.as_str(), skill.body.as_str())).collect();
    assert_eq!(found, [("mine", "pi's"), ("other", "nearest"), ("same", "alike")]);
    assert_eq!(
        warnings,
        ["skill other in work/app/.letscode/skills/other is used, not what differs in \
             .claude/skills/other, work/.agents/skills/other"]
    );
}

#[tokio::test]
async fn a43_no_odd_skill_is_dropped_and_each_is_one_warning_with_file_and_line() {
    let place = Place::new();
    let put = |name: &str, text: &[u8]| {
        place.put(&format!(".claude/skills/{name}/SKILL.md"), text);
    };
    put("colon", b"---\nname: colon\ndescription: Use when: always\n---\nbody");
    put("bare", b"just text");
    put("folder", b"---\nname: another\ndescription: d\n---\nbody");
    put("nameless", b"---\ndescription: d\n---\nbody");
    put("silent", b"---\nname: silent\ndescription: ''\n---\nbody");
    put("latin", b"---\nname: latin\ndescription: caf\xE9\n---\nbody");
    put("fine", b"---\nname: fine\ndescription: d\nlicense: MIT\nunknown: [x]\n---\nbody");
    let (skills, warnings) = place.load().await;
    let found: Vec<(&str, &str)> =
        skills.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    assert_eq!(
        found,
        [
            ("another", "d"),
            ("bare", "bare"),
            ("colon", "Use when: always"),
            ("fine", "d"),
            ("latin", "caf\u{FFFD}"),
            ("nameless", "d"),
            ("silent", "silent"),
        ]
    );
    insta::assert_snapshot!(warnings.join("\n"));
}

#[tokio::test]
async fn a44_a_mark_and_windows_line_ends_do_not_matter() {
    let place = Place::new();
    let text = "\u{feff}---\r\nname: two\r\ndescription: >-\r\n  folded\r\n  text\r\n---\r\n\r\nline one\r\nline two\r\n";
    place.put("work/.claude/skills/two/SKILL.md", text);
    let (skills, warnings) = place.load().await;
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(
        skills,
        [Skill {
            name: "two".into(),
            description: "folded text".into(),
            body: "line one\nline two".into(),
            folder: place.home().join("work/.claude/skills/two"),
            tool: Some("skill_two".into()),
        }]
    );
}

#[tokio::test]
async fn a_skill_that_the_model_must_not_call_has_no_tool() {
    let place = Place::new();
    let text = "---\nname: x\ndescription: d\ndisable-model-invocation: true\n---\nbody";
    place.put(".claude/skills/x/SKILL.md", text);
    let (skills, _) = place.load().await;
    assert_eq!(skills[0].tool, None);
}

#[tokio::test]
async fn tools_have_names_that_an_endpoint_takes_each_its_own() {
    let place = Place::new();
    let long = "l".repeat(80);
    for name in ["a-b", "a_b", "a.b", "größe", "my skill", &long, &format!("{long}x")] {
        place.put(&format!(".claude/skills/{name}/SKILL.md"), skill(name, "body"));
    }
    let (skills, warnings) = place.load().await;
    let tools: Vec<&str> = skills.iter().map(|skill| skill.tool.as_deref().unwrap()).collect();
    let full = format!("skill_{}", "l".repeat(58));
    let second = format!("skill_{}_2", "l".repeat(56));
    assert_eq!(
        tools,
        [
            "skill_a_b",
            "skill_a_b_2",
            "skill_a_b_3",
            "skill_gr__e",
            &full,
            &second,
            "skill_my_skill"
        ]
    );
    assert!(tools.iter().all(|tool| tool.len() <= TOOL_NAME_LIMIT));
    assert_eq!(warnings[0], "skill a.b: skill_a_b is another skill's, so it is skill_a_b_2");
    assert_eq!(warnings.len(), 3);
}

#[tokio::test]
async fn sizes_are_bounded_and_cuts_are_said() {
    let place = Place::new();
    place.put(".claude/skills/big/SKILL.md", skill("big", &"é".repeat(SIZE_LIMIT)));
    let wordy = format!("---\nname: wordy\ndescription: {}\n---\nb", "w".repeat(2_000));
    place.put(".claude/skills/wordy/SKILL.md", wordy);
    let (skills, warnings) = place.load().await;
    assert!(skills[0].body.len() <= SIZE_LIMIT + 60 && skills[0].body.contains("[cut here"));
    assert_eq!(skills[1].description.chars().count(), DESCRIPTION_LIMIT + 1);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[tokio::test]
async fn more_skills_than_the_limit_leave_out_the_farthest() {
    let place = Place::new();
    place.put("work/app/.claude/skills/near/SKILL.md", skill("near", "body"));
    for number in 0..FILE_LIMIT {
        std::fs::create_dir_all(place.home().join(format!(".claude/skills/{number}"))).unwrap();
    }
    let (skills, warnings) = place.load().await;
    assert_eq!(skills[0].name, "near");
    assert_eq!(warnings, ["there are more than 2000 skills: 1 are left out"]);
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_regular_file_is_one_warning() {
    let place = Place::new();
    std::fs::create_dir_all(place.home().join(".claude/skills/x")).unwrap();
    let path = place.home().join(".claude/skills/x/SKILL.md");
    std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let (skills, warnings) = place.load().await;
    assert!(skills.is_empty());
    assert_eq!(warnings, ["a skill is left out: not a regular file: .claude/skills/x/SKILL.md"]);
}

#[tokio::test]
async fn a_skill_with_several_faults_is_one_warning() {
    let place = Place::new();
    place.put(".claude/skills/x/SKILL.md", b"caf\xe9 without front matter");
    place.put(".claude/skills/y/SKILL.md", b"---\nname: y\ndescription: caf\xe9\n---\nbody");
    let long = [&b"\xff"[..], "x".repeat(SIZE_LIMIT).as_bytes()].concat();
    place.put(".claude/skills/z/SKILL.md", long);
    let (skills, warnings) = place.load().await;
    assert_eq!(skills.len(), 3);
    let not_utf_8 = "is not UTF-8: what could not be read is replaced, save it as UTF-8";
    let no_front = ":1: there is no front matter (fields between two lines of ---)";
    let used = "; the skill is used all the same, as";
    assert_eq!(
        warnings,
        [
            format!(".claude/skills/x/SKILL.md{no_front}{used} x; it {not_utf_8}"),
            format!(".claude/skills/y/SKILL.md {not_utf_8}"),
            format!(
                ".claude/skills/z/SKILL.md{no_front}{used} z; it {not_utf_8}; it is too long: \
                 only its first 64 KB are used"
            ),
        ]
    );
}

#[tokio::test]
async fn of_too_many_skills_the_nearest_are_tools_and_all_can_be_called() {
    let place = Place::new();
    for number in 0..95 {
        place.put(&format!(".claude/skills/a{number}/SKILL.md"), skill(&format!("a{number}"), "b"));
    }
    for number in 0..10 {
        let path = format!("work/app/.letscode/skills/z{number}/SKILL.md");
        place.put(&path, skill(&format!("z{number}"), "b"));
    }
    let (skills, warnings) = place.load().await;
    assert_eq!(skills.len(), 105);
    let with_tools: Vec<&Skill> = skills.iter().filter(|skill| skill.tool.is_some()).collect();
    assert_eq!(with_tools.len(), TOOL_LIMIT);
    assert_eq!(with_tools.iter().filter(|skill| skill.name.starts_with('z')).count(), 10);
    let expected = "the model is given the nearest 100 of 105 skills; /skill:NAME takes any";
    assert_eq!(warnings, [expected]);
}
