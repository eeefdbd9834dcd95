// A client of `letscode --mode rpc`: one file to copy, for Node 20 or later, without dependencies.
//
//   const client = await Client.start(["letscode", "--mode", "rpc"], (event) => show(event));
//   await client.call("prompt", { text: "what is in this folder?" });
//   await client.close();
//
// To compile it: npm install && npx tsc, with the package.json and tsconfig.json beside it.
// The protocol is described in docs/rpc.md.

import { spawn, type ChildProcessByStdio, type SpawnOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";

const PROTOCOL = "letscode-rpc/1";

/** The longest line that the program takes, in bytes. */
const LONGEST_COMMAND = 64 * 1024 * 1024;

/** One line of the protocol; `schema/` in letscode's repository has the types. */
export type Line = { type: string; [field: string]: any };

/** The program answered a command with an error. */
export class CommandRefused extends Error {}

/** The program is gone, or cannot be spoken with; what was open gets no answer. */
export class ProgramEnded extends Error {}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** One running program. Use `Client.start`, not the constructor. */
export class Client {
  /** The first line: version and features of the program. */
  ready: Line = { type: "" };
  /** Fulfilled with the exit code when the program has ended: `null` after a signal. */
  readonly ended: Promise<number | null>;

  private readonly requests = new Map<string, Request>();
  private readonly first = promise<Line>();
  private lastId = 0;
  private saidBye = false;
  private why: string | undefined;

  private constructor(
    private readonly child: Child,
    private readonly onEvent: (event: Line) => void,
  ) {
    this.ended = new Promise((resolve) => {
      // `close` comes when stdout is at its end too; nothing comes after it.
      child.on("close", (code, signal) => {
        const how = this.saidBye ? "ended" : "ended without a good-bye";
        this.failAll(this.why ?? `letscode ${how}, ${signal ?? `exit code ${code}`}`);
        resolve(code);
      });
    });
    // Without these, a program that cannot be started or is gone would end ours.
    child.on("error", (error) => this.failAll(`letscode cannot be run: ${error.message}`));
    child.stdin.on("error", () => {});
    this.readLines();
  }

  /** Starts the program and agrees on the protocol. Its stderr is ours. */
  static async start(
    command: string[],
    onEvent: (event: Line) => void,
    options: Pick<SpawnOptions, "cwd" | "env"> = {},
  ): Promise<Client> {
    const [program = "letscode", ...args] = command;
    const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    const client = new Client(child, onEvent);
    try {
      client.ready = await client.first.promise;
      if (client.ready.type !== "ready") {
        // An `error` in its place says why, for example that there is no key.
        throw new ProgramEnded(`letscode did not start: ${client.ready.error}`);
      }
      // With "delta" a long answer costs its length, not its length squared.
      await client.call("hello", { protocol: PROTOCOL, updates: "delta" });
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
    return client;
  }

  /**
   * Sends a command and waits until it is accepted; `done` is its result.
   * Throws CommandRefused or ProgramEnded.
   */
  async begin(cmd: string, fields: object = {}): Promise<{ done: Promise<any> }> {
    const request = this.send(cmd, fields);
    await request.accepted.promise;
    return { done: request.result.promise };
  }

  /** Sends a command and waits for its result: for a prompt until the run is over. */
  call(cmd: string, fields: object = {}): Promise<any> {
    return this.send(cmd, fields).result.promise;
  }

  /** Lets the program end in good order, and returns its exit code. */
  async close(patienceMs = 10_000): Promise<number | null> {
    const giveUp = new AbortController();
    const bye = this.call("bye").then(() => this.ended).catch(() => {});
    await Promise.race([bye, sleep(patienceMs, undefined, { signal: giveUp.signal }).catch(() => {})]);
    giveUp.abort();
    return this.kill();
  }

  /** Ends the program if it still runs, and returns its exit code. */
  kill(): Promise<number | null> {
    this.child.kill("SIGKILL");
    return this.ended;
  }

  private send(cmd: string, fields: object): Request {
    const request: Request = { accepted: promise(), result: promise() };
    if (this.why !== undefined) {
      fail(request, new ProgramEnded("letscode has ended"));
      return request;
    }
    const id = `r${++this.lastId}`;
    const line = JSON.stringify({ cmd, id, ...fields });
    if (Buffer.byteLength(line) > LONGEST_COMMAND) {
      // The program would skip it, and could not say whose it was.
      fail(request, new CommandRefused(`the command is longer than ${LONGEST_COMMAND} bytes`));
      return request;
    }
    this.requests.set(id, request);
    this.child.stdin.write(line + "\n");
    return request;
  }

  /** Cuts stdout at `\n` alone: other line ends may stand inside of a JSON text. */
  private readLines(): void {
    const decoder = new StringDecoder("utf8");
    let open: string[] = [];
    this.child.stdout.on("data", (bytes: Buffer) => {
      const parts = decoder.write(bytes).split("\n");
      const rest = parts.pop() ?? "";
      for (const part of parts) {
        const line = open.join("") + part;
        open = [];
        if (line.trim() !== "") this.takeText(line);
      }
      open.push(rest);
    });
  }

  private takeText(text: string): void {
    let line: Line;
    try {
      line = JSON.parse(text);
    } catch {
      this.failAll(`letscode sent a line that is no JSON: ${text.slice(0, 200)}`);
      return;
    }
    this.take(line);
  }

  private take(line: Line): void {
    if (this.ready.type === "") {
      this.ready = line;
      this.first.resolve(line);
    } else if (line.type === "bye") {
      this.saidBye = true;
    } else if (line.type === "ack") {
      this.requests.get(line.id)?.accepted.resolve(undefined);
    } else if (line.type === "done") {
      this.requests.get(line.id)?.result.resolve(line.result);
      this.requests.delete(line.id);
    } else if (line.type === "error" && this.requests.has(line.id)) {
      const request = this.requests.get(line.id);
      this.requests.delete(line.id);
      if (request) fail(request, new CommandRefused(line.error));
    } else {
      // Among these are errors that answer no command of ours: of a run, or of a line that the
      // program could not read (`"id": null`).
      this.onEvent(line);
    }
  }

  private failAll(why: string): void {
    this.why ??= why;
    const error = new ProgramEnded(this.why);
    this.first.reject(error);
    for (const request of this.requests.values()) fail(request, error);
    this.requests.clear();
  }
}

/** A command on its way: `accepted` comes with the `ack`, `result` with the `done`. */
type Request = { accepted: Deferred<undefined>; result: Deferred<any> };

type Deferred<T> = {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
};

function promise<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const made = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  made.catch(() => {}); // Not everybody waits for both of a request.
  return { promise: made, resolve, reject };
}

function fail(request: Request, error: Error): void {
  request.accepted.reject(error);
  request.result.reject(error);
}
