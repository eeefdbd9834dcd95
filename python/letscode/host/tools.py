"""Tool calls: a plugin's tool run with what the model sent.

Owns the declaration of tools as the program wants them, and the way of one call: arguments
checked, progress shown, faults made into results that the model can read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from letscode.agent.execution_env import LocalEnv
from letscode.agent.state import AgentState
from letscode.agent.tools import (
    Tool,
    ToolContext,
    ToolError,
    ToolPartialResult,
    ToolRegistry,
    ToolResult,
)
from letscode.host.plain import plain
from letscode.llm.types import TextPart
from letscode.log import FAULTS, told, warn

# How long a tool that was cancelled may take to end by itself, in seconds.
_GRACE = 2.0


def declarations(tools: ToolRegistry) -> list[dict[str, Any]]:
    """Returns the tools as the program registers them; one without a usable schema is left out."""
    declared = []
    for tool in tools:
        try:
            declared.append(_declaration(tool))
        except FAULTS as error:
            warn(f"the tool {getattr(tool, 'name', tool)} is left out: {told(error)}")
    return declared


async def run(
    tool: Tool,
    line: dict[str, Any],
    *,
    state: AgentState,
    cancelled: asyncio.Event,
    show: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Runs one call; returns its result, also where it failed."""

    def on_update(partial: ToolPartialResult) -> None:
        show(plain(partial))

    context = ToolContext(
        tool_call_id=line.get("tool_call_id", ""),
        cancel_event=cancelled,
        on_update=on_update,
        cwd=Path.cwd(),
        agent_state=state,
        env=LocalEnv(),
    )
    try:
        parameters = tool.parameters.model_validate(line.get("arguments", {}))
        result = await _unless_cancelled(tool, parameters, context)
    except ValidationError as error:
        return _failure(_faults(error))
    except ToolError as error:
        return _failure(str(error))
    except asyncio.CancelledError:
        return _failure("cancelled")
    except FAULTS as error:
        return _failure(told(error))
    if not isinstance(result, ToolResult):
        return _failure(f"the tool gave a {type(result).__name__}, not a ToolResult")
    return dict(plain(result))


async def _unless_cancelled(tool: Tool, parameters: Any, context: ToolContext) -> Any:
    """Runs the tool. One that goes on long after its call was taken back is stopped."""

    async def contained() -> Any:
        try:
            return await tool.execute(parameters, context)
        except SystemExit as error:
            # From a task of its own it would end the event loop.
            raise ToolError(told(error)) from error

    running = asyncio.ensure_future(contained())
    cancelling = asyncio.ensure_future(context.cancel_event.wait())
    try:
        await asyncio.wait((running, cancelling), return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await asyncio.wait((running,), timeout=_GRACE)
        if not running.done():
            raise asyncio.CancelledError
        return running.result()
    finally:
        cancelling.cancel()
        running.cancel()


def _declaration(tool: Tool) -> dict[str, Any]:
    return {
        "name": str(tool.name),
        "description": str(tool.description or ""),
        "parameters": plain(tool.parameters.model_json_schema()),
        "execution_mode": getattr(tool, "execution_mode", "parallel"),
    }


def _failure(text: str) -> dict[str, Any]:
    return dict(plain(ToolResult(content=[TextPart(text=text)], is_error=True)))


def _faults(error: ValidationError) -> str:
    """Returns what is wrong with arguments, a line each."""
    lines = ["the arguments do not fit:"]
    for fault in error.errors(include_url=False):
        place = ".".join(map(str, fault["loc"])) or "arguments"
        lines.append(f"{place}: {fault['msg']}")
    return "\n".join(lines)
