"""Speaks the plugin protocol with `letscode plugin-run mcp`, which has real servers behind it.

Called by mcp-servers.sh with the program and the folder where the servers are installed. Prints a
line for each check and ends with 1 when one fails.
"""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
LIMIT = 60
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


def main():
    project = FOLDER / "project"
    (FOLDER / "home").mkdir(exist_ok=True)
    project.mkdir(exist_ok=True)
    (project / "note.txt").write_text("the note\n")
    if not (project / ".git").exists():
        subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    modules, py = FOLDER / "node/node_modules/@modelcontextprotocol", FOLDER / "py/bin"
    every = modules / "server-everything/dist/index.js"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    http = subprocess.Popen(["node", every, "streamableHttp"], env={**os.environ, "PORT": str(port)},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
        except urllib.error.HTTPError:
            break
        except OSError:
            time.sleep(0.1)
    servers = {
        "everything": {"command": "node", "args": [str(every), "stdio"]},
        "filesystem": {"command": "node", "args": [str(modules / "server-filesystem/dist/index.js"), str(FOLDER / "home")]},
        "time": {"command": str(py / "mcp-server-time"), "prefix": "clock_", "args": ["--local-timezone", "UTC"]},
        "git": {"command": str(py / "mcp-server-git")},
        "web": {"url": f"http://127.0.0.1:{port}/mcp"},
    }
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
    # A call that takes long is taken back; the server goes on.
    long = next(n for n in plugin.tools if "long" in n and n.startswith("mcp_everything"))
    call = plugin.begin(type="call_tool", tool_call_id="c", name=long, arguments={"duration": 30, "steps": 60})
    time.sleep(0.5)
    plugin.send(type="cancel", call=call)
    check("a cancelled call leaves the server usable", "again" in plugin.text("mcp_everything_echo", message="again"))
    # A killed server is started again once.
    for child in children(plugin.process.pid):
        if "server-filesystem" in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(child, signal.SIGKILL)
    time.sleep(0.3)
    # Which folders it allows depends on whether it has asked for its roots again by now.
    allowed = plugin.text("mcp_filesystem_list_allowed_directories")
    check("a killed server is started again", str(FOLDER) in allowed, allowed)
    left = children(plugin.process.pid)
    took = plugin.goodbye()
    time.sleep(0.2)
    alive = [pid for pid in left if Path(f"/proc/{pid}").exists()]
    check("goodbye ends all servers in time", took < 2.0 and not alive, f"{took:.2f} s")
    # A hung server's call ends with an error.
    plugin = Plugin({"hung": {**servers["everything"], "call_timeout": 1}}, project)
    for child in children(plugin.process.pid):
        os.kill(child, signal.SIGSTOP)
    text = plugin.text("mcp_hung_echo", message="x")
    check("a hung server's call ends with an error", "no answer within 1 s" in text, text)
    plugin.goodbye()
    http.terminate()
    http.wait(timeout=LIMIT)
    sys.exit(1 if failed else 0)


main()
