//! The page around the entries: head, figures, foot.
//!
//! Owns the policy by which a browser runs nothing and loads nothing from this page.

use super::html::{Html, grouped};
use super::outline::{self, Totals};
use super::{ExportInput, entry};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// The one style sheet. It names nothing outside of the page.
const STYLE: &str = include_str!("style.css");

/// Builds the page.
pub(super) fn build(input: &ExportInput<'_>) -> String {
    let mut html = Html::new(input.secrets);
    write_head(&mut html, input);
    html.markup("<body>\n");
    write_header(&mut html, input, &outline::totals(input.transcript));
    html.markup("<main>\n");
    for (index, entry) in outline::entries(input.transcript).iter().enumerate() {
        entry::write(&mut html, index + 1, entry);
    }
    html.markup("</main>\n<footer>Exported by letscode ");
    html.text(input.version);
    html.markup("</footer>\n</body>\n</html>\n");
    html.finish()
}

fn write_head(html: &mut Html<'_>, input: &ExportInput<'_>) {
    // The policy stands before all that it applies to.
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.markup("<meta http-equiv=\"Content-Security-Policy\"");
    html.attribute("content", &policy());
    html.markup(">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.markup("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html.plain_text(title(input));
    html.markup("</title>\n<style>");
    html.markup(STYLE);
    html.markup("</style>\n</head>\n");
}

/// Returns the policy: nothing but this style sheet and pictures that are in the page itself.
fn policy() -> String {
    // Browsers read every line end as a newline before they compare.
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE.replace("\r\n", "\n")));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; \
         form-action 'none'"
    )
}

fn title<'a>(input: &ExportInput<'a>) -> &'a str {
    if input.title.trim().is_empty() { "A session" } else { input.title }
}

fn write_header(html: &mut Html<'_>, input: &ExportInput<'_>, totals: &Totals) {
    html.markup("<header class=\"page\">\n<h1 dir=\"auto\">");
    html.text(title(input));
    html.markup("</h1>\n<dl class=\"figures\">\n");
    figure(html, "Model", input.model);
    figure(html, "Date", input.date);
    figure(html, "Messages", &messages(totals));
    if totals.input_tokens > 0 || totals.output_tokens > 0 {
        figure(html, "Tokens", &tokens(totals));
    }
    if let Some(cost) = totals.cost_usd {
        let more = if totals.is_cost_partial { " or more" } else { "" };
        figure(html, "Cost", &format!("${cost:.4}{more}"));
    }
    html.markup("</dl>\n</header>\n");
}

fn figure(html: &mut Html<'_>, name: &'static str, value: &str) {
    html.markup("<div><dt>");
    html.markup(name);
    html.markup("</dt> <dd>");
    html.text(value);
    html.markup("</dd></div>\n");
}

fn messages(totals: &Totals) -> String {
    let mut text = format!(
        "{} of the user, {}",
        grouped(totals.user_messages),
        counted(totals.answers, "answer")
    );
    if totals.calls > 0 {
        text.push_str(&format!(", {}", counted(totals.calls, "tool call")));
    }
    if totals.failed_calls > 0 {
        text.push_str(&format!(" ({} failed)", grouped(totals.failed_calls)));
    }
    text
}

fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn tokens(totals: &Totals) -> String {
    let mut text = format!("{} in", grouped(totals.input_tokens));
    if totals.cached_tokens > 0 {
        text.push_str(&format!(" ({} from the cache)", grouped(totals.cached_tokens)));
    }
    text.push_str(&format!(", {} out", grouped(totals.output_tokens)));
    text
}
