"""The eleven hooks that a plugin may implement, with `pluggy.HookimplMarker("letscode")`.

Owns their names, arguments and answers. Where an implementation is async, its answer is awaited;
one that has nothing to say returns `None`. The plugin that was registered last is asked first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from letscode.agent.events import Event
    from letscode.agent.messages import AgentMessage, CustomMessage, LLMMessage
    from letscode.agent.state import AgentState
    from letscode.agent.tools import ToolRegistry, ToolResult
    from letscode.llm.types import ContentPart, ToolCall
    from letscode.plugins.registries import CommandRegistry, FrontendRegistry, SkillRegistry

hookspec = pluggy.HookspecMarker("letscode")


@dataclass
class BlockDecision:
    """Whether a tool call must not run, and what the model is told about it."""

    block: bool
    reason: str = ""


@dataclass
class ResultOverride:
    """What takes the place of a tool call's result; a field that is `None` stays as it was."""

    content: list[ContentPart] | None = None
    details: dict[str, Any] | None = None
    is_error: bool | None = None
    terminate: bool | None = None


@dataclass
class AgentContext:
    """What the hooks of one tool call share: the agent's state, and a place for notes.

    `meta` of the call's `before` hook is the one that its `after` hook gets.
    """

    state: AgentState
    meta: dict[str, Any] = field(default_factory=dict)


@hookspec
def letscode_register_tools(registry: ToolRegistry) -> None:
    """Adds tools."""


@hookspec
def letscode_register_commands(registry: CommandRegistry) -> None:
    """Adds slash commands."""


@hookspec
def letscode_register_skills(registry: SkillRegistry) -> None:
    """Adds skills."""


@hookspec
def letscode_register_frontends(registry: FrontendRegistry) -> None:
    """Adds front ends."""


@hookspec(firstresult=True)
def letscode_system_prompt(state: AgentState) -> str | None:
    """Gives the first part of the system prompt; the first answer wins."""


@hookspec
def letscode_before_tool_call(
    tool_call: ToolCall, args: Any, context: AgentContext
) -> Awaitable[BlockDecision | None] | None:
    """May block a call; the first block wins. A change made to `args` changes the call."""


@hookspec
def letscode_after_tool_call(
    tool_call: ToolCall, result: ToolResult, context: AgentContext
) -> Awaitable[ResultOverride | None] | None:
    """May override a result; of several answers the last wins, field by field."""


@hookspec
def letscode_transform_context(
    messages: list[AgentMessage],
) -> Awaitable[list[AgentMessage] | None] | None:
    """May change what goes to the model; each sees what the one before it gave."""


@hookspec
def letscode_convert_to_llm(
    messages: Sequence[AgentMessage],
) -> Awaitable[list[LLMMessage] | None] | None:
    """May replace the whole conversion of messages for the model; the first answer wins."""


@hookspec(firstresult=True)
def letscode_render_custom_message(message: CustomMessage) -> LLMMessage | None:
    """Gives a custom message the form in which the model sees it; the first answer wins."""


@hookspec
def letscode_on_event(event: Event) -> Awaitable[None] | None:
    """Sees every event, in order, some time after it happened."""
