"""The way of the host from its start to its end.

Owns the order: protocol taken, plugins imported, hello, plugins registered, calls answered. Plugins
register in the main thread while no event loop runs, because theirs may start one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import site
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import letscode
from letscode import _program
from letscode.host import commands, frontends, streams, tools
from letscode.host.calls import HOOKS, Calls
from letscode.host.channel import Channel
from letscode.host.program import Program
from letscode.log import warn
from letscode.plugins.manager import PluginManager

PROTOCOL = "letscode-plugin/1"
NAME = "python"

# How long plugins may take to end after the program's goodbye, in seconds; it waits two.
_GRACE = 1.0

# What the copy of the agent's state is made of.
_STATE_EVENTS = [
    "agent_start",
    "message_start",
    "message_end",
    "tool_execution_start",
    "tool_execution_end",
    "error",
    "agent_end",
]
_ALL_EVENTS = [
    *_STATE_EVENTS,
    "turn_start",
    "message_update",
    "tool_execution_update",
    "turn_end",
    "retry",
]


def main(words: list[str]) -> int:
    """Runs the host until the program ends it; returns the exit code."""
    options = argparse.ArgumentParser(prog="letscode plugin host")
    options.add_argument("--site", action="append", default=[], metavar="FOLDER")
    options.add_argument("--without", action="append", default=[], metavar="NAME")
    said = options.parse_args(words)
    for folder in said.site:
        site.addsitedir(folder)
    channel = Channel(*streams.take_protocol())
    hello = channel.open(_watch_for_the_end())
    if hello is None:
        return 0
    if str(hello.get("protocol", "")).split("/")[0:2] != PROTOCOL.split("/"):
        warn(f"the plugin host speaks {PROTOCOL}, the program {hello.get('protocol')}")
        return 1
    manager = PluginManager()
    manager.load_entry_points(without=said.without)
    program = Program(channel, manager)
    channel.send(
        type="hello",
        protocol=PROTOCOL,
        name=NAME,
        version=letscode.__version__,
        capabilities=_capabilities(manager),
        registrations={"plugins": _carried(manager)},
        registers_later=True,
    )
    _program.current = program
    manager.trigger_register_hooks()
    program.state.tools = list(manager.tools)
    program.state.skills = list(manager.skills)
    channel.send(type="register", registrations=_registrations(manager))
    asyncio.run(_serve(channel, program, manager))
    return 0


async def _serve(channel: Channel, program: Program, manager: PluginManager) -> None:
    loop = asyncio.get_running_loop()
    program.attach(loop)
    calls = Calls(channel, program, manager)
    ended = asyncio.Event()
    channel.hand_to(loop, calls.take, ended.set)
    program.spawn(program.lend_environment())
    await ended.wait()


def _watch_for_the_end() -> Callable[[], None]:
    """Returns what to call when the program is done: the process ends then, whatever plugins do.

    The thread is there from the start, since none can be started while the interpreter ends.
    """
    done = threading.Event()

    def leave() -> None:
        done.wait()
        time.sleep(_GRACE)
        sys.stderr.flush()
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()
    return done.set


def _capabilities(manager: PluginManager) -> dict[str, Any]:
    """Says what the plugins want to be told, by the hooks that they have."""
    hooks = [name for name in HOOKS if manager.listens(f"letscode_{name}")]
    observed = manager.listens("letscode_on_event")
    # A front end shows answers as they come; whether it runs is not known yet.
    shown = manager.listens("letscode_register_frontends")
    return {
        "hooks": [*hooks, "on_event"],
        "events": _ALL_EVENTS if observed or shown else _STATE_EVENTS,
        # A follow-up of theirs is to go on with the run at whose end they ask for it.
        "holds_end": observed,
        "fail_closed": any(manager.is_guard(name) for name in manager.plugin_names()),
    }


def _registrations(manager: PluginManager) -> dict[str, Any]:
    return {
        "tools": tools.declarations(manager.tools),
        "commands": commands.declarations(manager.commands),
        "skills": [
            {"name": skill.name, "description": skill.description, "body": _body(skill)}
            for skill in manager.skills
        ],
        "frontends": frontends.declarations(manager),
        "plugins": _carried(manager),
    }


def _body(skill: Any) -> str:
    """Returns a skill's text under the folder that its scripts and references are in."""
    return f"Its files are in {skill.source_path.parent}\n\n{skill.body}"


def _carried(manager: PluginManager) -> list[dict[str, Any]]:
    return [vars(carried) for carried in manager.carried]
