//! The line that says that a newer version is out.
//!
//! Owns the daily look at the address that the user, or whoever built this, has named. What is
//! found is kept and said at the next start, so nothing ever waits for it; without an address
//! nothing is read or sent.

#[cfg(test)]
mod tests;

use crate::compose::proxy_settings;
use crate::environment::Environment;
use crate::files::{Existing, read_text, write_private};
use crate::settings::Settings;
use letscode_llm::{DocumentConfig, fetch_document};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version that is running.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How many seconds lie between two looks.
const DAY: i64 = 24 * 60 * 60;
/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the last look has found.
#[derive(Debug, Serialize, Deserialize)]
struct LastLook {
    /// When it was, in seconds since 1970.
    checked_at: i64,
    /// The newest version; `None` where none was found.
    latest: Option<String>,
}

/// Returns the line to say, if an earlier look has found a newer version. Starts the next look
/// beside everything else if it is due; must be called inside the runtime.
pub(crate) fn notice(settings: &Settings, environment: &Environment) -> Option<String> {
    let (url, user) = (settings.update_url.as_ref()?, settings.user.as_ref()?);
    let path = user.cache().join("update-check.json");
    let now = environment.seconds_since_epoch();
    let last = last_look(&path);
    if last.as_ref().is_none_or(|last| !(0..DAY).contains(&now.saturating_sub(last.checked_at))) {
        let document = DocumentConfig {
            url: url.clone(),
            proxy: proxy_settings(&settings.network),
            extra_roots: settings.network.certificates.clone(),
            timeout: PATIENCE,
        };
        tokio::spawn(look(document, path, now));
    }
    let latest = last?.latest?;
    is_newer(&latest, VERSION)
        .then(|| format!("version {latest} of letscode is out; this is {VERSION}"))
}

/// Fetches the newest version and keeps it. A failure is kept too: the next look is tomorrow's.
async fn look(document: DocumentConfig, path: PathBuf, now: i64) {
    let latest = fetch_document(&document).await.as_ref().and_then(version_in);
    let look = LastLook { checked_at: now, latest };
    if let Ok(text) = serde_json::to_string(&look)
        && let Err(error) = write_private(&path, &text, Existing::Replace)
    {
        tracing::debug!(%error, "the newest version cannot be kept");
    }
}

fn last_look(path: &Path) -> Option<LastLook> {
    serde_json::from_str(&read_text(path).ok()??).ok()
}

/// Returns the version that a document names: its `version`, the tag of a release, or the
/// document itself. What is no plain version is none: the text goes to the screen.
fn version_in(document: &Value) -> Option<String> {
    let members = ["version", "tag_name", "latest"];
    let text = document
        .as_str()
        .or_else(|| members.iter().find_map(|name| document.get(name)?.as_str()))?;
    let text = text.trim().trim_start_matches('v');
    numbers(text).map(|_| text.to_owned())
}

fn is_newer(candidate: &str, current: &str) -> bool {
    numbers(candidate).is_some_and(|candidate| Some(candidate) > numbers(current))
}

/// Returns the three numbers of a version; a version to be tried out beforehand is none.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}
