"""Drives a whole session with letscode_rpc.py, and checks what comes back.

    session.py COMMAND...      for example: session.py letscode --mode rpc

Works with any model that writes more than a line when asked to; exits with 1 when something is not as
docs/rpc.md says.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from letscode_rpc import Client, CommandRefused, Line, ProgramEnded

HANG = 120
"""Seconds after which a run counts as hung."""

LONG = "Count from 1 to 400 in words, one number a line."


class Screen:
    """Shows what happens, and lets others wait for it."""

    def __init__(self) -> None:
        self.events: list[Line] = []
        self._came = asyncio.Condition()

    def take(self, event: Line) -> None:
        self.events.append(event)
        match event["type"]:
            case "message_update":
                piece = event["stream_event"]
                if piece["type"] == "text_delta":
                    print(piece["delta"], end="", flush=True)
            case "tool_execution_start":
                print(f"[{event['tool_name']} {event['arguments']}]")
            case "tool_execution_end":
                print("[failed]" if event["result"]["is_error"] else "[ok]")
            case "retry":
                print(f"[again in {event['delay_seconds']} s: {event['reason']}]")
            case "agent_end":
                print(f"\n-- {event['error'] or 'the run is over'}")
        asyncio.get_running_loop().create_task(self._wake())

    async def _wake(self) -> None:
        async with self._came:
            self._came.notify_all()

    async def wait_for_text(self, since: int) -> None:
        """Waits until a piece of text has come behind that many events."""

        def is_there() -> bool:
            pieces = (event.get("stream_event", {}) for event in self.events[since:])
            return any(piece.get("type") == "text_delta" for piece in pieces)

        async with self._came:
            await self._came.wait_for(is_there)

    def last_run(self) -> Line:
        """Returns the last `agent_end`."""
        return next(event for event in reversed(self.events) if event["type"] == "agent_end")


def check(holds: bool, *shown: Any) -> None:
    if not holds:
        raise AssertionError(" | ".join(str(item)[:2000] for item in shown))


def texts(messages: list[Line], role: str) -> list[str]:
    """Returns what the messages of a role say."""
    return [
        "".join(part.get("text", "") for part in message["content"])
        for message in messages
        if message["role"] == role
    ]


async def prompt(client: Client, screen: Screen) -> None:
    """A prompt: its pieces, put together, are the message that is kept."""
    since = len(screen.events)
    await client.call("prompt", text="Which files are in this folder? Look, then say it briefly.")
    run = screen.last_run()
    check(run["error"] is None and "aborted" not in run, run)
    pieces = (event.get("stream_event", {}) for event in screen.events[since:])
    shown = "".join(piece["delta"] for piece in pieces if piece.get("type") == "text_delta")
    check(shown == "".join(texts(run["messages"], "assistant")) != "", shown, run)
    kept = await client.call("messages")
    check(kept["messages"] == run["messages"], kept, run)


async def steer(client: Client, screen: Screen) -> None:
    """A message that goes in while the model is writing: the run goes on with it."""
    since = len(screen.events)
    done = await client.begin("prompt", text=LONG)
    await screen.wait_for_text(since)
    try:
        await client.call("prompt", text="too early")
        check(False, "a prompt was taken in the middle of a run")
    except CommandRefused as refusal:
        print(f"\n[refused, as it must be: {refusal}]")
    await client.call("steer", text="Stop counting and say goodbye.")
    await done
    said = texts(screen.last_run()["messages"], "user")
    check(said[-2:] == [LONG, "Stop counting and say goodbye."], said)


async def abort(client: Client, screen: Screen) -> None:
    """A run that the user stops is over at once, and is no error."""
    since = len(screen.events)
    done = await client.begin("prompt", text=LONG)
    await screen.wait_for_text(since)
    await client.call("abort")
    await done
    run = screen.last_run()
    check(run.get("aborted") is True and run["error"] is None, run)
    check((await client.call("state"))["busy"] is False)


async def fork(client: Client, screen: Screen) -> str:
    """Goes on from an earlier answer in a session of its own; returns the session left."""
    left = (await client.call("state"))["session"]["id"]
    entries = (await client.call("tree"))["entries"]
    answer = next(entry for entry in reversed(entries) if entry["role"] == "assistant")
    forked = await client.call("fork", entry=answer["entry"])
    check(forked["session"]["id"] != left, forked)
    await client.call("prompt", text="Say hello.")
    count = (await client.call("state"))["message_count"]
    check(count == forked["message_count"] + 2, count, forked)
    return left


async def compact(client: Client) -> None:
    """A summary takes the place of older messages."""
    before = (await client.call("state"))["message_count"]
    result = await client.call("compact", bias="what was counted")
    check(result["error"] is None and result["collapsed_count"] > 0, result)
    after = (await client.call("state"))["message_count"]
    check(after < before, before, after)


async def resume(client: Client, earlier: str) -> None:
    """Goes back to the session that the fork left, by its number in the list."""
    sessions = (await client.call("sessions"))["sessions"]
    check(sum(session["open"] for session in sessions) == 1, sessions)
    number = next(item["number"] for item in sessions if item["session"]["id"] == earlier)
    resumed = await client.call("resume", session=number)
    check(resumed["session"]["id"] == earlier, resumed)
    messages = (await client.call("messages"))["messages"]
    check(len(messages) == resumed["message_count"] and LONG in texts(messages, "user"), messages)


async def death(command: list[str]) -> None:
    """A program that dies fails what was open, and whatever is asked of it later."""
    screen = Screen()
    client = await Client.start(command, screen.take)
    done = await client.begin("prompt", text=LONG)
    await client.kill()
    for waiting in (done, client.call("state"), Client.start(["/no/such/program"], screen.take)):
        try:
            await waiting
            check(False, "a dead program gave an answer")
        except ProgramEnded as end:
            print(f"[{end}]")


async def main(command: list[str]) -> None:
    screen = Screen()
    client = await Client.start(command, screen.take)
    print(f"letscode {client.ready['letscode']}, {client.ready['protocol']}")
    async with client:
        await prompt(client, screen)
        await steer(client, screen)
        await abort(client, screen)
        left = await fork(client, screen)
        await compact(client)
        await resume(client, left)
        check(await client.close() == 0, "the program ended with an error")
    await death(command)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    asyncio.run(asyncio.wait_for(main(sys.argv[1:]), HANG))
    print("all as it should be")
