"""The protocol's two ends: lines out from any thread, lines in by a thread of its own.

Owns the descriptors, the numbers of this side's calls, and who waits for their answers. What comes
in is handed to the event loop, in order; answers are not, so that code which may not wait for the
loop can wait for them.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from letscode.host.plain import encoded
from letscode.log import warn

Line = dict[str, Any]


class Refused(Exception):
    """The program answered a call with an error, or is gone."""


class Channel:
    """The connection to the program."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._write_lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self._backlog: list[Line] = []
        self._handler: Callable[[Line], None] | None = None
        self._ended_on_loop: Callable[[], object] = lambda: None
        self._hand_lock = threading.Lock()
        self._first: Future[Line | None] = Future()
        self._on_end: Callable[[], None] = lambda: None
        self.ended = threading.Event()

    def open(self, on_end: Callable[[], None]) -> Line | None:
        """Begins to read, and waits for the first line; `None` where there is none.

        `on_end` is called, by the reading thread, when the program says goodbye or is gone.
        """
        self._on_end = on_end
        threading.Thread(target=self._read, name="letscode-lines", daemon=True).start()
        return self._first.result()

    def hand_to(
        self,
        loop: asyncio.AbstractEventLoop,
        take: Callable[[Line], None],
        end: Callable[[], None],
    ) -> None:
        """From now on calls `take` on the loop with each line that is no answer, the ones that
        came before included, and `end` after the last one."""

        def handler(line: Line) -> None:
            loop.call_soon_threadsafe(take, line)

        with self._hand_lock:
            for line in self._backlog:
                handler(line)
            self._backlog.clear()
            self._handler = handler
            self._ended_on_loop = functools.partial(loop.call_soon_threadsafe, end)
            if self.ended.is_set():
                self._ended_on_loop()

    def send(self, **line: Any) -> None:
        """Writes a line. A program that is gone is no fault here: the end is on its way."""
        data = encoded(line) + b"\n"
        with self._write_lock:
            try:
                while data:
                    data = data[os.write(self._writing, data) :]
            except OSError:
                self.ended.set()

    def ask(self, **line: Any) -> Future[Any]:
        """Writes a call; the future has the answer, or raises `Refused`."""
        number = next(self._numbers)
        answer: Future[Any] = Future()
        self._waiting[number] = answer
        self.send(call=number, **line)
        if self.ended.is_set():
            self._give_up()
        return answer

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb") as lines:
            for line in lines:
                if not line.strip():
                    continue
                try:
                    read = json.loads(line)
                except ValueError:
                    warn("the plugin host skips a line that is no JSON")
                    continue
                if not isinstance(read, dict):
                    continue
                if read.get("type") == "goodbye":
                    break
                self._sort(read)
        with self._hand_lock:
            self.ended.set()
            self._ended_on_loop()
        if not self._first.done():
            self._first.set_result(None)
        self._give_up()
        self._on_end()

    def _sort(self, line: Line) -> None:
        if not self._first.done():
            self._first.set_result(line)
        elif line.get("type") == "reply":
            self._answer(line)
        else:
            with self._hand_lock:
                if self._handler is None:
                    self._backlog.append(line)
                else:
                    self._handler(line)

    def _answer(self, line: Line) -> None:
        answer = self._waiting.pop(line.get("call", 0), None)
        # One that was taken back has nobody who waits.
        if answer is None or not answer.set_running_or_notify_cancel():
            return
        if line.get("error") is not None:
            answer.set_exception(Refused(str(line["error"])))
        else:
            answer.set_result(line.get("result"))

    def _give_up(self) -> None:
        while self._waiting:
            _, answer = self._waiting.popitem()
            if answer.set_running_or_notify_cancel():
                answer.set_exception(Refused("the program is gone"))
