"""The configuration, for plugins: the known keys, and every other table in `sections`.

Owns the reading of the files where no program is there to ask. In the host the program is asked,
because it knows what the command line said and which projects are trusted.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from letscode import _program
from letscode.log import warn

__all__ = ["LetscodeConfig", "load_config", "user_config_path"]


@dataclass
class LetscodeConfig:
    """The settings; `sections` has the tables that belong to plugins, as they were written."""

    model: str | None = None
    base_url: str | None = None
    frontend: str | None = None
    tools: str | None = None
    no_tools: bool = False
    verbose: bool = False
    timeout: float | None = None
    no_context_files: bool = False
    thinking: str | None = None
    sections: dict[str, dict[str, object]] = field(default_factory=dict)


def user_config_path(home: Path | None = None) -> Path:
    """Returns where the user's own config file is, or would be."""
    return (home or Path.home()) / ".letscode" / "config.toml"


def load_config(cwd: Path | None = None, *, home: Path | None = None) -> LetscodeConfig:
    """Returns the configuration. Never raises: what cannot be read is left out with a warning.

    With a `home`, or outside the host, the files are read. A project's file may come from a
    stranger: its tables, and the keys that decide where a key is sent or what runs, count only
    where `LETSCODE_TRUST=1`.
    """
    here = Path.cwd()
    if _program.current is not None and home is None and (cwd is None or Path(cwd) == here):
        return _from_values(_program.current.config())
    values = _read(user_config_path(home))
    project = _project_file(Path(cwd or here), (home or Path.home()))
    if project is not None:
        values = _merged(values, _trusted_part(_read(project)))
    return _from_values(values)


def _from_values(values: Mapping[str, Any]) -> LetscodeConfig:
    config = LetscodeConfig()
    known = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    for name, value in values.items():
        if isinstance(value, Mapping):
            config.sections[name] = dict(value)
        elif name in known and name != "sections":
            setattr(config, name, value)
    return config


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        warn(f"{path} is left out: {error}")
        return {}


def _project_file(cwd: Path, home: Path) -> Path | None:
    """Returns the nearest project's config file from `cwd` upwards; the user's own is none."""
    for folder in (cwd, *cwd.parents):
        path = folder / ".letscode" / "config.toml"
        if folder != home and path.is_file():
            return path
    return None


def _trusted_part(values: dict[str, Any]) -> dict[str, Any]:
    if os.environ.get("LETSCODE_TRUST") == "1":
        return values
    return {
        name: value
        for name, value in values.items()
        if not isinstance(value, Mapping) and name not in ("base_url", "frontend")
    }


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Lays one table over another, key by key, at every depth."""
    result = dict(below)
    for name, value in above.items():
        if isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = _merged(result[name], value)
        else:
            result[name] = value
    return result
