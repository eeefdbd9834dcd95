//! The skills' tools as a plugin, so that whoever selects tools selects among them too.
//!
//! Owns nothing but the registration.

use crate::hooks::Plugin;
use crate::skills::{Skill, SkillTool};
use crate::tools::ToolRegistry;
use letscode_wire::HookName;
use std::sync::Arc;

/// Registers a tool for each skill that the model may call.
#[derive(Debug)]
pub struct SkillTools {
    skills: Vec<Arc<Skill>>,
}

impl SkillTools {
    /// Returns the plugin.
    pub fn new(skills: Vec<Arc<Skill>>) -> Self {
        Self { skills }
    }
}

impl Plugin for SkillTools {
    fn name(&self) -> &'static str {
        "skills"
    }

    fn wants(&self, hook: HookName) -> bool {
        hook == HookName::RegisterTools
    }

    fn register_tools(&self, tools: &mut ToolRegistry) {
        for skill in &self.skills {
            if let Some(tool) = SkillTool::new(Arc::clone(skill)) {
                tools.add(Arc::new(tool));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::BuiltinTools;
    use crate::hooks::{HookTimeouts, Hooks};
    use crate::tools::ToolSelection;
    use crate::ui::Ui;

    fn skill(name: &str, tool: Option<&str>) -> Arc<Skill> {
        Arc::new(Skill {
            name: name.into(),
            description: "d".into(),
            body: "b".into(),
            folder: "/s".into(),
            tool: tool.map(str::to_owned),
        })
    }

    #[test]
    fn skills_come_behind_the_built_in_tools_and_are_selected_like_them() {
        let skills = vec![
            skill("one", Some("skill_one")),
            skill("typed", None),
            skill("two", Some("skill_two")),
        ];
        let plugins: Vec<Arc<dyn Plugin>> =
            vec![Arc::new(BuiltinTools::new(None)), Arc::new(SkillTools::new(skills))];
        let tools = Hooks::new(plugins, HookTimeouts::default(), Ui::declining()).register().tools;
        let all = ["read", "write", "edit", "bash", "skill_one", "skill_two"];
        assert_eq!(tools.names(), all);
        let mut some = tools;
        let chosen = vec!["skill_two".to_owned(), "read".to_owned()];
        some.select(&ToolSelection::Only(chosen)).unwrap();
        assert_eq!(some.names(), ["read", "skill_two"]);
        let unknown = ToolSelection::Only(vec!["skill_typed".to_owned()]);
        assert!(some.select(&unknown).is_err());
    }
}
