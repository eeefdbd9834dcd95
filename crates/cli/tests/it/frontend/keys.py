"""A plugin without any SDK whose front end does what keys ask for.

Its argument is how it takes them: `raw`, one by one on a screen of its own, or `lines`. A second one is a
file that it waits for before it says hello.
"""

import json
import os
import queue
import sys
import termios
import threading
import time
import tty

MODES = "\x1b[?1049h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1h\x1b[?25l\x1b[>1u\x1b[31m"
UNSET = "\x1b[m\x1b[<1u\x1b[?25h\x1b[?1l\x1b[?1006l\x1b[?1003l\x1b[?2004l\x1b[?1049l"

writing = threading.Lock()
waiting = {}
texts = []
terminal = None


def write(**line):
    with writing:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def ask(**line):
    """Asks the program and returns its answer, a whole line."""
    number = len(waiting) + 1
    waiting[number] = queue.Queue()
    write(call=number, **line)
    return waiting[number].get()


def command(cmd, **fields):
    return ask(type="command", command={"cmd": cmd, **fields}).get("result")


def show(text):
    os.write(terminal, (text + "\r\n").encode())


def run(call, is_raw):
    global terminal
    terminal = os.open(os.environ["LETSCODE_TERMINAL"], os.O_RDWR | os.O_NOCTTY)
    found = termios.tcgetattr(terminal)
    if is_raw:
        tty.setraw(terminal)
        os.write(terminal, MODES.encode())
    messages = command("messages")["messages"]
    show(f"ready {command('state')['model']} with {len(messages)} messages")
    while True:
        key = os.read(terminal, 80).strip().decode()
        if key == "p":
            command("prompt", text="hello")
            show(f"said {texts[-1]}")
        elif key == "b":
            threading.Thread(target=command, args=("prompt",), kwargs={"text": "hello"}).start()
        elif key == "u":
            request = {"kind": "confirm", "title": "", "text": "sure?"}
            show(f"declined {ask(type='ui', request=request).get('result')}")
        elif key == "n":
            write(type="ui", request={"kind": "notify", "text": "a notice", "level": "info"})
            os.write(2, b"a line of the log\n")
            command("state")
            show("noted")
        elif key == "s":
            show(f"size {os.get_terminal_size(terminal).columns}")
        elif key == "t":
            answer = ask(type="command", command={"cmd": "run_command", "text": "/trust on"})
            show(f"trust {answer.get('error')}")
            typed = {"cmd": "prompt", "text": "/tools", "expand": True}
            show(f"typed {ask(type='command', command=typed).get('error')}")
        elif key == "x":
            os._exit(3)
        elif key == "e":
            return write(type="reply", call=call, error="it broke")
        elif key in ("q", "w"):
            if is_raw:
                os.write(terminal, UNSET.encode())
                termios.tcsetattr(terminal, termios.TCSANOW, found)
            return write(type="reply", call=call, result={"exit_code": 7 if key == "q" else 999})


def main():
    if len(sys.argv) > 2:
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
    for text in sys.stdin:
        line = json.loads(text)
        kind = line["type"]
        if kind == "hello":
            write(
                type="hello",
                protocol=line["protocol"],
                name="keys",
                capabilities={"hooks": ["on_event"], "events": ["message_end", "agent_end"]},
                registrations={"frontends": [{"name": "keys"}]},
            )
        elif kind == "run_frontend":
            is_raw = sys.argv[1] == "raw"
            threading.Thread(target=run, args=(line["call"], is_raw), daemon=True).start()
        elif kind == "event" and line["event"]["type"] == "message_end":
            content = line["event"]["message"]["content"]
            texts.append("".join(part.get("text", "") for part in content))
        elif kind == "event" and terminal is not None:
            show(f"ended aborted={line['event'].get('aborted')}")
        elif kind == "reply":
            waiting[line["call"]].put(line)
    # It neither heeds that the terminal is taken back nor the goodbye.
    while True:
        time.sleep(60)


main()
