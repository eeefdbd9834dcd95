"""The program's side of the plugin protocol, for tests: starts the host and plays its peer.

Owns the child process and the reading of its lines; each wait has a limit that only a hang meets.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOST = Path(__file__).parents[1] / "letscode" / "host" / "__main__.py"
LIMIT = 30.0

Line = dict[str, Any]
Answer = Callable[[Line], Any]


class Peer:
    """A running host. `answers` says how its calls are answered: by type, or by `cmd`."""

    def __init__(
        self,
        cwd: Path,
        site: Path,
        env: dict[str, str],
        *,
        sites: list[Path],
        without: list[str],
    ) -> None:
        words = [word for each in (site, *sites) for word in ("--site", str(each))]
        words += [word for each in without for word in ("--without", each)]
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(HOST), *words],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.cwd = cwd
        self.lines: queue.Queue[Line | None] = queue.Queue()
        self.asked: list[Line] = []
        self.progress: list[Line] = []
        self.log: list[str] = []
        self.config: dict[str, Any] = {}
        self.messages: list[Line] = []
        self.busy = False
        self.queue: list[str] = []
        self.session: str | None = None
        self.answers: dict[str, Answer] = {
            "config": lambda _: self.config,
            "subagent_env": lambda _: {
                "LETSCODE_MODEL": "demo",
                "OPENAI_BASE_URL": "http://model/v1",
                "OPENAI_API_KEY": "secret",
            },
            "state": lambda _: self._state(),
            "messages": lambda _: {"messages": self.messages},
        }
        self._number = 0
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_log, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def begin(self, **fields: Any) -> tuple[Line, Line]:
        """Says hello; returns the host's hello and what the plugins register."""
        hello = {"protocol": "letscode-plugin/1", "letscode": "0.8.0", "name": "python"}
        self.send(type="hello", cwd=str(self.cwd), config={}, **{**hello, **fields})
        said = self.wait_for("hello")
        return said, self.wait_for("register")["registrations"]

    def send(self, **line: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def start(self, kind: str, **fields: Any) -> int:
        """Makes a call; returns its number."""
        self._number += 1
        self.send(type=kind, call=self._number, **fields)
        return self._number

    def call(self, kind: str, **fields: Any) -> Line:
        """Makes a call and returns the whole reply."""
        return self.reply_to(self.start(kind, **fields))

    def result(self, kind: str, **fields: Any) -> Any:
        """Makes a call that must succeed; returns its result."""
        reply = self.call(kind, **fields)
        assert reply.get("error") is None, reply
        return reply["result"]

    def event(self, kind: str, **fields: Any) -> None:
        self.send(type="event", event={"type": kind, **fields})

    def reply_to(self, number: int) -> Line:
        return self.wait_until(lambda line: line["type"] == "reply" and line["call"] == number)

    def wait_for(self, kind: str) -> Line:
        return self.wait_until(lambda line: line["type"] == kind)

    def wait_for_command(self, cmd: str) -> Line:
        """Waits until the host has asked the agent for something; returns that command."""
        for line in self.asked:
            if line.get("command", {}).get("cmd") == cmd:
                return dict(line["command"])
        line = self.wait_until(lambda line: line.get("command", {}).get("cmd") == cmd)
        return dict(line["command"])

    def wait_until(self, matches: Callable[[Line], bool]) -> Line:
        while True:
            line = self.lines.get(timeout=LIMIT)
            assert line is not None, f"the host has ended; its log: {self.log}"
            if matches(line):
                return line

    def end(self) -> int:
        """Says goodbye and waits for the end."""
        if self.process.poll() is None:
            with contextlib.suppress(BrokenPipeError, ValueError):
                self.send(type="goodbye")
        code = self.process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            line = json.loads(raw)
            if line["type"] == "progress":
                self.progress.append(line)
            if "call" in line and line["type"] not in ("reply", "progress"):
                self.asked.append(line)
                self._reply(line)
            self.lines.put(line)
        self.lines.put(None)

    def _reply(self, line: Line) -> None:
        name = line["command"]["cmd"] if line["type"] == "command" else line["type"]
        answer = self.answers.get(name, lambda _: None)
        reply: Line = {"type": "reply", "call": line["call"]}
        try:
            reply["result"] = answer(line)
        except ValueError as error:
            reply["error"] = str(error)
        # A host that has ended meanwhile needs no answer.
        with contextlib.suppress(OSError, ValueError):
            self.send(**reply)

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for raw in self.process.stderr:
            self.log.append(raw.decode(errors="replace").rstrip("\n"))

    def _state(self) -> Line:
        session = {"id": "s", "label": None, "path": self.session} if self.session else None
        return {
            "busy": self.busy,
            "model": "demo",
            "thinking": "off",
            "session": session,
            "message_count": len(self.messages),
            "steering": 0,
            "follow_ups": len(self.queue),
        }


def install(site: Path, name: str, source: str, *, version: str = "1.0") -> None:
    """Puts a plugin of one module into a folder of packages, as an installer would."""
    (site / f"{name}.py").write_text(source, encoding="utf-8")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[letscode]\n{name} = {name}\n")


def environment(home: Path) -> dict[str, str]:
    """Returns the environment of a host that knows nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home)}
