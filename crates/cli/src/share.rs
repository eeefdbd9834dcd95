//! A session as a secret gist, by way of GitHub's own program `gh`.
//!
//! Owns the call and the words for its failures. Must not decide whether to share: the user has
//! said so.

use crate::environment::Environment;
use crate::programs::{self, Finished, Request, RunError};
use letscode_core::secrets::Secrets;
use std::time::Duration;
use url::Url;

/// How long the upload may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Variables by which `gh` logs in. They stay, even where a provider takes the same ones.
const LOGIN_VARIABLES: [&str; 4] =
    ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];

/// What `gh` must not do: ask, look for a newer version, colour.
const QUIET: [(&str, &str); 3] =
    [("GH_PROMPT_DISABLED", "1"), ("GH_NO_UPDATE_NOTIFIER", "1"), ("NO_COLOR", "1")];

/// How `gh` ends when it is not logged in.
const NOT_LOGGED_IN: i32 = 4;

/// Pieces of what `gh` says when it cannot reach its host.
const NETWORK_TROUBLE: [&str; 8] = [
    "error connecting",
    "dial tcp",
    "no such host",
    "connection refused",
    "connection reset",
    "network is unreachable",
    "i/o timeout",
    "tls handshake",
];

/// What to share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    /// The file's name; its ending tells GitHub what it is.
    pub(crate) file_name: &'a str,
    /// One line about it.
    pub(crate) description: &'a str,
    /// The text: a page, or Markdown.
    pub(crate) text: &'a str,
}

/// Why a session was not shared. Each is one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShareError {
    /// There is no `gh`.
    #[error("sharing needs GitHub's program gh, which is not installed: https://cli.github.com")]
    NoProgram,
    /// `gh` has no login.
    #[error("gh is not logged in; run `gh auth login`, then share again")]
    NotLoggedIn,
    /// The login may not make gists.
    #[error("gh may not make gists; run `gh auth refresh -s gist`, then share again")]
    NoGistScope,
    /// GitHub cannot be reached.
    #[error("gh cannot reach GitHub: {0}")]
    Network(String),
    /// `gh` does not start or does not end.
    #[error("gh {0}")]
    Run(#[from] RunError),
    /// Anything else that `gh` says.
    #[error("gh failed: {0}")]
    Failed(String),
    /// `gh` gave no address.
    #[error("gh gave no address of a gist; look at your gists before you share again")]
    NoAddress,
}

/// Makes a secret gist of a document, without keys, and returns its address. Whoever knows the
/// address can read it.
///
/// # Errors
/// When `gh` is missing, not logged in, cannot reach GitHub or fails otherwise.
pub(crate) async fn gist(
    document: &Document<'_>,
    environment: &Environment,
    secrets: &Secrets,
) -> Result<String, ShareError> {
    let search_path = environment.path("PATH").unwrap_or_default();
    let program = programs::find("gh", search_path.as_os_str()).ok_or(ShareError::NoProgram)?;
    let is_for_login = |name: &String| LOGIN_VARIABLES.contains(&name.as_str());
    let hidden_variables: Vec<String> =
        secrets.variables().into_iter().filter(|name| !is_for_login(name)).collect();
    let name = format!("--filename={}", secrets.mask(document.file_name));
    let description = secrets.mask(document.description).replace(['\n', '\r'], " ");
    let finished = programs::collect(Request {
        program: &program,
        // Gists are secret unless `gh` is told otherwise.
        arguments: &["gist", "create", &name, &format!("--desc={description}"), "-"],
        input: secrets.mask(document.text).as_bytes(),
        variables: &QUIET,
        hidden_variables: &hidden_variables,
        time_limit: TIME_LIMIT,
    })
    .await?;
    if finished.status.success() {
        return address(&String::from_utf8_lossy(&finished.stdout)).ok_or(ShareError::NoAddress);
    }
    Err(failure(&finished, secrets))
}

/// Returns the last line that is a web address.
fn address(stdout: &str) -> Option<String> {
    let lines = stdout.lines().rev().map(str::trim);
    let mut addresses = lines.filter_map(|line| Url::parse(line).ok());
    addresses.find(|url| url.scheme() == "https").map(String::from)
}

fn failure(finished: &Finished, secrets: &Secrets) -> ShareError {
    let said = finished.stderr.to_lowercase();
    if finished.status.code() == Some(NOT_LOGGED_IN)
        || said.contains("gh auth login")
        || said.contains("http 401")
    {
        return ShareError::NotLoggedIn;
    }
    if said.contains("gist") && said.contains("scope") {
        return ShareError::NoGistScope;
    }
    let line = last_line(&finished.stderr)
        .map(|line| letscode_tui::harmless(&secrets.mask(line)).into_owned())
        .unwrap_or_else(|| finished.status.to_string());
    if NETWORK_TROUBLE.iter().any(|piece| said.contains(piece)) {
        ShareError::Network(line)
    } else {
        ShareError::Failed(line)
    }
}

/// Returns the last line that says something; before it `gh` tells what it is about to do.
fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(unix)]
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "it looks at what the fake programs wrote")]
mod tests {
    use super::*;
    use crate::programs::fakes::script;
    use std::path::Path;

    const DOCUMENT: Document<'_> =
        Document { file_name: "session.html", description: "A\nsession", text: "<p>text" };

    async fn share(folder: &Path) -> Result<String, ShareError> {
        let environment = Environment::of_variables(&[("PATH", folder.to_str().unwrap())]);
        let secrets = Secrets::new(["sk-0123456789"], ["GH_TOKEN".to_owned(), "HOME".to_owned()]);
        let document = Document { text: "<p>text sk-0123456789", ..DOCUMENT };
        gist(&document, &environment, &secrets).await
    }

    #[tokio::test]
    async fn a_secret_gist_is_made_and_its_address_returned() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let body = format!(
            "cd '{}'; for a; do echo \"$a\"; done > arguments; cat > text\n\
             echo \"$GH_PROMPT_DISABLED ${{HOME-hidden}}\" > variables\n\
             echo 'Creating gist' >&2; echo https://gist.github.com/me/0123abcd",
            folder.display()
        );
        script(folder, "gh", &body);
        assert_eq!(share(folder).await.unwrap(), "https://gist.github.com/me/0123abcd");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(
            read("arguments"),
            "gist\ncreate\n--filename=session.html\n--desc=A session\n-\n"
        );
        assert_eq!(read("text"), "<p>text [key hidden]");
        assert_eq!(read("variables"), "1 hidden\n");
    }

    #[tokio::test]
    async fn a_missing_program_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = share(folder.path()).await.unwrap_err();
        assert!(matches!(error, ShareError::NoProgram), "{error}");
    }

    #[tokio::test]
    async fn each_failure_is_one_clear_line() {
        for (body, expected) in [
            ("exit 4", "gh is not logged in; run `gh auth login`, then share again"),
            (
                "echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 1",
                "gh is not logged in; run `gh auth login`, then share again",
            ),
            (
                "echo 'HTTP 401: Bad credentials' >&2; exit 1",
                "gh is not logged in; run `gh auth login`, then share again",
            ),
            (
                "echo \"This command needs the 'gist' scope\" >&2; exit 1",
                "gh may not make gists; run `gh auth refresh -s gist`, then share again",
            ),
            (
                "echo 'error connecting to api.github.com' >&2; exit 1",
                "gh cannot reach GitHub: error connecting to api.github.com",
            ),
            (
                "echo 'X Post \"x\": dial tcp: lookup api.github.com: no such host' >&2; exit 1",
                "gh cannot reach GitHub: X Post \"x\": dial tcp: lookup api.github.com: no such host",
            ),
            (
                "echo '- Creating gist' >&2; printf 'HTTP 422: \\033[31mtoo large sk-0123456789\\n\\n' >&2; exit 1",
                "gh failed: HTTP 422: [31mtoo large [key hidden]",
            ),
            ("exit 7", "gh failed: exit status: 7"),
            (
                "echo done",
                "gh gave no address of a gist; look at your gists before you share again",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            script(folder.path(), "gh", body);
            let error = share(folder.path()).await.unwrap_err().to_string();
            assert_eq!(error, expected, "{body}");
            assert!(!error.contains('\n'));
        }
    }
}
