/**
 * Compares a day of your own books with what Stampede has of it, both ways: what is missing, what is unknown to you, and what
 * differs in state or amount. Exit code 1 if anything does.
 *
 *   node dist/examples/reconcile-day.js [day] [file]      beside a running `npm start`, after stream-file
 */
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { StampedeClient, type TransactionEvent } from "#client";

const [day = "2026-03-01", file = "examples/purchases.jsonl"] = process.argv.slice(2);
const since = new Date(`${day}T00:00:00Z`);
const until = new Date(since.getTime() + 86_400_000);
const client = new StampedeClient({
  baseUrl: process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080",
  token: process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim(),
  // A person waits at the terminal; in a service of your own keep the default of ten minutes.
  retryForMs: 5_000,
});

type Purchase = Pick<TransactionEvent, "external_id" | "amount" | "authed_at" | "cleared_at" | "reverted_at">;

/** Of each purchase that was authorized on the day, what the books say last. */
async function readBooks(path: string): Promise<Map<string, Purchase>> {
  const books = new Map<string, Purchase>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const purchase = JSON.parse(line) as Purchase;
    const authedAt = new Date(purchase.authed_at);
    if (authedAt >= since && authedAt < until) books.set(purchase.external_id, purchase);
  }
  return books;
}

function stateOf({ cleared_at, reverted_at }: Purchase): string {
  if (reverted_at !== undefined) return "reverted";
  return cleared_at === undefined ? "authorized" : "cleared";
}

const books = await readBooks(file);
const inBooks = books.size;
const findings: string[] = [];
// It walks all transactions in the order of external_id; a large publisher asks for the day in its own database instead.
for await (const stored of client.list("transaction/export", {
  since: since.toISOString(),
  until: until.toISOString(),
})) {
  const own = books.get(stored.external_id);
  books.delete(stored.external_id);
  if (own === undefined) findings.push(`${stored.external_id} is not in the books`);
  else if (stateOf(own) !== stored.state || own.amount !== stored.amount) {
    findings.push(
      `${stored.external_id} is ${stateOf(own)} ${own.amount} in the books, ${stored.state} ${stored.amount} here`,
    );
  }
}
for (const id of books.keys()) findings.push(`${id} is missing`);
for (const finding of findings) console.log(finding);
console.log(`${inBooks} in the books, ${findings.length} to look at`);
await client.close();
process.exitCode = findings.length === 0 ? 0 : 1;
