"""A relay in front of an HTTP server: adds fields to JSON requests, forwards answers byte for byte.

Each client connection carries one request; the answer's bytes are passed on as they come, and when
the client hangs up the server's connection is closed at once. Standard library only.
"""

from __future__ import annotations

import json
import select
import socket
import threading
from dataclasses import dataclass, field


@dataclass
class Exchange:
    """One request and what came back for it."""

    request: dict
    answer: bytearray = field(default_factory=bytearray)
    """The answer's bytes so far, head included."""

    @property
    def status(self) -> int:
        """The answer's HTTP status; 0 while there is none."""
        line = bytes(self.answer).split(b"\r\n", 1)[0].split()
        return int(line[1]) if len(line) > 1 else 0


class Relay:
    """Listens on a free loopback port.

    `every` is merged into all requests, `first` into the first one, where it wins.
    """

    def __init__(self, server: tuple[str, int], first: dict | None = None, every: dict | None = None):
        self.server = server
        self.first = first or {}
        self.every = every or {}
        self.exchanges: list[Exchange] = []
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]

    def __enter__(self) -> "Relay":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def wait_for_answer_bytes(self, count: int, timeout: float) -> bool:
        """Waits until the last answer has at least `count` bytes."""
        with self.changed:
            return self.changed.wait_for(
                lambda: bool(self.exchanges) and len(self.exchanges[-1].answer) >= count, timeout
            )

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            read = read_request(client)
            if read is None:
                return
            head, body = read
            exchange = None
            if body:
                with self.changed:
                    added = self.every | (self.first if not self.exchanges else {})
                    exchange = Exchange(json.loads(body) | added)
                    self.exchanges.append(exchange)
                body = json.dumps(exchange.request).encode()
            with socket.create_connection(self.server) as server:
                server.sendall(with_length(head, len(body)) + body)
                self._pump(server, client, exchange)

    def _pump(self, server: socket.socket, client: socket.socket, exchange: Exchange | None) -> None:
        while True:
            ready, _, _ = select.select([server, client], [], [])
            if client in ready:
                return  # The client hung up: nothing else comes from it during an answer.
            data = server.recv(65536)
            if not data:
                return
            if exchange is not None:
                with self.changed:
                    exchange.answer += data
                    self.changed.notify_all()
            try:
                client.sendall(data)
            except OSError:
                return


def read_request(client: socket.socket) -> tuple[list[bytes], bytes] | None:
    """Reads one request: its head's lines and its body. `None` where the client sent none."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.split(b"\r\n")
    fields = {k.strip().lower(): v.strip() for k, _, v in (x.partition(b":") for x in lines[1:])}
    if b"transfer-encoding" in fields:
        raise ValueError("a request body without a content-length")
    length = int(fields.get(b"content-length", b"0"))
    while len(body) < length:
        more = client.recv(65536)
        if not more:
            return None
        body += more
    return lines, body


def with_length(lines: list[bytes], length: int) -> bytes:
    """Returns the head with the new length, for a connection that carries nothing more."""
    replaced = (b"content-length", b"connection")
    kept = [x for x in lines if x.partition(b":")[0].strip().lower() not in replaced]
    return b"\r\n".join([*kept, b"Content-Length: %d" % length, b"Connection: close", b"", b""])
