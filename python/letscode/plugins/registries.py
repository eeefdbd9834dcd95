"""Registries: what plugins add, by name.

Owns the four kinds of extension that are not tools' code: commands, skills, front ends, and the
registry that all kinds share. Tools have theirs in `letscode.agent.tools`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from letscode.log import warn
from letscode.skills.loader import Skill, parse_skill, skill_files

if TYPE_CHECKING:
    from letscode.commands.dispatch import CommandContext, CommandResult
    from letscode.frontends.protocol import Frontend

__all__ = [
    "Command",
    "CommandRegistry",
    "FrontendFactory",
    "FrontendRegistry",
    "Registry",
    "Skill",
    "SkillRegistry",
]

CommandHandler = Callable[["CommandContext"], Awaitable["CommandResult"]]
"""What carries out a slash command."""


class Named(Protocol):
    """Anything with a name."""

    name: str


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """Things by their name, in the order in which they were added."""

    def __init__(self) -> None:
        self._items: dict[str, T] = {}

    def add(self, item: T, *, replace: bool = False) -> None:
        """Adds a thing. Raises ValueError where its name is taken and `replace` is not set."""
        if item.name in self._items and not replace:
            raise ValueError(f"{item.name!r} is there already; add it with replace=True")
        self._items[item.name] = item

    def get(self, name: str) -> T:
        """Returns the thing of that name, or raises KeyError."""
        if name not in self._items:
            raise KeyError(f"nothing is called {name!r}")
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._items.values()))

    def __len__(self) -> int:
        return len(self._items)


@dataclass
class Command:
    """A slash command. With `selectors`, `/name:selector` is a command too."""

    name: str
    description: str = ""
    handler: CommandHandler | None = None
    display_name: str | None = None
    selectors: tuple[str, ...] = ()


@dataclass
class FrontendFactory:
    """A front end that `--frontend NAME` can ask for.

    The factory is called with the agent, and with `pm`, `console` and `session_path` by name.
    """

    name: str
    factory: Callable[..., Frontend]


class CommandRegistry(Registry[Command]):
    """The slash commands."""


class FrontendRegistry(Registry[FrontendFactory]):
    """The front ends."""


class SkillRegistry(Registry[Skill]):
    """The skills: single ones, and folders that hold them."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: list[Path] = []

    @property
    def sources(self) -> tuple[Path, ...]:
        """The folders, in the order in which they were added."""
        return tuple(self._sources)

    def add_source(self, path: Path) -> None:
        """Adds a folder whose subfolders hold a `SKILL.md` each; `load` reads them."""
        self._sources.append(Path(path))

    def load(self) -> None:
        """Reads the folders again. A later skill replaces one of the same name; a bad file is
        left out with a warning."""
        for source in self._sources:
            for path in skill_files(source):
                try:
                    self.add(parse_skill(path), replace=True)
                except (OSError, ValueError) as error:
                    warn(f"a skill is left out: {error}")
