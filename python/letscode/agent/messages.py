"""Messages: what the transcript holds and sessions store.

Owns the four roles, field for field. Reading ignores fields that it does not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from letscode.llm.types import ContentPart, ToolCall, Usage


class UserMessage(BaseModel):
    """What the user, or a line that was queued, said."""

    role: Literal["user"] = "user"
    id: str
    content: list[ContentPart]
    timestamp: float
    meta: dict[str, Any] = Field(default_factory=dict)


class AssistantMessage(BaseModel):
    """What the model answered; `stop_reason` is `None` while it has not stopped."""

    role: Literal["assistant"] = "assistant"
    id: str
    content: list[ContentPart]
    tool_calls: list[ToolCall] = Field(default_factory=list)
    timestamp: float
    stop_reason: Literal["end_turn", "tool_calls", "max_tokens", "error"] | None = None
    usage: Usage | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class ToolResultMessage(BaseModel):
    """What one tool call gave."""

    role: Literal["tool"] = "tool"
    id: str
    tool_call_id: str
    content: list[ContentPart]
    is_error: bool = False
    timestamp: float
    details: dict[str, Any] = Field(default_factory=dict)


class CustomMessage(BaseModel):
    """An entry of a kind that a plugin defines; by default the model does not see it."""

    role: Literal["custom"] = "custom"
    id: str
    kind: str
    payload: dict[str, Any] = Field(default_factory=dict)
    timestamp: float
    meta: dict[str, Any] = Field(default_factory=dict)


LLMMessage = Annotated[
    UserMessage | AssistantMessage | ToolResultMessage, Field(discriminator="role")
]
"""A message that a model can be sent."""

AgentMessage = Annotated[
    UserMessage | AssistantMessage | ToolResultMessage | CustomMessage,
    Field(discriminator="role"),
]
"""A message that a transcript can hold."""
