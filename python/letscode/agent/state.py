"""The agent's state, for reading.

Owns the fields. In the host the program keeps them up to date; a change made here changes nothing
there, apart from what the `Agent`'s methods do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from letscode.agent.messages import AgentMessage, AssistantMessage
    from letscode.agent.tools import Tool
    from letscode.skills.loader import Skill

ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh"]
"""How hard a model is asked to think."""

QueueMode = Literal["one-at-a-time", "all"]
"""How many queued messages are delivered at once."""


@dataclass
class AgentState:
    """What the agent is and does: its model, its transcript, what is under way."""

    system_prompt: str
    model: str
    base_url: str
    api_key: str = field(repr=False)
    thinking: ThinkingLevel = "off"
    tools: list[Tool] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    messages: list[AgentMessage] = field(default_factory=list)
    is_streaming: bool = False
    streaming_message: AssistantMessage | None = None
    pending_tool_calls: set[str] = field(default_factory=set)
    last_error: str | None = None
    steering_queue: list[str] = field(default_factory=list)
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_queue: list[str] = field(default_factory=list)
    follow_up_mode: QueueMode = "one-at-a-time"
    reload_pins: dict[str, str] = field(default_factory=dict)
