/**
 * Asks for events instead of being called: from behind any firewall, without a webhook. Where it was is kept in a file, so
 * that it goes on there the next time, with no event missed and none twice.
 *
 *   node dist/examples/pull-events.js [file of the cursor]      beside a running `npm start`; Ctrl-C ends it
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StampedeClient } from "#client";

const [file = ".stampede/example-events-cursor"] = process.argv.slice(2);
const client = new StampedeClient({
  baseUrl: process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080",
  token: process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim(),
});

let isEnding = false;
process.once("SIGINT", () => {
  isEnding = true;
});

let after = existsSync(file) ? readFileSync(file, "utf8") : null;
while (!isEnding) {
  const { data, page } = await client.call("event/list", { after, limit: 500 });
  for (const event of data) console.log(JSON.stringify(event));
  // In earnest: in the database transaction in which the events have their effect.
  writeFileSync(`${file}.new`, page.cursor);
  renameSync(`${file}.new`, file);
  after = page.cursor;
  if (!page.more) await delay(500);
}
await client.close();
