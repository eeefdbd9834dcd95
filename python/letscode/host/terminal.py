"""The user's terminal, lent to a front end.

Owns the standard descriptors while it lasts. The host has a session of its own and so no
controlling terminal: it opens the device by name, and watches the size itself, because the signal
of a change goes to the program.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator

_VARIABLE = "LETSCODE_TERMINAL"
_LOOK_EVERY = 0.3


class NoTerminal(Exception):
    """There is no terminal to lend."""


@contextlib.asynccontextmanager
async def borrowed() -> AsyncIterator[None]:
    """Puts the terminal in the place of stdin, stdout and stderr; at the end they are back."""
    terminal = _open()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number in range(3):
            os.dup2(terminal, number)
        watching = asyncio.ensure_future(_tell_of_sizes(terminal))
        try:
            yield
        finally:
            watching.cancel()
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(terminal)


def width() -> int | None:
    """Returns how many columns the terminal has; `None` where there is none."""
    try:
        terminal = _open()
    except NoTerminal:
        return None
    try:
        return os.get_terminal_size(terminal).columns or None
    finally:
        os.close(terminal)


def _open() -> int:
    for name in _names():
        with contextlib.suppress(OSError):
            descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY)
            if os.isatty(descriptor):
                return descriptor
            os.close(descriptor)
    raise NoTerminal("there is no terminal for a front end")


def _names() -> list[str]:
    """Returns where the terminal may be: as the program says, as this process or the one that
    started it has it."""
    told = os.environ.get(_VARIABLE)
    parent = f"/proc/{os.getppid()}/fd"
    return [*([told] if told else []), "/dev/tty", *(f"{parent}/{number}" for number in range(3))]


async def _tell_of_sizes(terminal: int) -> None:
    """Raises the signal of a changed size in this process."""
    size = os.get_terminal_size(terminal)
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        now = os.get_terminal_size(terminal)
        if now != size:
            size = now
            signal.raise_signal(signal.SIGWINCH)
