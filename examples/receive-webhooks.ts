/**
 * Receives webhooks: registers this process with the instance, verifies what comes, and prints each event once.
 *
 *   node dist/examples/receive-webhooks.js      beside a running `npm start`; Ctrl-C ends it
 *
 * In another terminal `npx stampede simulate purchase` makes something happen.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EVENT_TYPES, StampedeClient, webhookHandler } from "#client";

const client = new StampedeClient({
  baseUrl: process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080",
  token: process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim(),
  // A person waits at the terminal; in a service of your own keep the default of ten minutes.
  retryForMs: 5_000,
});

// Deliveries come at least once. In earnest this is a table with a unique key, written together with what an event brings about.
const seen = new Set<string>();
let secret = "";

const handler = webhookHandler({
  secret: () => secret,
  onEvent: (event) => {
    if (seen.has(event.event_id)) return;
    seen.add(event.event_id);
    console.log(`${event.type} ${"transaction_ref" in event ? event.transaction_ref : ""}`);
  },
  onError: (error) => console.error(String(error)),
});

const server = createServer(handler).listen(Number(process.env.PORT ?? 3000), "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/webhooks`;
  const webhook = await client.call("webhook/create", { url, events: [...EVENT_TYPES] });
  // Only this answer holds it: a service of your own keeps it where its other secrets are.
  secret = webhook.secret;
  console.log(`${webhook.id} is called at ${url}`);
  process.once("SIGINT", async () => {
    await client.call("webhook/delete", { id: webhook.id });
    await client.close();
    server.close();
  });
});
