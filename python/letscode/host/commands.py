"""Slash commands: a plugin's handler run, and what it prints made into text.

Owns the declaration of commands as the program wants them, and the console that handlers print on.
"""

from __future__ import annotations

import io
import os
import re
from typing import TYPE_CHECKING, Any

from letscode.commands.dispatch import CommandContext, find_command, run_command
from letscode.host import terminal

if TYPE_CHECKING:
    from rich.console import Console

    from letscode.agent.agent import Agent
    from letscode.plugins.manager import PluginManager
    from letscode.plugins.registries import CommandRegistry

# Sequences of a terminal but for those that say how text looks; rich hides the cursor by them.
_MOVES = re.compile(r"\x1b\[[0-9;?]*[@-ln-~]")

# Where nobody says how wide the user's terminal is.
_WIDTH = 100


def declarations(commands: CommandRegistry) -> list[dict[str, Any]]:
    """Returns the commands as the program registers them, one for each selector too."""
    declared = []
    for command in commands:
        names = [command.name, *(f"{command.name}:{each}" for each in command.selectors)]
        declared += [{"name": name, "description": command.description} for name in names]
    return declared


async def run(line: dict[str, Any], agent: Agent, manager: PluginManager) -> dict[str, Any]:
    """Runs a command. Raises what its handler raises, and LookupError where there is none."""
    name = str(line.get("name", ""))
    command, selector = find_command(name, manager)
    if command is None:
        raise LookupError(f"there is no command /{name}")
    printed = io.StringIO()
    context = CommandContext(
        agent=agent,
        pm=manager,
        args=str(line.get("args", "")),
        console=_console(printed),
        selector=selector,
    )
    result = await run_command(command, context)
    return {
        "text": _MOVES.sub("", printed.getvalue()).rstrip("\n"),
        "prompt": result.send_to_llm,
        "exit": result.exit,
    }


def _console(printed: io.StringIO) -> Console:
    """Returns a console that prints into memory, as wide as the terminal.

    In the colours that every terminal has: the program takes them out where nobody would see
    them. Nothing moves there, so that no frame of an animation is left in the text.
    """
    # Here, because it takes a tenth of a second that a start without commands need not spend.
    from rich.console import Console

    return Console(
        file=printed,
        force_terminal=True,
        force_interactive=False,
        color_system="standard",
        highlight=False,
        legacy_windows=False,
        width=_width(),
    )


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return int(columns)
    return terminal.width() or _WIDTH
