"""Faults of plugins, and words for the user: lines on stderr, shown as warnings."""

from __future__ import annotations

import sys

FAULTS = (Exception, SystemExit)
"""What code of a plugin may raise without ending more than itself."""


def warn(text: str) -> None:
    """Writes one line; what would be several is joined."""
    print(" ".join(text.split()), file=sys.stderr, flush=True)


def told(error: BaseException) -> str:
    """Returns an exception in words: its kind, and what it says where it says anything."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
