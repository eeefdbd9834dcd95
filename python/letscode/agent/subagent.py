"""How a plugin starts another `letscode` that asks the same model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from letscode import _program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from letscode.agent.state import AgentState


def subagent_env(state: AgentState, *, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the environment for the other process: `base`, else this one's, with the model,
    the endpoint and the key of `state`.

    In the host the program is asked, since it alone knows the key that is in use.
    """
    environment = dict(os.environ if base is None else base)
    program = _program.current
    if program is not None and state is program.state:
        environment.update(program.subagent_env())
        return environment
    own = {
        "LETSCODE_MODEL": state.model,
        "OPENAI_BASE_URL": state.base_url,
        "OPENAI_API_KEY": state.api_key,
    }
    environment.update({name: value for name, value in own.items() if value})
    return environment
