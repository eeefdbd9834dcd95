"""Content parts, tool calls and token figures: the smallest pieces of a message.

Owns their fields, which are those of session files and of the program's own events.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class TextPart(BaseModel):
    """Plain text."""

    type: Literal["text"] = "text"
    text: str


class ImagePart(BaseModel):
    """A picture: its bytes in base64, and their type, for example `image/png`."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str


ContentPart = Annotated[TextPart | ImagePart, Field(discriminator="type")]
"""One piece of a message's content."""


class Usage(BaseModel):
    """Tokens and money that one answer cost; `cost_usd` is `None` where no price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None


class ToolCall(BaseModel):
    """A request by the model to run a tool."""

    id: str
    name: str
    arguments: dict[str, Any]
