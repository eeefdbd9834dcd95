//! One entry of the page: a message of the user, an answer, or what is between.
//!
//! Owns their order inside and their headings. Must not add foreign text but through the writer.

use super::html::Html;
use super::outline::Entry;
use super::{call, clip, markdown, picture};
use letscode_wire::{
    AssistantMessage, ContentPart, CustomKind, CustomMessage, Meta, StopReason, ToolMessage,
};
use serde_json::Value;

/// Adds the entry that is the `number`th of the page, from 1.
pub(super) fn write(html: &mut Html<'_>, number: usize, entry: &Entry<'_>) {
    match entry {
        Entry::User(message) => {
            begin(html, "user", "User", number, message.timestamp);
            for part in &message.content {
                match part {
                    ContentPart::Text { text } => spoken(html, text),
                    ContentPart::Image { data, mime_type } => write_picture(html, data, mime_type),
                }
            }
        }
        Entry::Answer(answer, calls) => {
            begin(html, "answer", "Answer", number, answer.timestamp);
            write_answer(html, answer);
            for call in calls {
                call::write(html, call);
            }
        }
        Entry::LooseResult(result) => {
            begin(html, "tool", "Tool result", number, result.timestamp);
            write_loose(html, result);
        }
        Entry::Custom(message) => {
            begin(html, "custom", custom_heading(message), number, message.timestamp);
            write_custom(html, message);
        }
    }
    html.markup("</article>\n");
}

/// Adds a picture of the conversation, or a note that it is none.
pub(super) fn write_picture(html: &mut Html<'_>, data: &str, mime_type: &str) {
    match picture::address(data) {
        Some(address) => {
            html.markup("<img alt=\"picture\"");
            html.attribute("src", &address);
            html.markup(">\n");
        }
        None => {
            html.markup("<p class=\"note\">[a picture that cannot be shown: ");
            html.text(&clip::one_line(mime_type));
            html.markup("]</p>\n");
        }
    }
}

/// Adds a text as it stands, its middle left out where it is long.
pub(super) fn write_verbatim(html: &mut Html<'_>, text: &str) {
    let text = html.mask(text);
    let clipped = clip::ends(&text, clip::LONGEST_TEXT);
    html.markup("<pre>\n");
    html.text(clipped.head);
    html.markup("</pre>\n");
    if let Some(rest) = clipped.rest {
        html.markup("<p class=\"note\">");
        html.number(rest.left_out as u64);
        html.markup(" bytes are left out here</p>\n<pre>\n");
        html.text(rest.tail);
        html.markup("</pre>\n");
    }
}

fn begin(
    html: &mut Html<'_>,
    class: &'static str,
    heading: &'static str,
    number: usize,
    timestamp: f64,
) {
    html.markup("<article");
    html.attribute("class", class);
    html.attribute("id", &format!("m{number}"));
    html.markup(">\n<header><h2>");
    html.markup(heading);
    html.markup("</h2> <a");
    html.attribute("href", &format!("#m{number}"));
    html.markup(">#");
    html.text(&number.to_string());
    html.markup("</a>");
    if let Some((exact, shown)) = moment(timestamp) {
        html.markup(" <time");
        html.attribute("datetime", &exact);
        html.markup(">");
        html.text(&shown);
        html.markup("</time>");
    }
    html.markup("</header>\n");
}

/// Returns a time for machines and for people; `None` where it is unknown or out of all bounds.
fn moment(timestamp: f64) -> Option<(String, String)> {
    if !(1.0..).contains(&timestamp) {
        return None;
    }
    let time = jiff::Timestamp::from_second(timestamp as i64).ok()?;
    Some((time.to_string(), time.strftime("%Y-%m-%d %H:%M UTC").to_string()))
}

/// Adds what a person typed: no Markdown is read into it.
fn spoken(html: &mut Html<'_>, text: &str) {
    html.markup("<div class=\"verbatim\" dir=\"auto\">");
    html.text(text);
    html.markup("</div>\n");
}

fn written(html: &mut Html<'_>, text: &str) {
    html.markup("<div class=\"prose\" dir=\"auto\">\n");
    markdown::write(html, text);
    html.markup("</div>\n");
}

fn write_answer(html: &mut Html<'_>, answer: &AssistantMessage) {
    if let Some(thinking) = thinking(&answer.meta) {
        html.markup("<details class=\"thinking\"><summary>Thinking</summary>\n");
        spoken(html, thinking);
        html.markup("</details>\n");
    }
    for part in &answer.content {
        match part {
            ContentPart::Text { text } if text.trim().is_empty() => {}
            ContentPart::Text { text } => written(html, text),
            ContentPart::Image { data, mime_type } => write_picture(html, data, mime_type),
        }
    }
    match answer.stop_reason {
        Some(StopReason::MaxTokens) => {
            html.markup("<p class=\"failure\">The output limit cut this answer.</p>\n");
        }
        Some(StopReason::Error) => {
            html.markup("<p class=\"failure\">This answer ended for an unusual reason.</p>\n");
        }
        Some(StopReason::EndTurn | StopReason::ToolCalls) | None => {}
    }
}

/// Returns the text of an answer's reasoning.
fn thinking(meta: &Meta) -> Option<&str> {
    let text = meta.get("reasoning")?.get("text")?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

fn write_loose(html: &mut Html<'_>, result: &ToolMessage) {
    if result.is_error {
        html.markup("<p class=\"failure\">failed</p>\n");
    }
    html.markup("<details><summary>Result of a call that is not in this session</summary>\n");
    call::write_content(html, &result.content);
    html.markup("</details>\n");
}

fn custom_heading(message: &CustomMessage) -> &'static str {
    match CustomKind::from_name(&message.kind) {
        Some(CustomKind::Compaction) => "Summary",
        Some(CustomKind::ModelChange) => "Model",
        Some(CustomKind::Reset) => "Reset",
        Some(CustomKind::GoTo) => "Branch",
        None => "Note",
    }
}

fn write_custom(html: &mut Html<'_>, message: &CustomMessage) {
    let text = |name: &str| message.payload.get(name).and_then(Value::as_str).unwrap_or_default();
    match CustomKind::from_name(&message.kind) {
        Some(CustomKind::Compaction) => {
            html.markup("<details><summary>A summary stands for ");
            match message.payload.get("collapsed_count").and_then(Value::as_u64) {
                Some(count) => {
                    html.number(count);
                    html.markup(" older messages");
                }
                None => html.markup("older messages"),
            }
            html.markup("</summary>\n");
            written(html, text("summary"));
            html.markup("</details>\n");
        }
        Some(CustomKind::ModelChange) => {
            html.markup("<p>From here on the model is <code>");
            html.text(text("model"));
            html.markup("</code>.</p>\n");
        }
        Some(CustomKind::Reset) => {
            html.markup("<p>From here on the conversation began anew.</p>\n");
        }
        Some(CustomKind::GoTo) => {
            html.markup("<p>Here the conversation went on from an earlier place.</p>\n");
        }
        None => {
            html.markup("<details><summary><code>");
            html.text(&clip::one_line(&message.kind));
            html.markup("</code></summary>\n");
            call::write_members(html, &message.payload);
            html.markup("</details>\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_where_it_is_one() {
        for (timestamp, expected) in [
            (1_796_058_600.9, Some("2026-11-30 17:10 UTC")),
            (0.0, None),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (1e300, None),
        ] {
            let shown = moment(timestamp).map(|(_, shown)| shown);
            assert_eq!(shown.as_deref(), expected, "{timestamp}");
        }
    }
}
