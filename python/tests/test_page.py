"""The package that docs/plugins/python.md shows: its tests pass, and the host runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from peer import Peer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/plugins/python.md").read_text(encoding="utf-8")


def shown(name: str) -> str:
    """Returns the block of the page that begins with a comment naming a file."""
    _, _, behind = PAGE.partition(f"\n# {name}\n")
    block, _, _ = behind.partition("```")
    assert block, f"the page shows no {name}"
    return block


def test_the_packages_own_test_passes(tmp_path: Path) -> None:
    for name in ("greeting/plugin.py", "tests/test_greeting.py"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(shown(name), encoding="utf-8")
    (tmp_path / "greeting/__init__.py").touch()
    variables = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_entry_point_is_the_module() -> None:
    described = tomllib.loads(shown("pyproject.toml"))["project"]
    assert described["entry-points"]["letscode"] == {"greeting": "greeting.plugin"}


def test_the_host_runs_its_tool_its_command_and_its_hook(start: Callable[..., Peer]) -> None:
    peer = start(greeting=shown("greeting/plugin.py"))
    _, registrations = peer.begin()
    assert [tool["name"] for tool in registrations["tools"]] == ["greet"]
    assert [command["name"] for command in registrations["commands"]] == ["greet"]
    arguments = {"name": "Ada"}
    output = peer.result("call_tool", tool_call_id="c1", name="greet", arguments=arguments)
    assert output["content"][0]["text"] == "Good day, Ada"
    said = peer.result("run_command", name="greet", args="Ada")
    assert said["text"].strip() == "Good day, Ada"
    call = {"id": "c2", "name": "greet", "arguments": {"name": "nobody"}}
    answer = peer.result("before_tool_call", context={"tool_call": call})
    assert answer["block"] == "there is nobody to greet"
