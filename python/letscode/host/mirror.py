"""The agent's state as its events tell it.

Owns the copy of the transcript and of what is under way, and the making of events out of lines.
Must be used on the event loop only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from letscode.agent.events import (
    AgentEnd,
    AgentStart,
    ErrorEvent,
    Event,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    StreamEvent,
    TextDelta,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from letscode.agent.messages import AgentMessage, AssistantMessage, UserMessage
from letscode.agent.state import AgentState
from letscode.llm.types import TextPart

_events: TypeAdapter[Event] = TypeAdapter(Event)
_stream_events: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)
_messages: TypeAdapter[AgentMessage] = TypeAdapter(AgentMessage)


class LiveState(AgentState):
    """The state of the program's agent. The endpoint and its key are asked for when read."""

    def __init__(self, endpoint: Callable[[], dict[str, str]]) -> None:
        self._endpoint = endpoint
        super().__init__(system_prompt="", model="", base_url="", api_key="")
        self.aborted = False

    @property
    def base_url(self) -> str:
        return self._endpoint().get("OPENAI_BASE_URL", "")

    @base_url.setter
    def base_url(self, value: str) -> None:
        """Left alone: the program decides."""

    @property
    def api_key(self) -> str:
        return self._endpoint().get("OPENAI_API_KEY", "")

    @api_key.setter
    def api_key(self, value: str) -> None:
        """Left alone: the program decides."""


class Mirror:
    """Follows the events."""

    def __init__(self, state: LiveState) -> None:
        self.state = state

    def follow(self, line: dict[str, Any], *, updates: bool) -> Event | None:
        """Brings the state up to date and returns the event; `None` for one that is not known,
        and, unless `updates` are wanted, for the pieces of an answer."""
        if line.get("type") == "message_update":
            return self._piece(line) if updates else None
        if "messages" in line:
            line = {**line, "messages": self._known(line["messages"])}
        try:
            event = _events.validate_python(line)
        except ValidationError:
            return None
        self._apply(event)
        return event

    def replace_messages(self, lines: list[dict[str, Any]]) -> None:
        """Takes over a whole transcript. The list stays the same object, so that whoever holds it
        sees it grow."""
        self.state.messages[:] = [_messages.validate_python(line) for line in self._known(lines)]

    def holds(self, message_id: str) -> bool:
        """Returns whether a message is in the transcript."""
        return any(message.id == message_id for message in reversed(self.state.messages))

    def _known(self, lines: list[dict[str, Any]]) -> list[Any]:
        """Puts messages that are here already in the place of their lines: those are final."""
        here = {message.id: message for message in self.state.messages}
        return [here.get(line.get("id", ""), line) for line in lines]

    def _apply(self, event: Event) -> None:
        state = self.state
        match event:
            case AgentStart():
                state.is_streaming, state.aborted, state.last_error = True, False, None
                state.messages[:] = event.messages
            case AgentEnd():
                state.is_streaming, state.aborted = False, event.aborted
                state.streaming_message = None
                state.pending_tool_calls.clear()
                state.messages[:] = event.messages
            case MessageStart(message=AssistantMessage() as message):
                state.streaming_message = message
            case MessageEnd():
                self._finish(event.message)
            case ToolExecutionStart():
                state.pending_tool_calls.add(event.tool_call_id)
            case ToolExecutionEnd():
                state.pending_tool_calls.discard(event.tool_call_id)
            case ErrorEvent():
                state.last_error = event.error
            case _:
                pass

    def _finish(self, message: AgentMessage) -> None:
        if isinstance(message, AssistantMessage):
            self.state.streaming_message = None
        if isinstance(message, UserMessage):
            text = "".join(part.text for part in message.content if isinstance(part, TextPart))
            for queue in (self.state.steering_queue, self.state.follow_up_queue):
                if text in queue:
                    queue.remove(text)
                    break
        if not self.holds(message.id):
            self.state.messages.append(message)

    def _piece(self, line: dict[str, Any]) -> MessageUpdate | None:
        message = self.state.streaming_message
        if message is None:
            return None
        try:
            piece = _stream_events.validate_python(line.get("stream_event"))
        except ValidationError:
            return None
        if isinstance(piece, TextDelta):
            # A new message each time: an event that is received late shows what it was sent with.
            message = _with_more(message, piece.delta)
            self.state.streaming_message = message
        return MessageUpdate.model_construct(message=message, stream_event=piece)


def _with_more(message: AssistantMessage, text: str) -> AssistantMessage:
    *before, last = message.content or [TextPart(text="")]
    if isinstance(last, TextPart):
        content = [*before, TextPart(text=last.text + text)]
    else:
        content = [*before, last, TextPart(text=text)]
    return message.model_copy(update={"content": content})
