"""Fixtures: hosts with plugins that a test writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from peer import Peer, environment, install

HEAD = """
import asyncio, pluggy
from pydantic import BaseModel
from letscode.agent.tools import ToolContext, ToolError, ToolPartialResult, ToolResult, tool
from letscode.agent.hookspecs import BlockDecision, ResultOverride
from letscode.agent.messages import CustomMessage, UserMessage
from letscode.commands.dispatch import CommandResult
from letscode.llm.types import TextPart
from letscode.plugins.registries import Command, FrontendFactory, Skill
hookimpl = pluggy.HookimplMarker("letscode")
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    """Starts a host with plugins, given as the source of a module each."""
    started: list[Peer] = []

    def begin(
        sites: list[Path] | None = None,
        env: Any = None,
        without: list[str] | None = None,
        **plugins: str,
    ) -> Peer:
        for folder in ("site", "home", "project"):
            (tmp_path / folder).mkdir()
        for name, source in plugins.items():
            install(tmp_path / "site", name, HEAD + source)
        variables = environment(tmp_path / "home") | (env or {})
        peer = Peer(
            tmp_path / "project",
            tmp_path / "site",
            variables,
            sites=sites or [],
            without=without or [],
        )
        started.append(peer)
        return peer

    yield begin
    for peer in started:
        if peer.process.poll() is None:
            peer.process.kill()
        peer.end()


def user(text: str, number: int = 1) -> dict[str, Any]:
    """Returns a user's message as the program writes it."""
    content = [{"type": "text", "text": text}]
    return {
        "role": "user",
        "id": f"u{number}",
        "content": content,
        "timestamp": 1.0,
        "meta": {},
    }
