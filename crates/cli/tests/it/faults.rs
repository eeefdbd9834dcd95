//! Disks that are full or read-only, and files far larger than anybody meant.
//!
//! The disks are mounted where only the program sees them. A machine that does not allow that
//! says so on stderr: such a test has tried nothing.

use crate::driver::{
    HANG, call, program, rpc, send, sessions, stderr, stdout, tool_results, wait_for,
};
use letscode_testkit::program::{Finished, Program};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Command;

const UNSHARE: [&str; 6] = ["unshare", "--mount", "--map-root-user", "--", "bash", "-c"];

/// A disk of 64 KiB below the home, and words for what the scripts do.
const WORDS: &str = r#"
disk() { mkdir -p "$1" && mount -t tmpfs -o size=64k tmpfs "$1"; }
fill() { dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null; printf '%8192s' x >>"$1/filler" 2>/dev/null; true; }
letscode() { "$BINARY" "$@" </dev/null; }
"#;

/// Runs a script with mounts of its own; `None` where that is not allowed.
#[track_caller]
fn with_mounts(dir: &WorkDir, server: &SseServer, script: &str) -> Option<Finished> {
    let probe =
        Command::new(UNSHARE[0]).args(&UNSHARE[1..]).arg("mount -t tmpfs tmpfs /mnt").output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        let place = std::panic::Location::caller();
        // Past the capture of output: a test that tried nothing must not look like one that did.
        let _ = writeln!(std::io::stderr(), "SKIPPED, mounts are not allowed here: {place}");
        return None;
    }
    let finished = Program::new(UNSHARE[0], dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("BINARY", env!("CARGO_BIN_EXE_letscode"))
        .args(&UNSHARE[1..])
        .args([format!("{WORDS}\n{script}")])
        .run(HANG);
    assert!(!stderr(&finished).contains("panicked"), "{}", stderr(&finished));
    assert!(!stderr(&finished).contains("internal error"), "{}", stderr(&finished));
    Some(finished)
}

fn start(answers: Value) -> (WorkDir, SseServer) {
    (WorkDir::new(), SseServer::start(answers))
}

fn bash(id: &str, command: &str) -> Value {
    call(id, "bash", &json!({"command": command}))
}

/// Returns the texts of the tool results in the last request.
fn last_results(server: &SseServer) -> Vec<String> {
    let body = server.chat_bodies().pop().unwrap();
    tool_results(&body).into_iter().map(str::to_owned).collect()
}

/// Returns the texts of the user and the assistant in session lines, in order.
fn spoken(lines: &str) -> Vec<String> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = lines.map(|line| line["msg"].clone());
    let spoken = messages.filter(|message| message["role"] != "tool");
    spoken
        .map(|message| message["content"][0]["text"].as_str().unwrap_or_default().into())
        .collect()
}

#[test]
fn a19_a_session_on_a_full_disk_loses_nothing_once_there_is_room() {
    let (dir, server) = start(json!([
        bash("a", "dd if=/dev/zero of=~/.letscode/filler bs=4k 2>/dev/null; printf '%6000s' x"),
        bash("b", "rm ~/.letscode/filler"),
        {"text": "fine"},
    ]));
    let script = "disk ~/.letscode; letscode -p hi; code=$?; cat ~/.letscode/sessions/*/*.jsonl >kept; exit $code";
    let Some(finished) = with_mounts(&dir, &server, script) else { return };
    assert_eq!((finished.status, stdout(&finished)), (0, "fine\n"), "{}", stderr(&finished));
    assert_eq!(stderr(&finished), "", "all was saved in the end");
    let kept = dir.read("kept");
    assert_eq!(kept.lines().count(), 6, "{kept}");
    assert_eq!(spoken(&kept), ["hi", "", "", "fine"]);
}

#[test]
fn a19_a_disk_that_is_full_from_the_start_costs_one_notice() {
    let (dir, server) = start(json!([{"text": "fine"}]));
    let script = "disk ~/.letscode; fill ~/.letscode; letscode -p hi";
    let Some(finished) = with_mounts(&dir, &server, script) else { return };
    assert_eq!((finished.status, stdout(&finished)), (0, "fine\n"), "{}", stderr(&finished));
    assert_eq!(stderr(&finished).lines().count(), 1, "{}", stderr(&finished));
    // The empty file that it leaves is no session.
    assert_eq!(sessions(&dir).len(), 0);
}

#[test]
fn a19_commands_that_need_room_say_so_and_change_nothing() {
    for (command, expected) in [
        ("/name other words", "label"),
        ("/fork", "session"),
        ("/export ~/.letscode/a.html", "a.html"),
    ] {
        let (dir, server) = start(json!([{"text": "fine"}]));
        let script = format!(
            "disk ~/.letscode; letscode -p hi; fill ~/.letscode
             letscode -c '{command}'; code=$?; cd ~/.letscode; cat sessions/*/*.name; ls; ls sessions/*; exit $code"
        );
        let Some(finished) = with_mounts(&dir, &server, &script) else { return };
        let error = stderr(&finished);
        assert_eq!(finished.status, 2, "{command}: {error}");
        assert!(error.contains(expected) && error.contains("No space left"), "{command}: {error}");
        assert_eq!(error.lines().count(), 1, "{command}: {error}");
        let text = stdout(&finished);
        assert!(text.starts_with("fine\nhifiller\n"), "{command}: {text}");
        assert_eq!(text.matches(".jsonl").count(), 1, "{command}: {text}");
        assert!(!text.contains("a.html"), "{command}: {text}");
    }
}

#[test]
fn a19_a_compaction_and_a_reset_that_cannot_be_kept_are_told() {
    for command in ["/compact", "/reset"] {
        let (dir, server) = start(json!([{"text": "fine"}]));
        let script = format!(
            "letscode -p q0 >/dev/null; for i in 1 2 3 4; do letscode -c -p q$i >/dev/null; done
             file=$(ls ~/.letscode/sessions/*/*.jsonl); size=$(stat -c %s $file); full=$((size / 1024 + 1))
             truncate -s -1 $file; printf '%*s\\n' $((full * 1024 - size)) '' >>$file
             trap '' XFSZ; ulimit -f $full; letscode -c {command}"
        );
        let Some(finished) = with_mounts(&dir, &server, &script) else { return };
        let error = stderr(&finished);
        assert_eq!(finished.status, 0, "{command}: {error}");
        let told = error.lines().filter(|line| line.contains("1 message of session")).count();
        assert_eq!(told, 1, "{command}: {error}");
        let next = program(&dir, &server).args(["-c", "-p", "q5"]).run(HANG);
        assert_eq!((next.status, stdout(&next)), (0, "fine\n"), "{command}: {}", stderr(&next));
        let body = server.chat_bodies().pop().unwrap();
        let text = body["messages"].to_string();
        assert!(
            (0..=5).all(|number| text.contains(&format!("\"q{number}\""))),
            "{command}: {text}"
        );
    }
}

#[test]
fn a19_write_and_edit_on_a_full_disk_are_told_to_the_model() {
    let big = "x".repeat(200_000);
    let write = call("w", "write", &json!({"path": "disk/big.txt", "content": big}));
    let edit = json!({"path": "disk/old.txt", "old_string": "old", "new_string": big});
    let (dir, server) = start(json!([write, call("e", "edit", &edit), {"text": "fine"}]));
    let script =
        "disk disk; echo old >disk/old.txt; letscode -p hi; code=$?; cp -r disk kept; exit $code";
    let Some(finished) = with_mounts(&dir, &server, script) else { return };
    assert_eq!((finished.status, stdout(&finished)), (0, "fine\n"), "{}", stderr(&finished));
    for result in last_results(&server) {
        assert!(result.contains("no space left") && result.contains("nothing was"), "{result}");
    }
    assert_eq!(dir.read("kept/old.txt"), "old\n");
    assert_eq!(dir.resolve("kept").read_dir().unwrap().count(), 1);
}

#[test]
fn a04_output_that_finds_no_room_is_told_and_its_end_is_shown() {
    let (dir, server) = start(
        json!([bash("a", "yes 0123456789 | head -c 3000000; echo the end"), {"text": "fine"}]),
    );
    for tmp in ["disk", "nowhere"] {
        server.load(
            json!([bash("a", "yes 0123456789 | head -c 3000000; echo the end"), {"text": "fine"}]),
        );
        let script = format!("disk disk; export TMPDIR=$PWD/{tmp}; letscode -p hi");
        let Some(finished) = with_mounts(&dir, &server, &script) else { return };
        assert_eq!((finished.status, stdout(&finished)), (0, "fine\n"), "{}", stderr(&finished));
        let result = last_results(&server).remove(0);
        assert!(result.trim_end().ends_with("the end") && result.len() < 60_000, "{result:.500}");
        let told = result.lines().next().unwrap_or_default();
        let reason = if tmp == "disk" { "no space" } else { "nowhere" };
        assert!(told.contains(reason), "{tmp}: {result:.500}");
    }
}

#[test]
fn a_read_only_home_reads_its_sessions_and_keeps_nothing() {
    let read_only = "mount --bind ~ ~ && mount -o remount,ro,bind ~ && cd ~/work/project";
    let (dir, server) = start(json!([{"text": "fine"}]));
    let script = format!("letscode -p first; {read_only}; letscode -c -p second");
    let Some(finished) = with_mounts(&dir, &server, &script) else { return };
    assert_eq!((finished.status, stdout(&finished)), (0, "fine\nfine\n"), "{}", stderr(&finished));
    assert_eq!(stderr(&finished).lines().count(), 1, "{}", stderr(&finished));
    assert!(stderr(&finished).contains("Read-only"), "{}", stderr(&finished));
    assert_eq!(server.chat_bodies()[1]["messages"].as_array().unwrap().len(), 4);
    for (args, status) in
        [("-c /tree", 0), ("/resume", 0), ("-c '/name x'", 2), ("--init", 2), ("trust", 2)]
    {
        let finished =
            with_mounts(&dir, &server, &format!("{read_only}; letscode {args}")).unwrap();
        assert_eq!(finished.status, status, "{args}: {}", stderr(&finished));
        assert_eq!(stderr(&finished).lines().count(), usize::from(status != 0), "{args}");
    }
    let kept = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert_eq!(kept.lines().count(), 2, "{kept}");
}

#[test]
fn a06_a_directory_that_goes_between_two_prompts_of_a_host_is_told() {
    let (dir, server) = start(
        json!([bash("a", "echo here"), {"text": "one"}, bash("b", "echo there"), {"text": "two"}]),
    );
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "prompt", "id": 1, "text": "go"}));
    wait_for(&mut host, "done");
    std::fs::remove_dir_all(dir.project()).unwrap();
    send(&mut host, &json!({"cmd": "prompt", "id": 2, "text": "on"}));
    wait_for(&mut host, "done");
    host.close_stdin();
    let finished = crate::driver::end(&mut host);
    assert_eq!(finished.status, 0, "{}", stderr(&finished));
    let results = last_results(&server);
    assert!(results[1].contains("directory"), "{results:?}");
    let kept = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert_eq!(spoken(&kept), ["go", "", "one", "on", "", "two"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a42_files_of_a_hundred_megabytes_cost_no_memory_and_are_told() {
    let usual = {
        let (dir, server) = start(json!([{"text": "ok"}]));
        peak_memory(&dir, &server).1
    };
    let line = "# a line of forty bytes, more or less..\n";
    let text = line.repeat(100 * 1024 * 1024 / line.len());
    for (name, expected) in [
        ("AGENTS.md", "64 KB"),
        ("~/.letscode/AGENTS.md", "64 KB"),
        ("~/.letscode/config.toml", "1 MiB"),
        ("~/.letscode/catalog.toml", "1 MiB"),
        (".letscode/config.toml", "1 MiB"),
        (".letscode/skills/big/SKILL.md", "too long"),
    ] {
        let (dir, server) = start(json!([{"text": "ok"}]));
        let path = dir.resolve(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
        let (finished, memory) = peak_memory(&dir, &server);
        assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{name}");
        let error = stderr(&finished);
        assert!(error.lines().any(|line| line.contains(expected)), "{name}: {error}");
        assert!(memory < usual + 40_000, "{name}: {memory} KB, otherwise {usual} KB");
        assert!(server.chat_bodies()[0].to_string().len() < 120_000, "{name}");
    }
}

/// Runs a prompt and returns the most memory that it held, in KB.
#[cfg(target_os = "linux")]
fn peak_memory(dir: &WorkDir, server: &SseServer) -> (Finished, u64) {
    let mut host = program(dir, server).args(["--mode", "rpc"]).start().unwrap();
    wait_for(&mut host, "ready");
    send(&mut host, &json!({"cmd": "prompt", "id": 1, "text": "hi"}));
    wait_for(&mut host, "done");
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.trim().trim_end_matches("kB").trim().parse().unwrap();
    drop(host);
    (program(dir, server).args(["-p", "hi"]).run(HANG), peak)
}

#[test]
fn a_thousand_skills_with_broken_ones_are_told_a_line_each() {
    let (dir, server) = start(json!([{"text": "ok"}]));
    let broken: [&[u8]; 4] =
        [b"no front matter", b"---\nname: x\n", b"---\n: : :\n---\n", b"\xff\xfe\0\x01"];
    for number in 0..1_000 {
        let good = format!("---\nname: s{number}\ndescription: does {number}\n---\nBody\n");
        let text = if number % 100 == 0 { broken[number / 100 % 4] } else { good.as_bytes() };
        let path = dir.resolve(&format!("~/.letscode/skills/s{number}/SKILL.md"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let finished = program(&dir, &server).args(["-p", "hi"]).run(HANG);
    let error = stderr(&finished);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{error}");
    for number in (0..1_000).step_by(100) {
        let name = format!("skills/s{number}/SKILL.md");
        assert!(error.lines().any(|line| line.contains(&name)), "{name}: {error}");
    }
    assert!(error.lines().count() <= 14, "{error}");
    // The four tools, and as many skills as servers take.
    assert_eq!(server.chat_bodies()[0]["tools"].as_array().unwrap().len(), 104);
}

#[test]
fn five_thousand_prompts_and_mentions_are_bounded_and_told() {
    let (dir, server) = start(json!([{"text": "ok"}]));
    for number in 0..5_000 {
        dir.write(&format!("f{number}.txt"), "content\n".repeat(1_000));
    }
    let prompts = dir.resolve("~/.letscode/prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    for number in 0..5_000 {
        std::fs::write(prompts.join(format!("p{number:04}.md")), "Do {{args}}").unwrap();
    }
    let run = |text: &str| program(&dir, &server).args(["-p", text]).run(HANG);
    let mentions: Vec<String> = (0..5_000).map(|number| format!("@f{number}.txt")).collect();
    let finished = run(&mentions.join(" "));
    let error = stderr(&finished);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{error}");
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(error.contains("256 KB") && error.contains("first 100"), "{error}");
    assert!(server.chat_bodies()[0].to_string().len() < 400_000);
    let finished = run("/p0007 it");
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    assert_eq!(stderr(&finished).lines().count(), 1, "{}", stderr(&finished));
    let body = server.chat_bodies().pop().unwrap();
    assert_eq!(body["messages"][1]["content"], "Do it");
}
