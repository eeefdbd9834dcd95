"""Skill files: Markdown with a head of `name` and `description`.

Owns the reading of one file, and where a folder has such files. Strict YAML is read where a
parser for it is installed; a head that it refuses is read line by line, because an unquoted colon
is common in descriptions.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from pydantic import BaseModel


class Skill(BaseModel):
    """Instructions that the model can ask for."""

    name: str
    description: str
    body: str = ""
    source_path: Path


def parse_skill(path: Path) -> Skill:
    """Reads a skill file. Raises ValueError, which names the file, where it is none."""
    head, body = _parted(path.read_text(encoding="utf-8-sig"), path)
    fields = _fields(head)
    for name in ("name", "description"):
        if not fields.get(name):
            raise ValueError(f"{path}: the head has no `{name}`")
    return Skill(
        name=fields["name"],
        description=fields["description"],
        body=body.strip("\n").rstrip(),
        source_path=path,
    )


def skill_files(folder: Path) -> list[Path]:
    """Returns the `SKILL.md` of each subfolder that has one, by the subfolders' names."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*/SKILL.md") if path.is_file())


def _parted(text: str, path: Path) -> tuple[list[str], str]:
    """Returns the lines between the two `---`, and the text behind them."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        raise ValueError(f"{path}: a skill file begins with a line `---`")
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return lines[1:number], "\n".join(lines[number + 1 :])
    raise ValueError(f"{path}: the head has no second line `---`")


def _fields(head: list[str]) -> dict[str, str]:
    try:
        yaml = importlib.import_module("yaml")
        loaded = yaml.safe_load("\n".join(head))
    except Exception:
        # No parser, or a head that only a lenient reader can make sense of.
        return _lenient_fields(head)
    if not isinstance(loaded, dict):
        return {}
    return {str(key): str(value).strip() for key, value in loaded.items() if value is not None}


def _lenient_fields(head: list[str]) -> dict[str, str]:
    """Reads `key: value`; lines that are indented go on with the value before them."""
    fields: dict[str, list[str]] = {}
    latest: list[str] = []
    for line in head:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if line[0].isspace() or not colon:
            latest.append(line.strip())
            continue
        latest = fields.setdefault(key.strip(), [])
        value = value.strip()
        if value not in ("", ">", ">-", "|", "|-"):
            latest.append(_unquoted(value))
    return {key: " ".join(pieces) for key, pieces in fields.items()}


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
