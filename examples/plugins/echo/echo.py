"""A plugin for letscode without any SDK: a tool, a slash command and a hook.

To try it: copy this folder to ~/.letscode/plugins/native/echo. The protocol is described in
docs/plugin-protocol.md.
"""

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
        ],
    },
}


def write(line):
    """Writes one line of the protocol; nothing else may go to stdout."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def call_tool(line):
    text = line["arguments"]["text"]
    partial = {"content": [{"type": "text", "text": "…"}]}
    write({"type": "progress", "call": line["call"], "partial": partial})
    return {"content": [{"type": "text", "text": text}]}


def run_command(line):
    if line["name"] == "echo:ask":
        return {"text": "", "prompt": line["args"]}
    loud = line["name"] == "echo:loud"
    return {"text": line["args"].upper() if loud else line["args"]}


def before_tool_call(line):
    """Takes the word out of the arguments that must not be said again."""
    call = line["context"]["tool_call"]
    if call["name"] == "echo" and "secret" in call["arguments"].get("text", ""):
        text = call["arguments"]["text"].replace("secret", "…")
        return {"arguments": {**call["arguments"], "text": text}}
    return None


ANSWERS = {
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
        elif kind == "goodbye":
            break
        elif kind in ANSWERS:
            try:
                write({"type": "reply", "call": line["call"], "result": ANSWERS[kind](line)})
            except Exception as error:  # whatever it is, the program must hear of it
                write({"type": "reply", "call": line["call"], "error": repr(error)})


if __name__ == "__main__":
    main()
