"""Slash commands: what a handler is given, what it answers, and how a typed line finds it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from letscode.agent.agent import Agent
    from letscode.plugins.manager import PluginManager
    from letscode.plugins.registries import Command


@dataclass
class CommandContext:
    """What a handler is given.

    `args` is what stood behind the command's name, `selector` what stood behind a colon in it.
    What is printed on `console` is shown to the user by whatever front end there is.
    """

    agent: Agent
    pm: PluginManager
    args: str
    console: Console
    selector: str = ""


@dataclass
class CommandResult:
    """What a handler answers: whether to leave, and a message to send to the model."""

    exit: bool = False
    send_to_llm: str | None = None


async def dispatch_slash(
    text: str, *, agent: Agent, pm: PluginManager, console: Console
) -> CommandResult | None:
    """Carries out a typed line. Returns `None` for one that is no slash command."""
    if not text.startswith("/"):
        return None
    word, _, args = text[1:].partition(" ")
    if not word:
        console.print("a slash alone is no command; /help lists them")
        return CommandResult()
    command, selector = find_command(word, pm)
    if command is None:
        console.print(f"there is no command /{word}; /help lists them", markup=False)
        return CommandResult()
    context = CommandContext(agent=agent, pm=pm, args=args, console=console, selector=selector)
    return await run_command(command, context)


def find_command(word: str, pm: PluginManager) -> tuple[Command | None, str]:
    """Returns the command that a word without its slash names, and its selector."""
    if word in pm.commands:
        return pm.commands.get(word), ""
    name, _, selector = word.partition(":")
    if selector and name in pm.commands:
        return pm.commands.get(name), selector
    return None, ""


async def run_command(command: Command, context: CommandContext) -> CommandResult:
    """Calls a command's handler, which may be a plain function too."""
    if command.handler is None:
        context.console.print(f"/{command.name} does nothing by itself", markup=False)
        return CommandResult()
    answer: object = command.handler(context)
    result = await answer if inspect.isawaitable(answer) else answer
    return result if isinstance(result, CommandResult) else CommandResult()
