/**
 * Streams a file of card transactions, one JSON object a line, in which members stand by the references that a bank knows.
 * However large it is, it is read no faster than the service takes it, and sending it again changes nothing.
 *
 *   node dist/examples/stream-file.js [file]      beside a running `npm start`
 */
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { StampedeClient, type TransactionEvent } from "#client";
import { memberbaseNamed } from "./memberbase.ts";

type Line = { readonly ref: string } & Omit<TransactionEvent, "member_id">;

/** How many members one request looks up. */
const LINES_AT_A_TIME = 1000;

const [file = "examples/purchases.jsonl"] = process.argv.slice(2);
const client = new StampedeClient({
  baseUrl: process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080",
  token: process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim(),
  // A person waits at the terminal; in a service of your own keep the default of ten minutes.
  retryForMs: 5_000,
});
const members = client.members({ memberBaseId: await memberbaseNamed(client, "Bank customers") });

/** In the order of the file: a clearing follows its authorization, and so they are applied. */
async function* read(path: string): AsyncGenerator<TransactionEvent> {
  let lines: Line[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lines.push(JSON.parse(line) as Line);
    if (lines.length < LINES_AT_A_TIME) continue;
    yield* withMembers(lines);
    lines = [];
  }
  yield* withMembers(lines);
}

async function* withMembers(lines: readonly Line[]): AsyncGenerator<TransactionEvent> {
  const ids = await members.resolveAll(lines.map(({ ref }) => ref));
  for (const [i, { ref: _, ...transaction }] of lines.entries()) {
    yield { member_id: ids[i] as string, ...transaction };
  }
}

const counts = { created: 0, updated: 0, unchanged: 0, accepted: 0, rejected: 0, ignored: 0 };
for await (const { event, outcome } of client.ingestAll(read(file))) {
  counts[outcome.outcome]++;
  if (outcome.outcome === "rejected") console.log(`${event.external_id} rejected: ${outcome.reason}`);
  else if (outcome.ignored !== undefined) {
    counts.ignored++;
    console.log(`${event.external_id} is stored with another ${outcome.ignored.join(", ")}`);
  }
}
console.log(JSON.stringify(counts));
await client.close();
