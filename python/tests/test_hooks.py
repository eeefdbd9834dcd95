"""The hooks of a run: order, how answers combine, and that one plugin's fault is its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import user
from peer import Line, Peer

Start = Callable[..., Peer]


def call(name: str = "bash", **arguments: Any) -> Line:
    return {"tool_call": {"id": "c1", "name": name, "arguments": arguments}}


def adding(word: str, *, asynchronous: bool = False) -> str:
    kind = "async def" if asynchronous else "def"
    return f"""
@hookimpl
{kind} letscode_transform_context(messages):
    return [*messages, UserMessage(id="{word}", content=[TextPart(text="{word}")], timestamp=1.0)]
"""


def test_transforms_are_chained_and_the_last_registered_is_asked_first(start: Start) -> None:
    host = start(a=adding("a"), b=adding("b", asynchronous=True), c=adding("c"))
    host.begin()
    changed = host.result("transform_context", context={"messages": [user("hi")]})
    assert [each["id"] for each in changed] == ["u1", "c", "b", "a"]
    assert changed[0] == user("hi")


@pytest.mark.parametrize("fault", ["1 / 0", "return 5", "return [1]", "raise SystemExit"])
def test_a_transform_that_fails_is_left_out(start: Start, fault: str) -> None:
    bad = (
        f"@hookimpl\ndef letscode_transform_context(messages):\n    messages.clear()\n    {fault}\n"
    )
    host = start(a=adding("a"), bad=bad)
    host.begin()
    changed = host.result("transform_context", context={"messages": [user("hi")]})
    assert [each["id"] for each in changed] == ["u1", "a"]
    host.end()
    assert any("plugin bad" in line for line in host.log)


def test_hooks_may_take_fewer_arguments_and_tryfirst_holds(start: Start) -> None:
    first = """
@hookimpl(tryfirst=True)
def letscode_system_prompt():
    return "first"
"""
    other = "@hookimpl\ndef letscode_system_prompt(state): return 'other'\n"
    host = start(a=first, b=other)
    host.begin()
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "first"


def test_the_first_answer_wins_and_the_rest_is_not_asked(start: Start) -> None:
    silent = "@hookimpl\ndef letscode_system_prompt(state): return None\n"
    asked = "@hookimpl\ndef letscode_system_prompt(state): return 'asked'\n"
    never = "@hookimpl\ndef letscode_system_prompt(state): print('asked too')\n"
    host = start(a=never, b=asked, c=silent)
    host.begin()
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "asked"
    host.end()
    assert host.log == []


def test_messages_for_the_model_are_converted_or_left(start: Start) -> None:
    source = """
@hookimpl
async def letscode_convert_to_llm(messages):
    return [message for message in messages if message.role != "custom"][:1] or None
@hookimpl
def letscode_render_custom_message(message):
    if message.kind == "mine":
        return UserMessage(id="r", content=[TextPart(text=message.payload["a"])], timestamp=1.0)
"""
    host = start(converter=source)
    host.begin()
    both = {"messages": [user("a"), user("b", 2)]}
    assert host.result("convert_to_llm", context=both) == [user("a")]
    assert host.result("convert_to_llm", context={"messages": []}) is None
    note = {"role": "custom", "id": "c", "kind": "mine", "payload": {"a": "x"}, "timestamp": 1.0}
    shown = host.result("render_custom_message", context={"message": note})
    assert (shown["role"], shown["content"]) == ("user", [{"type": "text", "text": "x"}])
    other = {**note, "kind": "other"}
    assert host.result("render_custom_message", context={"message": other}) is None


def test_the_first_block_wins(start: Start) -> None:
    block = """
@hookimpl
async def letscode_before_tool_call(tool_call, args, context):
    if args.command.startswith("rm"): return BlockDecision(block=True, reason="no {0}")
    return BlockDecision(block=False, reason="fine")
"""
    host = start(a=block.replace("{0}", "a"), b=block.replace("{0}", "b"))
    host.begin()
    assert host.result("before_tool_call", context=call(command="rm x")) == {"block": "no b"}
    assert host.result("before_tool_call", context=call(command="ls")) is None


@pytest.mark.parametrize(
    ("change", "given", "arguments"),
    [
        ("args.command = 'ls'", {"command": "rm"}, {"command": "ls"}),
        ("args.timeout = 5", {"command": "x"}, {"command": "x", "timeout": 5}),
        ("tool_call.arguments['command'] = 'ls'", {"command": "rm"}, {"command": "ls"}),
        ("args.extra = [1]", {"command": "x"}, {"command": "x", "extra": [1]}),
        ("pass", {"command": "x"}, None),
        ("args.command = args.command", {"command": "x", "unknown": 1}, None),
        ("args.other = 1", {"odd": True}, {"odd": True, "other": 1}),
    ],
)
def test_arguments_may_be_rewritten(
    start: Start, change: str, given: Line, arguments: Line | None
) -> None:
    source = f"@hookimpl\ndef letscode_before_tool_call(tool_call, args):\n    {change}\n"
    host = start(rewriter=source)
    host.begin()
    expected = None if arguments is None else {"arguments": arguments}
    assert host.result("before_tool_call", context=call(**given)) == expected


def test_rewrites_are_seen_by_those_asked_later(start: Start) -> None:
    source = "@hookimpl\ndef letscode_before_tool_call(args): args.command += '{0}'\n"
    host = start(a=source.replace("{0}", "a"), b=source.replace("{0}", "b"))
    host.begin()
    changed = host.result("before_tool_call", context=call(command="x"))
    assert changed == {"arguments": {"command": "xba"}}


def test_both_hooks_of_a_call_share_their_context(start: Start) -> None:
    source = """
@hookimpl
def letscode_before_tool_call(tool_call, args, context):
    context.meta["seen"] = tool_call.name
@hookimpl
def letscode_after_tool_call(tool_call, result, context):
    return ResultOverride(details={"seen": context.meta.get("seen")})
"""
    host = start(noting=source)
    host.begin()
    host.result("before_tool_call", context=call(command="x"))
    result = {"content": [], "details": {}, "is_error": False, "terminate": False}
    after = {**call(command="x"), "result": result}
    assert host.result("after_tool_call", context=after) == {"details": {"seen": "bash"}}
    assert host.result("after_tool_call", context=after) == {"details": {"seen": None}}


def test_of_several_overrides_the_later_wins_field_by_field(start: Start) -> None:
    asked_first = """
@hookimpl
def letscode_after_tool_call(result):
    return ResultOverride(content=[TextPart(text="first")], is_error=True)
"""
    asked_last = """
@hookimpl
async def letscode_after_tool_call(result):
    assert result.content[0].text == "own"
    return ResultOverride(content=[TextPart(text="last")], terminate=True)
"""
    host = start(a=asked_last, b=asked_first)
    host.begin()
    result = {"content": [{"type": "text", "text": "own"}], "details": {}}
    assert host.result("after_tool_call", context={**call(), "result": result}) == {
        "content": [{"type": "text", "text": "last"}],
        "is_error": True,
        "terminate": True,
    }
    host.end()
    assert host.log == []


def test_a_judge_that_fails_lets_pass(start: Start) -> None:
    judge = "@hookimpl\ndef letscode_before_tool_call(args): 1 / 0\n"
    host = start(judge=judge)
    hello, _ = host.begin()
    assert hello["capabilities"]["fail_closed"] is False
    assert host.result("before_tool_call", context=call(command="x")) is None
    host.end()
    assert any("plugin judge" in line for line in host.log)


def test_a_guard_that_fails_blocks(start: Start) -> None:
    guard = "letscode_fail_closed = True\n@hookimpl\ndef letscode_before_tool_call(args): 1 / 0\n"
    host = start(guard=guard)
    hello, _ = host.begin()
    assert hello["capabilities"]["fail_closed"] is True
    assert "guard" in host.result("before_tool_call", context=call(command="x"))["block"]


def test_a_slow_hook_keeps_no_other_call_waiting_and_is_cancelled(start: Start) -> None:
    source = """
@hookimpl
async def letscode_transform_context(messages):
    try:
        await asyncio.sleep(1000)
    finally:
        print("stopped")
@hookimpl
def letscode_system_prompt(state):
    return "quick"
"""
    host = start(slow=source)
    host.begin()
    slow = host.start("transform_context", context={"messages": []})
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "quick"
    host.send(type="cancel", call=slow)
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "quick"
    host.end()
    assert host.log == ["stopped"]


WRAPPERS = {
    "new": """
@hookimpl(wrapper=True)
def {hook}({arguments}):
    result = yield
    {change}
    return result
""",
    "old": """
@hookimpl(hookwrapper=True)
def {hook}({arguments}):
    outcome = yield
    result = outcome.get_result()
    {change}
    outcome.force_result(result)
""",
}


@pytest.fixture(params=WRAPPERS)
def wrapping(request: pytest.FixtureRequest) -> Callable[..., str]:
    def source(hook: str, arguments: str, change: str) -> str:
        return WRAPPERS[request.param].format(hook=hook, arguments=arguments, change=change)

    return source


def test_a_wrapper_sees_a_single_answer_where_the_first_wins(
    start: Start, wrapping: Callable[..., str]
) -> None:
    wrapper = wrapping("letscode_system_prompt", "state", "result = f'[{result}]'")
    inner = "@hookimpl\ndef letscode_system_prompt(state): return 'inner'\n"
    host = start(a=wrapper, b=inner, c=wrapper.replace("[", "<").replace("]", ">"))
    host.begin()
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "<[inner]>"


def test_a_wrapper_alone_is_told_that_there_is_no_answer(
    start: Start, wrapping: Callable[..., str]
) -> None:
    wrapper = wrapping("letscode_system_prompt", "state", "result = repr(result)")
    host = start(a=wrapper)
    hello, _ = host.begin()
    assert "system_prompt" in hello["capabilities"]["hooks"]
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "None"


def test_a_wrapper_sees_awaited_answers_as_a_list(
    start: Start, wrapping: Callable[..., str]
) -> None:
    change = "result = [*result, result[-1][:1]]; print([len(each) for each in result])"
    wrapper = wrapping("letscode_transform_context", "messages", change)
    host = start(a=adding("a"), b=adding("b", asynchronous=True), w=wrapper)
    host.begin()
    changed = host.result("transform_context", context={"messages": [user("hi")]})
    assert [each["id"] for each in changed] == ["u1"]
    host.end()
    assert host.log == ["[2, 3, 1]"]


def test_a_wrapper_may_take_a_block_back_or_block_itself(
    start: Start, wrapping: Callable[..., str]
) -> None:
    arguments = "tool_call, args, context"
    freeing = wrapping("letscode_before_tool_call", arguments, "result = []")
    block = "@hookimpl\ndef letscode_before_tool_call(args): return BlockDecision(block=True)\n"
    host = start(a=block, w=freeing)
    host.begin()
    assert host.result("before_tool_call", context=call(command="x")) is None


def test_wrappers_of_results_and_events_run_around_all(
    start: Start, wrapping: Callable[..., str]
) -> None:
    after = wrapping(
        "letscode_after_tool_call",
        "tool_call, result, context",
        "result = [ResultOverride(is_error=len(result) == 2)]",
    ).replace("result, context", "context")
    events = wrapping("letscode_on_event", "event", "print('around', event.type)")
    inner = """
@hookimpl
async def letscode_after_tool_call(result): return ResultOverride(terminate=True)
@hookimpl
async def letscode_on_event(event):
    await asyncio.sleep(0.01)
    print("inside", event.type)
"""
    host = start(a=inner, b=inner, w=after + events)
    host.begin()
    context = {**call(), "result": {"content": [], "details": {}}}
    assert host.result("after_tool_call", context=context) == {"is_error": True}
    host.event("turn_start", turn=1)
    while len(host.log) < 3:
        host.result("system_prompt", context={"cwd": "/", "tools": []})
    assert host.log == ["inside turn_start", "inside turn_start", "around turn_start"]


@pytest.mark.parametrize(
    "body",
    [
        "1 / 0; yield",
        "yield; 1 / 0",
        "yield; yield",
        "return 'no'; yield",
    ],
)
def test_a_wrapper_that_fails_is_left_out(start: Start, body: str) -> None:
    bad = f"@hookimpl(wrapper=True)\ndef letscode_system_prompt(state):\n    {body}\n"
    inner = "@hookimpl\ndef letscode_system_prompt(state): return 'inner'\n"
    host = start(a=inner, bad=bad)
    host.begin()
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "inner"
    host.end()
    assert len(host.log) == 1 and "plugin bad" in host.log[0]


def test_a_guard_whose_wrapper_fails_blocks(start: Start) -> None:
    guard = """
letscode_fail_closed = True
@hookimpl(wrapper=True)
def letscode_before_tool_call(args):
    yield
    1 / 0
"""
    host = start(guard=guard)
    host.begin()
    assert "guard" in host.result("before_tool_call", context=call(command="x"))["block"]


def test_trylast_is_asked_last(start: Start) -> None:
    last = "@hookimpl(trylast=True)\ndef letscode_system_prompt(): return 'last'\n"
    other = "@hookimpl\ndef letscode_system_prompt(): return 'other'\n"
    host = start(a=other, z=last)
    host.begin()
    assert host.result("system_prompt", context={"cwd": "/", "tools": []}) == "other"
