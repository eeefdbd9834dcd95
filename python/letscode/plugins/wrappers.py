"""Hook wrappers: implementations that run around all the others of their hook.

Owns the steps of both kinds that pluggy knows (`wrapper=True` and `hookwrapper=True`) around a call
that may have to wait, which pluggy's own caller cannot. One that fails is left out of that call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any

import pluggy

from letscode.log import FAULTS

Failed = Callable[[str, BaseException], None]
"""What is told of a plugin's wrapper that failed."""


class Around:
    """The wrappers around one call, outermost first.

    Entered, they run up to their `yield`. On the way out the innermost is the first to see
    `result`, and may change it.
    """

    def __init__(
        self, wrappers: list[pluggy.HookImpl], arguments: dict[str, Any], failed: Failed
    ) -> None:
        self.result: Any = None
        self._wrappers = wrappers
        self._arguments = arguments
        self._failed = failed
        self._open: list[tuple[pluggy.HookImpl, Generator[Any, Any, Any]]] = []

    def __enter__(self) -> Around:
        for wrapper in self._wrappers:
            try:
                steps = wrapper.function(*(self._arguments[name] for name in wrapper.argnames))
                next(steps)
            except StopIteration:
                self._failed(wrapper.plugin_name, RuntimeError("a wrapper has to yield once"))
            except FAULTS as error:
                self._failed(wrapper.plugin_name, error)
            else:
                self._open.append((wrapper, steps))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for wrapper, steps in reversed(self._open):
            try:
                if kind is None:
                    self.result = _finished(wrapper, steps, self.result)
                else:
                    steps.close()
            except FAULTS as fault:
                self._failed(wrapper.plugin_name, fault)


def _finished(
    wrapper: pluggy.HookImpl, steps: Generator[Any, Any, Any], result: Any
) -> Any:
    """Hands a wrapper the result, runs it to its end, and returns what it makes of the result."""
    outcome = pluggy.Result.from_call(lambda: result)
    try:
        steps.send(outcome if wrapper.hookwrapper else result)
    except StopIteration as end:
        return outcome.get_result() if wrapper.hookwrapper else end.value
    steps.close()
    raise RuntimeError("a wrapper has to yield once")
