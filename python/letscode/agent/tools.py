"""Tools: what a plugin offers to the model.

Owns the declaration (`Tool`, `@tool`), what a running call is given (`ToolContext`) and what it
gives back (`ToolResult`, or a `ToolError`). Must not run anything by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_type_hints, runtime_checkable

from pydantic import BaseModel, Field

from letscode.llm.types import ContentPart
from letscode.plugins.registries import Registry

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from letscode.agent.execution_env import ExecutionEnv
    from letscode.agent.state import AgentState

ExecutionMode = Literal["parallel", "sequential"]
"""Whether calls of a tool run beside others of the same message, or alone."""


class ToolError(Exception):
    """Says that a call failed; the model is told its text."""


class ToolResult(BaseModel):
    """What a call gives: content for the model, details for front ends.

    `terminate` ends the run after this turn.
    """

    content: list[ContentPart]
    details: dict[str, Any] = Field(default_factory=dict)
    is_error: bool = False
    terminate: bool = False


class ToolPartialResult(BaseModel):
    """What a running call has to show so far."""

    content: list[ContentPart]
    details: dict[str, Any] = Field(default_factory=dict)


@dataclass
class ToolContext:
    """What a running call is given.

    A tool that takes long watches `cancel_event`, and shows its progress with `on_update`. Files
    and commands go through `env`.
    """

    tool_call_id: str
    cancel_event: asyncio.Event
    on_update: Callable[[ToolPartialResult], None]
    cwd: Path
    agent_state: AgentState
    env: ExecutionEnv


@runtime_checkable
class Tool(Protocol):
    """Anything that the model can call."""

    name: str
    description: str
    parameters: type[BaseModel]
    execution_mode: ExecutionMode

    async def execute(self, params: BaseModel, ctx: ToolContext) -> ToolResult:
        """Runs one call with arguments that were checked."""
        ...


class FunctionTool:
    """A tool made from an async function of `(params, ctx)`."""

    def __init__(
        self,
        fn: Callable[[Any, ToolContext], Awaitable[ToolResult]],
        *,
        name: str,
        description: str,
        parameters: type[BaseModel],
        execution_mode: ExecutionMode = "parallel",
    ) -> None:
        self._fn = fn
        self.name = name
        self.description = description
        self.parameters = parameters
        self.execution_mode: ExecutionMode = execution_mode

    async def execute(self, params: BaseModel, ctx: ToolContext) -> ToolResult:
        """Calls the function."""
        return await self._fn(params, ctx)


def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    execution_mode: ExecutionMode = "parallel",
) -> Callable[[Callable[..., Awaitable[ToolResult]]], FunctionTool]:
    """Makes a tool of an async function whose first parameter is annotated with a pydantic model.

    Without a name, the function's is taken; without a description, its docstring.
    """

    def decorate(fn: Callable[..., Awaitable[ToolResult]]) -> FunctionTool:
        own_name = getattr(fn, "__name__", type(fn).__name__)
        own_description = (getattr(fn, "__doc__", None) or "").strip()
        return FunctionTool(
            fn,
            name=own_name if name is None else name,
            description=own_description if description is None else description,
            parameters=_parameters_of(fn, own_name),
            execution_mode=execution_mode,
        )

    return decorate


class ToolRegistry(Registry[Tool]):
    """The tools that plugins add, by name."""


def _parameters_of(fn: Callable[..., Any], name: str) -> type[BaseModel]:
    """Returns the model that the first parameter is annotated with."""
    parameters = list(inspect.signature(fn).parameters)
    if len(parameters) < 2:
        raise TypeError(f"tool {name}: the function takes no (params, ctx)")
    annotated = _annotation(fn, parameters[0])
    if not (isinstance(annotated, type) and issubclass(annotated, BaseModel)):
        raise TypeError(
            f"tool {name}: annotate `{parameters[0]}` with a pydantic BaseModel, not {annotated!r}"
        )
    return annotated


def _annotation(fn: Callable[..., Any], parameter: str) -> Any:
    """Resolves one annotation alone: others may name what exists for type checkers only."""
    function = fn if hasattr(fn, "__globals__") else type(fn).__call__
    written = {parameter: function.__annotations__.get(parameter)}
    holder = SimpleNamespace(__annotations__=written)
    try:
        return get_type_hints(holder, globalns=function.__globals__)[parameter]
    except NameError:
        return written[parameter]
