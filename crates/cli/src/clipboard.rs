//! Text to the user's clipboard, and pictures from it.
//!
//! Owns the choice among the tools of the desktop and the terminal's own way. Must not look at the
//! clipboard unless the user asks for it.

use crate::environment::Environment;
use crate::programs::{self, Request};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use letscode_core::secrets::Secrets;
use letscode_wire::ImageData;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A clipboard tool has nothing to wait for.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Terminals cut or drop a longer sequence, in bytes of base64.
const LONGEST_SEQUENCE: usize = 74_994;

/// The largest picture that is taken, in bytes.
const LARGEST_PICTURE: usize = 20 << 20;

/// How a text was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopiedBy {
    /// By the tool of that name.
    Tool(&'static str),
    /// By the terminal, which does not say whether it did.
    Terminal,
}

/// Why a text was not copied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CopyError {
    /// There is nothing to copy with.
    #[error("there is no clipboard here; install wl-copy, xclip or xsel")]
    NoClipboard,
    /// No tool worked, and the text is too long for the terminal.
    #[error(
        "the text is too long for the terminal's clipboard; install wl-copy, xclip or xsel, or \
         export it to a file"
    )]
    TooLong,
    /// The terminal is gone.
    #[error("the terminal cannot be written to: {0}")]
    Terminal(#[from] io::Error),
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureError {
    /// No tool is there to ask.
    #[error(
        "the clipboard cannot be read here; install wl-paste, xclip or pngpaste, or name the picture as @PATH"
    )]
    NoTool,
    /// The tool gave none.
    #[error("there is no picture in the clipboard")]
    NoPicture,
    /// No server takes it.
    #[error("the picture in the clipboard is larger than 20 MB")]
    TooLarge,
}

/// The tools that write the clipboard's picture to stdout, as PNG.
const PICTURE_TOOLS: [Tool; 3] = [
    Tool::new("pngpaste", &["-"], None),
    Tool::new("wl-paste", &["--type", "image/png"], Some("WAYLAND_DISPLAY")),
    Tool::new(
        "xclip",
        &["-selection", "clipboard", "-target", "image/png", "-out"],
        Some("DISPLAY"),
    ),
];

/// A tool that takes the text from stdin.
struct Tool {
    name: &'static str,
    arguments: &'static [&'static str],
    /// A variable without which it cannot work.
    needs: Option<&'static str>,
    encoding: Encoding,
}

/// What a tool takes its input for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// ASCII as it is, everything else as UTF-16 with a mark in front.
    Windows,
}

/// The tools, the one that is surest to be meant first.
const TOOLS: [Tool; 5] = [
    Tool::new("pbcopy", &[], None),
    Tool::new("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    Tool::new("xclip", &["-selection", "clipboard", "-in"], Some("DISPLAY")),
    Tool::new("xsel", &["--clipboard", "--input"], Some("DISPLAY")),
    // In a Linux system inside of Windows too.
    Tool { name: CLIP, arguments: &[], needs: None, encoding: Encoding::Windows },
];

/// The tool of Windows, as it is to be looked for.
const CLIP: &str = if cfg!(windows) { "clip" } else { "clip.exe" };

impl Tool {
    const fn new(
        name: &'static str,
        arguments: &'static [&'static str],
        needs: Option<&'static str>,
    ) -> Self {
        Self { name, arguments, needs, encoding: Encoding::Utf8 }
    }

    /// Returns where the tool is, if it can work here. In a remote shell the terminal alone is at the
    /// user's side, unless a display is forwarded.
    fn find(&self, environment: &Environment) -> Option<PathBuf> {
        let is_set = |name: &str| environment.text(name).is_some();
        let can_work = match self.needs {
            Some(variable) => is_set(variable),
            None => !(is_set("SSH_CONNECTION") || is_set("SSH_TTY")),
        };
        let search_path = environment.path("PATH").unwrap_or_default();
        can_work.then(|| programs::find(self.name, search_path.as_os_str())).flatten()
    }
}

/// Copies a text, without keys, with the first tool that works, else by way of `terminal`, where
/// there is one.
///
/// # Errors
/// When no tool works and the terminal cannot take it.
pub(crate) async fn copy(
    text: &str,
    environment: &Environment,
    secrets: &Secrets,
    terminal: Option<&mut (dyn Write + Send)>,
) -> Result<CopiedBy, CopyError> {
    let text = secrets.mask(text);
    for tool in &TOOLS {
        let Some(program) = tool.find(environment) else { continue };
        let request = Request {
            program: &program,
            arguments: tool.arguments,
            input: &encode(&text, tool.encoding),
            // Without it the tool of macOS takes its input for the old Roman encoding.
            variables: if tool.name == "pbcopy" { &[("LC_CTYPE", "UTF-8")] } else { &[] },
            hidden_variables: &secrets.variables(),
            time_limit: TIME_LIMIT,
        };
        if programs::feed_only(request).await.is_ok_and(|status| status.success()) {
            return Ok(CopiedBy::Tool(tool.name));
        }
    }
    let terminal = terminal.ok_or(CopyError::NoClipboard)?;
    let sequence = sequence(&text, environment.text("TMUX").is_some()).ok_or(CopyError::TooLong)?;
    terminal.write_all(sequence.as_bytes())?;
    terminal.flush()?;
    Ok(CopiedBy::Terminal)
}

fn encode(text: &str, encoding: Encoding) -> Cow<'_, [u8]> {
    if encoding == Encoding::Utf8 || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    Cow::Owned(units.flat_map(u16::to_le_bytes).collect())
}

/// Returns what tells a terminal to copy `text` (OSC 52); `None` where it is too long.
fn sequence(text: &str, in_tmux: bool) -> Option<String> {
    let base64 = BASE64_STANDARD.encode(text);
    if base64.len() > LONGEST_SEQUENCE {
        return None;
    }
    let plain = format!("\u{1b}]52;c;{base64}\u{7}");
    if in_tmux {
        // By its settings tmux takes the one, passes the other through, or ignores it.
        let passed_through = format!("\u{1b}Ptmux;\u{1b}{plain}\u{1b}\\");
        return Some(plain + &passed_through);
    }
    Some(plain)
}

/// Returns the picture in the clipboard.
///
/// # Errors
/// When there is none, or nothing to read it with.
pub(crate) async fn picture(
    environment: &Environment,
    secrets: &Secrets,
) -> Result<ImageData, PictureError> {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    let mut error = PictureError::NoTool;
    for tool in &PICTURE_TOOLS {
        let Some(program) = tool.find(environment) else { continue };
        error = PictureError::NoPicture;
        let request = Request {
            program: &program,
            arguments: tool.arguments,
            input: &[],
            variables: &[],
            hidden_variables: &secrets.variables(),
            time_limit: TIME_LIMIT,
        };
        let Ok(finished) = programs::collect(request).await else { continue };
        if !finished.status.success() || !finished.stdout.starts_with(PNG) {
            continue;
        }
        if finished.stdout.len() > LARGEST_PICTURE {
            return Err(PictureError::TooLarge);
        }
        let data = BASE64_STANDARD.encode(&finished.stdout);
        return Ok(ImageData { data, mime_type: "image/png".to_owned() });
    }
    Err(error)
}

#[cfg(test)]
#[cfg_attr(
    unix,
    expect(clippy::disallowed_methods, reason = "it looks at what the fake programs wrote")
)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_terminal_is_told_in_base64() {
        assert_eq!(sequence("hi", false).unwrap(), "\u{1b}]52;c;aGk=\u{7}");
        let in_tmux = "\u{1b}]52;c;aGk=\u{7}\u{1b}Ptmux;\u{1b}\u{1b}]52;c;aGk=\u{7}\u{1b}\\";
        assert_eq!(sequence("hi", true).unwrap(), in_tmux);
        assert!(sequence(&"x".repeat(LONGEST_SEQUENCE / 4 * 3), false).is_some());
        assert!(sequence(&"x".repeat(LONGEST_SEQUENCE), false).is_none());
    }

    #[test]
    fn windows_gets_utf_16_where_it_must() {
        assert_eq!(&*encode("a\n", Encoding::Windows), b"a\n");
        assert_eq!(&*encode("\u{e4}", Encoding::Windows), b"\xff\xfe\xe4\x00");
        assert_eq!(&*encode("\u{e4}", Encoding::Utf8), "\u{e4}".as_bytes());
    }

    #[tokio::test]
    async fn without_a_tool_and_a_terminal_it_says_what_to_install() {
        let environment = Environment::of_variables(&[("PATH", "/nowhere")]);
        let error = copy("x", &environment, &Secrets::default(), None).await.unwrap_err();
        assert!(error.to_string().contains("xclip"), "{error}");
        let long = "x".repeat(100_000);
        let mut terminal = Vec::new();
        let copied = copy(&long, &environment, &Secrets::default(), Some(&mut terminal)).await;
        assert!(matches!(copied, Err(CopyError::TooLong)));
        assert_eq!(terminal, b"");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_first_tool_that_works_is_taken() {
        use crate::programs::fakes::script;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (bin, copied) = (folder.to_str().unwrap(), folder.join("copied"));
        let keep = format!("cat > '{}'; echo \"$0 $*\" >> '{0}'", copied.display());
        let display = [("PATH", bin), ("DISPLAY", ":0")];
        let both = [("PATH", bin), ("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "w")];
        let remote = [("PATH", bin), ("SSH_TTY", "/dev/pts/0")];
        script(folder, "wl-copy", "exit 1");
        script(folder, "xsel", &keep);
        let try_copy = async |variables: &[(&str, &str)]| {
            let environment = Environment::of(variables, Path::new("/"), Path::new("/"));
            let secrets = Secrets::new(["sk-0123456789"], []);
            let mut terminal = Vec::new();
            let by = copy("key sk-0123456789", &environment, &secrets, Some(&mut terminal));
            (by.await.unwrap(), terminal)
        };
        // The first fails, the second is missing.
        assert_eq!(try_copy(&both).await, (CopiedBy::Tool("xsel"), Vec::new()));
        let expected = format!("key [key hidden]{bin}/xsel --clipboard --input\n");
        assert_eq!(std::fs::read_to_string(&copied).unwrap(), expected);
        script(folder, "xclip", &keep);
        assert_eq!(try_copy(&display).await.0, CopiedBy::Tool("xclip"));
        // No display.
        let (by, terminal) = try_copy(&[("PATH", bin)]).await;
        assert_eq!(by, CopiedBy::Terminal);
        assert_eq!(terminal, sequence("key [key hidden]", false).unwrap().as_bytes());
        // The clipboard of another machine is not the user's.
        script(folder, "pbcopy", &keep);
        assert_eq!(try_copy(&[("PATH", bin)]).await.0, CopiedBy::Tool("pbcopy"));
        assert_eq!(try_copy(&remote).await.0, CopiedBy::Terminal);
    }
}
