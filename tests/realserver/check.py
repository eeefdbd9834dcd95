"""Checks the program against a real server.

usage: check.py BINARY SERVER-ADDRESS

Each check is a function below whose first line of documentation is what it shows. Exits with 1 when
one of them fails. Standard library only.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from relay import Relay

HANG = 30.0
"""Seconds after which a run counts as hung."""

SOON = 5.0
"""Seconds within which a cancelled run must be over. Generous: the machine may be busy."""


class Program:
    """Runs the program in a folder and a home of its own."""

    def __init__(self, binary: str, folder: Path):
        self.binary = binary
        self.home = folder / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        (self.project / "hello.txt").write_text("hello\n")

    def start(
        self, port: int, *arguments: str, stdin: int = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        """Starts the program against the server, or relay, on a port."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            "LETSCODE_NO_UPDATE_CHECK": "1",
        }
        endpoint = ["--base-url", f"http://127.0.0.1:{port}/v1", "--model", "bytebigram"]
        return subprocess.Popen(
            [self.binary, *arguments, *endpoint, "--api-key", "not-needed-here"],
            cwd=self.project,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, port: int, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        """Runs the program to its end: exit code, stdout, stderr."""
        process = self.start(port, *arguments)
        out, err = finish(process, stdin)
        return process.returncode, out, err


def finish(process: subprocess.Popen[bytes], stdin: bytes = b"") -> tuple[str, str]:
    """Waits for the end of a run, and ends it when it hangs."""
    try:
        out, err = process.communicate(stdin, timeout=HANG)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"still running after {HANG} s: {out[-500:]!r} {err[-500:]!r}") from None
    return out.decode(), err.decode()


def expect(condition: bool, *shown: object) -> None:
    if not condition:
        raise AssertionError(" | ".join(str(item)[-2000:] for item in shown))


def text_reply(program: Program, server: tuple[str, int]) -> None:
    """A sampled text answer arrives whole."""
    code, out, err = program.run(server[1], "-p", "--no-tools", "--no-session", "hello there")
    expect(code == 0 and out.strip() != "", code, out, err)


def greedy_reply(program: Program, server: tuple[str, int]) -> None:
    """At temperature 0, stdout holds the one answer that the model has, and nothing else."""
    with Relay(server, every={"temperature": 0}) as relay:
        code, out, err = program.run(relay.port, "-p", "--no-session", "hello there")
    expect((code, out.strip()) == (0, "Hi."), code, out, err)
    expect([x.status for x in relay.exchanges] == [200], relay.exchanges)


def forced_tool_call(program: Program, server: tuple[str, int]) -> None:
    """A forced call runs through the whole loop: call, command, result, second answer."""
    with Relay(server, first={"tool_choice": "required"}, every={"temperature": 0}) as relay:
        prompt = json.dumps({"cmd": "prompt", "id": "r", "text": "look around"}).encode() + b"\n"
        code, out, err = program.run(relay.port, "--mode", "rpc", stdin=prompt)
    expect(code == 0, code, out, err)
    lines = [json.loads(line) for line in out.splitlines()]
    starts = [x for x in lines if x["type"] == "tool_execution_start"]
    ends = [x for x in lines if x["type"] == "tool_execution_end"]
    expect([(x["tool_name"], x["arguments"]) for x in starts] == [("bash", {"command": "ls"})], out)
    expect(len(ends) == 1 and not ends[0]["result"]["is_error"], out)
    expect("hello.txt" in ends[0]["result"]["content"][0]["text"], ends)
    expect([x.status for x in relay.exchanges] == [200, 200], relay.exchanges)
    roles = [message["role"] for message in relay.exchanges[1].request["messages"]]
    expect(roles[-2:] == ["assistant", "tool"], roles)
    expect(lines[-1]["type"] == "bye" and lines[-2] == {"type": "done", "id": "r"}, lines[-2:])
    last = [x for x in lines if x["type"] == "turn_end"][-1]
    expect(last["message"]["content"] == [{"type": "text", "text": "Hi."}], last)


def sampled_calls(program: Program, server: tuple[str, int]) -> None:
    """Whatever calls the sampled model makes, cut-off ones too, the request that follows is valid."""
    for seed in range(1, 13):
        first = {"seed": seed, "temperature": 1, "max_tokens": 120}
        with Relay(server, first=first, every={"temperature": 0}) as relay:
            code, out, err = program.run(relay.port, "-p", "--no-session", "look around")
        statuses = [x.status for x in relay.exchanges]
        expect(code == 0 and set(statuses) == {200}, f"seed {seed}", code, statuses, out, err)


def context_overflow(program: Program, server: tuple[str, int]) -> None:
    """A conversation over the window is reported as that, and exits with 1."""
    code, out, err = program.run(server[1], "-p", "--no-session", stdin=b"x" * 40_000)
    expect(code == 1 and out == "", code, out, err)
    expect("context" in err.lower(), err)


def compaction_that_cannot_help(program: Program, server: tuple[str, int]) -> None:
    """A message larger than the window fails after few requests, and the history stays as it was."""
    with Relay(server, every={"temperature": 0}) as relay:
        for number in range(6):
            arguments = ["-p", f"message {number}", *(["-c"] if number else [])]
            code, out, err = program.run(relay.port, *arguments)
            expect((code, out.strip()) == (0, "Hi."), number, code, out, err)
        for _ in range(3):
            before = len(relay.exchanges)
            code, out, err = program.run(relay.port, "-c", "-p", "too long", stdin=b"y" * 40_000)
            expect(code == 1 and out == "" and "context" in err.lower(), code, out, err)
            asked = [x.status for x in relay.exchanges[before:]]
            expect(len(asked) <= 4, asked)
    texts = json.dumps(session(program))
    expect(all(f"message {number}" in texts for number in range(6)), texts)


def session(program: Program) -> list[dict]:
    """Returns the messages of the program's only session."""
    (path,) = program.home.glob(".letscode/sessions/*/*.jsonl")
    return [json.loads(line)["msg"] for line in path.read_text().splitlines()]


def interrupt(program: Program, server: tuple[str, int]) -> None:
    """SIGINT in the middle of an endless answer ends the run, and the server stops its work too."""
    endless = {"ignore_eos": True, "max_tokens": 30_000, "temperature": 0}
    with Relay(server, every=endless) as relay:
        # An open pipe would be read to its end before anything is asked.
        arguments = ["-p", "--no-session", "hello there"]
        process = program.start(relay.port, *arguments, stdin=subprocess.DEVNULL)
        streaming = relay.wait_for_answer_bytes(4_000, HANG)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
        took = time.monotonic() - began
    expect(streaming, "no answer to interrupt", out, err)
    expect(process.returncode == 130, process.returncode, out, err)
    expect(took < SOON, f"took {took:.1f} s to end")
    began = time.monotonic()
    body = {"model": "bytebigram", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}
    request = urllib.request.Request(
        f"http://{server[0]}:{server[1]}/v1/chat/completions", json.dumps(body).encode()
    )
    with urllib.request.urlopen(request, timeout=HANG) as answer:
        answer.read()
    took = time.monotonic() - began
    expect(took < SOON, f"the server was busy for {took:.1f} s after the interrupt")


CHECKS = [
    text_reply,
    greedy_reply,
    forced_tool_call,
    sampled_calls,
    context_overflow,
    compaction_that_cannot_help,
    interrupt,
]


def main() -> int:
    binary = str(Path(sys.argv[1]).resolve())
    address = urlsplit(sys.argv[2])
    server = (str(address.hostname), int(address.port or 0))
    failed = 0
    for check in CHECKS:
        began = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="letscode-real-") as folder:
                check(Program(binary, Path(folder)), server)
            verdict = "ok  "
        except Exception as error:  # whatever went wrong in one check, the others are run
            failed += 1
            verdict = "FAIL"
            print(f"     {type(error).__name__}: {error}")
        print(f"{verdict} {check.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
