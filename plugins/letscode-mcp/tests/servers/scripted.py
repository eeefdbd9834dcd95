#!/usr/bin/env python3
"""A server of the Model Context Protocol that does as its options and its tools' names say.

For tests. Speaks over stdin and stdout with nothing but the standard library.
"""

import argparse
import http.server
import json
import os
import ssl
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--protocol", default="2025-11-25", help="the newest version it speaks")
parser.add_argument("--log", help="append the method of each message to this file")
parser.add_argument("--die-on-probe", action="store_true", help="end at server/discover")
parser.add_argument("--late-probe", action="store_true", help="answer server/discover after initialize")
parser.add_argument("--die-at-start", help="say this on stderr and end")
parser.add_argument("--die-once", help="die in tool die only while this file is missing")
parser.add_argument("--hang-at-start", action="store_true", help="answer nothing")
parser.add_argument("--bad-json", action="store_true", help="write rubbish between the lines")
parser.add_argument("--http", action="store_true", help="serve HTTP, and say on stdout at which port")
parser.add_argument("--leak", action="store_true", help="say SECRET_KEY wherever something can be said")
parser.add_argument("--oauth", action="store_true", help="offer to sign in where a key is missing")
parser.add_argument("--pem", help="serve HTTPS with the certificate and the key in this file")
parser.add_argument("--tools", type=int, default=0, help="this many more tools, in pages of ten")
options = parser.parse_args()

SECRET = os.environ.get("SECRET_KEY", "") if options.leak else ""
MODERN = options.protocol >= "2026-07-28"
INFO = {"name": "scripted", "version": "1"}
CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {},
    "prompts": {"listChanged": True},
    "logging": {},
}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
PLAIN = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
tools = {
    "echo": TEXT,
    "add/numbers": {"type": "object", "properties": {"a": {"type": ["integer", "null"]}}},
}
for name in "picture structured progress ask roots hang die change env fail huge odd input".split():
    tools[name] = PLAIN
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
subscribed = {}
late = []
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def send(message):
    if options.bad_json:
        sys.stdout.write("this is no JSON\n{\"neither\": \"is this\n")
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def read():
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        if options.log:
            with open(options.log, "a", encoding="utf-8") as log:
                params = message.get("params") or {}
                log.write(f"{message.get('method', 'answer')} {params.get('reason', '')}\n")
        return message
    raise SystemExit(0)


def ask(method, params):
    send({"id": "q1", "method": method, "params": params})
    while True:
        message = read()
        if message.get("id") == "q1" and "method" not in message:
            return message.get("result", message.get("error"))


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def call(request):
    params = request["params"]
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "echo":
        return text(arguments.get("text", ""))
    if name == "add/numbers":
        return text(json.dumps(arguments))
    if name == "picture":
        return {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]}
    if name == "structured":
        return {"content": [], "structuredContent": {"answer": 42}}
    if name == "progress":
        token = params["_meta"]["progressToken"]
        for step in range(1, 4):
            progress = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}{SECRET}"}
            send({"method": "notifications/progress", "params": progress})
        # A question and its answer, so that the progress is there before the call is over.
        if not MODERN:
            ask("roots/list", {})
        return text("done")
    if name == "ask":
        schema = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
        params = {"message": "Which colour?" + SECRET, "requestedSchema": schema}
        return text(json.dumps(ask("elicitation/create", params)))
    if name == "input":
        given = params.get("inputResponses")
        if given:
            return text(json.dumps([given, params.get("requestState")]))
        schema = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
        request = {"method": "elicitation/create", "params": {"mode": "form", "message": "Which?", "requestedSchema": schema}}
        return {"resultType": "input_required", "inputRequests": {"one": request}, "requestState": "s1"}
    if name == "roots":
        return text(json.dumps(ask("roots/list", {})))
    if name == "hang":
        return None
    if name == "die":
        if not (options.die_once and os.path.exists(options.die_once)):
            if options.die_once:
                open(options.die_once, "w", encoding="utf-8").close()
            print("I am dying", file=sys.stderr, flush=True)
            os._exit(7)
        return text("alive")
    if name == "change":
        tools["newcomer"] = PLAIN
        send({"method": "notifications/tools/list_changed", "params": {"_meta": subscribed}})
        return text("changed")
    if name == "env":
        return text(" ".join(sorted(os.environ)) + " " + os.environ.get("SECRET_KEY", ""))
    if name == "fail":
        return text("that went wrong", isError=True)
    if name == "huge":
        return text("x" * 300_000)
    if name == "odd":
        return {"content": [{"type": "hologram", "text": "odd"}, {"type": "text", "text": "good"}]}
    if name == "newcomer":
        return text("hello")
    raise ValueError(f"no tool {name}")


def answer(request):
    method, params = request["method"], request.get("params") or {}
    if method == "server/discover":
        if not MODERN:
            raise ValueError("no such method")
        return {"supportedVersions": [options.protocol], "capabilities": CAPABILITIES,
                "ttlMs": 0, "cacheScope": "private"}
    if method == "initialize":
        if MODERN:
            raise ValueError("that is how it was done")
        return {"protocolVersion": options.protocol, "capabilities": CAPABILITIES, "serverInfo": INFO}
    if method == "tools/list":
        more = {f"extra_{n}": PLAIN for n in range(options.tools)}
        every = list({**tools, **more}.items())
        size = 10 if options.tools else len(every)
        start = int(params.get("cursor") or 0)
        page = {"tools": [{"name": name, "description": f"Does {name}.{SECRET}", "inputSchema": schema}
                          for name, schema in every[start:start + size]]}
        if start + size < len(every):
            page["nextCursor"] = str(start + size)
        return page
    if method == "tools/call":
        return call(request)
    if method == "prompts/list":
        arguments = [{"name": "name", "required": True}, {"name": "style"}]
        return {"prompts": [{"name": "greet", "description": "Greets" + SECRET, "arguments": arguments}]}
    if method == "prompts/get":
        return {"messages": [{"role": "user", "content": {
            "type": "text", "text": "Greet " + json.dumps(params.get("arguments"))}}]}
    if method == "resources/read":
        if params["uri"] == "test://missing":
            raise ValueError("no such resource")
        return {"contents": [{"uri": params["uri"], "text": "what is inside"}]}
    if method == "subscriptions/listen":
        subscribed[SUBSCRIPTION] = request["id"]
        wanted = {"notifications": params["notifications"], "_meta": subscribed}
        send({"method": "notifications/subscriptions/acknowledged", "params": wanted})
        return None
    raise ValueError(f"no method {method}")


CHALLENGE = 'Bearer resource_metadata="https://h/.well-known/x"' if options.oauth else "Bearer"


class Http(http.server.BaseHTTPRequestHandler):
    """Each request is answered by a document; there are no streams."""

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/page":
            return self.reply(200, None, ("Content-Type", "text/html"))
        if self.path != "/mcp":
            return self.reply(404, None)
        if self.headers.get("Authorization") != "Bearer tok-1234567890":
            return self.reply(401, None, ("WWW-Authenticate", CHALLENGE))
        if "id" not in message:
            return self.reply(202, None)
        try:
            body = {"result": answer(message)}
        except ValueError as error:
            body = {"error": {"code": -32601, "message": str(error)}}
        return self.reply(200, {"jsonrpc": "2.0", "id": message["id"], **body})

    def do_GET(self):
        self.reply(405, None)

    def do_DELETE(self):
        self.reply(405, None)

    def reply(self, status, body, *headers):
        data = json.dumps(body).encode() if body else b""
        self.send_response(status)
        plain = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        for name, value in {**plain, **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    if options.http:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Http)
        if options.pem:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.pem)
            # Only when a connection is read from is it known whether the client trusts us.
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_port, flush=True)
        return server.serve_forever()
    print("SECRET_KEY is " + os.environ.get("SECRET_KEY", "unset"), file=sys.stderr, flush=True)
    if options.die_at_start:
        print(options.die_at_start, file=sys.stderr, flush=True)
        raise SystemExit(3)
    while True:
        message = read()
        if "method" not in message or "id" not in message or options.hang_at_start:
            continue
        if message["method"] == "server/discover" and options.die_on_probe:
            raise SystemExit(1)
        if message["method"] == "server/discover" and options.late_probe:
            late.append(message["id"])
            continue
        for probe in late:
            send({"id": probe, "error": {"code": -32601, "message": "no such method"}})
        late.clear()
        try:
            result = answer(message)
        except ValueError as error:
            code = -32601 if message["method"] != "tools/call" else -32602
            send({"id": message["id"], "error": {"code": code, "message": str(error)}})
            continue
        if result is not None:
            if MODERN:
                result = {"resultType": "complete", **result}
            send({"id": message["id"], "result": result})


main()
