"""The program at the other end, as the rest of this process knows it.

Owns what is asked of it: commands to the agent, the configuration, the endpoint, the session. The
functions of the stable surface come here by `letscode._program`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import Any

from letscode import _program
from letscode.agent.agent import Agent
from letscode.agent.messages import AgentMessage, CustomMessage
from letscode.host.channel import Channel, Refused
from letscode.host.delivery import Delivery
from letscode.host.mirror import LiveState, Mirror
from letscode.host.plain import plain
from letscode.log import FAULTS, told, warn
from letscode.plugins.manager import PluginManager

# How long code that cannot wait for the event loop waits for an answer, in seconds.
_PATIENCE = 5.0


class Program:
    """The program, the agent in it, and the copy of its state."""

    def __init__(self, channel: Channel, manager: PluginManager) -> None:
        self.channel = channel
        self.state = LiveState(self.subagent_env)
        self.mirror = Mirror(self.state)
        self.agent = Agent(self.state, self, manager)
        self.subscribers = Delivery("subscriber", self.agent.receive)
        self.session_path: Path | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._config: dict[str, Any] = {}

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Names the loop on which background work runs."""
        self._loop = loop

    def command(self, cmd: str, **fields: Any) -> Future[Any]:
        """Asks the agent for something; the future has the answer when the work is complete."""
        return self.channel.ask(type="command", command={"cmd": cmd, **fields})

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs something in the background, from whatever thread."""
        if self._loop is None:
            work.close()
            return
        self._loop.call_soon_threadsafe(self._start, work)

    async def delivered(self) -> None:
        """Waits until the subscribers have seen every event that has come."""
        await self.subscribers.done()

    def config(self) -> dict[str, Any]:
        """Returns the whole configuration; the last one known where the program does not say."""
        answer = self._answer(self.channel.ask(type="config"))
        if isinstance(answer, dict):
            self._config = answer
        return self._config

    def subagent_env(self) -> dict[str, str]:
        """Returns the variables with which another process reaches the model in use."""
        answer = self._answer(self.channel.ask(type="subagent_env"))
        return _texts(answer)

    def keeps(self, path: Path) -> bool:
        """Returns whether `path` is the open session's file."""
        return self.session_path is not None and _same(path, self.session_path)

    def save(self, message: AgentMessage) -> None:
        """Keeps a custom message of a plugin's. All others come from the program and are kept."""
        if isinstance(message, CustomMessage) and not self.mirror.holds(message.id):
            self.channel.ask(
                type="save_message",
                kind=message.kind,
                payload=plain(message.payload),
                meta=plain(message.meta),
            )

    async def refresh(self) -> None:
        """Brings model, session and transcript up to date: they may change between runs without
        an event. Failure leaves them as they were."""
        try:
            asked = [self.command("state"), self.command("messages")]
            state, messages = await asyncio.gather(*map(asyncio.wrap_future, asked))
            self.state.model = state["model"]
            self.state.thinking = state["thinking"]
            session = state.get("session")
            self.session_path = Path(session["path"]) if session else None
            self.mirror.replace_messages(messages["messages"])
        except (Refused, KeyError, TypeError, ValueError) as error:
            warn(f"the plugin host does not know the agent's state: {told(error)}")
        await self.lend_environment()

    async def lend_environment(self) -> None:
        """Sets the variables of the model in use in this process, because plugins of the existing
        kind look for the model in them and nowhere else.

        All of them or none: a key goes to no other address than its own. A key of the user's that
        is here was kept for plugins on purpose, and so is the address beside it.
        """
        name_of_key = "OPENAI_API_KEY"
        if os.environ.get(name_of_key) != _program.lent.get(name_of_key):
            return
        try:
            answer = await asyncio.wrap_future(self.channel.ask(type="subagent_env"))
        except Refused:
            return
        wanted = _texts(answer)
        for name in _program.lent:
            os.environ.pop(name, None)
        os.environ.update(_program.displaced)
        _program.lent, _program.displaced = wanted, _own(wanted)
        os.environ.update(wanted)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer(self, asked: Future[Any]) -> Any:
        try:
            return asked.result(_PATIENCE)
        except (Refused, TookTooLong):
            asked.cancel()
            return None


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except FAULTS as error:
        warn(f"the plugin host: {told(error)}")


def _texts(answer: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in answer.items()} if answer else {}


def _own(names: Iterable[str]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
