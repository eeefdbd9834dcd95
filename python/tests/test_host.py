"""The host's life: its greeting, faulty plugins, what is printed, its end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from peer import HOST, LIMIT, Peer, install

Start = Callable[..., Peer]

QUIET = """
@hookimpl
def letscode_transform_context(messages):
    return None
"""


def test_hello_says_what_the_plugins_want_to_be_told(start: Start) -> None:
    host = start(quiet=QUIET)
    hello, registrations = host.begin()
    assert (hello["name"], hello["registers_later"]) == ("python", True)
    assert hello["protocol"] == "letscode-plugin/1"
    assert hello["capabilities"]["hooks"] == ["transform_context", "on_event"]
    assert "message_update" not in hello["capabilities"]["events"]
    assert hello["capabilities"]["holds_end"] is False
    assert [each["name"] for each in registrations["plugins"]] == ["quiet"]
    assert host.end() == 0
    assert host.log == []


def test_events_come_in_pieces_only_where_a_plugin_looks(start: Start) -> None:
    host = start(seer="@hookimpl\ndef letscode_on_event(event): pass\n")
    hello, _ = host.begin()
    assert "message_update" in hello["capabilities"]["events"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit('no')", "SystemExit"),
        ("def f(:", "SyntaxError"),
        ("@hookimpl\ndef letscode_on_event(wrong): pass", "wrong"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_one_line(start: Start, fault: str, said: str) -> None:
    host = start(broken=fault, quiet=QUIET)
    _, registrations = host.begin()
    host.end()
    assert len(host.log) == 1
    assert "plugin broken" in host.log[0] and said in host.log[0]
    found = {each["name"]: each["error"] for each in registrations["plugins"]}
    assert found["quiet"] is None and said in found["broken"]


def test_a_registration_that_fails_is_one_line_and_keeps_the_rest(start: Start) -> None:
    add = "registry.add(Command(name='{}'))"
    source = f"""
@hookimpl
def letscode_register_commands(registry):
    {add.format("a")}
    {add.format("a")}
"""
    other = f"@hookimpl\ndef letscode_register_commands(registry): {add.format('b')}\n"
    host = start(twice=source, other=other)
    _, registrations = host.begin()
    host.end()
    assert [each["name"] for each in registrations["commands"]] == ["a", "b"]
    assert len(host.log) == 1 and "plugin twice" in host.log[0]


def test_what_plugins_print_is_log_and_harms_nothing(start: Start) -> None:
    source = """
import os, subprocess, sys
print("at import")
@hookimpl
def letscode_transform_context(messages):
    print("in a hook")
    os.write(1, b"raw\\n")
    subprocess.run(["echo", "from a child"], check=True)
    assert sys.stdin.read() == ""
    return messages
"""
    host = start(chatty=source)
    host.begin()
    assert host.result("transform_context", context={"messages": []}) == []
    host.end()
    assert sorted(host.log) == ["at import", "from a child", "in a hook", "raw"]


def test_nothing_in_the_working_directory_is_imported(start: Start) -> None:
    host = start(quiet=QUIET)
    for name in ("pluggy", "json", "rich", "sitecustomize"):
        (host.cwd / f"{name}.py").write_text("raise SystemExit('the project ran')")
    host.begin()
    assert host.end() == 0 and host.log == []


def test_the_working_directory_is_off_the_path_for_lazy_imports(start: Start) -> None:
    source = """
@hookimpl
def letscode_system_prompt(state):
    import trap
"""
    host = start(late=source)
    (host.cwd / "trap.py").write_text("print('the project ran')")
    host.begin()
    host.call("system_prompt", context={"cwd": str(host.cwd), "tools": []})
    host.end()
    assert len(host.log) == 1 and "No module named 'trap'" in host.log[0]


def test_plugins_of_two_places_are_found_and_the_first_copy_wins(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "active").mkdir()
    install(tmp_path / "active", "other", "")
    install(tmp_path / "active", "quiet", "1/0", version="0.1")
    host = start(quiet=QUIET, sites=[tmp_path / "active"])
    _, registrations = host.begin()
    found = [(each["name"], each["version"]) for each in registrations["plugins"]]
    assert found == [("other", "1.0"), ("quiet", "1.0")]


def test_what_is_switched_off_is_not_even_imported(start: Start) -> None:
    host = start(quiet=QUIET, loud="print('imported')", without=["loud"])
    _, registrations = host.begin()
    host.end()
    assert [each["name"] for each in registrations["plugins"]] == ["quiet"]
    assert host.log == []


def test_another_major_is_refused(start: Start) -> None:
    host = start(quiet=QUIET)
    host.send(type="hello", protocol="letscode-plugin/2", cwd=str(host.cwd))
    assert host.process.wait(LIMIT) == 1
    host.end()
    assert len(host.log) == 1 and "letscode-plugin/2" in host.log[0]


def test_lines_that_are_not_understood_are_passed_over(start: Start) -> None:
    host = start(quiet=QUIET)
    host.begin()
    host.process.stdin.write(b"no json\n\n[1]\n")
    host.send(type="something_new")
    host.event("something_new")
    host.send(type="reply", call=999, result=None)
    host.send(type="cancel", call=999)
    assert "something_else" in host.call("something_else")["error"]
    assert host.result("transform_context", context={"messages": []}) is None


@pytest.mark.parametrize("phase", ["import", "register", "hook", "exit"])
def test_a_plugin_that_hangs_does_not_outlive_the_goodbye(start: Start, phase: str) -> None:
    hang = "import time; time.sleep(1000)"
    sources = {
        "import": hang,
        "register": f"@hookimpl\ndef letscode_register_tools(registry): {hang}",
        "hook": f"@hookimpl\ndef letscode_transform_context(messages): {hang}",
        "exit": f"import atexit\n@atexit.register\ndef late(): {hang}",
    }
    host = start(hanging=sources[phase])
    if phase in ("hook", "exit"):
        host.begin()
    else:
        host.send(type="hello", protocol="letscode-plugin/1", cwd=str(host.cwd))
    if phase == "hook":
        host.start("transform_context", context={"messages": []})
    assert host.end() == 0


def test_the_end_of_the_input_ends_the_host(start: Start) -> None:
    host = start(quiet=QUIET)
    host.begin()
    host.process.stdin.close()
    assert host.process.wait(LIMIT) == 0


def test_registration_runs_in_the_main_thread_without_a_loop(start: Start) -> None:
    source = """
import threading
@hookimpl
def letscode_register_commands(registry):
    async def nothing(): return threading.current_thread() is threading.main_thread()
    registry.add(Command(name=str(asyncio.run(nothing()))))
"""
    _, registrations = start(looping=source).begin()
    assert [each["name"] for each in registrations["commands"]] == ["True"]


def test_a_python_without_the_packages_says_what_is_missing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-P", "-S", str(HOST)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert ended.returncode == 1
    assert "need pydantic, pluggy and rich" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
