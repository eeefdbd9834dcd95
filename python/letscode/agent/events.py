"""Events: everything that a run tells, in the order in which it happens.

Owns the shapes, which are those that the program sends. A new `type` may come at any time; who
reads events passes over those that it does not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from letscode.agent.messages import AgentMessage, AssistantMessage, ToolResultMessage
from letscode.agent.tools import ToolPartialResult
from letscode.llm.types import Usage


class TextDelta(BaseModel):
    """More of the visible answer."""

    type: Literal["text_delta"] = "text_delta"
    delta: str


class ThinkingDelta(BaseModel):
    """More of the reasoning."""

    type: Literal["thinking_delta"] = "thinking_delta"
    delta: str


class ToolCallStart(BaseModel):
    """The model begins a tool call."""

    type: Literal["tool_call_start"] = "tool_call_start"
    tool_call_id: str
    name: str


class ToolCallArgsDelta(BaseModel):
    """More of the JSON text of a call's arguments."""

    type: Literal["tool_call_args_delta"] = "tool_call_args_delta"
    tool_call_id: str
    delta: str


class ToolCallEnd(BaseModel):
    """A call's arguments are complete."""

    type: Literal["tool_call_end"] = "tool_call_end"
    tool_call_id: str


class UsageEvent(BaseModel):
    """What the answer cost."""

    type: Literal["usage"] = "usage"
    usage: Usage


class StopEvent(BaseModel):
    """The model stopped."""

    type: Literal["stop"] = "stop"
    reason: str


class RetryEvent(BaseModel):
    """A request failed in a way that may pass; `attempt` is the number of the coming one."""

    type: Literal["retry"] = "retry"
    attempt: int
    total_attempts: int
    delay_seconds: float
    reason: str


StreamEvent = Annotated[
    TextDelta
    | ThinkingDelta
    | ToolCallStart
    | ToolCallArgsDelta
    | ToolCallEnd
    | UsageEvent
    | StopEvent
    | RetryEvent,
    Field(discriminator="type"),
]
"""A piece of an assistant's answer."""


class AgentStart(BaseModel):
    """A run begins; `messages` is the transcript, the new input included."""

    type: Literal["agent_start"] = "agent_start"
    messages: list[AgentMessage]


class AgentEnd(BaseModel):
    """A run is over; `error` is `None` after a good end and after an abort."""

    type: Literal["agent_end"] = "agent_end"
    messages: list[AgentMessage]
    error: str | None = None
    aborted: bool = False


class TurnStart(BaseModel):
    """A turn begins; `turn` counts from 1 within the run."""

    type: Literal["turn_start"] = "turn_start"
    turn: int


class TurnEnd(BaseModel):
    """A turn is over: the model's answer and the results of its calls, in their order."""

    type: Literal["turn_end"] = "turn_end"
    turn: int
    message: AssistantMessage
    tool_results: list[ToolResultMessage]


class MessageStart(BaseModel):
    """A message begins; an assistant's is empty here, any other is complete."""

    type: Literal["message_start"] = "message_start"
    message: AgentMessage


class MessageUpdate(BaseModel):
    """A piece of the answer arrived; `message` is the answer so far."""

    type: Literal["message_update"] = "message_update"
    message: AssistantMessage
    stream_event: StreamEvent


class MessageEnd(BaseModel):
    """A message is final and, where the session is kept, on disk."""

    type: Literal["message_end"] = "message_end"
    message: AgentMessage


class ToolExecutionStart(BaseModel):
    """A tool call is about to run."""

    type: Literal["tool_execution_start"] = "tool_execution_start"
    tool_call_id: str
    tool_name: str
    arguments: dict[str, Any]


class ToolExecutionUpdate(BaseModel):
    """A running tool has something to show."""

    type: Literal["tool_execution_update"] = "tool_execution_update"
    tool_call_id: str
    partial: ToolPartialResult


class ToolExecutionEnd(BaseModel):
    """A tool call is over."""

    type: Literal["tool_execution_end"] = "tool_execution_end"
    tool_call_id: str
    result: ToolResultMessage


class ErrorEvent(BaseModel):
    """The run cannot go on; `recoverable` says whether the same prompt may be tried again."""

    type: Literal["error"] = "error"
    error: str
    recoverable: bool


Event = Annotated[
    AgentStart
    | AgentEnd
    | TurnStart
    | TurnEnd
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | RetryEvent
    | ErrorEvent,
    Field(discriminator="type"),
]
"""What happened in a run."""
