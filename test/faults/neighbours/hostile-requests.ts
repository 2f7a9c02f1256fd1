import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { createTokenSecret } from "#domain";
import type { Hostile } from "./attack.ts";

/**
 * Pause of a loop after a refusal: an attacker that spins on refused connections would load only its own
 * machine.
 */
const AFTER_FAILURE_MS = 10;
const LONG_MS = 600_000;

const agent = new Agent({ connections: null, pipelining: 1, headersTimeout: LONG_MS, bodyTimeout: LONG_MS });

/** The types of a webhook that wants all events. */
export const EVERY_TYPE = [
  "cashback.created",
  "cashback.cleared",
  "cashback.reverted",
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "qualifying_purchase.unredeemed",
  "transaction.rejected",
];

/** Repeats `work` side by side without end; resolves when each loop has begun. */
export async function forever(loops: number, work: (loop: number) => Promise<unknown>): Promise<void> {
  for (let loop = 0; loop < loops; loop++) {
    void (async () => {
      for (;;) {
        const failed = await work(loop).then(
          (status) => typeof status === "number" && status >= 400,
          () => true,
        );
        if (failed) await delay(AFTER_FAILURE_MS);
      }
    })();
  }
}

export interface AskOptions {
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly api?: "edge" | "platform";
}

/** Posts, and throws the answer's body away. Resolves to its status. */
export async function ask(
  hostile: Hostile,
  route: string,
  body: unknown,
  { headers = {}, token = hostile.token, api = "edge" }: AskOptions = {},
): Promise<number> {
  const prefix = api === "edge" ? `${hostile.edge}/publisher.v1/` : `${hostile.platform}/platform.v1/`;
  const answer = await request(prefix + route, {
    method: "POST",
    dispatcher: agent,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      "x-forwarded-for": hostile.address,
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  for await (const _ of answer.body) {
    // Reads to the end, and keeps nothing.
  }
  return answer.statusCode;
}

/** @throws Error unless the answer is 2xx */
export async function mustAsk(
  hostile: Hostile,
  route: string,
  body: unknown,
): Promise<{ readonly id: string }> {
  const answer = await request(`${hostile.edge}/publisher.v1/${route}`, {
    method: "POST",
    dispatcher: agent,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${hostile.token}`,
      "x-forwarded-for": hostile.address,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${route}: ${answer.statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text) as { id: string };
}

/** A token that is well-formed, with a right checksum, and of no organisation. */
export function madeUpToken(): string {
  return createTokenSecret(randomBytes(32));
}

export interface HeadOptions {
  readonly path?: string;
  readonly token?: string;
  readonly method?: string;
  /** Fields beside host, authorization, content type and address. */
  readonly fields?: readonly string[];
}

/** A head as text, its last line included. */
export function headText(hostile: Hostile, options: HeadOptions = {}): string {
  const { path = "/publisher.v1/transaction/ingest", token = hostile.token, method = "POST" } = options;
  const fields = [
    "host: a",
    `authorization: Bearer ${token}`,
    `x-forwarded-for: ${hostile.address}`,
    "content-type: application/json",
    ...(options.fields ?? []),
  ];
  return `${[`${method} ${path} HTTP/1.1`, ...fields].join("\r\n")}\r\n\r\n`;
}

/** An open connection that reads and discards; rejects if it is refused. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.destroy());
  socket.resume();
  return socket;
}

export function write(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

export function untilClosed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/**
 * Keeps this many connections open and calls `hold` for each; reopens those that the server ends. Resolves
 * when, for each connection, `hold` has resolved once or the server has ended it.
 */
export async function holding(
  url: string,
  connections: number,
  hold: (socket: Socket, index: number) => Promise<unknown>,
): Promise<void> {
  const held = Array.from({ length: connections }, (_, index) => {
    return new Promise<void>((resolve) => {
      void (async () => {
        for (;;) {
          const socket = await openSocket(url).catch(() => undefined);
          if (socket !== undefined) {
            await Promise.race([hold(socket, index), untilClosed(socket)]).catch(() => {});
            resolve();
            await untilClosed(socket);
          }
          await delay(AFTER_FAILURE_MS);
        }
      })();
    });
  });
  await Promise.all(held);
}
