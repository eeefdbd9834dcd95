"""Events on their way to one receiver: in order, and at its own pace.

Owns the queue. A receiver that is slow, or waits for something itself, keeps no other one waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from letscode.agent.events import Event
from letscode.log import FAULTS, told, warn

# Beyond so many waiting events the pieces of answers are left out; what they add up to follows.
_CROWDED = 2000


class Delivery:
    """The events for one receiver."""

    def __init__(self, name: str, receive: Callable[[Event], Awaitable[None]]) -> None:
        self._name = name
        self._receive = receive
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def put(self, event: Event) -> None:
        """Queues an event."""
        if event.type == "message_update" and self._events.qsize() >= _CROWDED:
            return
        self._events.put_nowait(event)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._deliver())

    async def done(self) -> None:
        """Waits until everything that was queued has been received."""
        await self._events.join()

    async def _deliver(self) -> None:
        while True:
            event = await self._events.get()
            try:
                await self._receive(event)
            except FAULTS as error:
                warn(f"plugin {self._name}: the event {event.type} failed: {told(error)}")
            finally:
                self._events.task_done()
