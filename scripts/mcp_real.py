"""The real servers that mcp-servers.sh has installed: their tables, and one that is there over HTTP."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

LIMIT = 60


def tables(folder):
    """Returns the tables of the four servers that are programs, by name."""
    modules, py = folder / "node/node_modules/@modelcontextprotocol", folder / "py/bin"
    return {
        "everything": {"command": "node", "args": [str(everything(folder)), "stdio"]},
        "filesystem": {"command": "node", "args": [str(modules / "server-filesystem/dist/index.js"), str(folder / "home")]},
        "time": {"command": str(py / "mcp-server-time"), "prefix": "clock_", "args": ["--local-timezone", "UTC"]},
        "git": {"command": str(py / "mcp-server-git")},
    }


def growing(folder):
    """Returns the table of the server on the official Python SDK."""
    script = Path(__file__).resolve().parent / "mcp_sdk_server.py"
    return {"command": str(folder / "py/bin/python3"), "args": [str(script)]}


def everything(folder):
    return folder / "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def places(folder):
    """Makes the home and the project that the servers work in, and returns the project."""
    project = folder / "project"
    (folder / "home").mkdir(exist_ok=True)
    project.mkdir(exist_ok=True)
    (project / "note.txt").write_text("the note\n")
    if not (project / ".git").exists():
        subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    return project


class Web:
    """The everything server over streamable HTTP."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(["node", everything(folder), "streamableHttp"], env={**os.environ, "PORT": str(port)},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.table = {"url": f"http://127.0.0.1:{port}/mcp"}
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=LIMIT)
