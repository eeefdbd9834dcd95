"""The program at the other end, where this process is its host of plugins.

Owns the one place in which the host says that it is there. Elsewhere (a plugin's own tests, a
script) there is none, and the functions that use it work on files alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from letscode.agent.messages import AgentMessage
    from letscode.agent.state import AgentState


class Program(Protocol):
    """What the functions of the stable surface ask of the program."""

    @property
    def state(self) -> AgentState:
        """Returns the state of the program's agent."""
        ...

    def config(self) -> dict[str, Any]:
        """Returns the whole configuration as it is now."""
        ...

    def subagent_env(self) -> dict[str, str]:
        """Returns the variables with which another process reaches the model in use."""
        ...

    def keeps(self, path: Path) -> bool:
        """Returns whether the program itself writes the session file at `path`."""
        ...

    def save(self, message: AgentMessage) -> None:
        """Keeps a message in the open session, unless it is there already."""
        ...


current: Program | None = None

lent: dict[str, str] = {}
"""Variables of this process that the program lent to plugins; commands do not get them."""

displaced: dict[str, str] = {}
"""What those variables were before; commands get them so."""
