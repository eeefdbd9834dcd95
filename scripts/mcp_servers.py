"""Speaks the plugin protocol with `letscode plugin-run mcp`, which has real servers behind it.

Called by mcp-servers.sh with the program and the folder where the servers are installed. Prints a
line for each check and ends with 1 when one fails.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import mcp_real
from mcp_real import LIMIT

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
failed = False


def check(name, good, detail=""):
    global failed
    failed |= not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + (f": {str(detail)[:300]}" if detail else ""), flush=True)


class Plugin:
    """The program's side of the protocol."""

    def __init__(self, servers, cwd):
        environment = {**os.environ, "HOME": str(FOLDER / "home")}
        self.process = subprocess.Popen([PROGRAM, "plugin-run", "mcp"], cwd=cwd, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.calls, self.asked, self.progress, self.registered = 0, [], [], queue.Queue()
        self.answers, self.tools, self.commands = {}, {}, []
        self.started = time.monotonic()
        self.send(type="hello", protocol="letscode-plugin/1", letscode="0", name="mcp", cwd=str(cwd),
                  config={"servers": servers})
        threading.Thread(target=self.read, daemon=True).start()
        self.wait_registered()

    def send(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def read(self):
        for text in self.process.stdout:
            line = json.loads(text)
            if line["type"] == "register":
                self.tools = {tool["name"]: tool for tool in line["registrations"]["tools"]}
                self.commands = [command["name"] for command in line["registrations"]["commands"]]
                self.registered.put(time.monotonic() - self.started)
            elif line["type"] == "reply":
                self.answers.setdefault(line["call"], queue.Queue()).put(line)
            elif line["type"] == "progress":
                self.progress.append(line["partial"]["content"][0]["text"])
            elif line["type"] == "ui":
                self.asked.append(line["request"])
                request = line["request"]
                given = request.get("default") or (request.get("placeholder") or "3").split(",")[0]
                answer = {"confirm": True, "select": 0, "input": given}.get(request["kind"])
                self.send(type="reply", call=line["call"], result=answer)

    def wait_registered(self):
        return self.registered.get(timeout=LIMIT)

    def begin(self, **line):
        self.calls += 1
        self.answers.setdefault(self.calls, queue.Queue())
        self.send(call=self.calls, **line)
        return self.calls

    def end(self, call):
        return self.answers[call].get(timeout=LIMIT)

    def tool(self, name, **arguments):
        return self.end(self.begin(type="call_tool", tool_call_id="c", name=name, arguments=arguments))

    def text(self, name, **arguments):
        result = self.tool(name, **arguments)
        parts = (result.get("result") or {}).get("content", [])
        return " ".join(part.get("text", f"<{part['type']}>") for part in parts) + (result.get("error") or "")

    def command(self, name, args=""):
        line = self.end(self.begin(type="run_command", name=name, args=args))
        reply = line.get("result") or {}
        return reply.get("prompt") or reply.get("text") or line.get("error")

    def goodbye(self):
        started = time.monotonic()
        self.send(type="goodbye")
        self.process.wait(timeout=LIMIT)
        return time.monotonic() - started


def children(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def everything(plugin, name):
    """What the everything server can do, over either transport."""
    def tool(*words):
        return next(n for n in plugin.tools if all(w in n.lower() for w in words))
    check(f"{name}: echo", "hello" in plugin.text(tool("echo"), message="hello"))
    image = plugin.tool(tool("image"))["result"]["content"]
    check(f"{name}: a picture", any(part["type"] == "image" for part in image))
    structured = plugin.tool(tool("structured"), location="New York")["result"]
    check(f"{name}: structured content", "structured_content" in structured["details"], structured["details"])
    before = len(plugin.progress)
    text = plugin.text(tool("long", "running"), duration=1, steps=3)
    check(f"{name}: progress", len(plugin.progress) > before, [text, plugin.progress[before:]])
    check(f"{name}: prompts", any(c.startswith(f"{name}:") for c in plugin.commands), plugin.commands)
    elicitation = [n for n in plugin.tools if "elicit" in n.lower() and n.startswith(f"mcp_{name}")]
    if elicitation:
        asked = len(plugin.asked)
        text = plugin.text(elicitation[0])
        check(f"{name}: elicitation", len(plugin.asked) > asked, text)
    message = {"role": "user", "id": "u1", "content": [
        {"type": "text", "text": f"see @{name}:demo://resource/dynamic/text/1"}], "timestamp": 0, "meta": {}}
    call = plugin.begin(type="transform_context", context={"messages": [message]})
    changed = plugin.end(call)["result"]
    check(f"{name}: a named resource", changed and "resource" in changed[0]["content"][1]["text"],
          changed and changed[0]["content"][1]["text"])


def until(wanted, limit=LIMIT):
    """Waits until `wanted()` is so, and returns whether it came to that."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if wanted():
            return True
        time.sleep(0.02)
    return False


def pids(plugin, word):
    """Returns the plugin's servers in whose command line `word` stands."""
    return [child for child in children(plugin.process.pid)
            if word in Path(f"/proc/{child}/cmdline").read_text()]


def all_together(servers, project):
    alone = {}
    for name, table in servers.items():
        started = time.monotonic()
        plugin = Plugin({name: table}, project)
        alone[name] = time.monotonic() - started
        plugin.goodbye()
    started = time.monotonic()
    plugin = Plugin(servers, project)
    together = time.monotonic() - started
    slowest = max(alone, key=alone.get)
    check("all five register together", together < 3 * alone[slowest] + 1,
          f"{together:.2f} s; alone " + ", ".join(f"{n} {t:.2f} s" for n, t in alone.items()))
    print(plugin.command("mcp"))
    everything(plugin, "everything")
    everything(plugin, "web")
    check("time", "UTC" in plugin.text("clock_get_current_time", timezone="UTC"))
    check("git", "note.txt" in plugin.text("mcp_git_git_status", repo_path=str(project)))
    note = plugin.text("mcp_filesystem_read_text_file", path=str(project / "note.txt"))
    check("filesystem works in the root that it asked for", "the note" in note, note)
    legal = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    check("names and schemas are legal", all(
        set(n) <= legal and len(n) <= 64 and t["parameters"]["type"] == "object" and "$schema" not in json.dumps(t["parameters"])
        for n, t in plugin.tools.items()), f"{len(plugin.tools)} tools")
    return plugin


def cancelled(plugin, name):
    """A call that takes long is taken back; the server goes on."""
    tool = next(n for n in plugin.tools if "long" in n and n.startswith(f"mcp_{name}"))
    before = len(plugin.progress)
    call = plugin.begin(type="call_tool", tool_call_id="c", name=tool, arguments={"duration": 30, "steps": 300})
    until(lambda: len(plugin.progress) > before)
    plugin.send(type="cancel", call=call)
    check(f"{name}: a cancelled call leaves the server usable", "again" in plugin.text(f"mcp_{name}_echo", message="again"))


def killed(plugin):
    """A server is killed while a call is under way, which ends with an error; it is started again once."""
    tool = next(n for n in plugin.tools if "long" in n and n.startswith("mcp_everything"))
    before = len(plugin.progress)
    call = plugin.begin(type="call_tool", tool_call_id="c", name=tool, arguments={"duration": 30, "steps": 300})
    until(lambda: len(plugin.progress) > before)
    for again in False, True:
        for child in pids(plugin, "server-everything"):
            os.kill(child, signal.SIGKILL)
        if again:
            break
        result = plugin.end(call)["result"]
        text = result["content"][0]["text"]
        check("a server killed in the middle of a call ends it with an error", result["is_error"] and "ended" in text, text)
        text = plugin.text("mcp_everything_echo", message="back")
        check("a killed server is started again", "back" in text, text)
    once = until(lambda: "ended again" in plugin.text("mcp_everything_echo", message="back"))
    check("once", once, plugin.command("mcp").splitlines()[0])
    check("and the others go on", "UTC" in plugin.text("clock_get_current_time", timezone="UTC"))


def hung(servers, project):
    """A server that is stopped in the middle: its call ends in time, and so does the plugin."""
    plugin = Plugin({"hung": {**servers["everything"], "call_timeout": 1}}, project)
    for child in children(plugin.process.pid):
        os.kill(child, signal.SIGSTOP)
    text = plugin.text("mcp_hung_echo", message="x")
    check("a hung server's call ends with an error", "no answer within 1 s" in text, text)
    left = children(plugin.process.pid)
    took = plugin.goodbye()
    check("and a hung server does not outlive goodbye", took < 3.0 and gone(left), f"{took:.2f} s")


def growing(project):
    """A server on the official SDK: a change of its tools, and a call that it is told to stop."""
    plugin = Plugin({"sdk": mcp_real.growing(FOLDER)}, project)
    print(plugin.command("mcp"))
    text = plugin.text("mcp_sdk_grow")
    there = until(lambda: "mcp_sdk_newcomer" in plugin.tools)
    check("a tool that comes later is there after list_changed", text == "grown" and there, sorted(plugin.tools))
    text = plugin.text("mcp_sdk_newcomer")
    check("and can be called", text == "here I am", text)
    note = FOLDER / "note-of-the-call"
    note.write_text("")
    call = plugin.begin(type="call_tool", tool_call_id="c", name="mcp_sdk_wait", arguments={"note": str(note)})
    until(lambda: note.read_text() == "begun")
    plugin.send(type="cancel", call=call)
    check("a cancelled call is told to stop", until(lambda: note.read_text() == "told to stop"), note.read_text())
    plugin.goodbye()


def gone(processes):
    return until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes), 5)


def main():
    project = mcp_real.places(FOLDER)
    web = mcp_real.Web(FOLDER)
    servers = {**mcp_real.tables(FOLDER), "web": web.table}
    plugin = all_together(servers, project)
    cancelled(plugin, "everything")
    cancelled(plugin, "web")
    killed(plugin)
    left = children(plugin.process.pid)
    took = plugin.goodbye()
    check("goodbye ends all servers in time", took < 2.0 and gone(left), f"{took:.2f} s")
    hung(servers, project)
    growing(project)
    web.end()
    sys.exit(1 if failed else 0)


main()
