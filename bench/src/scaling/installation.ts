import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { uuidv7 } from "uuidv7";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret, webhookSecretBytes, webhookSecretContext } from "#domain";
import { migratePlatform } from "#platform-store";
import { makeEncryptionKey, SecretBox } from "#runtime";
import { closeStore, connectStore, createWebhook, type Store } from "#store";
import type { Arena, Database } from "../ingest/arena.ts";
import { type Stampede, startStampede } from "../kit/subjects.ts";
import { waitUntil } from "../kit/wait-until.ts";
import { configureLoop, isLoopEmpty } from "../rewards/whole-loop.ts";

/** The whole of Stampede on this machine, with somebody who takes the webhooks. */
export interface WholeInstallation {
  readonly database: Database;
  readonly subject: Stampede;
  readonly store: Store;
  /** Waits until nothing is on its way any more, the last delivery included. */
  settle(): Promise<unknown>;
  /** Bytes and requests that the webhook's target got. */
  readonly delivered: { requests: number; bytes: number };
  stop(): Promise<void>;
}

/** @param matched with programs and a deal, every member enrolled, and a webhook for all that comes of it */
export async function startWhole(arena: Arena, matched: boolean): Promise<WholeInstallation> {
  const database = await arena.newDatabase(matched ? "matched" : "plain");
  await migratePlatform(database.url);
  const store = connectStore({ url: database.url, max: 1, applicationName: "bench" });
  const delivered = { requests: 0, bytes: 0 };
  const target = await startTarget(delivered);
  const keys = makeEncryptionKey(new Date());
  if (matched) {
    await configureLoop(store, arena.options.seed);
    await addWebhook(store, arena.world.organisationId, target, keys);
  }
  const subject = await startStampede({
    servers: arena.servers,
    database: database.name,
    whole: true,
    webhooks: true,
    env: {
      STAMPEDE_ENCRYPTION_KEYS: keys,
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    },
  });
  return {
    ...{ database, subject, store, delivered },
    settle: () =>
      waitUntil(
        async () => (await isLoopEmpty(subject, store)) && (await isDelivered(store)),
        "what was ingested does not come to its end",
      ),
    async stop() {
      await subject.stop();
      await closeStore(store);
      await new Promise((resolve) => {
        target.close(resolve);
        target.closeAllConnections();
      });
    },
  };
}

/** Nothing is announced to a webhook that it has not got. */
async function isDelivered(store: Store): Promise<boolean> {
  const [{ left }] = await store<[{ left: boolean }]>`
    select
      coalesce((select max(sequence) from events) > (select sequence from webhook_horizon), false)
      or exists (select from webhook_queues where cursor < announced or done_place < last_place) as left`;
  return !left;
}

function startTarget(delivered: { requests: number; bytes: number }): Promise<Server> {
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      delivered.bytes += chunk.length;
    });
    request.on("end", () => {
      delivered.requests++;
      response.end();
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function addWebhook(store: Store, organisationId: string, target: Server, keys: string): Promise<void> {
  const [id, secretId] = [uuidv7(), uuidv7()];
  const secret = webhookSecretBytes(createWebhookSecret(Buffer.alloc(32, 7)));
  await createWebhook(store, {
    ...{ id, organisationId, description: "" },
    url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
    events: [...EVENT_TYPES],
    secret: { id: secretId, ...new SecretBox(keys).seal(secret, webhookSecretContext(id, secretId)) },
  });
}
