"""The hooks of a run: each asked of every plugin that has it, and its answers made into one.

Owns how answers combine, and the isolation of plugins from each other. Each function takes what the
line carries and returns what the reply does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from letscode.agent.hookspecs import AgentContext, BlockDecision, ResultOverride
from letscode.agent.messages import AgentMessage, CustomMessage
from letscode.agent.tools import ToolResult
from letscode.host.arguments import parameters_of, rewritten, values
from letscode.host.mirror import LiveState
from letscode.host.plain import plain
from letscode.llm.types import ToolCall
from letscode.log import FAULTS, told
from letscode.plugins.manager import Implementation, PluginManager, warn_of
from letscode.plugins.wrappers import Failed

_transcript: TypeAdapter[list[AgentMessage]] = TypeAdapter(list[AgentMessage])

# Notes of calls that never came to an end are forgotten beyond so many.
_KEPT_CONTEXTS = 256


class Hooks:
    """The hooks of all plugins."""

    def __init__(self, manager: PluginManager, state: LiveState) -> None:
        self._manager = manager
        self._state = state
        self._contexts: dict[str, AgentContext] = {}

    async def system_prompt(self, context: dict[str, Any]) -> Any:
        """The first answer wins."""
        return await self._first("letscode_system_prompt", state=self._state)

    async def before_tool_call(self, context: dict[str, Any]) -> Any:
        """The first block wins; changes of the arguments are seen by those asked later."""
        call = ToolCall.model_validate(context["tool_call"])
        args = parameters_of(call, self._manager.tools)
        original, before = dict(context["tool_call"]["arguments"]), values(args)
        asked = {"tool_call": call, "args": args, "context": self._context(call)}
        refused: list[str] = []

        def failed(name: str, error: BaseException) -> None:
            if self._manager.is_guard(name):
                refused.append(f"the guard {name} failed: {told(error)}")

        def is_decided(name: str, answer: Any) -> bool:
            if _blocks(answer):
                answer.reason = answer.reason or f"not allowed by {name}"
            return bool(refused) or _blocks(answer)

        decisions = await self._all(
            "letscode_before_tool_call", until=is_decided, failed=failed, **asked
        )
        if refused:
            return {"block": refused[0]}
        for decision in decisions:
            if _blocks(decision):
                return {"block": decision.reason or "not allowed by a plugin"}
        changed = rewritten(original, before, call, args)
        return None if changed is None else {"arguments": changed}

    async def after_tool_call(self, context: dict[str, Any]) -> Any:
        """All see the result as the tool gave it; the later answer wins, field by field."""
        call = ToolCall.model_validate(context["tool_call"])
        result = ToolResult.model_validate(context["result"])
        shared = self._context(call)
        self._contexts.pop(call.id, None)
        reply: dict[str, Any] = {}
        for answer in await self._all(
            "letscode_after_tool_call", tool_call=call, result=result, context=shared
        ):
            if isinstance(answer, ResultOverride):
                fields = ("content", "details", "is_error", "terminate")
                given = {field: getattr(answer, field) for field in fields}
                reply |= {field: value for field, value in given.items() if value is not None}
        return plain(reply) or None

    async def transform_context(self, context: dict[str, Any]) -> Any:
        """Each sees what the one before it gave; wrappers see what all of them gave, in order."""
        hook = "letscode_transform_context"
        messages = _transcript.validate_python(context["messages"])
        with self._manager.around(hook, messages=list(messages)) as around:
            around.result = []
            for name, implementation in self._manager.implementations(hook):
                try:
                    answer = await _called(implementation, messages=list(messages))
                    if answer is not None:
                        messages = _checked(answer)
                        around.result.append(messages)
                except FAULTS as error:
                    warn_of(name, hook, error)
        given = _listed(around.result)
        if not given:
            return None
        if given[-1] is not messages:
            try:
                messages = _checked(given[-1])
            except FAULTS as error:
                warn_of("that wraps others", hook, error)
        return plain(messages)

    async def convert_to_llm(self, context: dict[str, Any]) -> Any:
        """The first answer wins."""
        messages = _transcript.validate_python(context["messages"])
        answers = await self._all(
            "letscode_convert_to_llm", until=lambda _, answer: answer is not None, messages=messages
        )
        return plain(_checked(answers[0])) if answers else None

    async def render_custom_message(self, context: dict[str, Any]) -> Any:
        """The first answer wins."""
        message = CustomMessage.model_validate(context["message"])
        answer = await self._first("letscode_render_custom_message", message=message)
        return None if answer is None else plain(answer)

    async def _first(self, hook: str, **arguments: Any) -> Any:
        """Asks until there is an answer, which wrappers see by itself."""
        with self._manager.around(hook, **arguments) as around:
            answers = await self._asked(hook, lambda _, answer: answer is not None, None, arguments)
            around.result = answers[0] if answers else None
        return around.result

    async def _all(
        self,
        hook: str,
        *,
        until: Callable[[str, Any], bool] = lambda _, answer: False,
        failed: Failed | None = None,
        **arguments: Any,
    ) -> list[Any]:
        """Asks all, or until enough is known; wrappers see the answers as a list."""
        with self._manager.around(hook, failed=failed, **arguments) as around:
            around.result = await self._asked(hook, until, failed, arguments)
        return _listed(around.result)

    async def _asked(
        self,
        hook: str,
        until: Callable[[str, Any], bool],
        failed: Failed | None,
        arguments: dict[str, Any],
    ) -> list[Any]:
        """Returns what plugins answered, but for `None`; one that fails has not answered."""
        answers = []
        for name, implementation in self._manager.implementations(hook):
            answer = None
            try:
                answer = await _called(implementation, **arguments)
            except FAULTS as error:
                warn_of(name, hook, error)
                if failed is not None:
                    failed(name, error)
            if answer is not None:
                answers.append(answer)
            if until(name, answer):
                break
        return answers

    def _context(self, call: ToolCall) -> AgentContext:
        """Returns the context that the hooks of one call share."""
        while len(self._contexts) >= _KEPT_CONTEXTS:
            self._contexts.pop(next(iter(self._contexts)))
        return self._contexts.setdefault(call.id, AgentContext(state=self._state))


async def _called(implementation: Implementation, **arguments: Any) -> Any:
    """Calls an implementation, and waits where it is async."""
    answer = implementation(**arguments)
    return await answer if inspect.isawaitable(answer) else answer


def _checked(messages: Any) -> list[AgentMessage]:
    """Returns a plugin's messages, or raises where they are none: the program would not read
    them, and with them every other plugin's answer were lost."""
    return _transcript.validate_python(plain(list(messages)))


def _blocks(decision: Any) -> bool:
    return isinstance(decision, BlockDecision) and decision.block


def _listed(answers: Any) -> list[Any]:
    """Returns a hook's answers as wrappers left them; one that made none of them said nothing."""
    return [each for each in answers if each is not None] if isinstance(answers, list) else []
