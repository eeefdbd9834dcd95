"""The running agent, as a plugin can drive it.

Owns the requests to the program that the methods stand for. Plugins do not make agents; commands
and front ends are given one.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from letscode.log import FAULTS, told, warn

if TYPE_CHECKING:
    from letscode.agent.events import Event
    from letscode.agent.state import AgentState
    from letscode.plugins.manager import PluginManager

Callback = Callable[["Event"], Awaitable[None] | None]
"""What is called with each event."""


class Link(Protocol):
    """The way to the program."""

    def command(self, cmd: str, **fields: Any) -> Future[Any]:
        """Asks for something; the future has the answer when the work is complete."""
        ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs something in the background, from whatever thread."""
        ...

    async def delivered(self) -> None:
        """Waits until the subscribers have seen every event that has come."""
        ...


class Agent:
    """The program's agent. Its methods may be called from any thread, those that wait on the
    event loop."""

    def __init__(self, state: AgentState, link: Link, pm: PluginManager | None = None) -> None:
        self.state = state
        self.pm = pm
        self._link = link
        self._callbacks: list[Callback] = []
        self._runs = 0
        self._queuing: set[Future[Any]] = set()
        self._idle = asyncio.Condition()

    @property
    def queued_steering(self) -> tuple[str, ...]:
        """What waits for the next answer without tool calls."""
        return tuple(self.state.steering_queue)

    @property
    def queued_follow_up(self) -> tuple[str, ...]:
        """What waits for the end of the run."""
        return tuple(self.state.follow_up_queue)

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Calls `callback` with every event from now on; returns what ends that."""
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return unsubscribe

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody is called with events."""
        return bool(self._callbacks)

    async def prompt(self, text: str) -> None:
        """Runs the agent on a message, to the end of the run.

        Raises RuntimeError where a run is active. A run that fails says so by its events.
        """
        if self.state.is_streaming:
            raise RuntimeError("a run is active; steer or follow_up may be called meanwhile")
        await self._run("prompt", text=text)

    async def continue_(self) -> None:
        """Asks again for the answer that a failed run did not get."""
        await self._run("retry")

    def steer(self, text: str) -> None:
        """Queues a message for the next answer without tool calls."""
        self.state.steering_queue.append(text)
        self._queue("steer", text)

    def follow_up(self, text: str) -> None:
        """Queues a message for the end of the run. Where the run has ended meanwhile, without
        the user having stopped it, the message begins the next one."""
        self.state.follow_up_queue.append(text)
        self._link.spawn(self._see_to(text, self._queue("follow_up", text)))

    def abort(self) -> None:
        """Stops the active run. Does nothing when idle."""
        self._link.command("abort")

    async def wait_for_idle(self) -> None:
        """Waits until no run is active."""
        async with self._idle:
            await self._idle.wait_for(lambda: not self.state.is_streaming)

    async def queued(self) -> None:
        """Waits until the program has what was queued; for the host."""
        waiting = [asyncio.wrap_future(each) for each in list(self._queuing)]
        await asyncio.gather(*waiting, return_exceptions=True)

    async def receive(self, event: Event) -> None:
        """Hands an event of the program's to the subscribers; for the host."""
        if event.type == "agent_start":
            self._runs += 1
        if event.type == "agent_end":
            async with self._idle:
                self._idle.notify_all()
        for callback in list(self._callbacks):
            try:
                result = callback(event)
                if inspect.isawaitable(result):
                    await result
            except FAULTS as error:
                warn(f"a subscriber failed at {event.type}: {told(error)}")

    async def _run(self, cmd: str, **fields: Any) -> None:
        before = self._runs
        answer = self._link.command(cmd, **fields)
        try:
            await asyncio.wrap_future(answer)
        except FAULTS as error:
            await self._link.delivered()
            # A run that began has told of its end by itself.
            if self._runs == before:
                raise RuntimeError(str(error)) from error
        else:
            await self._link.delivered()

    def _queue(self, cmd: str, text: str) -> Future[Any]:
        answer = self._link.command(cmd, text=text)
        self._queuing.add(answer)
        answer.add_done_callback(self._queuing.discard)
        return answer

    async def _see_to(self, text: str, queued: Future[Any]) -> None:
        """Begins a run with a follow-up that came too late for its own."""
        await asyncio.wrap_future(queued)
        state = await asyncio.wrap_future(self._link.command("state"))
        if state.get("busy") or not state.get("follow_ups") or self._stopped_by_user():
            return
        taken = await asyncio.wrap_future(self._link.command("unqueue"))
        if taken.get("message") == text:
            await asyncio.wrap_future(self._link.command("prompt", text=text))
        elif taken.get("message") is not None:
            await asyncio.wrap_future(self._link.command("follow_up", text=str(taken["message"])))

    def _stopped_by_user(self) -> bool:
        return bool(getattr(self.state, "aborted", False))
