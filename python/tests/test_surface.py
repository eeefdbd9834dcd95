"""The stable surface: every module and name that plugins may import is there and does its work."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from letscode.agent.execution_env import FileError, FileErrorCode, LocalEnv
from letscode.agent.state import AgentState
from letscode.agent.subagent import subagent_env
from letscode.agent.tools import ToolContext, ToolResult, tool
from letscode.commands.dispatch import CommandContext, CommandResult, dispatch_slash
from letscode.config import load_config, user_config_path
from letscode.frontends.basic.tui import truncate_panel_body, truncate_tool_args
from letscode.plugins.manager import PluginManager
from letscode.plugins.registries import Command, CommandRegistry, SkillRegistry
from letscode.skills.loader import parse_skill

SURFACE = {
    "letscode.agent.tools": "Tool ToolContext ToolResult ToolPartialResult ToolError"
    " tool ToolRegistry FunctionTool",
    "letscode.agent.messages": "UserMessage AssistantMessage ToolResultMessage"
    " CustomMessage LLMMessage AgentMessage",
    "letscode.agent.events": "AgentStart AgentEnd TurnStart TurnEnd MessageStart"
    " MessageUpdate MessageEnd"
    " ToolExecutionStart ToolExecutionUpdate ToolExecutionEnd RetryEvent ErrorEvent Event TextDelta"
    " ThinkingDelta ToolCallStart ToolCallArgsDelta ToolCallEnd UsageEvent StopEvent StreamEvent",
    "letscode.agent.state": "AgentState",
    "letscode.agent.subagent": "subagent_env",
    "letscode.agent.execution_env": "ExecutionEnv LocalEnv FileError FileErrorCode ShellResult",
    "letscode.agent.hookspecs": "BlockDecision ResultOverride AgentContext hookspec"
    " letscode_register_tools letscode_register_commands letscode_register_skills"
    " letscode_register_frontends letscode_system_prompt letscode_before_tool_call"
    " letscode_after_tool_call letscode_transform_context letscode_convert_to_llm"
    " letscode_render_custom_message letscode_on_event",
    "letscode.llm.types": "TextPart ImagePart ContentPart Usage ToolCall",
    "letscode.plugins.registries": "Registry Command CommandRegistry"
    " FrontendFactory FrontendRegistry"
    " Skill SkillRegistry",
    "letscode.commands.dispatch": "CommandContext CommandResult dispatch_slash",
    "letscode.frontends.protocol": "Frontend",
    "letscode.skills.loader": "Skill parse_skill",
    "letscode.config": "LetscodeConfig load_config user_config_path",
    "letscode.plugins.manager": "PluginManager",
    "letscode.session.store": "save_message load_session load_session_entries new_session_path"
    " list_sessions session_dir default_sessions_root cwd_hash uuid7 write_session"
    " sibling_session_path"
    " label_path_for read_session_label write_session_label",
    "letscode.agent.agent": "Agent",
    "letscode.frontends.basic.tui": "truncate_panel_body truncate_tool_args",
}


@pytest.mark.parametrize("module", SURFACE)
def test_module_has_its_names(module: str) -> None:
    loaded = importlib.import_module(module)
    assert [name for name in SURFACE[module].split() if not hasattr(loaded, name)] == []


def test_version_is_that_of_the_distribution_and_of_the_program() -> None:
    import letscode

    home = Path(letscode.__file__).parents[1]
    info = home / f"letscode-{letscode.__version__}.dist-info" / "METADATA"
    assert f"\nVersion: {letscode.__version__}\n" in info.read_text()
    manifest = (home.parent / "Cargo.toml").read_text()
    assert f'\nversion = "{letscode.__version__}"\n' in manifest


def test_messages_and_events_read_what_the_program_writes() -> None:
    events = importlib.import_module("letscode.agent.events")
    adapter = TypeAdapter(events.Event)
    assistant = {
        "role": "assistant",
        "id": "a",
        "content": [{"type": "text", "text": "hi"}],
        "tool_calls": [{"id": "t", "name": "read", "arguments": {"path": "x"}}],
        "timestamp": 1.5,
        "stop_reason": "tool_calls",
        "usage": {"input_tokens": 1, "cost_usd": None, "some_later_field": 1},
        "meta": {},
    }
    tool_message = {
        "role": "tool",
        "id": "r",
        "tool_call_id": "t",
        "content": [{"type": "image", "data": "", "mime_type": "image/png"}],
        "is_error": False,
        "timestamp": 2,
        "details": {"a": 1},
    }
    line = {"type": "turn_end", "turn": 1, "message": assistant, "tool_results": [tool_message]}
    event = adapter.validate_python(line)
    assert event.message.tool_calls[0].arguments == {"path": "x"}
    assert event.tool_results[0].details == {"a": 1}


class Parameters(BaseModel):
    """What the tools below take."""

    text: str = ""


def test_tool_takes_name_and_description_from_the_function() -> None:
    @tool()
    async def shout(params: Parameters, ctx: ToolContext) -> ToolResult:
        """Says it loudly."""
        return ToolResult(content=[])

    assert (shout.name, shout.description) == ("shout", "Says it loudly.")
    assert (shout.parameters, shout.execution_mode) == (Parameters, "parallel")


def test_tool_reads_its_own_annotation_only() -> None:
    async def quiet(params, ctx):
        return ToolResult(content=[])

    quiet.__annotations__ = {"params": "Parameters", "ctx": "OnlyForTypeCheckers"}
    assert tool(name="q", description="d")(quiet).parameters is Parameters


@pytest.mark.parametrize("annotation", [None, int, "Nowhere"])
def test_tool_without_a_model_is_refused(annotation: object) -> None:
    async def bad(params, ctx):
        return ToolResult(content=[])

    bad.__annotations__ = {"params": annotation} if annotation else {}
    with pytest.raises(TypeError, match="annotate `params`"):
        tool()(bad)


def test_registry_keeps_order_and_refuses_a_taken_name() -> None:
    registry = CommandRegistry()
    registry.add(Command(name="b"))
    registry.add(Command(name="a"))
    with pytest.raises(ValueError, match="'a'"):
        registry.add(Command(name="a"))
    registry.add(Command(name="b", description="new"), replace=True)
    assert [(each.name, each.description) for each in registry] == [("b", "new"), ("a", "")]
    assert len(registry) == 2 and "a" in registry and "c" not in registry
    with pytest.raises(KeyError):
        registry.get("c")


class Printed:
    """A console that keeps what is printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, *words: object, **_: object) -> None:
        self.lines.append(" ".join(map(str, words)))


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("/go", [("", "")]),
        ("/go a  b ", [("a  b ", "")]),
        ("/go:sel x", [("x", "sel")]),
        ("/plain", ["plain"]),
        ("/none", []),
        ("/", []),
    ],
)
def test_slash_lines_find_their_handler(typed: str, seen: list[object]) -> None:
    called: list[object] = []

    async def go(ctx: CommandContext) -> CommandResult:
        called.append((ctx.args, ctx.selector))
        return CommandResult()

    manager = PluginManager()
    manager.commands.add(Command(name="go", handler=go))
    manager.commands.add(Command(name="plain", handler=lambda _: called.append("plain")))
    console = Printed()
    work = dispatch_slash(typed, agent=None, pm=manager, console=console)
    assert asyncio.run(work) == CommandResult()
    assert called == seen
    assert bool(console.lines) == (not seen)


def test_a_line_without_a_slash_is_no_command() -> None:
    work = dispatch_slash("hello", agent=None, pm=PluginManager(), console=Printed())
    assert asyncio.run(work) is None


def skill(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    path = folder / "SKILL.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "head",
    [
        "name: review\ndescription: Use when: reading",
        'name: review\ndescription: "Use when: reading"',
        "name: review\ndescription: >\n  Use when:\n  reading",
        "# a note\nname: review\ndescription: Use when: reading\nother: [1",
    ],
)
def test_skill_heads(tmp_path: Path, head: str) -> None:
    read = parse_skill(skill(tmp_path / "s", f"---\n{head}\n---\n\nThe body.\n\n"))
    assert (read.name, read.description, read.body) == (
        "review",
        "Use when: reading",
        "The body.",
    )


@pytest.mark.parametrize("text", ["body", "---\nname: x\n", "---\nname: x\n---\nbody", ""])
def test_a_file_that_is_no_skill_is_named(tmp_path: Path, text: str) -> None:
    path = skill(tmp_path / "s", text)
    with pytest.raises(ValueError, match=r"SKILL\.md"):
        parse_skill(path)


def test_skill_folders_are_read_and_bad_files_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skill(tmp_path / "good", "---\nname: good\ndescription: d\n---\nb")
    skill(tmp_path / "bad", "nothing")
    registry = SkillRegistry()
    registry.add_source(tmp_path)
    registry.add_source(tmp_path / "missing")
    registry.load()
    registry.load()
    assert [each.name for each in registry] == ["good"]
    assert "bad" in capsys.readouterr().err


def write_config(folder: Path, text: str) -> None:
    (folder / ".letscode").mkdir(parents=True)
    (folder / ".letscode" / "config.toml").write_text(text, encoding="utf-8")


def test_config_files_merge_and_untrusted_tables_stay_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "project" / "deep"
    write_config(home, 'model = "a"\nother = 1\n[mcp.servers.a]\ncommand = "x"\n')
    write_config(project.parent, 'model = "b"\nbase_url = "evil"\n[mcp.servers.b]\ncommand = "y"\n')
    project.mkdir()
    read = load_config(project, home=home)
    assert (read.model, read.base_url) == ("b", None)
    assert read.sections == {"mcp": {"servers": {"a": {"command": "x"}}}}
    monkeypatch.setenv("LETSCODE_TRUST", "1")
    trusted = load_config(project, home=home)
    assert trusted.base_url == "evil"
    assert list(trusted.sections["mcp"]["servers"]) == ["a", "b"]
    assert user_config_path(home) == home / ".letscode" / "config.toml"


def test_config_that_cannot_be_read_is_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_config(tmp_path, "model = [")
    assert load_config(tmp_path, home=tmp_path).model is None
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_state_does_not_show_its_key_and_lends_it_to_a_sub_agent() -> None:
    state = AgentState(system_prompt="", model="m", base_url="http://h", api_key="sesame")
    assert "sesame" not in repr(state)
    assert subagent_env(state, base={"A": "b"}) == {
        "A": "b",
        "LETSCODE_MODEL": "m",
        "OPENAI_BASE_URL": "http://h",
        "OPENAI_API_KEY": "sesame",
    }


def test_panels_and_arguments_are_cut() -> None:
    body = "\n".join(map(str, range(100)))
    cut = truncate_panel_body(body).splitlines()
    assert (cut[0], cut[11], cut[-1], len(cut)) == ("0", "11", "99", 18)
    assert "83" in cut[12]
    assert truncate_panel_body("\n".join("abc")) == "a\nb\nc"
    args = truncate_tool_args({"a": "x" * 61, "b": "short", "c": list(range(50)), "d": None})
    assert args == {"a": "<61 characters>", "b": "short", "c": "<list of 50>", "d": None}


def test_local_files_and_their_faults(tmp_path: Path) -> None:
    env = LocalEnv()

    async def codes() -> list[FileErrorCode]:
        await env.write_text(tmp_path / "f", "héllo")
        assert await env.read_bytes(tmp_path / "f", limit=2) == b"h\xc3"
        assert await env.read_text(tmp_path / "f") == "héllo"
        await env.replace(tmp_path / "f", tmp_path / "g")
        assert await env.is_file(tmp_path / "g") and not await env.exists(tmp_path / "f")
        await env.mkdir(tmp_path / "a" / "b", parents=True)
        await env.write_bytes(tmp_path / "bytes", b"\xff")
        await env.unlink(tmp_path / "none", missing_ok=True)
        found = []
        for work in (
            env.read_text(tmp_path / "none"),
            env.read_text(tmp_path),
            env.read_text(tmp_path / "g" / "h"),
            env.read_text(tmp_path / "bytes"),
            env.unlink(tmp_path / "none"),
        ):
            with pytest.raises(FileError) as caught:
                await work
            found.append(caught.value.code)
        return found

    kinds = FileErrorCode
    assert asyncio.run(codes()) == [
        kinds.NOT_FOUND,
        kinds.IS_DIRECTORY,
        kinds.NOT_DIRECTORY,
        kinds.INVALID,
        kinds.NOT_FOUND,
    ]


def test_local_commands_end_with_all_that_they_started(tmp_path: Path) -> None:
    env, started = LocalEnv(), tmp_path / "started"
    hang = f"sleep 1000 & echo $! > {started}; wait"

    async def run(command: str, seconds: float, *, cancel: bool = False) -> object:
        cancelled = asyncio.Event()
        work = asyncio.ensure_future(
            env.run_shell(command, timeout=seconds, cancel_event=cancelled)
        )
        while cancel and not (started.exists() and started.read_text().strip()):
            await asyncio.sleep(0.01)
        if cancel:
            cancelled.set()
        return await work

    result = asyncio.run(run("echo out; echo err >&2; exit 3", 20))
    assert (result.exit_code, result.output) == (3, b"out\nerr\n")
    with pytest.raises(TimeoutError):
        asyncio.run(run("sleep 1000", 0.05))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run(hang, 1000, cancel=True))
    child = Path("/proc") / started.read_text().strip()
    if Path("/proc/self").exists():
        status = child / "stat"
        assert not status.exists() or " Z " in status.read_text()
