import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret } from "#domain";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { makeEncryptionKey } from "#runtime";
import type { Arena, Database } from "../ingest/arena.ts";
import { type Stampede, startStampede, UP_TO_REWARDS } from "../kit/subjects.ts";
import { waitUntil } from "../kit/wait-until.ts";
import { LOOPBACK_TARGETS, storeWebhook } from "../kit/webhooks.ts";
import { configureLoop, isLoopEmpty } from "./whole-loop.ts";

/** The whole of Stampede on this machine, with a receiver of its webhooks. */
export interface WholeInstallation {
  readonly database: Database;
  readonly subject: Stampede;
  readonly store: Store;
  /** Waits until nothing is under way any more, including the last delivery. */
  settle(): Promise<unknown>;
  /** Ends everything except the services. */
  stopReceiving(): Promise<void>;
  stop(): Promise<void>;
}

/** @param matched with programs and a deal, every member enrolled, and a webhook for all resulting events */
export async function startWhole(arena: Arena, matched: boolean): Promise<WholeInstallation> {
  const database = await arena.newDatabase(matched ? "matched" : "plain");
  await migratePlatform(database.url);
  const store = connectStore({ url: database.url, max: 1, applicationName: "bench" });
  const target = await startTarget();
  const keys = makeEncryptionKey(new Date());
  if (matched) {
    await configureLoop(store, arena.options.seed);
    await storeWebhook(store, {
      organisationId: arena.world.organisationId,
      url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
      events: EVENT_TYPES,
      secret: createWebhookSecret(Buffer.alloc(32, 7)),
      keys,
    });
  }
  const subject = await startStampede({
    servers: arena.servers,
    database: database.name,
    behind: [...UP_TO_REWARDS, "webhooks"],
    env: { STAMPEDE_ENCRYPTION_KEYS: keys, ...LOOPBACK_TARGETS },
  });
  const stopReceiving = async () => {
    await closeStore(store);
    await new Promise((resolve) => {
      target.close(resolve);
      target.closeAllConnections();
    });
  };
  return {
    ...{ database, subject, store },
    settle: () =>
      waitUntil(
        async () => (await isLoopEmpty(subject, store)) && (await isDelivered(store)),
        "what was ingested does not come to its end",
      ),
    stopReceiving,
    async stop() {
      await subject.stop();
      await stopReceiving();
    },
  };
}

/** Every announced event has been delivered to the webhook. */
async function isDelivered(store: Store): Promise<boolean> {
  const [{ left }] = await store<[{ left: boolean }]>`
    select
      coalesce((select max(sequence) from events) > (select sequence from webhook_horizon), false)
      or exists (select from webhook_queues where cursor < announced or done_place < last_place) as left`;
  return !left;
}

function startTarget(): Promise<Server> {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
