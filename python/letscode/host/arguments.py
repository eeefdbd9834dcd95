"""The arguments of a tool call as the model of parameters that hooks and tools are given.

Owns the models of the program's own tools. A tool that is nobody's here gets a model that takes
whatever it is called with.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from letscode.agent.tools import ToolRegistry
from letscode.host.plain import plain
from letscode.llm.types import ToolCall


class AnyParameters(BaseModel):
    """Whatever a call was made with."""

    model_config = ConfigDict(extra="allow")


class ReadParameters(AnyParameters):
    """Those of `read`; `offset` and `limit` count lines."""

    path: str
    offset: int = 0
    limit: int | None = None


class WriteParameters(AnyParameters):
    """Those of `write`."""

    path: str
    content: str
    overwrite: bool = False


class EditParameters(AnyParameters):
    """Those of `edit`."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False


class BashParameters(AnyParameters):
    """Those of `bash`; `timeout` is in seconds."""

    command: str
    timeout: float = 120


PROGRAM_TOOLS: dict[str, type[BaseModel]] = {
    "read": ReadParameters,
    "write": WriteParameters,
    "edit": EditParameters,
    "bash": BashParameters,
}


def parameters_of(call: ToolCall, tools: ToolRegistry) -> BaseModel:
    """Returns a call's arguments as a model; arguments that do not fit theirs, in a loose one."""
    own = tools.get(call.name).parameters if call.name in tools else None
    model = own or PROGRAM_TOOLS.get(call.name, AnyParameters)
    try:
        return model.model_validate(call.arguments)
    except ValidationError:
        return AnyParameters.model_validate(call.arguments)


def rewritten(
    original: dict[str, Any], before: dict[str, Any], call: ToolCall, after: BaseModel
) -> dict[str, Any] | None:
    """Returns the arguments as hooks have changed them, `None` where they did not.

    A change counts in the parameters and in the call itself; what a model adds by default is none.
    """
    arguments = dict(plain(call.arguments))
    now = values(after)
    for name in before.keys() | now.keys():
        if name not in now:
            arguments.pop(name, None)
        elif name not in before or before[name] != now[name]:
            arguments[name] = now[name]
    return arguments if arguments != original else None


def values(parameters: BaseModel) -> dict[str, Any]:
    """Returns a model's values as JSON has them."""
    return dict(plain(parameters.model_dump()))
