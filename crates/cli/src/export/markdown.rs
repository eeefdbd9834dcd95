//! Answers, which are Markdown, as HTML.
//!
//! Owns what of Markdown becomes an element. Raw HTML is text; a picture is a link, so that
//! nothing is loaded; a link leads to a web page or a mail address or is no link.

use super::html::Html;
use pulldown_cmark::{
    Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};
use url::Url;

/// Deeper lists, quotes and emphasis are not set off any more: browsers give up on deep trees.
const DEEPEST: usize = 40;

/// Adds a Markdown text.
pub(super) fn write(html: &mut Html<'_>, source: &str) {
    let source = html.mask(source);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut renderer = Renderer::new(html);
    for event in TextMergeStream::new(Parser::new_ext(&source, options)) {
        renderer.take(event);
    }
}

/// Returns the address that a link may lead to, in its normal form.
fn safe_address(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.into())
}

/// Turns events into HTML, one after the other.
struct Renderer<'h, 's, 'e> {
    html: &'h mut Html<'s>,
    /// How each open element ends, the outermost first.
    ends: Vec<End<'e>>,
    /// How many of them are links or pictures: those do not nest in HTML.
    links: usize,
    alignments: Vec<Alignment>,
    column: usize,
    in_table_head: bool,
}

/// What closes an element.
enum End<'e> {
    /// Our markup.
    Markup(&'static str),
    /// Of a link that leads nowhere: the address that it was to lead to.
    Address(CowStr<'e>),
    /// Of a picture.
    Picture(Box<Self>),
}

impl<'h, 's, 'e> Renderer<'h, 's, 'e> {
    fn new(html: &'h mut Html<'s>) -> Self {
        let (alignments, ends) = (Vec::new(), Vec::new());
        Self { html, ends, links: 0, alignments, column: 0, in_table_head: false }
    }

    fn take(&mut self, event: Event<'e>) {
        match event {
            Event::Start(tag) => {
                let end = self.start(tag);
                self.ends.push(end);
            }
            Event::End(tag) => self.end(tag),
            Event::Code(code) => {
                self.html.markup("<code>");
                self.html.text(&code);
                self.html.markup("</code>");
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.html.text(&text),
            Event::SoftBreak => self.html.markup("\n"),
            Event::HardBreak => self.html.markup("<br>\n"),
            Event::Rule => self.html.markup("<hr>\n"),
            Event::TaskListMarker(true) => self.html.markup("\u{2611} "),
            Event::TaskListMarker(false) => self.html.markup("\u{2610} "),
        }
    }

    /// Opens an element and returns what closes it.
    fn start(&mut self, tag: Tag<'e>) -> End<'e> {
        let nests_freely = matches!(
            tag,
            Tag::BlockQuote(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
        );
        if nests_freely && self.ends.len() >= DEEPEST {
            return End::Markup("");
        }
        let (open, close) = match tag {
            Tag::Paragraph => ("<p>", "</p>\n"),
            // The page's own headings are above those of an answer.
            Tag::Heading { level: HeadingLevel::H1, .. } => ("<h3>", "</h3>\n"),
            Tag::Heading { level: HeadingLevel::H2, .. } => ("<h4>", "</h4>\n"),
            Tag::Heading { level: HeadingLevel::H3, .. } => ("<h5>", "</h5>\n"),
            Tag::Heading { .. } => ("<h6>", "</h6>\n"),
            Tag::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
            Tag::CodeBlock(_) => ("<pre><code>", "</code></pre>\n"),
            Tag::HtmlBlock => ("<p class=\"verbatim\">", "</p>\n"),
            Tag::List(None) => ("<ul>\n", "</ul>\n"),
            Tag::List(Some(1)) => ("<ol>\n", "</ol>\n"),
            Tag::List(Some(first)) => {
                self.html.markup("<ol");
                self.html.attribute("start", &first.to_string());
                (">\n", "</ol>\n")
            }
            Tag::Item => ("<li>", "</li>\n"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                ("<div class=\"scroll\"><table>\n", "</tbody></table></div>\n")
            }
            Tag::TableHead => {
                (self.column, self.in_table_head) = (0, true);
                ("<thead><tr>", "</tr></thead><tbody>\n")
            }
            Tag::TableRow => {
                self.column = 0;
                ("<tr>", "</tr>\n")
            }
            Tag::TableCell => return self.start_cell(),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            Tag::Link { dest_url, .. } => return self.start_link(dest_url),
            Tag::Image { dest_url, .. } => {
                let end = self.start_link(dest_url);
                self.html.markup("[picture: ");
                return End::Picture(Box::new(end));
            }
            // What the options leave out.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => ("", ""),
        };
        self.html.markup(open);
        End::Markup(close)
    }

    fn start_cell(&mut self) -> End<'e> {
        let (open, close) = if self.in_table_head { ("<th", "</th>") } else { ("<td", "</td>") };
        self.html.markup(open);
        match self.alignments.get(self.column) {
            Some(Alignment::Right) => self.html.attribute("class", "right"),
            Some(Alignment::Center) => self.html.attribute("class", "center"),
            Some(Alignment::Left | Alignment::None) | None => {}
        }
        self.html.markup(">");
        self.column += 1;
        End::Markup(close)
    }

    fn start_link(&mut self, address: CowStr<'e>) -> End<'e> {
        self.links += 1;
        if self.links > 1 {
            return End::Markup("");
        }
        match safe_address(&address) {
            Some(address) => {
                self.html.markup("<a");
                self.html.attribute("href", &address);
                self.html.markup(" rel=\"noopener noreferrer nofollow\">");
                End::Markup("</a>")
            }
            None => End::Address(address),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::TableHead => self.in_table_head = false,
            TagEnd::Link | TagEnd::Image => self.links = self.links.saturating_sub(1),
            _ => {}
        }
        if let Some(end) = self.ends.pop() {
            self.write_end(end);
        }
    }

    fn write_end(&mut self, end: End<'e>) {
        match end {
            End::Markup(markup) => self.html.markup(markup),
            End::Address(address) => {
                self.html.markup(" <span class=\"address\">(");
                self.html.text(&address);
                self.html.markup(")</span>");
            }
            End::Picture(end) => {
                self.html.markup("]");
                self.write_end(*end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_core::secrets::Secrets;

    fn html(source: &str) -> String {
        html_without(&Secrets::default(), source)
    }

    fn html_without(secrets: &Secrets, source: &str) -> String {
        let mut html = Html::new(secrets);
        write(&mut html, source);
        html.finish()
    }

    #[test]
    fn an_answer_keeps_its_form() {
        let source = "# One\n\ntext *em* **strong** ~~old~~ `co<de>`\\\nnext\n\n\
            3. three\n4. four\n   - [x] done\n   - [ ] open\n\n> quote\n\n---\n\n\
            ```rust\nfn main() {}\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n";
        insta::assert_snapshot!(html(source), @r#"
        <h3>One</h3>
        <p>text <em>em</em> <strong>strong</strong> <del>old</del> <code>co&lt;de&gt;</code><br>
        next</p>
        <ol start="3">
        <li>three</li>
        <li>four<ul>
        <li>☑ done</li>
        <li>☐ open</li>
        </ul>
        </li>
        </ol>
        <blockquote>
        <p>quote</p>
        </blockquote>
        <hr>
        <pre><code>fn main() {}
        </code></pre>
        <div class="scroll"><table>
        <thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody>
        <tr><td>1</td><td class="right">2</td></tr>
        </tbody></table></div>
        "#);
    }

    #[test]
    fn a_link_leads_to_the_web_or_to_a_mail_address_or_nowhere() {
        let link = |href: &str| {
            format!("<p><a href=\"{href}\" rel=\"noopener noreferrer nofollow\">x</a></p>\n")
        };
        for (address, expected) in [
            ("https://example.org/a?b=1&c", link("https://example.org/a?b=1&amp;c")),
            ("HTTP://EXAMPLE.org", link("http://example.org/")),
            ("mailto:me@example.org", link("mailto:me@example.org")),
            ("https://example.org/\"onx='", link("https://example.org/%22onx=&#39;")),
        ] {
            assert_eq!(html(&format!("[x](<{address}>)")), expected, "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "java\tscript:alert(1)",
            "java&#9;script:alert(1)",
            "&#106;avascript:alert(1)",
            "vbscript:msgbox(1)",
            "data:text/html,&lt;script&gt;alert(1)&lt;/script&gt;",
            "data:image/png;base64,AAAA",
            "file:///etc/passwd",
            "ftp://example.org",
            "blob:https://example.org/1",
            "//example.org",
            "/path",
            "src/main.rs",
            "#fragment",
            "https:",
            "",
        ] {
            let html = html(&format!("[x](<{address}>)"));
            assert!(!html.contains("<a"), "{address}: {html}");
            assert!(html.starts_with("<p>x <span class=\"address\">("), "{address}: {html}");
        }
    }

    #[test]
    fn a_picture_is_a_link_and_loads_nothing() {
        insta::assert_snapshot!(html("![a *b*](https://example.org/p.png) ![](data:image/png;base64,AAAA)"), @r#"<p><a href="https://example.org/p.png" rel="noopener noreferrer nofollow">[picture: a <em>b</em>]</a> [picture: ] <span class="address">(data:image/png;base64,AAAA)</span></p>"#);
        insta::assert_snapshot!(html("[![badge](https://a.example/b.svg)](https://b.example)"), @r#"<p><a href="https://b.example/" rel="noopener noreferrer nofollow">[picture: badge]</a></p>"#);
    }

    #[test]
    fn raw_html_is_text() {
        insta::assert_snapshot!(html("<div onclick=x>\n<script>\n</div>\n\na <img src=x onerror=y> b"), @r#"
        <p class="verbatim">&lt;div onclick=x&gt;
        &lt;script&gt;
        &lt;/div&gt;
        </p>
        <p>a &lt;img src=x onerror=y&gt; b</p>
        "#);
    }

    #[test]
    fn a50_a_key_that_markdown_puts_together_is_hidden() {
        let secrets = Secrets::new(["sk_secret_1234"], []);
        for source in
            ["sk_secret_1234", "sk\\_secret\\_1234", "sk&#95;secret_1234", "`sk_secret_1234`"]
        {
            let html = html_without(&secrets, source);
            assert!(html.contains("[key hidden]"), "{source}: {html}");
        }
        let link = html_without(&secrets, "[x](https://e.example/?k=sk_secret_1234)");
        assert!(!link.contains("sk_secret"), "{link}");
    }

    #[test]
    fn depth_is_bounded_and_every_element_closed() {
        for source in [">".repeat(5_000), "- ".repeat(5_000), "*a **b ".repeat(5_000)] {
            let html = html(&source);
            for element in ["blockquote>", "ul>", "li>", "em>", "strong>"] {
                let count = |slash| html.matches(&format!("<{slash}{element}")).count();
                let (open, close) = (count(""), count("/"));
                assert_eq!(open, close, "{element}");
                assert!(open <= 5_000, "{element}");
            }
        }
    }
}
