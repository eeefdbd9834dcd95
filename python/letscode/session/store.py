"""Session files: one JSON object a line, `{"_v": 2, "parent_id": …, "msg": {…}}`.

Owns their place and their reading and writing by plugins. The open session's file is written by
the program alone; a message for it goes there.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from letscode import _program
from letscode.agent.messages import AgentMessage

VERSION = 2
_READABLE_VERSIONS = (1, 2)
_adapter: TypeAdapter[AgentMessage] = TypeAdapter(AgentMessage)


@dataclass
class SessionEntry:
    """One line of a session: a message, and the id of the one that it follows."""

    message: AgentMessage
    parent_id: str | None


def default_sessions_root() -> Path:
    """Returns the folder of all sessions."""
    own = os.environ.get("LETSCODE_SESSIONS_DIR")
    return Path(own).expanduser() if own else Path.home() / ".letscode" / "sessions"


def cwd_hash(cwd: Path) -> str:
    """Returns the name of a project's folder of sessions."""
    return hashlib.sha256(str(Path(cwd).resolve()).encode()).hexdigest()[:12]


def session_dir(cwd: Path, sessions_root: Path | None = None) -> Path:
    """Returns a project's folder of sessions."""
    return (sessions_root or default_sessions_root()) / cwd_hash(cwd)


def new_session_path(cwd: Path, sessions_root: Path | None = None) -> Path:
    """Returns a file for a new session, which is not there yet."""
    return session_dir(cwd, sessions_root) / f"{uuid7()}.jsonl"


def sibling_session_path(existing: Path) -> Path:
    """Returns a file for a new session beside another."""
    return existing.with_name(f"{uuid7()}.jsonl")


def list_sessions(cwd: Path, sessions_root: Path | None = None) -> list[Path]:
    """Returns a project's sessions, newest first."""
    files = session_dir(cwd, sessions_root).glob("*.jsonl")
    return sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)


def label_path_for(session_path: Path) -> Path:
    """Returns the file that holds a session's label."""
    return session_path.with_suffix(".name")


def read_session_label(session_path: Path) -> str | None:
    """Returns a session's label, `None` where it has none."""
    try:
        return label_path_for(session_path).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def write_session_label(session_path: Path, label: str) -> None:
    """Gives a session a label."""
    label_path_for(session_path).write_text(label.strip() + "\n", encoding="utf-8")


def uuid7() -> str:
    """Returns a new id whose first digits are the time, so that ids sort by age."""
    milliseconds = int(time.time() * 1000) & (2**48 - 1)
    number = milliseconds << 80 | secrets.randbits(80)
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def save_message(path: Path, msg: AgentMessage, *, parent_id: str | None = None) -> None:
    """Appends a message to a session.

    The open session gets each message once: one that the program has written already is passed
    over, and another one (a custom message of a plugin's) is handed to the program.
    """
    program = _program.current
    if program is not None and program.keeps(Path(path)):
        program.save(msg)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(_line(msg, parent_id))


def write_session(path: Path, messages: Sequence[AgentMessage]) -> None:
    """Writes a session anew, each message after the one before it."""
    parents = [None, *(message.id for message in messages)]
    lines = [_line(message, parent) for message, parent in zip(messages, parents, strict=False)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")


def load_session(path: Path) -> list[AgentMessage]:
    """Returns the messages on a session's active branch, oldest first."""
    entries = load_session_entries(path)
    by_id = {entry.message.id: entry for entry in entries}
    branch: list[AgentMessage] = []
    wanted = entries[-1].message.id if entries else None
    # Each id leads on once: a file whose parents form a circle ends all the same.
    while wanted is not None and (entry := by_id.pop(wanted, None)) is not None:
        branch.append(entry.message)
        wanted = entry.parent_id
    return branch[::-1]


def load_session_entries(path: Path) -> list[SessionEntry]:
    """Returns all entries of a session, in the order of the file. Broken lines are left out."""
    entries: list[SessionEntry] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        entry = _entry(line, entries[-1].message.id if entries else None)
        if entry is not None:
            entries.append(entry)
    if not any(entry.parent_id for entry in entries):
        for before, entry in itertools.pairwise(entries):
            entry.parent_id = before.message.id
    return entries


def _line(message: AgentMessage, parent_id: str | None) -> str:
    record = {"_v": VERSION, "parent_id": parent_id, "msg": message.model_dump(mode="json")}
    return json.dumps(record, ensure_ascii=False) + "\n"


def _entry(line: str, before: str | None) -> SessionEntry | None:
    try:
        record = json.loads(line)
        version = record["_v"]
        message = _adapter.validate_python(record["msg"])
    except (ValueError, TypeError, KeyError, ValidationError):
        return None
    if version not in _READABLE_VERSIONS:
        return None
    return SessionEntry(message, before if version == 1 else record.get("parent_id"))
