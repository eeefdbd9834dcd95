"""Runs `letscode -p` with real servers behind it and a scripted model before it.

Called by mcp-servers.sh with the program and the folder where the servers are installed. The model
calls one tool of each server and ends; what it is sent must hold what the servers answered. Then a run
over RPC is aborted while a server works, which must hear of it.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import mcp_real

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])


class Model(http.server.BaseHTTPRequestHandler):
    """Answers the first request with calls and the second with a word."""

    bodies = []
    calls = []

    def do_POST(self):
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if len(self.bodies) == 1:
            delta = {"tool_calls": [
                {"index": at, "id": f"c{at}", "type": "function",
                 "function": {"name": name, "arguments": json.dumps(arguments)}}
                for at, (name, arguments, _) in enumerate(self.calls)]}
            finish = "tool_calls"
        else:
            delta, finish = {"content": "done"}, "stop"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for choice in {"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": finish}:
            self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


def environment(home):
    return {**os.environ, "HOME": str(home), "OPENAI_API_KEY": "not-needed-here"}


def aborted(project, home, base):
    """Aborts a run in the middle of a call of the server on the official SDK; returns whether all went well."""
    note = FOLDER / "note-of-the-run"
    note.write_text("")
    Model.bodies.clear()
    Model.calls = [("mcp_sdk_wait", {"note": str(note)}, "")]
    program = subprocess.Popen([PROGRAM, "--mode", "rpc", *base], cwd=project, env=environment(home),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(**command):
        program.stdin.write(json.dumps(command) + "\n")
        program.stdin.flush()

    def until(text):
        end = time.monotonic() + mcp_real.LIMIT
        while note.read_text() != text and time.monotonic() < end:
            time.sleep(0.02)
        return note.read_text() == text

    send(cmd="prompt", id="r1", text="wait")
    good = until("begun")
    send(cmd="abort")
    good &= until("told to stop")
    send(cmd="bye")
    lines = [json.loads(line) for line in program.stdout]
    good &= program.wait(timeout=mcp_real.LIMIT) == 0
    good &= any(line["type"] == "agent_end" for line in lines)
    print(f"{'ok  ' if good else 'FAIL'} an abort over RPC is heard by the server: {note.read_text()!r}")
    return good


def main():
    project = mcp_real.places(FOLDER)
    web = mcp_real.Web(FOLDER)
    home = FOLDER / "home"
    lines = []
    for name, table in {**mcp_real.tables(FOLDER), "web": web.table, "sdk": mcp_real.growing(FOLDER)}.items():
        lines.append(f"[mcp.servers.{name}]")
        # JSON's texts and lists of texts are TOML's too.
        lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    (home / ".letscode").mkdir(exist_ok=True)
    (home / ".letscode/config.toml").write_text("\n".join(lines) + "\n")
    Model.calls = [
        ("mcp_everything_echo", {"message": "over stdio"}, "over stdio"),
        ("mcp_web_echo", {"message": "over http"}, "over http"),
        ("mcp_filesystem_read_text_file", {"path": str(project / "note.txt")}, "the note"),
        ("clock_get_current_time", {"timezone": "UTC"}, "UTC"),
        ("mcp_git_git_status", {"repo_path": str(project)}, "note.txt"),
        ("mcp_sdk_grow", {}, "grown"),
    ]
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    base = ["--base-url", f"http://127.0.0.1:{model.server_port}/v1", "--model", "scripted"]
    done = subprocess.run(
        [PROGRAM, "-p", *base, "go"], cwd=project, env=environment(home),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * mcp_real.LIMIT)
    good = done.stdout == "done\n" and len(Model.bodies) == 2
    print(f"{'ok  ' if good else 'FAIL'} a run with six servers: {done.stdout!r} {done.stderr!r}")
    results = [message["content"] for message in (Model.bodies[1] if good else {}).get("messages", []) if message["role"] == "tool"]
    for (name, _, expected), result in zip(Model.calls, results):
        found = expected in json.dumps(result)
        good &= found
        print(f"{'ok  ' if found else 'FAIL'} through the model: {name}: {json.dumps(result)[:200]}")
    good &= len(results) == len(Model.calls)
    good &= aborted(project, home, base)
    web.end()
    sys.exit(0 if good else 1)


main()
