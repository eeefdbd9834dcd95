"""Cuts for the display of tool calls: long results to a beginning and an end, long arguments to
their size."""

from __future__ import annotations

from typing import Any

HEAD_LINES = 12
TAIL_LINES = 5
# Below this, the line that tells of the cut would hide hardly more than it takes.
UNCUT_LINES = HEAD_LINES + TAIL_LINES + 2
ARGUMENT_LENGTH = 60


def truncate_panel_body(body: str) -> str:
    """Returns a result's text with the lines in its middle left out, where there are many."""
    lines = body.splitlines()
    if len(lines) <= UNCUT_LINES:
        return body
    hidden = len(lines) - HEAD_LINES - TAIL_LINES
    note = f"… {hidden} more lines; /verbose shows them …"
    return "\n".join([*lines[:HEAD_LINES], note, *lines[-TAIL_LINES:]])


def truncate_tool_args(args: dict[str, Any]) -> dict[str, Any]:
    """Returns a call's arguments with the size in place of each long value."""
    return {name: _short(value) for name, value in args.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= ARGUMENT_LENGTH else f"<{len(value)} characters>"
    if len(repr(value)) <= ARGUMENT_LENGTH:
        return value
    size = len(value) if hasattr(value, "__len__") else len(repr(value))
    return f"<{type(value).__name__} of {size}>"
