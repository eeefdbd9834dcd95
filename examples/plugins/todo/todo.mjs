#!/usr/bin/env node
// A plugin for letscode in JavaScript, without any SDK or package: a to-do list for the model.
//
// The model keeps the list with a tool. A hook reminds it of what is open behind each file that it
// changes, and with /todo the user looks at the list and ticks something off. The list lives as long
// as the process.
//
// To try it: `letscode install ./examples/plugins/todo/todo.mjs`. docs/plugin-protocol.md is the
// protocol.

import { createInterface } from "node:readline";

const HELLO = {
  type: "hello",
  protocol: "letscode-plugin/1",
  name: "todo",
  version: "1.0.0",
  capabilities: { hooks: ["after_tool_call"] },
  registrations: {
    tools: [
      {
        name: "todo",
        description: "Keeps the list of what is to be done. Answers with the list.",
        parameters: {
          type: "object",
          properties: {
            add: { type: "array", items: { type: "string" }, description: "What is to be done" },
            done: { type: "array", items: { type: "string" }, description: "What is done now" },
          },
        },
        // Two calls at once would read the same list.
        execution_mode: "sequential",
      },
    ],
    commands: [{ name: "todo", description: "Show what is to be done, and tick one off" }],
  },
};

/** What is to be done, each with whether it is. */
const items = [];

const open = () => items.filter((item) => !item.done).map((item) => item.text);
const shown = () => items.map((item) => `[${item.done ? "x" : " "}] ${item.text}`).join("\n");
const text = (content) => [{ type: "text", text: content }];

/** The calls of ours that wait for a reply, by number. */
const waiting = new Map();
let last = 0;

/** Writes one line of the protocol; nothing else may go to stdout. */
const write = (line) => process.stdout.write(JSON.stringify(line) + "\n");

/** Asks the user for one of `options`: its place, or null where the user declines. */
function select(question, options) {
  const call = ++last;
  write({ type: "ui", call, request: { kind: "select", text: question, options } });
  return new Promise((resolve) => waiting.set(call, resolve));
}

function finish(what) {
  const item = items.find((item) => item.text === what && !item.done);
  if (!item) throw new Error(`there is no open item ${JSON.stringify(what)}`);
  item.done = true;
}

const calls = {
  call_tool({ arguments: { add = [], done = [] } }) {
    items.push(...add.map((text) => ({ text, done: false })));
    done.forEach(finish);
    return { content: text(shown() || "nothing is to be done") };
  },

  async run_command() {
    if (open().length === 0) return { text: shown() || "nothing is to be done" };
    const choices = open();
    const place = await select("Done?", choices);
    if (place !== null) finish(choices[place]);
    return { text: shown() };
  },

  after_tool_call({ context: { tool_call, result } }) {
    const changesFiles = ["write", "edit"].includes(tool_call.name);
    if (!changesFiles || result.is_error || open().length === 0) return null;
    const reminder = `(still to be done: ${open().join("; ")})`;
    return { content: [...result.content, ...text(reminder)] };
  },
};

/** Answers a call, whenever the answer is there. Meanwhile other lines are read. */
async function answer(line) {
  try {
    write({ type: "reply", call: line.call, result: await calls[line.type](line) });
  } catch (error) {
    write({ type: "reply", call: line.call, error: error.message });
  }
}

for await (const input of createInterface({ input: process.stdin })) {
  const line = JSON.parse(input);
  if (line.type === "hello") write(HELLO);
  else if (line.type === "goodbye") break;
  else if (line.type === "reply") {
    waiting.get(line.call)?.(line.result ?? null);
    waiting.delete(line.call);
  } else if (Object.hasOwn(calls, line.type)) answer(line);
  // Other kinds of lines are not for us, or newer than we are.
}
process.exit();
