"""The plugins that the Python program ships, unchanged, in this one: installed on a clean home, listed, used.

LETSCODE_BINARY names the program, PUBLISHED_PLUGINS the folder of their sources, MCP_SERVER a server of the
Model Context Protocol that tells the time. See scripts/published-plugins.sh.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from model import Model, texts

BINARY = os.environ["LETSCODE_BINARY"]
SOURCES = Path(os.environ["PUBLISHED_PLUGINS"])
NAMES = ("goal", "mcp", "memory", "textual")
INSTALLERS = ("PIP_CACHE_DIR", "UV_CACHE_DIR", "PIP_CONSTRAINT", "UV_CONSTRAINT")
"""What the installers are told."""
KEY = "the-key-of-the-model"
LIMIT = 120.0
INSTALL_LIMIT = 600.0


class Letscode:
    """The program, with a home of its own."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.model = model
        self.home.mkdir()
        self.project.mkdir()

    def __call__(self, *words: str, limit: float = LIMIT) -> subprocess.CompletedProcess[str]:
        """Runs it, to a good end."""
        kept = ("PATH", "LANG", "TMPDIR", *INSTALLERS)
        variables = {name: os.environ[name] for name in kept if name in os.environ}
        ended = subprocess.run(
            [BINARY, *words],
            cwd=self.project,
            env=variables
            | {
                "HOME": str(self.home),
                "LETSCODE_NO_UPDATE_CHECK": "1",
                "LETSCODE_MODEL": "scripted",
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": self.model.address,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
        )
        assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
        assert self.left_behind() == []
        return ended

    def left_behind(self) -> list[str]:
        """Returns what still runs of this home's Python, where the system lists processes as files."""
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(self.home) in line:
                lines.append(line)
        return lines


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Model]:
    model = Model()
    yield model
    model.close()


@pytest.fixture(scope="session")
def installed(endpoint: Model, tmp_path_factory: pytest.TempPathFactory) -> Letscode:
    """The program with all four, installed one after the other."""
    letscode = Letscode(tmp_path_factory.mktemp("clean"), endpoint)
    for name in NAMES:
        said = letscode("install", str(SOURCES / f"letscode-{name}"), limit=INSTALL_LIMIT)
        assert f"installed letscode-{name} 0.1.0" in said.stdout + said.stderr
    return letscode


@pytest.fixture
def letscode(installed: Letscode) -> Letscode:
    model = installed.model
    for used in (model.answers, model.verdicts, model.asked, model.asked_by_plugins):
        used.clear()
    config = installed.home / ".letscode" / "config.toml"
    config.unlink(missing_ok=True)
    return installed


def test_the_lists_show_them(letscode: Letscode) -> None:
    there = letscode("plugins").stdout
    for name in NAMES:
        line = next(line for line in there.splitlines() if f"letscode-{name} " in line)
        assert "0.1.0" in line and str(SOURCES) in line
    running = letscode("-p", "/plugins").stdout
    for name in NAMES:
        line = next(line for line in running.splitlines() if line.startswith(name))
        assert "0.1.0" in line and "running" in line


def test_memory_remembers_and_injects(letscode: Letscode) -> None:
    saved = letscode("-p", "/remember the kettle is blue").stdout
    assert saved.startswith("saved memory ") and "\x1b" not in saved
    name = saved.split()[-1]
    assert f"{name}  the kettle is blue" in letscode("-p", "/memories").stdout
    letscode.model.says("so it is")
    assert letscode("-p", "which colour?").stdout == "so it is\n"
    assert "the kettle is blue" in texts(letscode.model.asked[-1])
    assert f"forgot memory {name}" in letscode("-p", f"/forget {name}").stdout
    letscode.model.says("nobody knows")
    letscode("-p", "which colour?")
    assert "kettle" not in texts(letscode.model.asked[-1])


def test_goal_drives_a_run_to_its_end(letscode: Letscode) -> None:
    model = letscode.model
    model.says("one", "two", "three")
    model.verdicts += [
        '{"done": false, "reason": "count to two"}',
        '{"done": false, "reason": "count to three"}',
        '{"done": true, "reason": "it is counted"}',
    ]
    assert letscode("-p", "/goal count to three").stdout == "three\n"
    assert (model.answers, model.verdicts) == ([], [])
    said = [texts(body) for body in model.asked]
    assert "You have been given the goal" in said[0]
    assert "Evaluator says: count to two" in said[1]
    assert "Evaluator says: count to three" in said[2]
    # It asks where the program asks, with the key of that place.
    assert {body["key"] for body in model.asked_by_plugins} == {KEY}
    assert {body["model"] for body in model.asked_by_plugins} == {"scripted"}
    assert "ASSISTANT: two" in texts(model.asked_by_plugins[1])


def test_mcp_serves_the_tools_of_a_real_server_in_place_of_our_own(letscode: Letscode) -> None:
    config = letscode.home / ".letscode" / "config.toml"
    command = os.environ["MCP_SERVER"]
    config.write_text(f"[mcp.servers.clock]\ncommand = '{command}'\nargs = ['--local-timezone', 'UTC']\n")
    assert "runs in place of the program's own mcp" in letscode("plugins").stdout
    model = letscode.model
    model.calls("mcp_clock_get_current_time", timezone="Asia/Tokyo")
    model.says("it is late")
    assert letscode("-p", "what time is it in Tokyo?").stdout == "it is late\n"
    names = [tool["function"]["name"] for tool in model.asked[0]["tools"]]
    assert names.count("mcp_clock_get_current_time") == 1
    result = model.asked[1]["messages"][-1]
    assert result["role"] == "tool" and "Asia/Tokyo" in str(result["content"])
    listed = letscode("-p", "/plugins").stdout.splitlines()
    assert len([line for line in listed if line.startswith("mcp")]) == 1


def test_one_of_them_is_switched_off_by_its_name(letscode: Letscode) -> None:
    letscode("plugins", "disable", "memory")
    running = letscode("-p", "/plugins").stdout
    assert "memory" not in running and "goal" in running
    letscode("plugins", "enable", "memory")
    assert "memory" in letscode("-p", "/plugins").stdout


def test_uninstalled_they_are_gone(installed: Letscode) -> None:
    for name in NAMES:
        installed("uninstall", f"letscode-{name}", limit=INSTALL_LIMIT)
    assert "no plugins are installed" in installed("plugins").stdout
