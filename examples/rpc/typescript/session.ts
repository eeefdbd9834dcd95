// Drives a whole session with letscode_rpc.ts, and checks what comes back.
//
//   node session.js COMMAND...      for example: node session.js letscode --mode rpc
//
// Works with any model that writes more than a line when asked to; exits with 1 when something is
// not as docs/rpc.md says.

import assert from "node:assert/strict";
import { Client, CommandRefused, ProgramEnded, type Line } from "./letscode_rpc.js";

/** Milliseconds after which a run counts as hung. */
const HANG = 120_000;

const LONG = "Count from 1 to 400 in words, one number a line.";

/** Shows what happens, and lets others wait for it. */
class Screen {
  readonly events: Line[] = [];
  private waiting: (() => void)[] = [];

  take = (event: Line): void => {
    this.events.push(event);
    switch (event.type) {
      case "message_update":
        process.stdout.write(textOf(event));
        break;
      case "tool_execution_start":
        console.log(`[${event.tool_name} ${JSON.stringify(event.arguments)}]`);
        break;
      case "tool_execution_end":
        console.log(event.result.is_error ? "[failed]" : "[ok]");
        break;
      case "retry":
        console.log(`[again in ${event.delay_seconds} s: ${event.reason}]`);
        break;
      case "agent_end":
        console.log(`\n-- ${event.error ?? "the run is over"}`);
        break;
    }
    for (const wake of this.waiting.splice(0)) wake();
  };

  /** Waits until a piece of text has come behind that many events. */
  async waitForText(since: number): Promise<void> {
    while (!this.shownText(since)) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Returns the pieces of text that came behind that many events, put together. */
  shownText(since: number): string {
    return this.events.slice(since).map(textOf).join("");
  }

  /** Returns the last `agent_end`. */
  lastRun(): Line {
    const run = this.events.findLast((event) => event.type === "agent_end");
    assert(run, "no run has ended");
    return run;
  }
}

function textOf(event: Line): string {
  return event.stream_event?.type === "text_delta" ? event.stream_event.delta : "";
}

/** Returns what the messages of a role say. */
function texts(messages: Line[], role: string): string[] {
  const said = messages.filter((message) => message.role === role);
  return said.map((message) => message.content.map((part: Line) => part.text ?? "").join(""));
}

/** A prompt: its pieces, put together, are the message that is kept. */
async function prompt(client: Client, screen: Screen): Promise<void> {
  const since = screen.events.length;
  await client.call("prompt", { text: "Which files are in this folder? Look, then say it briefly." });
  const run = screen.lastRun();
  assert.equal(run.error, null);
  assert(!("aborted" in run));
  assert.notEqual(screen.shownText(since), "");
  assert.equal(screen.shownText(since), texts(run.messages, "assistant").join(""));
  assert.deepEqual((await client.call("messages")).messages, run.messages);
}

/** A message that goes in while the model is writing: the run goes on with it. */
async function steer(client: Client, screen: Screen): Promise<void> {
  const since = screen.events.length;
  const { done } = await client.begin("prompt", { text: LONG });
  await screen.waitForText(since);
  // A second prompt has to wait for the first.
  await assert.rejects(client.call("prompt", { text: "too early" }), CommandRefused);
  await client.call("steer", { text: "Stop counting and say goodbye." });
  await done;
  const said = texts(screen.lastRun().messages, "user");
  assert.deepEqual(said.slice(-2), [LONG, "Stop counting and say goodbye."]);
}

/** A run that the user stops is over at once, and is no error. */
async function abort(client: Client, screen: Screen): Promise<void> {
  const since = screen.events.length;
  const { done } = await client.begin("prompt", { text: LONG });
  await screen.waitForText(since);
  await client.call("abort");
  await done;
  const run = screen.lastRun();
  assert.deepEqual([run.aborted, run.error], [true, null]);
  assert.equal((await client.call("state")).busy, false);
}

/** Goes on from an earlier answer in a session of its own; returns the session left. */
async function fork(client: Client): Promise<string> {
  const left: string = (await client.call("state")).session.id;
  const entries: Line[] = (await client.call("tree")).entries;
  const answer = entries.findLast((entry) => entry.role === "assistant");
  const forked = await client.call("fork", { entry: answer?.entry });
  assert.notEqual(forked.session.id, left);
  await client.call("prompt", { text: "Say hello." });
  assert.equal((await client.call("state")).message_count, forked.message_count + 2);
  return left;
}

/** A summary takes the place of older messages. */
async function compact(client: Client): Promise<void> {
  const before: number = (await client.call("state")).message_count;
  const result = await client.call("compact", { bias: "what was counted" });
  assert.equal(result.error, null);
  assert(result.collapsed_count > 0);
  assert((await client.call("state")).message_count < before);
}

/** Goes back to the session that the fork left, by its number in the list. */
async function resume(client: Client, earlier: string): Promise<void> {
  const sessions: Line[] = (await client.call("sessions")).sessions;
  assert.equal(sessions.filter((item) => item.open).length, 1);
  const number = sessions.find((item) => item.session.id === earlier)?.number;
  const resumed = await client.call("resume", { session: number });
  assert.equal(resumed.session.id, earlier);
  const messages: Line[] = (await client.call("messages")).messages;
  assert.equal(messages.length, resumed.message_count);
  assert(texts(messages, "user").includes(LONG));
}

/** A program that dies fails what was open, and whatever is asked of it later. */
async function death(command: string[]): Promise<void> {
  const client = await Client.start(command, new Screen().take);
  const { done } = await client.begin("prompt", { text: LONG });
  await client.kill();
  await assert.rejects(done, ProgramEnded);
  await assert.rejects(client.call("state"), ProgramEnded);
  await assert.rejects(Client.start(["/no/such/program"], () => {}), ProgramEnded);
}

async function main(command: string[]): Promise<void> {
  const screen = new Screen();
  const client = await Client.start(command, screen.take);
  console.log(`letscode ${client.ready.letscode}, ${client.ready.protocol}`);
  try {
    await prompt(client, screen);
    await steer(client, screen);
    await abort(client, screen);
    const left = await fork(client);
    await compact(client);
    await resume(client, left);
    assert.equal(await client.close(), 0);
  } finally {
    await client.kill();
  }
  await death(command);
}

setTimeout(() => {
  console.error(`still running after ${HANG / 1000} s`);
  process.exit(1);
}, HANG).unref();
await main(process.argv.slice(2));
console.log("all as it should be");
