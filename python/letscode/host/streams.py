"""The process's standard descriptors: the protocol's, and what plugins take for theirs.

Owns the swap at the start. Afterwards a plugin's `print`, or a child that writes to stdout, reaches
stderr, which is the log; and nobody but the host reads the protocol.
"""

from __future__ import annotations

import os
import sys


def take_protocol() -> tuple[int, int]:
    """Returns descriptors of the protocol for reading and writing, which no child inherits."""
    sys.stdout.flush()
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(sys.stdout, "reconfigure"):
        # Beside stderr's own lines, those of `print` are to come in their order.
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    return reading, writing
