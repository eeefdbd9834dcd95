"""The program's calls: each a task of its own, answered by its number.

Owns the table of calls by type, their cancelling, and the events on their way to the plugins.
Must not let a plugin's fault end the host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from letscode.host import commands, frontends, tools
from letscode.host.channel import Channel, Line
from letscode.host.delivery import Delivery
from letscode.host.hooks import Hooks
from letscode.host.plain import plain
from letscode.host.program import Program
from letscode.log import FAULTS, told
from letscode.plugins.manager import Implementation, PluginManager, warn_of

HOOKS = (
    "system_prompt",
    "before_tool_call",
    "after_tool_call",
    "transform_context",
    "convert_to_llm",
    "render_custom_message",
)
"""The hooks that are answered."""


class Calls:
    """The calls under way."""

    def __init__(self, channel: Channel, program: Program, manager: PluginManager) -> None:
        self._channel = channel
        self._program = program
        self._manager = manager
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._cancelled: dict[int, asyncio.Event] = {}
        hooks = Hooks(manager, program.state)
        self._answers: dict[str, Callable[[Line], Awaitable[Any]]] = {
            "call_tool": self._call_tool,
            "run_command": self._run_command,
            "run_frontend": self._run_frontend,
        }
        for name in HOOKS:
            self._answers[name] = _with_context(getattr(hooks, name))
        self._observers = _observers(manager)

    def take(self, line: Line) -> None:
        """Begins to work on a line of the program's."""
        kind, call = line.get("type"), line.get("call")
        if kind == "event":
            receivers = self._observe(line.get("event") or {})
            if isinstance(call, int):
                self._begin(call, self._answer_when_received(call, receivers))
        elif kind == "cancel" and isinstance(call, int):
            self._cancel(call)
        elif isinstance(call, int):
            self._begin(call, self._answer(call, line))

    def _begin(self, call: int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[call] = task
        task.add_done_callback(lambda _: self._tasks.pop(call, None))

    def _observe(self, line: Line) -> list[Delivery]:
        """Sends an event on its way; returns who gets it."""
        listening = bool(self._observers) or self._program.agent.has_subscribers
        event = self._program.mirror.follow(line, updates=listening)
        if event is None:
            return []
        receivers = [*self._observers, self._program.subscribers]
        for receiver in receivers:
            receiver.put(event)
        return receivers

    async def _answer_when_received(self, call: int, receivers: list[Delivery]) -> None:
        """Answers an event for which the program waits: when all have seen it, and what they made of
        it has arrived."""
        for receiver in receivers:
            await receiver.done()
        await self._program.agent.queued()
        self._channel.send(type="reply", call=call, result=None)

    def _cancel(self, call: int) -> None:
        """Takes a call back: a tool is told first, so that it can end well."""
        if call in self._cancelled:
            self._cancelled[call].set()
        elif call in self._tasks:
            self._tasks[call].cancel()

    async def _answer(self, call: int, line: Line) -> None:
        answer = self._answers.get(str(line.get("type")))
        try:
            if answer is None:
                raise NotImplementedError(f"no call {line.get('type')} is known")
            result = plain(await answer(line))
        except asyncio.CancelledError:
            return
        except FAULTS as error:
            self._channel.send(type="reply", call=call, error=told(error))
        else:
            self._channel.send(type="reply", call=call, result=result)

    async def _call_tool(self, line: Line) -> Any:
        call = line["call"]
        tool = self._manager.tools.get(str(line.get("name")))
        cancelled = self._cancelled.setdefault(call, asyncio.Event())

        def show(partial: dict[str, Any]) -> None:
            if call in self._cancelled:
                self._channel.send(type="progress", call=call, partial=partial)

        try:
            return await tools.run(
                tool, line, state=self._program.state, cancelled=cancelled, show=show
            )
        finally:
            del self._cancelled[call]

    async def _run_command(self, line: Line) -> Any:
        await self._program.refresh()
        return await commands.run(line, self._program.agent, self._manager)

    async def _run_frontend(self, line: Line) -> Any:
        return await frontends.run(str(line.get("name")), self._program, self._manager)


def _with_context(
    hook: Callable[[dict[str, Any]], Awaitable[Any]],
) -> Callable[[Line], Awaitable[Any]]:
    async def answer(line: Line) -> Any:
        return await hook(line["context"])

    return answer


def _observers(manager: PluginManager) -> list[Delivery]:
    """Returns who gets events: each plugin at its own pace; all of them together where another one
    wraps the hook and so has to know when they are done."""
    hook = "letscode_on_event"
    each = [(name, _receiver(found)) for name, found in manager.implementations(hook)]
    if not manager.wraps(hook):
        return [Delivery(name, receive) for name, receive in each]

    async def receive_all(event: Any) -> None:
        with manager.around(hook, event=event) as around:
            for name, receive in each:
                try:
                    await receive(event)
                except FAULTS as error:
                    warn_of(name, hook, error)
            around.result = []

    return [Delivery("of several", receive_all)]


def _receiver(hook: Implementation) -> Callable[[Any], Awaitable[None]]:
    async def receive(event: Any) -> None:
        answer = hook(event=event)
        if answer is not None:
            await answer

    return receive
