#!/usr/bin/env python3
"""A plugin for letscode without any SDK: a tool, slash commands and a hook.

To try it: `letscode install ./examples/plugins/echo/echo.py`. docs/plugins/any-language.md goes
through it, and docs/plugin-protocol.md is the protocol.
"""

import itertools
import json
import sys

PROTOCOL = "letscode-plugin/1"

HELLO = {
    "type": "hello",
    "protocol": PROTOCOL,
    "name": "echo",
    "version": "1.0.0",
    "capabilities": {"hooks": ["before_tool_call"]},
    "registrations": {
        "tools": [
            {
                "name": "echo",
                "description": "Says a text again.",
                "parameters": {
                    "type": "object",
                    "properties": {"text": {"type": "string", "description": "The text"}},
                    "required": ["text"],
                },
            }
        ],
        "commands": [
            {"name": "echo", "description": "Say something again", "usage": "TEXT"},
            {"name": "echo:loud", "description": "Say something again, loudly", "usage": "TEXT"},
            {"name": "echo:ask", "description": "Send something to the model", "usage": "TEXT"},
            {"name": "echo:pick", "description": "Say one of several words", "usage": "WORD..."},
        ],
    },
}

# Our own calls are numbered. A question that is open: which call waits for it, and the words.
numbers = itertools.count(1)
questions = {}


def write(line):
    """Writes one line of the protocol; nothing else may go to stdout."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def reply(call, result):
    write({"type": "reply", "call": call, "result": result})


def call_tool(line):
    partial = {"content": [{"type": "text", "text": "…"}]}
    write({"type": "progress", "call": line["call"], "partial": partial})
    reply(line["call"], {"content": [{"type": "text", "text": line["arguments"]["text"]}]})


def run_command(line):
    name, args = line["name"], line["args"]
    if name == "echo:pick":
        ask(line["call"], args.split())
    elif name == "echo:ask":
        reply(line["call"], {"text": "", "prompt": args})
    else:
        reply(line["call"], {"text": args.upper() if name == "echo:loud" else args})


def ask(call, words):
    """Has the user choose. The answer comes later: until then other lines are read."""
    if not words:
        raise ValueError("there is nothing to choose from")
    number = next(numbers)
    questions[number] = (call, words)
    request = {"kind": "select", "text": "Which one?", "options": words}
    write({"type": "ui", "call": number, "request": request})


def answered(line):
    call, words = questions.pop(line["call"])
    place = line.get("result")
    reply(call, {"text": "nothing was chosen" if place is None else words[place]})


def before_tool_call(line):
    """Takes the word out of the arguments that must not be said again."""
    call = line["context"]["tool_call"]
    result = None
    if call["name"] == "echo" and "secret" in call["arguments"].get("text", ""):
        text = call["arguments"]["text"].replace("secret", "…")
        result = {"arguments": {**call["arguments"], "text": text}}
    reply(line["call"], result)


CALLS = {
    "call_tool": call_tool,
    "run_command": run_command,
    "before_tool_call": before_tool_call,
}


def main():
    for text in sys.stdin:
        line = json.loads(text)
        kind = line["type"]
        if kind == "hello":
            write(HELLO)
        elif kind == "reply":
            answered(line)
        elif kind == "goodbye":
            break
        elif kind in CALLS:
            try:
                CALLS[kind](line)
            except Exception as error:  # whatever it is, who waits must hear of it
                write({"type": "reply", "call": line["call"], "error": str(error)})
        # Other kinds of lines are not for us, or newer than we are.


if __name__ == "__main__":
    main()
