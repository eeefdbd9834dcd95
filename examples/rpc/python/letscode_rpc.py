"""A client of `letscode --mode rpc`: one file to copy, standard library only, Python 3.11 or later.

    async with await Client.start(["letscode", "--mode", "rpc"], on_event) as client:
        await client.call("prompt", text="what is in this folder?")

The protocol is described in docs/rpc.md.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

PROTOCOL = "letscode-rpc/1"
LONGEST_LINE = 128 * 1024 * 1024
"""asyncio wants a limit; an event may carry a whole conversation with its pictures."""
LONGEST_COMMAND = 64 * 1024 * 1024
"""The longest line that the program takes."""

Line = dict[str, Any]


class CommandRefused(Exception):
    """The program answered a command with an error."""


class ProgramEnded(Exception):
    """The program is gone, or cannot be spoken with; what was open gets no answer."""


class Request:
    """A command on its way. `accepted` comes with the `ack`, `result` with the `done`."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.accepted: asyncio.Future[None] = loop.create_future()
        self.result: asyncio.Future[Any] = loop.create_future()

    def fail(self, error: Exception) -> None:
        for future in (self.accepted, self.result):
            if not future.done():
                future.set_exception(error)
                future.exception()  # Not everybody waits for both.


class Client:
    """One running program. Use `start`, not the constructor."""

    def __init__(self, process: asyncio.subprocess.Process, on_event: Callable[[Line], None]):
        self.process = process
        self.ready: Line = {}
        """The first line: version and features of the program."""
        self._on_event = on_event
        self._requests: dict[str, Request] = {}
        self._last_id = 0
        self._said_bye = False
        self._reader: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        command: list[str],
        on_event: Callable[[Line], None],
        *,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> Self:
        """Starts the program and agrees on the protocol. Its stderr is ours."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                cwd=cwd,
                env=env,
            )
        except OSError as error:
            raise ProgramEnded(f"letscode cannot be run: {error}") from error
        client = cls(process, on_event)
        try:
            client.ready = await client._read_line() or {}
            if client.ready.get("type") != "ready":
                # An `error` in its place says why, for example that there is no key.
                why = client.ready.get("error", "it ended before it was ready")
                raise ProgramEnded(f"letscode did not start: {why}")
            client._reader = asyncio.create_task(client._read_lines())
            # With "delta" a long answer costs its length, not its length squared.
            await client.call("hello", protocol=PROTOCOL, updates="delta")
        except BaseException:
            await client.kill()
            raise
        return client

    async def begin(self, cmd: str, **fields: Any) -> asyncio.Future[Any]:
        """Sends a command and waits until it is accepted; the future is its result.

        Raises CommandRefused, or ProgramEnded.
        """
        request = self._send(cmd, fields)
        await request.accepted
        return request.result

    async def call(self, cmd: str, **fields: Any) -> Any:
        """Sends a command and waits for its result: for a prompt until the run is over."""
        return await self._send(cmd, fields).result

    async def close(self, patience: float = 10) -> int:
        """Lets the program end in good order, and returns its exit code."""
        if self.process.returncode is None:
            try:
                async with asyncio.timeout(patience):
                    await self.call("bye")
                    await self.process.wait()
            except (ProgramEnded, TimeoutError):
                pass
        return await self.kill()

    async def kill(self) -> int:
        """Ends the program if it still runs, and returns its exit code."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        if self._reader is not None:
            await self._reader
        return self.process.returncode or 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _send(self, cmd: str, fields: Line) -> Request:
        request = Request()
        if self._reader is None or self._reader.done() or self.process.stdin is None:
            request.fail(ProgramEnded("letscode has ended"))
            return request
        self._last_id += 1
        identity = f"r{self._last_id}"
        line = json.dumps({"cmd": cmd, "id": identity, **fields}).encode()
        if len(line) > LONGEST_COMMAND:
            # The program would skip it, and could not say whose it was.
            request.fail(CommandRefused(f"the command is longer than {LONGEST_COMMAND} bytes"))
            return request
        self._requests[identity] = request
        # Not awaited: the program reads its stdin even while it works. When it is gone, the
        # reader says so.
        self.process.stdin.write(line + b"\n")
        return request

    async def _read_line(self) -> Line | None:
        assert self.process.stdout is not None
        text = await self.process.stdout.readline()
        return json.loads(text) if text else None

    async def _read_lines(self) -> None:
        """Gives every line to whom it concerns, until the program's stdout is at its end."""
        why = "on_event raised an error"
        try:
            while (line := await self._read_line()) is not None:
                self._take(line)
            code = await self.process.wait()
            how = "ended" if self._said_bye else "ended without a good-bye"
            why = f"letscode {how}, exit code {code}"
        except ValueError as error:
            why = f"letscode sent a line that is no JSON: {error}"
        finally:
            for request in self._requests.values():
                request.fail(ProgramEnded(why))
            self._requests.clear()

    def _take(self, line: Line) -> None:
        kind = line.get("type")
        if kind == "bye":
            self._said_bye = True
        elif kind == "ack":
            if request := self._requests.get(line["id"]):
                request.accepted.set_result(None)
        elif kind == "done":
            if request := self._requests.pop(line["id"], None):
                request.result.set_result(line.get("result"))
        elif kind == "error" and (request := self._requests.pop(line.get("id"), None)):
            request.fail(CommandRefused(line["error"]))
        else:
            # Among these are errors that answer no command of ours: of a run, or of a line that
            # the program could not read (`"id": null`).
            self._on_event(line)
