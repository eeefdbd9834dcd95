"""Front ends of plugins: made, given the terminal, and run to their end.

Owns the program's own slash commands as a front end finds them among the plugins'.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from letscode.commands.dispatch import CommandContext, CommandResult
from letscode.host import terminal
from letscode.host.program import Program
from letscode.log import FAULTS, told
from letscode.plugins.manager import PluginManager
from letscode.plugins.registries import Command, CommandRegistry

# Those with which the user leaves: the program cannot do that for a front end.
_LEAVING = ("quit", "exit")


def declarations(manager: PluginManager) -> list[dict[str, Any]]:
    """Returns the front ends as the program registers them."""
    return [{"name": frontend.name} for frontend in manager.frontends]


async def run(name: str, program: Program, manager: PluginManager) -> dict[str, Any]:
    """Runs a front end; returns its exit code."""
    from rich.console import Console

    factory = manager.frontends.get(name).factory
    await program.refresh()
    await _add_program_commands(manager.commands, program)
    async with terminal.borrowed():
        frontend = factory(
            program.agent,
            pm=manager,
            console=Console(file=sys.__stdout__),
            session_path=program.session_path,
        )
        code = await frontend.run()
    return {"exit_code": int(code or 0)}


async def _add_program_commands(commands: CommandRegistry, program: Program) -> None:
    """Adds what the program can do; a plugin's command of the same name stays."""
    listed = await asyncio.wrap_future(program.command("commands"))
    for entry in listed["commands"]:
        name = entry["name"]
        if name not in commands:
            handler = _leave if name in _LEAVING else _Passed(name, program)
            commands.add(Command(name=name, description=entry["help"], handler=handler))


class _Passed:
    """A command that the program carries out."""

    def __init__(self, name: str, program: Program) -> None:
        self._name = name
        self._program = program

    async def __call__(self, context: CommandContext) -> CommandResult:
        name = f"{self._name}:{context.selector}" if context.selector else self._name
        typed = f"/{name} {context.args}".rstrip()
        try:
            answer = await asyncio.wrap_future(self._program.command("run_command", text=typed))
        except FAULTS as error:
            context.console.print(_plain_text(told(error)))
            return CommandResult()
        if answer and answer.get("text"):
            context.console.print(_plain_text(answer["text"]))
        await self._program.refresh()
        # A plugin's command may end the front end.
        return CommandResult(exit=bool(answer and answer.get("exit")))


async def _leave(_context: CommandContext) -> CommandResult:
    return CommandResult(exit=True)


def _plain_text(text: str) -> Any:
    """Returns text in which brackets are no markup, and colours are."""
    from rich.text import Text

    return Text.from_ansi(text)
