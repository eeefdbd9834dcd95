"""Drives letscode-textual in a terminal; scripts/python-frontend.sh installs it before.

Its argument is the program. A model of the screen takes what comes, and the session file is looked at.
"""

import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

LIMIT = 60
# What a program that ends has to switch off again.
MODES = ["?1049", "?1000", "?1003", "?1006", "?2004", "?25"]


class Terminal:
    """The program in a terminal of its own."""

    def __init__(self, *arguments):
        self.screen = pyte.Screen(100, 30)
        self.stream = pyte.ByteStream(self.screen)
        self.output = b""
        ours, theirs = pty.openpty()
        self.ours, self.theirs = ours, theirs
        self.resize(100, 30)
        self.settings = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color"},
            preexec_fn=take_terminal,
        )

    def resize(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def send(self, keys):
        os.write(self.ours, keys.encode())

    def type_line(self, text):
        """Types as a person does: a burst could be taken for something else."""
        for key in text:
            self.send(key)
            self.take(0.01)
        self.send("\r")

    def take(self, patience):
        """Takes what comes within a time; returns whether anything did."""
        if not select.select([self.ours], [], [], patience)[0]:
            return False
        try:
            read = os.read(self.ours, 65536)
        except OSError:
            return False
        self.output += read
        self.stream.feed(read)
        return True

    def wait_for(self, what, is_there):
        end = time.monotonic() + LIMIT
        while not is_there():
            if time.monotonic() > end:
                sys.exit(f"{what} did not come up; the screen:\n" + "\n".join(self.screen.display))
            self.take(0.1)

    def wait_for_text(self, text):
        self.wait_for(text, lambda: any(text in row for row in self.screen.display))

    def wait_for_end(self):
        """Returns the exit code, when the terminal is as it was."""
        self.wait_for("the end", lambda: self.process.poll() is not None)
        while self.take(0.2):
            pass
        now = termios.tcgetattr(self.theirs)
        check(now == self.settings, "the settings of the terminal", now, self.settings)
        for mode in MODES:
            on, off = (f"\x1b[{mode}{end}".encode() for end in ("lh" if mode == "?25" else "hl"))
            check(self.output.rfind(on) <= self.output.rfind(off), f"mode {mode}", "on", "off")
        return self.process.returncode


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def check(is_good, what, found, wanted):
    if not is_good:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def messages():
    """Returns the messages of the one session."""
    files = list(pathlib.Path.home().glob(".letscode/sessions/*/*.jsonl"))
    lines = files[0].read_text().splitlines() if files else []
    records = [json.loads(line) for line in lines if line]
    return [record["msg"] for record in records if record.get("msg")]


def prompts():
    """Returns the texts that were sent, and how many of them were answered to the end."""
    said = messages()
    sent = [message["content"][0]["text"] for message in said if message["role"] == "user"]
    ends = [each for each in said if each["role"] == "assistant" and not each.get("tool_calls")]
    return sent, len(ends)


def check_session():
    said = messages()
    ids = [message["id"] for message in said]
    check(len(ids) == len(set(ids)), "ids", ids, "each once")
    check(prompts() == (["show me around", "once more"], 2), "prompts", prompts(), "both, answered")
    called = [call["id"] for each in said for call in each.get("tool_calls") or []]
    results = [each["tool_call_id"] for each in said if each["role"] == "tool"]
    check(called and called == results, "results", results, called)


def main(program):
    start = [program, "--model", "demo", "--frontend", "textual"]
    terminal = Terminal(*start)
    terminal.wait_for_text("Type a message")
    terminal.type_line("show me around")
    terminal.wait_for_text("the whole tour")
    terminal.wait_for("the answer in the session", lambda: prompts()[1] == 1)
    terminal.resize(80, 24)
    edge = lambda: terminal.screen.display[1].rstrip().endswith("╮")
    terminal.wait_for("the new size", lambda: terminal.screen.columns == 80 and edge())
    terminal.type_line("/help")
    terminal.wait_for_text("Show or hide the line below the answers")
    terminal.type_line("once more")
    terminal.wait_for("the second answer", lambda: prompts()[1] == 2)
    terminal.wait_for_text("the whole tour")
    terminal.type_line("/quit")
    code = terminal.wait_for_end()
    check(code == 0, "exit code", code, 0)
    check_session()
    print("two prompts, a slash command, another size: ok")

    terminal = Terminal(*start, "-c")
    terminal.wait_for_text("Type a message")
    children = subprocess.run(
        ["pgrep", "-P", str(terminal.process.pid)], capture_output=True, text=True, check=True
    )
    for child in children.stdout.split():
        os.kill(int(child), signal.SIGKILL)
    code = terminal.wait_for_end()
    check(code == 1, "exit code", code, 1)
    check(b"the front end textual failed" in terminal.output, "the last line", "nothing", "why")
    check_session()
    print("a crash: ok")


main(sys.argv[1])
