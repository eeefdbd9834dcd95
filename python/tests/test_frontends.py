"""A front end of a plugin: registered, given a real terminal, run to its end."""

from __future__ import annotations

import os
import pty
import re
import select
import time
from collections.abc import Callable, Iterator

import pytest
from peer import LIMIT, Peer

Start = Callable[..., Peer]

FRONTEND = """
import os, sys

class Plain:
    def __init__(self, agent, *, pm=None, console=None, session_path=None):
        self.agent, self.pm, self.console, self.path = agent, pm, console, session_path

    async def run(self):
        from letscode.commands.dispatch import dispatch_slash
        assert os.isatty(0) and os.isatty(1) and os.isatty(2)
        print("ready", self.agent.state.model, self.path, flush=True)
        while True:
            line = (await asyncio.to_thread(sys.stdin.readline)).strip()
            result = await dispatch_slash(line, agent=self.agent, pm=self.pm, console=self.console)
            if result is None:
                await self.agent.prompt(line)
                self.console.print("ran")
            elif result.exit:
                return 7

@hookimpl
def letscode_register_frontends(registry):
    registry.add(FrontendFactory(name="plain", factory=Plain))
"""


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """A terminal: our end of it, and the name of the other."""
    ours, theirs = pty.openpty()
    yield ours, os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


def read_until(descriptor: int, pattern: str) -> str:
    """Reads what the terminal shows until it matches."""
    seen, end = "", time.monotonic() + LIMIT
    while not re.search(pattern, seen):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"the terminal shows {seen!r}"
        seen += os.read(descriptor, 65536).decode(errors="replace")
    return seen


def test_a_front_end_has_the_terminal_until_it_ends(
    start: Start, terminal: tuple[int, str]
) -> None:
    ours, name = terminal
    host = start(a=FRONTEND, env={"LETSCODE_TERMINAL": name})
    hello, registrations = host.begin()
    assert registrations["frontends"] == [{"name": "plain"}]
    assert "message_update" in hello["capabilities"]["events"]
    host.session = "/sessions/s.jsonl"
    host.answers["commands"] = lambda _: {
        "commands": [
            {"name": "help", "arguments": "", "help": "Helps."},
            {"name": "quit", "arguments": "", "help": "Leaves."},
        ]
    }
    host.answers["run_command"] = lambda line: {
        "command": "help",
        "text": f"[all] of {line['command']['text']}",
    }
    running = host.start("run_frontend", name="plain")
    read_until(ours, r"ready demo /sessions/s\.jsonl")
    os.write(ours, b"/help me\n")
    read_until(ours, r"\[all\] of /help me")
    os.write(ours, b"hello\n")
    read_until(ours, "ran")
    assert host.wait_for_command("prompt")["text"] == "hello"
    os.write(ours, b"/quit\n")
    assert host.reply_to(running)["result"] == {"exit_code": 7}
    host.end()
    assert host.log == []


def test_a_command_of_another_plugins_may_end_a_front_end(
    start: Start, terminal: tuple[int, str]
) -> None:
    ours, name = terminal
    host = start(a=FRONTEND, env={"LETSCODE_TERMINAL": name})
    host.begin()
    host.answers["commands"] = lambda _: {
        "commands": [{"name": "leave", "arguments": "", "help": "Leaves."}]
    }
    host.answers["run_command"] = lambda _: {"command": "leave", "text": "bye", "exit": True}
    running = host.start("run_frontend", name="plain")
    read_until(ours, "ready")
    os.write(ours, b"/leave\n")
    read_until(ours, "bye")
    assert host.reply_to(running)["result"] == {"exit_code": 7}


def test_without_a_terminal_a_front_end_is_refused(start: Start) -> None:
    host = start(a=FRONTEND, env={"LETSCODE_TERMINAL": "/dev/null"})
    host.begin()
    host.answers["commands"] = lambda _: {"commands": []}
    reply = host.call("run_frontend", name="none")
    assert "none" in reply["error"]
