"""The plugins of this process: found by entry points, registered with pluggy, asked to register.

Owns their order (by name), their isolation from each other while they load, and the registries
that they fill. What the program itself brings is registered in the program.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import pluggy

from letscode.agent import hookspecs
from letscode.agent.tools import ToolRegistry
from letscode.log import FAULTS, told, warn
from letscode.plugins.registries import CommandRegistry, FrontendRegistry, SkillRegistry
from letscode.plugins.wrappers import Around, Failed

GROUP = "letscode"
"""The entry-point group that plugins are found by, and the name of their hook markers."""


@dataclass
class Carried:
    """A plugin that was found; `error` says why it is left out."""

    name: str
    version: str = ""
    origin: str = ""
    error: str | None = None


class PluginManager:
    """The plugins and what they add."""

    def __init__(self) -> None:
        self._pm = pluggy.PluginManager(GROUP)
        self._pm.add_hookspecs(hookspecs)
        self.tools = ToolRegistry()
        self.commands = CommandRegistry()
        self.skills = SkillRegistry()
        self.frontends = FrontendRegistry()
        self.carried: list[Carried] = []

    def register(self, plugin: object, *, name: str | None = None) -> None:
        """Adds a plugin: a module or an object with hook implementations."""
        self._pm.register(plugin, name=name)

    def load_builtin(self) -> None:
        """Does nothing: the program registers what it brings by itself."""

    def load_entry_points(self, *, without: Collection[str] = ()) -> int:
        """Imports and registers every plugin that is installed and not named in `without`; returns
        how many there are now.

        One that cannot be imported is one line of warning, and the others go on.
        """
        loaded = 0
        for entry_point in _entry_points():
            if entry_point.name in without:
                continue
            carried = _described(entry_point)
            self.carried.append(carried)
            try:
                self.register(entry_point.load(), name=entry_point.name)
                loaded += 1
            except FAULTS as error:
                carried.error = told(error)
                warn(f"plugin {carried.name} is left out: {carried.error}")
        return loaded

    def trigger_register_hooks(self) -> None:
        """Lets every plugin add what it has; a failure is one line of warning."""
        registries: dict[str, Any] = {
            "letscode_register_tools": self.tools,
            "letscode_register_commands": self.commands,
            "letscode_register_skills": self.skills,
            "letscode_register_frontends": self.frontends,
        }
        for hook, registry in registries.items():
            with self.around(hook, registry=registry):
                for name, implementation in self.implementations(hook):
                    try:
                        implementation(registry=registry)
                    except FAULTS as error:
                        warn_of(name, hook, error)
        self.skills.load()

    def listens(self, hook: str) -> bool:
        """Returns whether any plugin has an implementation of a hook, or wraps others."""
        return bool(getattr(self._pm.hook, hook).get_hookimpls())

    def implementations(self, hook: str) -> list[tuple[str, Implementation]]:
        """Returns a hook's implementations with their plugins' names, in the order of calling."""
        found = getattr(self._pm.hook, hook).get_hookimpls()
        plain = (each for each in reversed(found) if not _is_wrapper(each))
        return [(each.plugin_name, Implementation(each)) for each in plain]

    def wraps(self, hook: str) -> bool:
        """Returns whether any plugin wraps the others' implementations of a hook."""
        return bool(self._wrappers(hook))

    def around(self, hook: str, *, failed: Failed | None = None, **arguments: Any) -> Around:
        """Returns a hook's wrappers for one call, to be entered around it. A wrapper's failure is
        one line of warning, and told to `failed` too."""

        def tell(name: str, error: BaseException) -> None:
            warn_of(name, hook, error)
            if failed is not None:
                failed(name, error)

        return Around(self._wrappers(hook), arguments, tell)

    def is_guard(self, name: str) -> bool:
        """Returns whether a plugin says `letscode_fail_closed = True`: tool calls that it cannot
        judge are refused."""
        return bool(getattr(self._pm.get_plugin(name), "letscode_fail_closed", False))

    def plugin_names(self) -> list[str]:
        """Returns the names of the registered plugins."""
        return [name for name, _ in self._pm.list_name_plugin()]

    def _wrappers(self, hook: str) -> list[pluggy.HookImpl]:
        found = getattr(self._pm.hook, hook).get_hookimpls()
        return [each for each in reversed(found) if _is_wrapper(each)]


class Implementation:
    """One plugin's implementation of a hook; called with all of the hook's arguments."""

    def __init__(self, implementation: pluggy.HookImpl) -> None:
        self._function = implementation.function
        self._wanted = implementation.argnames

    def __call__(self, **arguments: Any) -> Any:
        return self._function(*(arguments[name] for name in self._wanted))


def warn_of(name: str, hook: str, error: BaseException) -> None:
    """Says in one line that a plugin's hook failed."""
    warn(f"plugin {name}: {hook} failed: {told(error)}")


def _is_wrapper(implementation: pluggy.HookImpl) -> bool:
    return bool(implementation.wrapper or implementation.hookwrapper)


def _entry_points() -> list[metadata.EntryPoint]:
    """Returns the plugins' entry points, by name, without those of the program's own package."""
    found = metadata.entry_points(group=GROUP)
    own = f"{GROUP}."
    foreign = (each for each in found if not each.value.startswith(own))
    return sorted(foreign, key=lambda each: (each.name, each.value))


def _described(entry_point: metadata.EntryPoint) -> Carried:
    distribution = entry_point.dist
    if distribution is None:
        return Carried(entry_point.name)
    origin = str(distribution.locate_file(""))
    return Carried(entry_point.name, distribution.version, origin)
