"""A scripted model behind an OpenAI-compatible endpoint.

Owns the answers, in the order in which they are given, and what was asked. Streamed requests are those of
the program; the others come from plugins, which ask by themselves.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]


class Model:
    """The endpoint, until it is closed."""

    def __init__(self) -> None:
        self.answers: list[Message] = []
        """The messages that the program is answered with."""
        self.verdicts: list[str] = []
        """The texts that plugins are answered with."""
        self.asked: list[dict[str, Any]] = []
        """The requests of the program."""
        self.asked_by_plugins: list[dict[str, Any]] = []
        """The requests of plugins, each with its `key`."""
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                kind, data = model.answer(body, self.headers.get("authorization", ""))
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def says(self, *texts: str) -> None:
        """Adds answers of text."""
        self.answers += [{"content": text} for text in texts]

    def calls(self, name: str, **arguments: Any) -> None:
        """Adds an answer that is one tool call."""
        function = {"name": name, "arguments": json.dumps(arguments)}
        self.answers.append({"tool_calls": [{"index": 0, "id": "call_1", "function": function}]})

    def answer(self, body: dict[str, Any], authorization: str) -> tuple[str, bytes]:
        """Returns the next answer: its type and its bytes."""
        if not body.get("stream"):
            self.asked_by_plugins.append({**body, "key": authorization.removeprefix("Bearer ")})
            message = {"role": "assistant", "content": self.verdicts.pop(0)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {"id": "v", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
            return "application/json", json.dumps(whole).encode()
        self.asked.append(body)
        message = self.answers.pop(0)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        deltas = [({"role": "assistant", **message}, None), ({}, reason)]
        chunks = [{"id": "a", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
        lines = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
        return "text/event-stream", "".join(f"data: {line}\n\n" for line in lines).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def texts(body: dict[str, Any]) -> str:
    """Returns all that a request says, as one text."""
    return json.dumps(body["messages"], ensure_ascii=False)
