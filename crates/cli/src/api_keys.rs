//! The API keys in use.
//!
//! Owns which variables hold keys, what has to be masked, and what commands do not inherit.

use crate::catalog::Catalog;
use crate::environment::Environment;
use letscode_core::secrets::Secrets;

/// Returns the keys in use: those of all providers, and the one of the command line.
pub(crate) fn collect(
    catalog: &Catalog,
    environment: &Environment,
    api_key_flag: Option<&str>,
) -> Secrets {
    // A provider that the user replaced may still have its variable set.
    let variables: Vec<&str> = catalog
        .providers()
        .flat_map(|provider| provider.key_variables.iter().map(|name| &**name))
        .collect();
    let set = variables.iter().filter_map(|name| environment.text(name));
    let values: Vec<&str> = set.chain(api_key_flag).collect();
    Secrets::new(values, variables.iter().map(|name| (*name).to_owned()))
}

/// Returns the variables that commands do not inherit: all that may hold a key, but for those
/// that the user keeps.
pub(crate) fn hidden_variables(secrets: &Secrets, keep_env: &[String]) -> Vec<String> {
    secrets.variables().into_iter().filter(|name| !keep_env.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_core::secrets::MASK;

    const MINE: &str = "[[providers]]\nname = 'mine'\nbase_url = 'http://m'\n\
                        api_key_env = ['MINE_KEY', 'MINE_OTHER_KEY']\n\
                        [[providers]]\nname = 'zai'\nbase_url = 'http://z'\n";

    #[test]
    fn a50_every_key_that_is_set_is_masked() {
        let environment = Environment::of_variables(&[
            ("OPENAI_API_KEY", "openai-0123456789"),
            ("MINE_OTHER_KEY", " mine-0123456789\n"),
            ("GLM_API_KEY", "glm-0123456789"),
            ("OTHER", "other-0123456789"),
        ]);
        let secrets = collect(&Catalog::of(MINE), &environment, Some("flag-0123456789"));
        let text = "openai-0123456789 mine-0123456789 glm-0123456789 flag-0123456789";
        assert_eq!(secrets.mask(text), [MASK; 4].join(" "));
        assert_eq!(secrets.mask("other-0123456789"), "other-0123456789");
    }

    #[test]
    fn a50_commands_inherit_no_variable_of_a_key_but_those_kept() {
        let secrets = collect(&Catalog::of(MINE), &Environment::of_variables(&[]), None);
        let keep = ["GEMINI_API_KEY", "PATH"].map(str::to_owned);
        let hidden = hidden_variables(&secrets, &keep);
        let expected = [
            "DEEPSEEK_API_KEY",
            "FIREWORKS_API_KEY",
            "GLM_API_KEY",
            "GOOGLE_API_KEY",
            "MINE_KEY",
            "MINE_OTHER_KEY",
            "OPENAI_API_KEY",
            "OPENROUTER_API_KEY",
            "ZAI_API_KEY",
        ];
        assert_eq!(hidden, expected);
    }
}
