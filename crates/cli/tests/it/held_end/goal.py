# A plugin that holds the end of a run. usage: goal.py MODE
import json
import os
import sys
import threading

mode = sys.argv[1]
left = 2
told = []
wants = {"hooks": ["on_event"], "events": ["message_end"], "holds_end": True}
commands = [{"name": "goal:bye", "description": "Leaves"}]


def say(*lines):
    sys.stdout.write("".join(json.dumps(line) + "\n" for line in lines))
    sys.stdout.flush()


def write(name, text):
    with open(name + ".new", "w") as file:
        file.write(text + "\n")
    os.rename(name + ".new", name)


def register_later():
    hooks = {"hooks": ["on_event", "before_tool_call"], "holds_end": True}
    say({"type": "register", "registrations": {}, "capabilities": hooks})


def hold(call):
    global left
    done = {"type": "reply", "call": call}
    if mode == "twice" and left > 0:
        follow_up = {"cmd": "follow_up", "text": f"{left} more"}
        left -= 1
        # It waits for no answer: its lines are taken in order.
        say({"type": "command", "call": left, "command": follow_up}, done)
    elif mode == "asks" and left > 0:
        left = 0
        wanted = [
            {"type": "command", "command": {"cmd": "state"}},
            {"type": "command", "command": {"cmd": "messages"}},
            {"type": "command", "command": {"cmd": "prompt", "text": "refused"}},
            {"type": "save_message", "kind": "goal", "payload": {"left": 1}},
            {"type": "command", "command": {"cmd": "steer", "text": "left"}},
        ]
        answers = []
        for number, line in enumerate(wanted):
            say(line | {"call": number})
            answer = {}
            while answer.get("type") != "reply":
                answer = json.loads(sys.stdin.readline())
            answers.append(answer)
        write("answers", json.dumps(answers))
        say(done)
    elif mode == "hangs":
        write("held", "yes")
    elif mode == "dies":
        os._exit(3)
    else:
        say(done)


for line in sys.stdin:
    line = json.loads(line)
    kind, call = line["type"], line.get("call")
    if kind == "hello":
        hello = {"type": "hello", "protocol": "letscode-plugin/1", "name": "goal"}
        if mode == "later":
            say(hello | {"registers_later": True})
            threading.Timer(0.3, register_later).start()
        else:
            say(hello | {"capabilities": wants, "registrations": {"commands": commands}})
    elif kind == "event":
        told.append(("held " if call else "") + line["event"]["type"])
        if call:
            write("told", "\n".join(told))
            hold(call)
    elif kind == "before_tool_call":
        told.append(kind)
        say({"type": "reply", "call": call, "result": None})
    elif kind == "run_command":
        say({"type": "reply", "call": call, "result": {"text": "farewell", "exit": True}})
    elif kind == "cancel":
        write("cancelled", "yes")
    elif kind == "goodbye":
        break
