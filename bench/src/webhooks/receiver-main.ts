import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "#client";
import type { WebhookEvent } from "#contract";
import { ReceivedOrder } from "./received-order.ts";
import { type Arrival, type FromReceiver, monotonicMs, type ToReceiver } from "./receiver.ts";

/** A process that receives webhooks: `/17` is the target of webhook 17. It gets its orders over IPC. */

/** One in this many deliveries is verified: verifying all would cost the service its half of the machine. */
const VERIFIED_EVERY = 50;
/** Arrivals are reported together: a message for each would cost more than receiving them. */
const TELL_EVERY_MS = 2;
/** Longer than any webhook rests. */
const KEEP_ALIVE_MS = 120_000;

let order = new ReceivedOrder(0);
let secret = "";
let hangFrom = Number.POSITIVE_INFINITY;
let deliveries = 0;
let verified = 0;
let held: { readonly webhook: number; readonly response: ServerResponse }[] = [];
let untold: Arrival[] = [];

const server = createServer((request, response) => void receive(request, response));
server.keepAliveTimeout = KEEP_ALIVE_MS;
// It listens only on addresses of 127.0.0.0/8, see `targetOf`.
server.on("connection", (socket) => {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "")) socket.destroy();
});

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToReceiver) => {
  switch (message.kind) {
    case "start":
      order = new ReceivedOrder(message.webhooks);
      secret = message.secret;
      server.listen(0, "0.0.0.0", () =>
        tell({ kind: "ready", port: (server.address() as AddressInfo).port }),
      );
      break;
    case "hang":
      hangFrom = message.from ?? Number.POSITIVE_INFINITY;
      for (const { response } of held.filter(({ webhook }) => webhook < hangFrom)) answer(response);
      held = held.filter(({ webhook }) => webhook >= hangFrom);
      break;
    case "report": {
      const { events, repeated, faultCount, faults } = order;
      tell({ kind: "report", report: { events, deliveries, repeated, verified, faultCount, faults } });
    }
  }
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return; // cut before its end: it will come again
  }
  const atMs = monotonicMs();
  const webhook = Number(request.url?.slice(1));
  const body = Buffer.concat(chunks).toString();
  if (deliveries++ % VERIFIED_EVERY === 0) verify(request, body);
  const { events } = JSON.parse(body) as { events: readonly WebhookEvent[] };
  const numbers = events.map((event) => ("transaction_ref" in event ? Number(event.transaction_ref) : 0));
  untold.push({ webhook, events: order.add(webhook, numbers), atMs });
  if (untold.length === 1) setTimeout(tellArrivals, TELL_EVERY_MS);
  if (webhook >= hangFrom) held.push({ webhook, response });
  else answer(response);
}

function answer(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "2" }).end("ok");
}

function verify({ headers, url }: IncomingMessage, body: string): void {
  try {
    verifyWebhook(secret, headers, body);
    verified++;
  } catch (error) {
    order.fault(`${url}: ${(error as Error).message}`);
  }
}

function tellArrivals(): void {
  const arrivals = untold;
  untold = [];
  tell({ kind: "arrived", arrivals });
}

function tell(message: FromReceiver): void {
  process.send?.(message);
}
