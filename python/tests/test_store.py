"""Session files as plugins read and write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from letscode.agent.messages import CustomMessage, UserMessage
from letscode.llm.types import TextPart
from letscode.session import store


def message(number: int) -> UserMessage:
    return UserMessage(id=f"m{number}", content=[TextPart(text=str(number))], timestamp=1.0)


def ids(path: Path) -> list[str]:
    return [each.id for each in store.load_session(path)]


def test_saved_messages_are_lines_that_the_program_reads(tmp_path: Path) -> None:
    path = tmp_path / "new" / "s.jsonl"
    store.save_message(path, message(1))
    store.save_message(path, message(2), parent_id="m1")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["_v"], line["parent_id"], line["msg"]["id"]) for line in lines] == [
        (2, None, "m1"),
        (2, "m1", "m2"),
    ]
    assert ids(path) == ["m1", "m2"]


def test_the_active_branch_is_the_one_of_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for number, parent in ((1, None), (2, "m1"), (3, "m1")):
        store.save_message(path, message(number), parent_id=parent)
    assert ids(path) == ["m1", "m3"]
    assert len(store.load_session_entries(path)) == 3


@pytest.mark.parametrize("version", [1, 2])
def test_lines_without_parents_are_a_chain_and_torn_ones_are_left_out(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "s.jsonl"
    lines = [json.dumps({"_v": version, "msg": message(each).model_dump()}) for each in (1, 2)]
    path.write_text("\n".join([*lines, '{"_v": 2, "msg": {"ro']))
    assert ids(path) == ["m1", "m2"]


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    store.save_message(path, message(1), parent_id="m2")
    store.save_message(path, message(2), parent_id="m1")
    assert ids(path) == ["m1", "m2"]


def test_a_session_written_anew_is_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    store.write_session(path, [message(1), CustomMessage(id="c", kind="k", timestamp=1.0)])
    assert ids(path) == ["m1", "c"]


def test_folders_labels_and_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LETSCODE_SESSIONS_DIR", str(tmp_path))
    path = store.new_session_path(tmp_path)
    assert path.parent == store.session_dir(tmp_path)
    assert path.parent.name == store.cwd_hash(tmp_path) and len(path.parent.name) == 12
    store.save_message(path, message(1))
    assert store.list_sessions(tmp_path) == [path]
    assert store.read_session_label(path) is None
    store.write_session_label(path, " a name ")
    assert store.read_session_label(path) == "a name"
    assert store.sibling_session_path(path).parent == path.parent
    older, newer = store.uuid7(), store.uuid7()
    assert older[14] == "7" and older[:13] <= newer[:13] and older != newer
