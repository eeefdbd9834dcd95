"""A plugin without any SDK whose slash command sends the commands of its argument, one after the other,
and answers with the errors that it got."""

import json
import sys

tries = json.loads(sys.argv[1])
errors = []
asked = None


def write(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def go_on():
    if len(errors) < len(tries):
        write(type="command", call=len(errors) + 1, command=tries[len(errors)])
    else:
        write(type="reply", call=asked, result={"text": json.dumps(errors)})


for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "hello":
        commands = [{"name": "asks", "description": "", "usage": ""}]
        write(
            type="hello",
            protocol=line["protocol"],
            name="asks",
            capabilities={},
            registrations={"commands": commands},
        )
    elif line["type"] == "run_command":
        asked = line["call"]
        go_on()
    elif line["type"] == "reply":
        errors.append(line.get("error"))
        go_on()
