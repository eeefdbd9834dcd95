"""Plugins in the program itself, which LETSCODE_BINARY names; without it there is none to try."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HEAD
from peer import LIMIT, environment, install

BINARY = os.environ.get("LETSCODE_BINARY", "")

pytestmark = pytest.mark.skipif(not BINARY, reason="LETSCODE_BINARY names no program")

GREETING = """
async def greet(ctx):
    ctx.console.print(f"[red]hello {ctx.args}[/red], {ctx.agent.state.model} answers")
    return CommandResult(exit=ctx.args == "exit")
@hookimpl
def letscode_register_commands(registry):
    registry.add(Command(name="greet", description="Greets.", handler=greet))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an environment of plugins, as an installer leaves it."""
    folder = tmp_path / "home" / ".letscode" / "plugins"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / f"python{version}" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    origin = Path(os.path.realpath(sys.executable)).parent
    (folder / "pyvenv.cfg").write_text(f"home = {origin}\nversion = {version}.0\n")
    (packages / "others.pth").write_text(site.getsitepackages()[0])
    install(packages, "greeting", HEAD + GREETING)
    install(packages, "broken", "import nowhere_to_be_found")
    (tmp_path / "project").mkdir()
    return tmp_path / "home"


def variables(home: Path) -> dict[str, str]:
    return {**environment(home), "LETSCODE_MODEL": "demo", "LETSCODE_NO_UPDATE_CHECK": "1"}


def letscode(home: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARY, *words],
        cwd=home.parent / "project",
        env=variables(home),
        input=text,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def test_a_command_of_a_plugin_runs(home: Path) -> None:
    ended = letscode(home, "/greet", "you")
    assert ended.returncode == 0
    assert "hello you, demo answers" in ended.stdout
    warnings = [line for line in ended.stderr.splitlines() if "broken" in line]
    assert len(warnings) == 1 and "nowhere_to_be_found" in warnings[0]


def test_colours_are_for_terminals_and_hosts_that_want_them(home: Path) -> None:
    assert "\x1b" not in letscode(home, "-p", "/greet", "you").stdout
    main, other = os.openpty()
    ended = subprocess.run(
        [BINARY, "-p", "/greet", "you"],
        cwd=home.parent / "project",
        env=variables(home),
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=subprocess.DEVNULL,
        timeout=LIMIT,
    )
    os.close(other)
    assert ended.returncode == 0
    assert b"\x1b[31mhello you\x1b[0m, demo" in os.read(main, 1000)
    os.close(main)
    asked = '{"cmd":"run_command","id":1,"text":"/greet exit"}\n{"cmd":"bye"}\n'
    done = None
    for line in letscode(home, "--mode", "rpc", text=asked).stdout.splitlines():
        read = json.loads(line)
        if read["type"] == "done" and read["id"] == 1:
            done = read["result"]
    assert done == {
        "command": "greet",
        "text": "hello exit, demo answers",
        "styled": "\x1b[31mhello exit\x1b[0m, demo answers",
        "exit": True,
    }


def test_the_list_shows_what_runs_and_what_does_not(home: Path) -> None:
    shown = letscode(home, "/plugins").stdout
    greeting, broken = (
        next(line for line in shown.splitlines() if line.startswith(name))
        for name in ("greeting", "broken")
    )
    assert "1.0" in greeting and "running" in greeting
    assert "failed" in broken and "nowhere_to_be_found" in broken


def test_isolated_starts_no_python(home: Path) -> None:
    (home / ".letscode" / "plugins" / "bin" / "python").unlink()
    assert "is gone" in letscode(home, "/plugins").stderr
    ended = letscode(home, "--isolated", "/plugins")
    assert ended.stderr == "" and "greeting" not in ended.stdout
