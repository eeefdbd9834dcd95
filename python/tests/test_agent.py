"""Commands and the agent as plugins drive it: console, prompt, queues, state, session, config."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import user
from peer import Line, Peer

Start = Callable[..., Peer]


def command(body: str, *, before: str = "", name: str = "go") -> str:
    return f"""
{before}
async def handle(ctx):
    {body}
    return CommandResult()

@hookimpl
def letscode_register_commands(registry):
    registry.add(Command(name="{name}", description="Goes.", handler=handle))
"""


def run(host: Peer, args: str = "", name: str = "go") -> Line:
    reply: Line = host.result("run_command", name=name, args=args)
    return reply


def test_what_a_command_prints_is_its_text(start: Start) -> None:
    body = """
    ctx.console.print("[bold]args[/bold]:", ctx.args)
    from rich.table import Table
    table = Table("column"); table.add_row("cell"); ctx.console.print(table)
"""
    host = start(a=command(body))
    _, registrations = host.begin()
    assert registrations["commands"] == [{"name": "go", "description": "Goes."}]
    reply = run(host, "a b")
    assert reply["text"].startswith("\x1b[1margs\x1b[0m: a b\n") and "cell" in reply["text"]
    assert reply["prompt"] is None


def test_a_command_may_send_a_message_or_ask_to_leave(start: Start) -> None:
    body = "return CommandResult(send_to_llm='please', exit=ctx.args == 'exit')"
    host = start(a=command(body))
    host.begin()
    assert run(host) == {"text": "", "prompt": "please", "exit": False}
    assert run(host, "exit")["exit"] is True


def test_an_animation_leaves_no_frame_in_the_text(start: Start) -> None:
    body = """
    with ctx.console.status("working"):
        await asyncio.sleep(0.3)
        ctx.console.print("[red]done[/red]")
"""
    host = start(a=command(body))
    host.begin()
    assert run(host)["text"] == "\x1b[31mdone\x1b[0m"


def test_a_command_with_selectors_is_several(start: Start) -> None:
    source = """
async def handle(ctx):
    ctx.console.print(ctx.selector or "none")
    return CommandResult()
@hookimpl
def letscode_register_commands(registry):
    registry.add(Command(name="docs", handler=handle, selectors=("read", "find")))
"""
    host = start(a=source)
    _, registrations = host.begin()
    names = [each["name"] for each in registrations["commands"]]
    assert names == ["docs", "docs:read", "docs:find"]
    assert [run(host, name=name)["text"] for name in names] == ["none", "read", "find"]


def test_a_command_that_fails_is_told(start: Start) -> None:
    host = start(a=command("1 / 0"))
    host.begin()
    assert "ZeroDivisionError" in host.call("run_command", name="go", args="")["error"]
    assert "/none" in host.call("run_command", name="none", args="")["error"]


def test_the_state_is_that_of_the_program(start: Start) -> None:
    body = """
    state = ctx.agent.state
    ctx.console.print(state.model, len(state.messages), state.base_url, state.api_key)
"""
    host = start(a=command(body))
    host.begin()
    host.messages = [user("a"), user("b", 2)]
    assert run(host)["text"] == "demo 2 http://model/v1 secret"


def test_the_state_follows_the_events(start: Start) -> None:
    body = """
    live.append(ctx.agent.state)
"""
    tool = """
live = []
class None_(BaseModel):
    pass
@tool(name="look", description="d")
async def look(params: None_, ctx: ToolContext) -> ToolResult:
    state = ctx.agent_state
    assert not live or state is live[0]
    calls = ",".join(sorted(state.pending_tool_calls))
    words = [str(len(state.messages)), str(state.is_streaming), calls, str(state.last_error)]
    return ToolResult(content=[TextPart(text=" ".join(words))])
@hookimpl
def letscode_register_tools(registry):
    registry.add(look)
"""
    host = start(a=command(body, before=tool))
    host.begin()

    def look() -> str:
        result = host.result("call_tool", tool_call_id="t", name="look", arguments={})
        return str(result["content"][0]["text"])

    run(host)
    assert look() == "0 False  None"
    host.event("agent_start", messages=[user("a")])
    assistant: Line = {"role": "assistant", "id": "a1", "content": [], "timestamp": 1.0}
    host.event("message_start", message=assistant)
    host.event("message_end", message={**assistant, "stop_reason": "tool_calls"})
    host.event("message_end", message={**assistant, "stop_reason": "tool_calls"})
    host.event("tool_execution_start", tool_call_id="t", tool_name="look", arguments={})
    assert look() == "2 True t None"
    done = {"role": "tool", "id": "r", "tool_call_id": "t", "content": [], "timestamp": 1.0}
    host.event("tool_execution_end", tool_call_id="t", result=done)
    host.event("error", error="broken", recoverable=True)
    host.event("agent_end", messages=[user("a")], error="broken")
    assert look() == "1 False  broken"


SUBSCRIBER = """
    seen = []
    def note(event): seen.append(event.type)
    async def note_pieces(event):
        if event.type == "message_update": seen.append(event.message.content[-1].text)
    end = ctx.agent.subscribe(note)
    ctx.agent.subscribe(note_pieces)
    await ctx.agent.prompt("hello")
    end()
    ctx.console.print(" ".join(seen))
"""


def play_run(host: Peer) -> None:
    """Sends the events of a short run."""
    assistant: Line = {"role": "assistant", "id": "a1", "content": [], "timestamp": 1.0}
    host.event("agent_start", messages=[user("hello")])
    host.event("message_start", message=assistant)
    for delta in ("one", " two"):
        host.event("message_update", stream_event={"type": "text_delta", "delta": delta})
    host.event("message_end", message=assistant)
    host.event("agent_end", messages=[user("hello"), assistant])


def test_a_prompt_ends_with_its_run_and_subscribers_see_it_all(start: Start) -> None:
    host = start(a=command(SUBSCRIBER, before="@hookimpl\ndef letscode_on_event(event): pass"))
    host.begin()
    host.answers["prompt"] = lambda _: play_run(host)
    assert run(host)["text"] == (
        "agent_start message_start message_update one message_update one two message_end agent_end"
    )
    assert host.wait_for_command("prompt") == {"cmd": "prompt", "text": "hello"}


def refuse(_: Line) -> Any:
    raise ValueError("a run is active")


def test_a_prompt_that_is_refused_raises(start: Start) -> None:
    body = """
    try:
        await ctx.agent.prompt("x")
    except RuntimeError as error:
        ctx.console.print("refused:", error)
"""
    host = start(a=command(body))
    host.begin()
    host.answers["prompt"] = refuse
    assert run(host)["text"] == "refused: a run is active"
    host.event("agent_start", messages=[])
    assert run(host)["text"].startswith("refused: a run is active;")


def test_a_run_that_fails_does_not_raise(start: Start) -> None:
    host = start(a=command("await ctx.agent.prompt('x'); ctx.console.print('over')"))
    host.begin()

    def fail(line: Line) -> Any:
        play_run(host)
        return refuse(line)

    host.answers["prompt"] = fail
    assert run(host)["text"] == "over"


def test_steering_and_abort_reach_the_program(start: Start) -> None:
    body = """
    ctx.agent.steer("left")
    ctx.console.print(ctx.agent.queued_steering)
    ctx.agent.abort()
    await ctx.agent.wait_for_idle()
"""
    host = start(a=command(body))
    host.begin()
    assert run(host)["text"] == "('left',)"
    assert host.wait_for_command("steer") == {"cmd": "steer", "text": "left"}
    assert host.wait_for_command("abort") == {"cmd": "abort"}


FOLLOWING = """
async def handle(ctx):
    follow.append(ctx.agent)
    return CommandResult()
follow = []
@hookimpl
def letscode_register_commands(registry):
    registry.add(Command(name="go", handler=handle))
@hookimpl
async def letscode_on_event(event):
    if event.type == "turn_end" and follow:
        follow[0].follow_up("go on")
"""


def following(start: Start, *, busy: bool, aborted: bool) -> Peer:
    host = start(a=FOLLOWING)
    host.begin()
    run(host)

    def queue(line: Line) -> None:
        host.queue.append(line["command"]["text"])

    host.answers["follow_up"] = queue
    host.answers["unqueue"] = lambda _: {"message": host.queue.pop() if host.queue else None}
    host.busy = busy
    assistant: Line = {"role": "assistant", "id": "a1", "content": [], "timestamp": 1.0}
    host.event("agent_start", messages=[])
    if not busy:
        host.event("agent_end", messages=[], error=None, **({"aborted": True} if aborted else {}))
    host.event("turn_end", turn=1, message=assistant, tool_results=[])
    return host


def commands(host: Peer) -> list[str]:
    host.end()
    asked = [line["command"]["cmd"] for line in host.asked if line["type"] == "command"]
    return [each for each in asked if each not in ("state", "messages")]


def test_a_follow_up_within_the_run_is_queued(start: Start) -> None:
    host = following(start, busy=True, aborted=False)
    host.wait_for_command("follow_up")
    host.result("run_command", name="go", args="")
    assert commands(host) == ["follow_up"]


def test_a_follow_up_that_comes_after_the_end_begins_a_run(start: Start) -> None:
    host = following(start, busy=False, aborted=False)
    assert host.wait_for_command("prompt")["text"] == "go on"
    assert commands(host) == ["follow_up", "unqueue", "prompt"]


def test_a_follow_up_after_an_abort_waits(start: Start) -> None:
    host = following(start, busy=False, aborted=True)
    host.wait_for_command("follow_up")
    host.result("run_command", name="go", args="")
    assert commands(host) == ["follow_up"]


def test_an_event_is_answered_when_all_have_seen_it(start: Start) -> None:
    slow = """
@hookimpl
async def letscode_on_event(event):
    await asyncio.sleep(0.1)
    print("seen", flush=True)
"""
    subscribing = command("ctx.agent.subscribe(lambda event: print(event.type, flush=True))")
    host = start(a=FOLLOWING, b=slow, c=subscribing.replace('"go"', '"look"'))
    hello, _ = host.begin()
    assert hello["capabilities"]["holds_end"] is True
    run(host)
    run(host, name="look")
    host.busy = True
    assistant: Line = {"role": "assistant", "id": "a1", "content": [], "timestamp": 1.0}
    event = {"type": "turn_end", "turn": 1, "message": assistant, "tool_results": []}
    assert host.result("event", event=event) is None
    # What a plugin asked for meanwhile came before the answer.
    assert "follow_up" in [line.get("command", {}).get("cmd") for line in host.asked]
    assert host.result("event", event={"type": "something_new"}) is None
    host.end()
    assert sorted(host.log) == ["seen", "turn_end"]


def test_a_slow_observer_keeps_no_other_waiting(start: Start) -> None:
    slow = "@hookimpl\nasync def letscode_on_event(event): await asyncio.sleep(1000)\n"
    quick = """
@hookimpl
def letscode_on_event(event): print(event.type, flush=True)
"""
    failing = "@hookimpl\ndef letscode_on_event(event): 1 / 0\n"
    host = start(a=quick, b=failing, c=slow)
    host.begin()
    host.event("turn_start", turn=1)
    host.event("turn_start", turn=2)
    host.call("nothing")
    host.end()
    assert host.log.count("turn_start") == 2
    assert len([line for line in host.log if "plugin b" in line]) == 2


def test_the_open_session_gets_each_message_once(start: Start, tmp_path: Path) -> None:
    body = """
    from pathlib import Path
    from letscode.session.store import save_message
    open_session, other = map(Path, ctx.args.split())
    for message in ctx.agent.state.messages:
        save_message(open_session, message, parent_id=None)
        save_message(other, message, parent_id=None)
    save_message(open_session, CustomMessage(id="c", kind="note", payload={"a": 1}, timestamp=1.0))
"""
    host = start(a=command(body))
    host.begin()
    opened, other = tmp_path / "open.jsonl", tmp_path / "other.jsonl"
    opened.write_text("")
    host.session, host.messages = str(opened), [user("a"), user("b", 2)]
    run(host, f"{opened} {other}")
    assert opened.read_text() == ""
    assert [json.loads(line)["msg"]["id"] for line in other.read_text().splitlines()] == [
        "u1",
        "u2",
    ]
    saved = [line for line in host.asked if line["type"] == "save_message"]
    assert [(line["kind"], line["payload"]) for line in saved] == [("note", {"a": 1})]


def test_the_configuration_is_the_programs_as_it_is_now(start: Start) -> None:
    hook = """
from letscode.config import load_config
@hookimpl
async def letscode_system_prompt(state):
    config = load_config()
    return f"{config.model} {config.sections}"
"""
    host = start(a=hook)
    host.config = {"model": "m", "memory": {"inject_limit": 3}}
    host.begin()
    context = {"cwd": "/", "tools": []}
    assert host.result("system_prompt", context=context) == "m {'memory': {'inject_limit': 3}}"
    host.config = {"model": "n"}
    assert host.result("system_prompt", context=context) == "n {}"


def test_the_models_variables_are_lent_to_plugins_but_not_to_commands(start: Start) -> None:
    body = """
    import os
    from letscode.agent.execution_env import LocalEnv
    from letscode.agent.subagent import subagent_env
    names = "OPENAI_API_KEY", "OPENAI_BASE_URL", "LETSCODE_MODEL"
    ctx.console.print(*(os.environ.get(name) for name in names))
    command = "echo _$OPENAI_API_KEY $OPENAI_BASE_URL"
    shell = await LocalEnv().run_shell(command, timeout=20, cancel_event=asyncio.Event())
    ctx.console.print(shell.output.decode())
    ctx.console.print(subagent_env(ctx.agent.state, base={"A": "b"}))
"""
    host = start(a=command(body), env={"OPENAI_BASE_URL": "http://own", "COLUMNS": "5000"})
    host.begin()
    first, second, _, third = run(host)["text"].split("\n")
    # Together, so that the key reaches no other address than its own.
    assert (first, second) == ("secret http://model/v1 demo", "_ http://own")
    assert "'A': 'b'" in third and "'OPENAI_API_KEY': 'secret'" in third
    host.answers["subagent_env"] = lambda _: {"LETSCODE_MODEL": "other"}
    assert run(host)["text"].startswith("None http://own other\n")


def test_a_key_that_is_kept_for_plugins_stays_with_its_address(start: Start) -> None:
    body = """
    import os
    ctx.console.print(os.environ["OPENAI_API_KEY"], os.environ.get("OPENAI_BASE_URL"))
"""
    host = start(a=command(body), env={"OPENAI_API_KEY": "own"})
    host.begin()
    assert run(host)["text"] == "own None"


@pytest.mark.parametrize("cmd", ["state", "messages", "subagent_env"])
def test_a_program_that_refuses_to_tell_stops_no_command(start: Start, cmd: str) -> None:
    host = start(a=command("ctx.console.print('done')"))
    host.answers[cmd] = refuse
    host.begin()
    assert run(host)["text"] == "done"
