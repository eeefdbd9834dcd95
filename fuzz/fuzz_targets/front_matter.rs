//! Skills and prompt templates: front matter as people write it, and the places for arguments.
//!
//! Holds: a skill's lines are lines, a warning is one line and names the file, and a template
//! keeps what was typed behind it.
#![no_main]

use letscode_core::prompts::load_templates;
use letscode_core::skills::load_skills;
use letscode_fuzz::at_once;
use letscode_testkit::mem_env::MemEnv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let env = MemEnv::new("/p");
    env.put("/p/.letscode/skills/one/SKILL.md", data);
    env.put("/p/.letscode/prompts/one.md", data);

    let (skills, warnings) = at_once(load_skills(&env, None));
    check_warnings(&warnings);
    for skill in &skills {
        assert!(!skill.name.contains(['\n', '\r']));
        assert!(!skill.description.contains(['\n', '\r']));
        assert!(skill.text("the message").ends_with("\n\nthe message"));
    }

    let (templates, warnings) = at_once(load_templates(&env, None, None));
    check_warnings(&warnings);
    let arguments = String::from_utf8_lossy(&data[data.len() / 2..]);
    for template in &templates {
        assert!(!template.description.contains(['\n', '\r']));
        template.expand(&arguments);
        if !template.body.contains('{') {
            let expected = format!("{}\n\nword", template.body.trim_end());
            assert_eq!(template.expand("word"), expected);
        }
    }
});

fn check_warnings(warnings: &[String]) {
    for warning in warnings {
        assert!(!warning.is_empty() && !warning.contains('\n'), "{warning:?}");
    }
}
