"""Measures of the interactive mode, for bench/compare: the program in a terminal of its own.

The terminal is a pseudo terminal that is read as fast as it is written to. A moment is the one at which
the bytes that tell of it were read, so a figure holds the way through the system too. Needs what
bench/compare needs.
"""

from __future__ import annotations

import bisect
import fcntl
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HANG = 60.0
ROWS, COLUMNS = 40, 120
FRAME_END = b"\x1b[?2026l"
MIB = 1024 * 1024
LINE = "- item {i} of a long list, of so many words as fit\n"
"""A line of 56 bytes once {i} has five digits and the row has its CRLF."""
CODE = """fn total(values: &[u32], limit: Option<u32>) -> Result<u64, String> {
    // Only what is below the limit counts.
    let mut sum = 0_u64;
    for (at, value) in values.iter().enumerate() {
        match limit {
            Some(limit) if *value > limit => return Err(format!("value {at} is {value:?}\\n")),
            _ => sum += u64::from(*value) * 0x10,
        }
    }
    Ok(sum)
}

#[derive(Debug, Clone)]
pub struct Counter<'a, T: Default> {
    name: &'a str, /* shown */
    count: usize,
    kind: std::marker::PhantomData<T>,
}

impl<T: Default> Drop for Counter<'_, T> {
""".splitlines(keepends=True)
"""Twenty lines of a program."""


def code(language: str, count: int) -> dict:
    """Returns an answer that is a block of so many lines."""
    lines = [CODE[n % len(CODE)] for n in range(count)]
    return {"text": [f"```{language}\n", *lines, "```\n\nthe-end"]}


def rules() -> list[tuple[str, dict]]:
    """Returns the answers, as bench/compare has them."""
    blocks = [("plain", "", 20), ("plain", "", 1_000), ("rust", "rust", 20), ("rust", "rust", 1_000)]
    answers = [(f"bench-{name}-{count}-lines", code(language, count)) for name, language, count in blocks]
    return [*answers, ("bench-lines", {"bulk": {"deltas": 20_000, "text": LINE}})]


@dataclass
class Figure:
    """One line of the table."""

    name: str
    value: str
    ratio: str
    target: str
    is_met: bool | None


class Terminal:
    """A program in a terminal."""

    def __init__(self, command: list[str], place: dict):
        self.seen = bytearray()
        self.ends: list[int] = []
        self.times: list[float] = []
        self.news = threading.Condition()
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = place["env"] | {"TERM": "xterm-256color"}
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=place["cwd"], env=environment, start_new_session=True
        )
        os.close(slave)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            with self.news:
                if data:
                    self.seen += data
                    self.ends.append(len(self.seen))
                    self.times.append(time.perf_counter())
                self.news.notify_all()
            if not data:
                return

    def send(self, data: bytes) -> tuple[float, int]:
        """Types; returns when, and how much had been read by then."""
        since = len(self.seen)
        at = time.perf_counter()
        view = memoryview(data)
        while view:
            view = view[os.write(self.master, view) :]
        return at, since

    def sees(self, text: bytes, since: int = 0, timeout: float = HANG) -> float:
        """Waits for bytes after `since`; returns the moment they were there."""
        deadline = time.perf_counter() + timeout
        looked = since
        with self.news:
            while (at := self.seen.find(text, looked)) < 0:
                looked = max(since, len(self.seen) - len(text))
                if not self.news.wait(deadline - time.perf_counter()):
                    raise RuntimeError(f"the terminal never showed {text!r}; it shows {bytes(self.seen[-300:])!r}")
            return self.times[bisect.bisect_left(self.ends, at + len(text))]

    def settles(self, quiet: float) -> float:
        """Waits until nothing was written for that long; returns the moment of the last bytes."""
        with self.news:
            while self.news.wait(quiet):
                pass
            return self.times[-1] if self.times else self.began

    def peak_memory(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) * 1024

    def cpu(self) -> float:
        """Returns the processor time so far, of the program and not of its commands."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def leave(self) -> float:
        """Exits from an empty message; returns the processor time of the whole run."""
        self.send(b"\x15\x04")
        watch = threading.Timer(HANG, self.process.kill)
        watch.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        watch.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.reader.join(HANG)
        os.close(self.master)
        if self.process.returncode != 0:
            raise RuntimeError(f"exit {self.process.returncode}")
        return usage.ru_utime + usage.ru_stime

    def abandon(self) -> None:
        """Ends what is still there, after a failure."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait(HANG)


class PacedServer:
    """Answers the first request with a command of many lines and the one after it with a steady stream.

    It is a process of its own, so that nobody waits for this interpreter.
    """

    def __init__(self, lines: int, seconds: float, per_second: int):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        self.pid = os.fork()
        if self.pid == 0:
            try:
                while True:
                    self._answer(self.socket.accept()[0], lines, seconds, per_second)
            finally:
                os._exit(1)

    @staticmethod
    def _answer(client: socket.socket, lines: int, seconds: float, per_second: int) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(65536)
        if head.startswith(b"GET"):  # for the list of models
            client.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return client.close()
        head, _, body = head.partition(b"\r\n\r\n")
        length = int(re.search(rb"content-length: *(\d+)", head, re.I)[1])
        while len(body) < length:
            body += client.recv(65536)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")

        def event(delta: dict, finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return b"data: " + json.dumps({"id": "x", "choices": [choice]}).encode() + b"\n\n"

        if b'"role":"tool"' in body.replace(b" ", b""):
            words = [f"word{n} " if n % 12 else f"word{n}\n\n" for n in range(240)]
            step, sent, began = 0.005, 0, time.perf_counter()
            while (now := time.perf_counter() - began) < seconds:
                due = int(now * per_second)
                client.sendall(b"".join(event({"content": words[n % 240]}) for n in range(sent, due)))
                sent = due
                time.sleep(step)
            client.sendall(event({"content": " the-stream-is-over"}) + event({}, "stop") + b"data: [DONE]\n\n")
        else:
            steps = 50
            script = f"for i in $(seq {steps}); do seq -f 'line %g of the output of a command' {lines // steps}; sleep {seconds / steps:.3f}; done"
            call = {"index": 0, "id": "call_1", "function": {"name": "bash", "arguments": json.dumps({"command": script})}}
            client.sendall(event({"role": "assistant", "tool_calls": [call]}) + event({}, "tool_calls") + b"data: [DONE]\n\n")
        client.close()

    def close(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        self.socket.close()


@dataclass
class Setting:
    """Where and how large the measures are."""

    command: list[str]
    """The program with the address of the scripted server; it keeps no session."""
    place: Callable[[Path | None], dict]
    folder: Path
    session: Callable[[Path], None]
    """Lays a session of 5,000 messages into a home."""
    printed: Callable[[str], float]
    """Returns the processor time of print mode for a prompt."""
    spawn: float
    runs: int
    files: int
    lines: int
    seconds: float


def started(setting: Setting) -> list[Figure]:
    """From the start to the first whole frame, after which a key is shown."""
    taken = []
    for _ in range(max(5, setting.runs * 3)):
        with_key = Terminal(setting.command, setting.place(None))
        try:
            # The first is the reset of modes that an earlier run left.
            with_key.sees(FRAME_END + b"\x1b[?7h")
            first = with_key.sees(b"\x1b[?2026h")
            taken.append(first - with_key.began)
            _, since = with_key.send("Ж".encode())
            with_key.sees("Ж".encode(), since)
            with_key.leave()
        finally:
            with_key.abandon()
    wall = statistics.median(taken)
    ratio = wall / setting.spawn
    return [Figure("prompt", f"{wall * 1e3:.1f} ms", f"{ratio:.2f} T", "≤ 10 T", ratio <= 10)]


STAND_INS = {"goal": "openai", "mcp": "mcp", "memory": "pydantic", "textual": "textual.app"}
"""Plugins in Python as those that the Python program ships, by the package that each has to load."""
STAND_IN = """
import {package}
import pluggy
from letscode.commands.dispatch import CommandResult
from letscode.plugins.registries import Command

hookimpl = pluggy.HookimplMarker("letscode")

async def handle(context):
    context.console.print("done")
    return CommandResult()

@hookimpl
def letscode_register_commands(registry):
    registry.add(Command(name="{name}", description="Does nothing.", handler=handle))

@hookimpl
async def letscode_on_event(event):
    pass
"""


def lay_plugins(home: Path) -> None:
    """Lays four plugins in Python into a home, in an environment with all that they load."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[1] / "target"))
    source = target / "python-plugins"
    if not (source / "packages").is_file():
        raise RuntimeError("scripts/python-plugins.sh makes the environment that this needs")
    folder = home / ".letscode" / "plugins"
    [packages] = source.glob("lib/python*/site-packages")
    ours = folder / packages.relative_to(source)
    ours.mkdir(parents=True)
    for entry in packages.iterdir():
        (ours / entry.name).symlink_to(entry)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to((source / "bin" / "python").resolve())
    (folder / "pyvenv.cfg").write_text((source / "pyvenv.cfg").read_text())
    for name, package in STAND_INS.items():
        (ours / f"stand_in_{name}.py").write_text(STAND_IN.format(name=name, package=package))
        info = ours / f"stand_in_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: stand-in-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[letscode]\n{name} = stand_in_{name}\n")


def beside_plugins(setting: Setting) -> list[Figure]:
    """From the start to the prompt while four plugins in Python load behind it, over the same without."""
    places = []
    for name, lay in (("without", lambda home: None), ("with", lay_plugins)):
        home = setting.folder / f"plugins-{name}"
        (home / "project").mkdir(parents=True)
        lay(home)
        places.append(setting.place(home))
    prompts: list[list[float]] = [[], []]
    echoes: list[list[float]] = [[], []]
    ready = []
    try:
        # In turns, so that whatever else the machine does meets both. The first unpacks and compiles.
        for number in range(max(5, setting.runs * 3) + 1):
            for kind, place in enumerate(places):
                terminal = Terminal(setting.command, place)
                try:
                    terminal.sees(FRAME_END + b"\x1b[?7h")
                    prompt = terminal.sees(b"\x1b[?2026h") - terminal.began
                    at, since = terminal.send("Ж".encode())
                    echo = terminal.sees("Ж".encode(), since) - at
                    if kind == 1:
                        _, since = terminal.send(b"\x15/goal\r")
                        loaded = terminal.sees(b"done", since) - terminal.began
                    terminal.leave()
                finally:
                    terminal.abandon()
                if number > 0:
                    prompts[kind].append(prompt)
                    echoes[kind].append(echo)
                    if kind == 1:
                        ready.append(loaded)
    finally:
        for name in ("without", "with"):
            shutil.rmtree(setting.folder / f"plugins-{name}")
    without, beside = (statistics.median(taken) for taken in prompts)
    key, loaded = statistics.median(echoes[1]), statistics.median(ready)
    ratio = beside / without
    value = f"{beside * 1e3:.1f} ms ({without * 1e3:.1f} without)"
    shown = f"{key * 1e3:.1f} ms ({statistics.median(echoes[0]) * 1e3:.1f} without)"
    return [
        Figure("prompt, four plugins in Python", value, f"{ratio:.2f} x", "≤ 1.2 x without", ratio <= 1.2),
        Figure("first key, four plugins in Python", shown, "", "≤ 33 ms", key <= 0.033),
        Figure("their first command", f"{loaded:.2f} s", "", "", True),
    ]


def keys(setting: Setting) -> list[Figure]:
    """From a key to its paint, while a command's output and then an answer come in."""
    server = PacedServer(setting.lines, setting.seconds, 2_000)
    command = [*setting.command, "--base-url", server.base]
    terminal = Terminal(command, setting.place(None))
    try:
        terminal.sees(b"\x1b[?2026h")
        terminal.send(b"go\r")
        terminal.sees(b"of a command")
        alphabet = [chr(c) for c in range(0x410, 0x450)]
        chance = random.Random(17)
        delays: dict[str, list[float]] = {"command": [], "stream": []}
        began, phase = len(terminal.seen), "command"
        number = 0
        while terminal.seen.find(b"the-stream-is-over", began) < 0:
            if phase == "command" and terminal.seen.find(b"word", began) >= 0:
                phase = "stream"
            key = alphabet[number % len(alphabet)].encode()
            if number % len(alphabet) == 0:
                terminal.send(b"\x15")
                time.sleep(0.1)
            at, since = terminal.send(key)
            delays[phase].append(terminal.sees(key, since) - at)
            number += 1
            time.sleep(chance.uniform(0.005, 0.03))
        terminal.leave()
    finally:
        terminal.abandon()
        server.close()
    figures = []
    for name, all_delays in delays.items():
        worst = statistics.quantiles(all_delays, n=100)[98]
        value = f"{worst * 1e3:.1f} ms (median {statistics.median(all_delays) * 1e3:.1f}, {len(all_delays)} keys)"
        figures.append(Figure(f"key to paint, 99 of 100, {name}", value, "", "≤ 33 ms", worst <= 0.033))
    return figures


def answered(setting: Setting, prompt: str, last: bytes) -> tuple[float, int]:
    """Has an answer shown; returns the processor time of the run and the bytes that it wrote."""
    terminal = Terminal(setting.command, setting.place(None))
    try:
        terminal.sees(b"\x1b[?2026h")
        terminal.send(prompt.encode() + b"\r")
        terminal.sees(last)
        terminal.settles(0.3)
        written = len(terminal.seen)
        return terminal.leave(), written
    finally:
        terminal.abandon()


def burst(setting: Setting, count: int) -> list[Figure]:
    """What a burst of deltas costs over print mode, and what it writes."""
    taken = [answered(setting, "bench-stream", b"tok\x1b") for _ in range(setting.runs)]
    printed = statistics.median(setting.printed("bench-stream") for _ in range(setting.runs))
    cpu = statistics.median(cpu for cpu, _ in taken) - printed
    written = statistics.median(written for _, written in taken) / (count * 4)
    return [
        Figure(f"burst of {count} deltas: cpu over print", f"{cpu:.2f} s (print {printed:.2f})", "", "≤ 0.5 s", cpu <= 0.5),
        Figure(f"burst of {count} deltas: bytes", f"{written:.2f} x the text", "", "≤ 4 x", written <= 4),
    ]


def lines(setting: Setting, count: int) -> list[Figure]:
    """What finished lines cost, over print mode, and what they write."""
    taken = [answered(setting, "bench-lines", f"item {count - 1} of".encode()) for _ in range(setting.runs)]
    printed = statistics.median(setting.printed("bench-lines") for _ in range(setting.runs))
    cpu = statistics.median(cpu for cpu, _ in taken) - printed
    written = statistics.median(written for _, written in taken) / count
    return [
        Figure(f"{count} lines: cpu over print", f"{cpu * 1e3:.0f} ms", "", "≤ 100 ms", cpu <= 0.1),
        Figure(f"{count} lines: bytes a line", f"{written:.0f}", "", "≤ 110", written <= 110),
    ]


def highlighted(setting: Setting) -> list[Figure]:
    """What colours cost over plain code: of the first block, and of a line of a long one."""

    def extra(count: int) -> float:
        plain, rust = (
            statistics.median(answered(setting, f"bench-{name}-{count}-lines", b"the-end")[0] for _ in range(setting.runs))
            for name in ("plain", "rust")
        )
        return rust - plain

    first = extra(20)
    line = (extra(1_000) - first) / 980
    return [
        Figure("first block of code, cpu", f"{first * 1e3:.0f} ms", "", "≤ 60 ms", first <= 0.06),
        Figure("later line of code, cpu", f"{line * 1e3:.2f} ms", "", "≤ 0.2 ms", line <= 0.0002),
    ]


def opened(setting: Setting) -> list[Figure]:
    """Opening a session of 5,000 messages."""
    walls, sizes = [], []
    for number in range(setting.runs):
        home = setting.folder / f"opened-{number}"
        (home / "project").mkdir(parents=True)
        setting.session(home)
        command = [*(part for part in setting.command if part != "--no-session"), "-c"]
        terminal = Terminal(command, setting.place(home))
        try:
            walls.append(terminal.sees(b"\x1b[?2026h") - terminal.began)
            _, since = terminal.send("Ж".encode())
            terminal.sees("Ж".encode(), since)
            terminal.settles(0.2)
            sizes.append(terminal.peak_memory())
            terminal.leave()
        finally:
            terminal.abandon()
            shutil.rmtree(home)
    wall, size = statistics.median(walls), min(sizes)
    return [
        Figure("open 5,000 messages: prompt", f"{wall:.2f} s", "", "≤ 0.4 s", wall <= 0.4),
        Figure("open 5,000 messages: memory", f"{size / MIB:.1f} MiB", "", "≤ 60 MiB", size <= 60 * MIB),
    ]


def lay_files(project: Path, count: int) -> None:
    """Lays a project of small folders, a few of whose files are left out."""
    for folder in range(0, count, 50):
        path = project / f"part-{folder // 5_000}" / f"module-{folder // 50}"
        path.mkdir(parents=True)
        for number in range(min(50, count - folder)):
            (path / f"source_file_{folder + number}.rs").touch()
    (project / ".gitignore").write_text("*.log\nbuild/\n")


def popup(setting: Setting) -> list[Figure]:
    """The names of files, as they are typed."""
    home = setting.folder / "files"
    (home / "project").mkdir(parents=True)
    lay_files(home / "project", setting.files)
    firsts, all_delays = [], []
    try:
        for _ in range(setting.runs):
            terminal = Terminal(setting.command, setting.place(home))
            try:
                terminal.sees(b"\x1b[?2026h")
                last = setting.files - 1
                at, since = terminal.send(b"@")
                walked, before = terminal.sees(b"part-", since), terminal.cpu()
                # What it has found by then is shown; the rest of the walk goes on unseen.
                idle_since = time.perf_counter()
                while time.perf_counter() - idle_since < 0.2:
                    time.sleep(0.02)
                    if (now := terminal.cpu()) > before:
                        before, walked = now, time.perf_counter()
                        idle_since = walked
                firsts.append(walked - at)
                for key in f"source{last}":
                    at, since = terminal.send(key.encode())
                    shown = terminal.settles(0.25)
                    all_delays.append(shown - at)
                terminal.sees(str(last).encode(), since)
                terminal.leave()
            finally:
                terminal.abandon()
    finally:
        shutil.rmtree(home)
    walk, worst = statistics.median(firsts), max(all_delays)
    median = statistics.median(all_delays)
    value = f"{worst * 1e3:.1f} ms (median {median * 1e3:.1f})"
    return [
        Figure(f"@ on {setting.files} files: first walk", f"{walk:.2f} s", "", "≤ 1 s", walk <= 1),
        Figure(f"@ on {setting.files} files: slowest key", value, "", "≤ 50 ms", worst <= 0.05),
    ]


def paste(setting: Setting) -> list[Figure]:
    """A paste of 10 MB."""
    text = b"a line of what was pasted\r" * (10_000_000 // 26)
    taken = []
    for _ in range(setting.runs):
        terminal = Terminal(setting.command, setting.place(None))
        try:
            terminal.sees(b"\x1b[?2026h")
            at, since = terminal.send(b"\x1b[200~" + text + b"\x1b[201~")
            taken.append(terminal.sees(b"[paste 1: ", since) - at)
            terminal.leave()
        finally:
            terminal.abandon()
    wall = statistics.median(taken)
    return [Figure("paste of 10 MB", f"{wall:.2f} s", "", "≤ 0.3 s", wall <= 0.3)]


def figures(setting: Setting, only: str, count: int) -> list[Figure]:
    """Takes all measures whose name contains `only`."""
    every: dict[str, Callable[[], list[Figure]]] = {
        "terminal-prompt": lambda: started(setting),
        "terminal-plugins": lambda: beside_plugins(setting),
        "terminal-keys": lambda: keys(setting),
        "terminal-burst": lambda: burst(setting, count),
        "terminal-lines": lambda: lines(setting, count),
        "terminal-code": lambda: highlighted(setting),
        "terminal-open": lambda: opened(setting),
        "terminal-popup": lambda: popup(setting),
        "terminal-paste": lambda: paste(setting),
    }
    taken = []
    for name, measure in every.items():
        if only not in name:
            continue
        try:
            taken += [Figure(f"{name}: {x.name}", x.value, x.ratio, x.target, x.is_met) for x in measure()]
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            taken.append(Figure(name, " ".join(str(error).split()).replace("|", "/"), "", "", None))
    return taken
