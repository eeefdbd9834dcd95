//! Installing, listing, running and removing plugins, with stand-ins for uv, pip, Python and cargo.

use crate::driver::{HANG, files_below, stderr, stdout, wait_for_file};
use letscode_testkit::program::{Finished, Program, Signal};
use letscode_testkit::workdir::{FileSpec, WorkDir};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// What uv does: notes its words, makes an environment, and for the rest what `~/does` says, with
/// the folder of packages in `$site`.
const UV: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
echo "uv $*" >> "$HOME/log"
for last; do :; done
if [ "$1" = venv ]; then
  mkdir -p "$last/bin" "$last/lib/python3.12/site-packages"
  echo 'version_info = 3.12.1' > "$last/pyvenv.cfg"
  echo > "$last/bin/python"
  exit
fi
site=$HOME/.letscode/plugins/lib/python3.12/site-packages
[ -z "$VIRTUAL_ENV" ] || site=$VIRTUAL_ENV/lib/python3.12/site-packages
bin=$site/../../../bin
. "$HOME/does"
"#;

/// What a Python does: the same, and it is its own pip.
const PYTHON: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
[ "$1" != -I ] || { echo 3.12; exit; }
echo "python $*" >> "$HOME/log"
for last; do :; done
if [ "$2" = venv ]; then
  mkdir -p "$last/bin" "$last/lib/python3.12/site-packages/pip-25.dist-info"
  echo 'version = 3.12.1' > "$last/pyvenv.cfg"
  cp "$0" "$last/bin/python"
  exit
fi
site=$HOME/.letscode/plugins/lib/python3.12/site-packages
. "$HOME/does"
"#;

/// Installs the plugin `demo` with the tool `demo-tool`, from the folder `~/work/project/demo`.
const DEMO: &str = r#"
if [ "$2" = uninstall ] || [ "$3" = uninstall ]; then rm -r "$site"/demo*; exit; fi
info=$site/demo-1.0.dist-info
mkdir -p "$info"
printf 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n' > "$info/METADATA"
printf '[letscode]\nx = y\n[console_scripts]\ndemo-tool = y:z\n' > "$info/entry_points.txt"
printf '{"url":"file://%s/work/project/demo","dir_info":{}}' "$HOME" > "$info/direct_url.json"
printf '#!/bin/sh\necho "got $*"; read line; echo "$line"; exit 7\n' > "$site/../../../bin/demo-tool"
chmod 755 "$site/../../../bin/demo-tool"
echo 'Installed 1 package'
"#;

/// Hangs with its work half done.
const HANGS: &str = "mkdir -p \"$site/half\"; echo yes > \"$HOME/hangs\"; exec sleep 600";

struct Stage {
    dir: WorkDir,
}

impl Stage {
    /// Makes a home, and a `PATH` with these programs alone.
    fn with(programs: &[(&str, &str)]) -> Self {
        let stage = Self { dir: WorkDir::new() };
        fs::create_dir_all(stage.home("path")).unwrap();
        for (name, text) in programs {
            stage.program(&format!("~/path/{name}"), text);
        }
        stage
    }

    fn with_uv(does: &str) -> Self {
        let stage = Self::with(&[("uv", UV)]);
        stage.does(does);
        stage.dir.write("demo/pyproject.toml", "[project]\nname = 'demo'");
        stage
    }

    fn does(&self, script: &str) {
        fs::write(self.home("does"), script).unwrap();
    }

    fn program(&self, name: &str, text: &str) {
        let file = FileSpec::from_json(&json!({"text": text, "mode": "755"})).unwrap();
        file.put(&self.dir.resolve(name)).unwrap();
    }

    fn home(&self, name: &str) -> PathBuf {
        self.dir.home().join(name)
    }

    fn command(&self, args: &[&str]) -> Program {
        Program::new(env!("CARGO_BIN_EXE_letscode"), &self.dir)
            .args(args.iter().copied())
            .env("PATH", self.home("path"))
            .env("TMPDIR", self.dir.home())
    }

    fn run(&self, args: &[&str]) -> Finished {
        self.command(args).run(HANG)
    }

    /// Runs what must succeed, and returns its stdout.
    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let finished = self.run(args);
        assert_eq!(finished.status, 0, "{args:?}: {}", stderr(&finished));
        stdout(&finished).to_owned()
    }

    /// Runs what must fail with this code, and returns the last line on stderr.
    #[track_caller]
    fn fails(&self, code: i32, args: &[&str]) -> String {
        failed(code, &self.run(args))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home("log")).unwrap_or_default()
    }

    /// Returns all files of the user's plugins.
    fn plugins(&self) -> Vec<PathBuf> {
        files_below(&self.home(".letscode/plugins"), |_| true)
    }
}

#[track_caller]
fn failed(code: i32, finished: &Finished) -> String {
    assert_eq!(finished.status, code, "{}", stderr(finished));
    assert_eq!(stdout(finished), "");
    let line = stderr(finished).lines().last().unwrap();
    line.strip_prefix("letscode: ").expect("the last line is ours").to_owned()
}

#[test]
fn a_python_package_is_installed_listed_run_and_removed() {
    let stage = Stage::with_uv(DEMO);
    assert!(stage.ok(&["plugins"]).contains("no plugins are installed\ninstall one with"));
    let finished = stage.run(&["install", "./demo"]);
    assert_eq!(
        stdout(&finished),
        "installed demo 1.0 in ~/.letscode/plugins; it is there at the next start\n\
         its tools: demo-tool (letscode run demo-tool)\n"
    );
    assert!(stderr(&finished).contains("Installed 1 package"), "the progress is shown");
    let expected = format!(
        "user environment (~/.letscode/plugins, Python 3.12)\n  demo  1.0  {}\n",
        stage.dir.resolve("demo").display()
    );
    let listed = stage.ok(&["plugins"]);
    let (installed, built_in) = listed.split_once("\nbuilt in").unwrap();
    assert_eq!(installed, expected);
    assert!(built_in.contains("  memory       off  notes"), "{built_in}");
    for (switch, expected) in [("disable", true), ("enable", false)] {
        stage.ok(&["plugins", switch, "demo"]);
        assert_eq!(stage.ok(&["plugins"]).contains("    switched off\n"), expected, "{switch}");
    }
    stage.ok(&["plugins", "enable", "memory"]);
    assert!(stage.ok(&["plugins"]).contains("  memory       on   notes"));
    assert_eq!(stage.ok(&["run", "--list"]), "demo-tool  of demo\n");
    let mut tool = stage.command(&["run", "demo-tool", "--flag", "a b"]).start().unwrap();
    tool.write(b"piped\n").unwrap();
    tool.close_stdin();
    let finished = tool.wait(HANG).unwrap();
    assert_eq!((finished.status, stdout(&finished)), (7, "got --flag a b\npiped\n"));
    let line = stage.fails(2, &["run", "other"]);
    assert_eq!(line, "no plugin ships a tool other; there are: demo-tool");
    assert_eq!(stage.ok(&["uninstall", "Demo"]), "removed demo 1.0 from ~/.letscode/plugins\n");
    assert!(stage.ok(&["plugins"]).contains("no plugins are installed"));
    let line = stage.fails(2, &["uninstall", "demo"]);
    assert_eq!(line, "no plugin demo is installed there; there is none at all");
    // Nothing but the environment itself stays.
    assert!(!stage.plugins().iter().any(|path| path.to_string_lossy().contains(".letscode-")));
}

#[test]
fn uv_leaves_our_own_distribution_out_and_takes_a_folder_for_changed() {
    let stage = Stage::with_uv(&format!("cat \"$6\" >> \"$HOME/log\"; {DEMO}"));
    stage.ok(&["install", "./demo"]);
    let log = stage.log();
    assert!(log.contains("uv venv --allow-existing --no-project --python >=3.12"), "{log}");
    assert!(log.contains("letscode ; python_version < '0'\n"), "{log}");
    assert!(log.contains("--reinstall-package demo pydantic>=2.7 pluggy>=1.5 rich>=13"), "{log}");
}

#[test]
fn pip_takes_our_own_distribution_as_installed() {
    let stage = Stage::with(&[("python3.12", PYTHON)]);
    stage.dir.write("demo/pyproject.toml", "[project]\nname = 'demo'");
    stage.does(&format!(
        "cat \"$PYTHONPATH\"/letscode-*.dist-info/METADATA {}/constraints.txt >> \"$HOME/log\"\n{DEMO}",
        "\"$PYTHONPATH\"/.."
    ));
    stage.ok(&["install", "./demo"]);
    let log = stage.log();
    let version = env!("CARGO_PKG_VERSION");
    assert!(log.contains(&format!("Name: letscode\nVersion: {version}\n")), "{log}");
    assert!(log.contains(&format!("letscode=={version}\n")), "{log}");
    assert!(log.contains("-m pip install --no-input"), "{log}");
    assert!(log.contains("pydantic>=2.7 pluggy>=1.5 rich>=13"), "{log}");
    assert_eq!(stage.ok(&["uninstall", "demo"]), "removed demo 1.0 from ~/.letscode/plugins\n");
}

#[test]
fn a_failed_installation_leaves_a_clean_home_clean() {
    for (does, part) in [
        (
            "mkdir -p $site/half; echo 'error: it broke' >&2; exit 1",
            "nope was not installed: uv failed: it broke",
        ),
        (
            "echo 'error: Failed to fetch: `https://h/x`\n  Caused by: dns error: no such host' >&2; exit 2",
            "nope was not installed: uv reaches no server: check the network, proxies and certificates (Failed to fetch: `https://h/x`: dns error: no such host)",
        ),
        (
            "echo '  \u{d7} No solution found when resolving dependencies:\n  \u{2570}\u{2500}\u{25b6} Because nope was not found in the package registry, it cannot be.'; exit 1",
            "nope was not installed: uv finds nothing that fits: No solution found when resolving dependencies: Because nope was not found in the package registry, it cannot be.",
        ),
        ("kill -9 $$", "nope was not installed: uv failed: signal: 9 (SIGKILL)"),
        (
            "mkdir -p $site/six-1.dist-info; echo 'Name: six' > $site/six-1.dist-info/METADATA",
            "nope is no plugin of letscode (it has no entry point in the group \"letscode\"), so it was taken out again",
        ),
    ] {
        let stage = Stage::with_uv(does);
        assert_eq!(stage.fails(1, &["install", "nope"]), part);
        assert!(!stage.home(".letscode/plugins").exists(), "{does}");
        let left: Vec<_> =
            fs::read_dir(stage.dir.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("letscode-install")));
    }
}

#[test]
fn a_failed_installation_takes_nothing_from_those_before() {
    let stage = Stage::with_uv(DEMO);
    stage.program("~/.letscode/plugins/native/kept/bin/kept", "#!/bin/sh\n");
    stage.ok(&["install", "./demo"]);
    let before = stage.plugins();
    stage.does(
        "rm -r \"$site\"/demo*; echo changed > \"$bin/demo-tool\"; mkdir \"$site/new\"; exit 1",
    );
    stage.fails(1, &["install", "other"]);
    assert_eq!(stage.plugins(), before);
    assert_eq!(stage.ok(&["run", "--list"]), "demo-tool  of demo\n");
}

#[test]
fn a_plugin_for_another_version_is_taken_out_again() {
    let later = DEMO.replace("Version: 1.0\\n", "Version: 1.0\\nRequires-Dist: letscode>=99\\n");
    let stage = Stage::with_uv(&later);
    let line = stage.fails(1, &["install", "./demo"]);
    let own = env!("CARGO_PKG_VERSION");
    assert_eq!(line, format!("demo needs letscode>=99, and this is {own}"));
    assert!(!stage.home(".letscode/plugins").exists());
}

#[test]
fn without_a_python_that_fits_one_line_says_so() {
    let stage = Stage::with(&[]);
    let line = stage.fails(1, &["install", "demo"]);
    assert!(
        line.starts_with("Python plugins need uv, or Python 3.12 or newer, and neither"),
        "{line}"
    );
    // A stand-in that only says how to get one is none.
    stage.program("~/path/python3.12", "#!/bin/sh\necho 'not installed' >&2\nexit 127\n");
    let line = stage.fails(1, &["install", "demo"]);
    assert!(line.contains("neither is on the PATH"), "{line}");
    stage.program("~/path/python3", "#!/bin/sh\necho 3.9\n");
    let line = stage.fails(1, &["install", "demo"]);
    assert!(line.contains("the PATH has only Python 3.9"), "{line}");
    assert!(!stage.home(".letscode/plugins").exists());
}

#[test]
fn an_interrupted_installation_leaves_nothing() {
    let stage = Stage::with_uv(HANGS);
    let mut running = stage.command(&["install", "demo"]).start().unwrap();
    wait_for_file(&stage.home("hangs"));
    running.signal(Signal::Interrupt).unwrap();
    assert_eq!(running.wait(HANG).unwrap().status, 130);
    assert!(!stage.home(".letscode/plugins").exists());
}

#[test]
fn a_killed_installation_is_put_right_by_the_next() {
    let stage = Stage::with_uv(HANGS);
    let mut running = stage.command(&["install", "demo"]).start().unwrap();
    wait_for_file(&stage.home("hangs"));
    running.kill();
    stage.does(DEMO);
    stage.ok(&["install", "./demo"]);
    assert!(!stage.plugins().iter().any(|path| path.to_string_lossy().contains("half")));
    assert!(!stage.home(".letscode/plugins/lib/python3.12/site-packages/half").exists());
}

#[test]
fn two_installations_at_once_do_not_undo_each_other() {
    let stage = Stage::with_uv(HANGS);
    let mut running = stage.command(&["install", "demo"]).start().unwrap();
    wait_for_file(&stage.home("hangs"));
    let line = stage.fails(1, &["install", "other"]);
    assert!(line.starts_with("another letscode is just installing"), "{line}");
    running.kill();
}

#[test]
fn a50_what_is_installed_sees_no_key_meanwhile() {
    let stage = Stage::with_uv(&format!("echo \"key=$OPENAI_API_KEY.\" >> \"$HOME/log\"; {DEMO}"));
    stage.ok(&["install", "./demo"]);
    assert!(stage.log().contains("key=.\n"), "{}", stage.log());
}

/// Answers hello.
const PLUGIN: &str = "#!/bin/sh\nread line\n\
    echo '{\"type\":\"hello\",\"protocol\":\"letscode-plugin/1\",\"name\":\"x\",\"version\":\"2.5\"}'\n";

#[test]
fn an_executable_gets_a_folder_of_its_own() {
    let stage = Stage::with(&[]);
    stage.program("echo.sh", PLUGIN);
    stage.program("other.sh", "#!/bin/sh\necho hi\n");
    let text = stage.ok(&["install", "./echo.sh"]);
    assert!(text.starts_with("installed echo 2.5 in ~/.letscode/plugins/native/echo"), "{text}");
    let manifest =
        fs::read_to_string(stage.home(".letscode/plugins/native/echo/plugin.toml")).unwrap();
    assert!(manifest.contains("command = [\"./bin/echo.sh\"]"), "{manifest}");
    assert!(
        stage.ok(&["plugins"]).contains("user native (~/.letscode/plugins/native)\n  echo  2.5  /")
    );
    assert_eq!(stage.ok(&["run"]), "echo.sh  of echo\n");
    let line = stage.fails(2, &["install", "./echo.sh"]);
    assert!(
        line.contains("echo is installed already, from /") && line.contains("uninstall echo"),
        "{line}"
    );
    let before = stage.plugins();
    let line = stage.fails(1, &["install", "./other.sh"]);
    assert_eq!(
        line,
        "other is no plugin: it does not answer \"hello\" with \"hello\", but with \"hi\""
    );
    assert_eq!(stage.plugins(), before);
    let text = stage.ok(&["uninstall", "echo"]);
    assert_eq!(text, "removed echo from ~/.letscode/plugins/native\n");
    assert_eq!(stage.plugins(), Vec::<PathBuf>::new());
    stage.ok(&["install", "--link", "./echo.sh"]);
    let link = stage.home(".letscode/plugins/native/echo/bin/echo.sh");
    assert_eq!(fs::read_link(link).unwrap(), stage.dir.resolve("echo.sh"));
}

const CARGO: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
echo "cargo $*" >> "$HOME/log"
[ -z "$FAIL" ] || { mkdir -p "$3/bin"; echo 'error: could not compile `guard`' >&2; exit 101; }
mkdir -p "$3/bin"
printf '[v1]\n"guard 0.4.0 (path+file:///x)" = ["guard"]\n' > "$3/.crates.toml"
cp "$HOME/work/project/plugin" "$3/bin/guard"
"#;

#[test]
fn a_crate_is_built_by_cargo_into_a_folder_of_its_own() {
    let stage = Stage::with(&[("cargo", CARGO)]);
    stage.program("plugin", PLUGIN);
    stage.dir.write("guard/Cargo.toml", "[package]\nname = 'guard'");
    let line = failed(1, &stage.command(&["install", "./guard"]).env("FAIL", "1").run(HANG));
    assert_eq!(line, "./guard was not installed: cargo failed: could not compile `guard`");
    assert!(!stage.home(".letscode/plugins").exists());
    let text = stage.ok(&["install", "./guard"]);
    assert!(
        text.starts_with("installed guard 0.4.0 in ~/.letscode/plugins/native/guard"),
        "{text}"
    );
    let files = stage.plugins();
    assert_eq!(files.len(), 2, "{files:?}");
    stage.ok(&["uninstall", "guard"]);
    stage.ok(&["install", "cargo:guard@0.4.0"]);
    assert!(stage.log().contains("--locked guard@0.4.0\n"), "{}", stage.log());
    assert!(stage.ok(&["plugins"]).contains("guard  0.4.0  cargo:guard@0.4.0"));
    fs::remove_file(stage.home("path/cargo")).unwrap();
    let line = stage.fails(1, &["install", "cargo:other"]);
    assert!(line.starts_with("a Rust crate needs cargo"), "{line}");
}

#[test]
fn a_project_has_places_of_its_own_and_its_tools_wait_for_trust() {
    let stage = Stage::with_uv(DEMO);
    stage.program("echo.sh", PLUGIN);
    let line = stage.fails(2, &["install", "--project", "demo"]);
    assert!(line.starts_with("--project needs an active Python environment"), "{line}");
    let active = stage.dir.resolve("venv");
    let run = |args: &[&str]| stage.command(args).env("VIRTUAL_ENV", &active).run(HANG);
    let line = failed(2, &run(&["install", "--project", "./demo"]));
    assert!(line.ends_with("is no Python environment (it has no pyvenv.cfg)"), "{line}");
    stage.dir.write("venv/pyvenv.cfg", "version = 3.12.1");
    stage.dir.write("venv/bin/python", "");
    fs::create_dir_all(active.join("lib/python3.12/site-packages")).unwrap();
    let finished = run(&["install", "--project", "./demo"]);
    assert_eq!(finished.status, 0, "{}", stderr(&finished));
    assert!(
        stdout(&run(&["plugins"]))
            .starts_with("active environment (~/work/project/venv, Python 3.12)\n  demo")
    );
    assert!(!stage.home(".letscode/plugins").exists());
    assert_eq!(run(&["run", "--project", "demo-tool"]).status, 7);
    // Native.
    let text = stage.ok(&["install", "--project", "./echo.sh"]);
    assert!(text.contains("letscode trust"), "{text}");
    let line = stage.fails(2, &["run", "--project", "echo.sh"]);
    assert!(line.contains("is not trusted"), "{line}");
    let line = stage.fails(2, &["run", "echo.sh"]);
    assert_eq!(line, "no plugin ships a tool echo.sh; there is none at all");
    stage.ok(&["trust"]);
    assert!(stage.ok(&["run", "--project", "echo.sh"]).contains("letscode-plugin/1"));
    stage.ok(&["uninstall", "--project", "echo"]);
    assert_eq!(run(&["uninstall", "--project", "demo"]).status, 0);
}

/// Puts a plugin into an environment.
fn plugin(root: &Path, python: &str, name: &str) {
    let info = root.join(format!("lib/{python}/site-packages/{name}-1.0.dist-info"));
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("METADATA"), format!("Name: {name}\nVersion: 1.0\n")).unwrap();
    fs::write(info.join("entry_points.txt"), "[letscode]\nx = y\n").unwrap();
}

/// Makes an environment with a Python of this version.
fn environment(root: &Path, version: &str) {
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::write(root.join("bin/python"), "").unwrap();
    fs::write(root.join("pyvenv.cfg"), format!("version_info = {version}\n")).unwrap();
}

#[track_caller]
fn has_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn the_list_tells_copies_and_what_no_python_sees() {
    let stage = Stage::with(&[]);
    let (user, active) = (stage.home(".letscode/plugins"), stage.dir.resolve("venv"));
    let list = || {
        let finished = stage.command(&["plugins"]).env("VIRTUAL_ENV", &active).run(HANG);
        assert_eq!((finished.status, stderr(&finished)), (0, ""));
        stdout(&finished).to_owned()
    };
    environment(&user, "3.12.4");
    environment(&active, "3.12.1");
    plugin(&user, "python3.12", "both");
    plugin(&user, "python3.11", "unseen");
    plugin(&active, "python3.12", "Both");
    for folder in [&user, &stage.dir.resolve(".letscode/plugins")] {
        let folder = folder.join("native/guard");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("plugin.toml"), "name = 'guard'\ncommand = ['guard']").unwrap();
    }
    stage.ok(&["trust"]);
    has_all(
        &list(),
        &[
            "user environment (~/.letscode/plugins, Python 3.12)\n  both    1.0  package index\n  unseen",
            "    ! invisible: installed for Python 3.11, and the environment has 3.12",
            "  Both    1.0  package index\n    ! shadowed by the one in: user environment\n",
            "user native (~/.letscode/plugins/native)\n  guard\n    ! shadowed by the one in: project native\n",
        ],
    );
    // One Python runs them all, and no project's plugin counts before it is trusted.
    fs::write(stage.dir.resolve(".letscode/plugins/new"), "").unwrap();
    let text = list();
    has_all(&text, &["  ! none of these is used before the project is trusted: letscode trust\n"]);
    assert!(text.contains("  guard\n\nbuilt in"), "{text}");
    fs::rename(active.join("lib/python3.12"), active.join("lib/python3.13")).unwrap();
    environment(&active, "3.13.0");
    has_all(
        &list(),
        &[
            "active environment (~/work/project/venv, Python 3.13)\n  ! none of these is used: they are for Python 3.13",
        ],
    );
    // One that is broken stands before no other.
    fs::remove_file(user.join("bin/python")).unwrap();
    let text = list();
    has_all(&text, &["Python 3.12)\n  ! none of these can be used: its Python is gone"]);
    assert!(!text.contains("is used: they") && !text.contains("user environment\n"), "{text}");
    let line = stage.fails(1, &["install", "demo"]);
    has_all(&line, &["its Python is gone", "make the environment anew"]);
}

#[test]
fn what_is_nothing_to_install_is_wrong_use() {
    let stage = Stage::with(&[]);
    for (spec, part) in [
        ("what?", "nothing that can be installed"),
        ("./missing", "no such file or folder"),
        ("https://h/r.git", "write git+https://h/r.git"),
    ] {
        let line = stage.fails(2, &["install", spec]);
        assert!(line.contains(part), "{line}");
    }
    assert!(!stage.home(".letscode/plugins").exists());
}

#[test]
fn a_signal_that_ends_a_tool_is_seen_outside() {
    let stage = Stage::with(&[]);
    stage.program("echo.sh", PLUGIN);
    stage.ok(&["install", "./echo.sh"]);
    stage.program("~/.letscode/plugins/native/echo/bin/dies", "#!/bin/sh\nkill -TERM $$\n");
    assert_eq!(stage.run(&["run", "dies"]).status, -15);
}
