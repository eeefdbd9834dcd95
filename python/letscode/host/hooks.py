"""The hooks of a run: each asked of every plugin that has it, and its answers made into one.

Owns how answers combine, and the isolation of plugins from each other. Each function takes what the
line carries and returns what the reply does.
"""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import TypeAdapter

from letscode.agent.hookspecs import AgentContext, BlockDecision, ResultOverride
from letscode.agent.messages import AgentMessage, CustomMessage
from letscode.agent.tools import ToolResult
from letscode.host.arguments import parameters_of, rewritten, values
from letscode.host.mirror import LiveState
from letscode.host.plain import plain
from letscode.llm.types import ToolCall
from letscode.log import FAULTS, told, warn
from letscode.plugins.manager import Implementation, PluginManager

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
        shared = self._context(call)
        for name, hook in self._manager.implementations("letscode_before_tool_call"):
            try:
                decision = await _called(hook, tool_call=call, args=args, context=shared)
            except FAULTS as error:
                _failed(name, "letscode_before_tool_call", error)
                if self._manager.is_guard(name):
                    return {"block": f"the guard {name} failed: {told(error)}"}
                continue
            if isinstance(decision, BlockDecision) and decision.block:
                return {"block": decision.reason or f"not allowed by {name}"}
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
        """Each sees what the one before it gave."""
        messages = _transcript.validate_python(context["messages"])
        changed = False
        for name, hook in self._manager.implementations("letscode_transform_context"):
            try:
                answer = await _called(hook, messages=list(messages))
                if answer is not None:
                    messages, changed = _checked(answer), True
            except FAULTS as error:
                _failed(name, "letscode_transform_context", error)
        return plain(messages) if changed else None

    async def convert_to_llm(self, context: dict[str, Any]) -> Any:
        """The first answer wins."""
        messages = _transcript.validate_python(context["messages"])
        answer = await self._first("letscode_convert_to_llm", messages=messages)
        return None if answer is None else plain(_checked(answer))

    async def render_custom_message(self, context: dict[str, Any]) -> Any:
        """The first answer wins."""
        message = CustomMessage.model_validate(context["message"])
        answer = await self._first("letscode_render_custom_message", message=message)
        return None if answer is None else plain(answer)

    async def _first(self, hook: str, **arguments: Any) -> Any:
        for name, implementation in self._manager.implementations(hook):
            try:
                answer = await _called(implementation, **arguments)
            except FAULTS as error:
                _failed(name, hook, error)
                continue
            if answer is not None:
                return answer
        return None

    async def _all(self, hook: str, **arguments: Any) -> list[Any]:
        answers = []
        for name, implementation in self._manager.implementations(hook):
            try:
                answers.append(await _called(implementation, **arguments))
            except FAULTS as error:
                _failed(name, hook, error)
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


def _failed(name: str, hook: str, error: BaseException) -> None:
    warn(f"plugin {name}: {hook} failed: {told(error)}")
