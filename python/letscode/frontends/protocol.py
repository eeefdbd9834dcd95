"""What a front end has to offer."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Frontend(Protocol):
    """A front end: made by its factory, then run once."""

    async def run(self) -> int:
        """Holds the terminal until the user leaves; returns the exit code."""
        ...
