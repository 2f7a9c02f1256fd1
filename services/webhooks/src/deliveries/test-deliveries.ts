import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { closeStore, connectStore, type Sql, type Store } from "#postgres";
import { type StoredEvent, writeEvents } from "#publisher-db";
import { MovableClock, testOrganisation, testServers, waitFor } from "#test-support";
import { createWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { advanceHorizon } from "./advance-horizon.ts";
import { type LeasedWebhook, leaseWebhooks, releaseWebhooks, renewLeases } from "./leases.ts";
import { type DeliveryAttempt, recordAttempts } from "./record-attempts.ts";
import { type PendingDelivery, takeDeliveries } from "./take-deliveries.ts";

/** Makes a webhook that wants these types; returns its id. */
export async function testWebhook(
  store: Store,
  organisationId: string,
  events: readonly string[] = ["cashback.created"],
): Promise<string> {
  const secret = { id: uuidv7(), keyId: "k1", bytes: randomBytes(40) };
  const url = "https://example.com/hooks";
  const webhook = { id: uuidv7(), organisationId, url, events, description: "", secret };
  return (await createWebhook(store, webhook)).id;
}

/** So many events, whose bodies are their type and a number that counts from `first`. */
export function testEvents(
  organisationId: string,
  count: number,
  { first = 1, type = "cashback.created", at = "2026-05-01T10:00:00.000000Z" } = {},
): StoredEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    id: uuidv7(),
    organisationId,
    type,
    at,
    transactionId: null,
    body: JSON.stringify(`${type} ${first + n}`),
  }));
}

export async function writeTestEvents(sql: Sql, ...written: Parameters<typeof testEvents>) {
  const events = testEvents(...written);
  await writeEvents(sql, events);
  return events;
}

/** A store on a database of its own whose clock the tests move. It is closed after the last test. */
export async function clockedStore(
  max = 6,
): Promise<{ readonly store: Store; readonly clock: MovableClock }> {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url);
  // Planned as the service's statements are.
  const store = connectStore({ url, max, applicationName: "test", plansByIndex: true });
  t.teardown(() => closeStore(store));
  return { store, clock };
}

export const LEASE_MS = 10_000;

/** One process that dispatches, a step at a time. */
export class TestDispatcher {
  readonly owner = uuidv7();
  readonly #store: Store;
  readonly #clock: { readonly now: Date };

  /** @param clock says when its attempts are made */
  constructor(store: Store, clock: { readonly now: Date }) {
    this.#store = store;
    this.#clock = clock;
  }

  lease(limit = 100): Promise<LeasedWebhook[]> {
    return leaseWebhooks(this.#store, { owner: this.owner, leaseMs: LEASE_MS, limit });
  }

  async leaseIds(limit = 100): Promise<string[]> {
    return (await this.lease(limit)).map(({ id }) => id);
  }

  renew(...webhookIds: string[]): Promise<string[]> {
    return renewLeases(this.#store, { owner: this.owner, webhookIds, leaseMs: LEASE_MS });
  }

  take(webhookIds: string | readonly string[], perWebhook = 8): Promise<PendingDelivery[]> {
    return takeDeliveries(this.#store, { owner: this.owner, webhookIds: [webhookIds].flat(), perWebhook });
  }

  /** Records what became of deliveries; returns the webhooks that are not its own any more. */
  record(
    deliveries: readonly Pick<PendingDelivery, "id" | "webhookId">[],
    next: DeliveryAttempt["next"] = { kind: "delivered" },
  ): Promise<readonly string[]> {
    return this.recordAll(deliveries.map(({ id, webhookId }) => this.attempt(id, webhookId, next)));
  }

  /** @param finished webhooks to give back with that */
  async recordAll(
    attempts: readonly DeliveryAttempt[],
    finished: readonly string[] = [],
  ): Promise<readonly string[]> {
    const { gone } = await recordAttempts(this.#store, { owner: this.owner, attempts, finished });
    return gone;
  }

  /** Records that they were delivered, and gives their webhooks back with that; returns the webhooks that it gave back. */
  async finish(deliveries: readonly Pick<PendingDelivery, "id" | "webhookId">[]): Promise<readonly string[]> {
    const attempts = deliveries.map(({ id, webhookId }) =>
      this.attempt(id, webhookId, { kind: "delivered" }),
    );
    const finished = deliveries.map(({ webhookId }) => webhookId);
    const { released } = await recordAttempts(this.#store, { owner: this.owner, attempts, finished });
    return released;
  }

  attempt(deliveryId: string, webhookId: string, next: DeliveryAttempt["next"]): DeliveryAttempt {
    const delivered = next.kind === "delivered";
    return {
      deliveryId,
      webhookId,
      at: this.#clock.now,
      durationMs: 12.5,
      status: delivered ? 204 : 500,
      errorClass: delivered ? null : "http_5xx",
      answer: delivered ? "" : "no",
      next,
    };
  }

  release(...webhookIds: string[]): Promise<void> {
    return releaseWebhooks(this.#store, { owner: this.owner, webhookIds });
  }

  announce(): Promise<number> {
    return advanceHorizon(this.#store);
  }
}

/** The numbers of the test events in each delivery. */
export function numbersOf(deliveries: readonly PendingDelivery[]): number[][] {
  return deliveries.map(({ bodies }) => bodies.map((body) => Number(JSON.parse(body).split(" ")[1])));
}

export async function untilWaiting(store: Store): Promise<void> {
  await waitFor(
    async () => {
      const [{ waits }] = await store<[{ waits: boolean }]>`
        select exists (
          select from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
        ) as waits`;
      return waits;
    },
    { message: "a statement waits for a lock" },
  );
}

/** An organisation and a process that dispatches. */
export async function testDispatch(store: Store, clock: MovableClock) {
  // This test's dispatcher must not take what other tests left.
  await store`update webhook_queues set due_at = null`;
  return { dispatcher: new TestDispatcher(store, clock), organisation: await testOrganisation(store) };
}
