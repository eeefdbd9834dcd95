"""Tool calls: arguments, results, faults, progress, and calls that are taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from peer import Line, Peer

Start = Callable[..., Peer]


def tool(body: str) -> str:
    return f"""
class Parameters(BaseModel):
    text: str
    times: int = 1

@tool(name="say", description="Says it.", execution_mode="sequential")
async def say(params: Parameters, ctx: ToolContext) -> ToolResult:
    {body}

@hookimpl
def letscode_register_tools(registry):
    registry.add(say)
"""


def run(host: Peer, **arguments: object) -> Line:
    return host.result("call_tool", tool_call_id="t1", name="say", arguments=arguments)


def text(result: Line) -> str:
    return "".join(part["text"] for part in result["content"])


def test_a_tool_is_declared_with_its_schema(start: Start) -> None:
    _, registrations = start(a=tool("return ToolResult(content=[])")).begin()
    (declared,) = registrations["tools"]
    assert (declared["name"], declared["description"]) == ("say", "Says it.")
    assert declared["execution_mode"] == "sequential"
    assert declared["parameters"]["required"] == ["text"]


def test_a_call_gives_its_result(start: Start) -> None:
    body = """
    assert ctx.tool_call_id == "t1" and ctx.cwd.name == "project"
    shell = await ctx.env.run_shell("pwd", timeout=20, cancel_event=ctx.cancel_event)
    assert shell.exit_code == 0
    text = params.text * params.times
    return ToolResult(content=[TextPart(text=text)], details={"n": params.times})
"""
    host = start(a=tool(body))
    host.begin()
    assert run(host, text="ho", times=2) == {
        "content": [{"type": "text", "text": "hoho"}],
        "details": {"n": 2},
        "is_error": False,
        "terminate": False,
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ToolError('too loud')", "too loud"),
        ("raise ValueError('odd')", "ValueError: odd"),
        ("raise TimeoutError", "TimeoutError"),
        ("raise asyncio.CancelledError", "cancelled"),
        ("return 'text'", "str"),
        ("return None", "NoneType"),
    ],
)
def test_a_fault_is_a_result_that_the_model_reads(start: Start, body: str, said: str) -> None:
    host = start(a=tool(body))
    host.begin()
    result = run(host, text="x")
    assert result["is_error"] is True and said in text(result)


def test_a_tool_that_leaves_is_a_failed_call_and_the_host_lives(start: Start) -> None:
    host = start(a=tool("raise SystemExit(3)"))
    host.begin()
    assert "SystemExit" in text(run(host, text="x"))
    reply = host.call("call_tool", tool_call_id="t", name="none", arguments={})
    assert "none" in reply["error"]
    assert host.process.poll() is None


def test_arguments_that_do_not_fit_are_told(start: Start) -> None:
    host = start(a=tool("return ToolResult(content=[])"))
    host.begin()
    result = run(host, times="many")
    assert result["is_error"] is True
    assert "text: " in text(result) and "times: " in text(result)


def test_details_of_any_kind_become_json(start: Start) -> None:
    body = """
    from pathlib import Path
    details = {"path": Path("/x"), "nan": float("nan"), "bytes": b"\\xff", "set": {1}}
    details["odd"] = object()
    return ToolResult(content=[TextPart(text="\\udcff")], details=details)
"""
    host = start(a=tool(body))
    host.begin()
    details = run(host, text="x")["details"]
    assert (details["path"], details["nan"], details["set"]) == ("/x", None, [1])
    assert isinstance(details["odd"], str) and isinstance(details["bytes"], str)


def test_progress_is_shown_while_the_call_runs(start: Start) -> None:
    body = """
    for number in range(3):
        ctx.on_update(ToolPartialResult(content=[TextPart(text=str(number))]))
    return ToolResult(content=[])
"""
    host = start(a=tool(body))
    host.begin()
    run(host, text="x")
    assert [text(line["partial"]) for line in host.progress] == ["0", "1", "2"]


def test_a_call_that_is_taken_back_tells_its_tool(start: Start) -> None:
    body = """
    ctx.on_update(ToolPartialResult(content=[]))
    await ctx.cancel_event.wait()
    return ToolResult(content=[TextPart(text="ended well")])
"""
    host = start(a=tool(body))
    host.begin()
    number = host.start("call_tool", tool_call_id="t", name="say", arguments={"text": ""})
    host.wait_for("progress")
    host.send(type="cancel", call=number)
    assert text(host.reply_to(number)["result"]) == "ended well"


def test_a_tool_that_does_not_listen_is_stopped(start: Start) -> None:
    body = """
    ctx.on_update(ToolPartialResult(content=[]))
    await asyncio.sleep(1000)
"""
    host = start(a=tool(body))
    host.begin()
    number = host.start("call_tool", tool_call_id="t", name="say", arguments={"text": ""})
    host.wait_for("progress")
    host.send(type="cancel", call=number)
    assert host.reply_to(number)["result"]["is_error"] is True


def test_a_tool_without_a_schema_is_left_out(start: Start) -> None:
    source = """
class Odd:
    name, description, parameters = "odd", "", None
@hookimpl
def letscode_register_tools(registry):
    registry.add(Odd())
"""
    host = start(a=source, b=tool("return ToolResult(content=[])"))
    _, registrations = host.begin()
    host.end()
    assert [each["name"] for each in registrations["tools"]] == ["say"]
    assert len(host.log) == 1 and "odd" in host.log[0]
