import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { failedAgain } from "#domain/webhooks";
import { closeStore, connectStore, type Sql, type Store } from "#postgres";
import { type StoredEvent, writeEvents } from "#publisher-db";
import { MovableClock, testOrganisation, testServers, waitFor } from "#test-support";
import { createWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { type Advanced, advanceHorizon, NOTHING } from "./advance-horizon.ts";
import type { DeliveryAttempt } from "./attempt-record.ts";
import type { PendingDelivery } from "./cut-events.ts";
import type { LeasedWebhook, Target } from "./leased-webhook.ts";
import { leaseWebhooks, releaseWebhooks, renewLeases } from "./leases.ts";
import { recordAttempts } from "./record-attempts.ts";
import { takeDeliveries } from "./take-deliveries.ts";

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

/** This many events. The body of each has its type, a number that counts from `first`, and its id. */
export function testEvents(
  organisationId: string,
  count: number,
  { first = 1, type = "cashback.created", at = "2026-05-01T10:00:00.000000Z" } = {},
): StoredEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const id = uuidv7();
    const body = JSON.stringify(`${type} ${first + n} ${id}`);
    return { id, organisationId, type, at, transactionId: null, body };
  });
}

export async function writeTestEvents(sql: Sql, ...written: Parameters<typeof testEvents>) {
  const events = testEvents(...written);
  await writeEvents(sql, events);
  return events;
}

/** A store on a new database whose clock the tests move. It is closed after the last test. */
export async function clockedStore(
  max = 6,
): Promise<{ readonly store: Store; readonly clock: MovableClock }> {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url);
  // Planned like the service's statements.
  const store = connectStore({ url, max, applicationName: "test", plansByIndex: true });
  t.teardown(() => closeStore(store));
  return { store, clock };
}

export const LEASE_MS = 10_000;

/** Moves the horizon as far as possible, and leases nothing; returns the number of events that it passed. */
export async function advance(store: Sql): Promise<number> {
  const request = { owner: uuidv7(), leaseMs: LEASE_MS, limit: 0, perWebhook: 0 };
  let step = await advanceHorizon(store, request);
  let events = step.events;
  while (step.isBehind) {
    step = await advanceHorizon(store, request, step);
    events += step.events;
  }
  return events;
}

/** One process that dispatches, a step at a time. */
export class TestDispatcher {
  readonly owner = uuidv7();
  /** How often it has found a webhook's queue locked by another session. */
  passedOver = 0;
  readonly #store: Store;
  readonly #clock: { readonly now: Date };
  #advanced = NOTHING;
  /** The webhooks' targets, as far as it knows. */
  readonly #targets = new Map<string, Target>();

  /** @param clock gives the times of its attempts */
  constructor(store: Store, clock: { readonly now: Date }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @param perWebhook the most deliveries taken with each */
  async lease(limit = 100, perWebhook = 0): Promise<LeasedWebhook[]> {
    const request = { owner: this.owner, leaseMs: LEASE_MS, limit, perWebhook };
    return [...this.#know((await leaseWebhooks(this.#store, request)).leased)];
  }

  /** Moves the horizon, and leases in the same step. */
  async announceAndLease(limit = 100, perWebhook = 8): Promise<Advanced> {
    const request = { owner: this.owner, leaseMs: LEASE_MS, limit, perWebhook };
    this.#advanced = await advanceHorizon(this.#store, request, this.#advanced);
    this.#know(this.#advanced.leased);
    return this.#advanced;
  }

  #know<W extends readonly LeasedWebhook[]>(leased: W): W {
    for (const { id, target } of leased) this.#targets.set(id, target);
    return leased;
  }

  async leaseIds(limit = 100): Promise<string[]> {
    return (await this.lease(limit)).map(({ id }) => id);
  }

  async renew(...webhookIds: string[]): Promise<readonly string[]> {
    return (await renewLeases(this.#store, { owner: this.owner, webhookIds, leaseMs: LEASE_MS })).renewed;
  }

  async take(webhookIds: string | readonly string[], perWebhook = 8): Promise<PendingDelivery[]> {
    const taken: PendingDelivery[] = [];
    await this.#untilUnlocked([webhookIds].flat(), async (left) => {
      const request = { owner: this.owner, webhookIds: left, perWebhook };
      const { deliveries, locked } = await takeDeliveries(this.#store, request);
      taken.push(...deliveries);
      return locked;
    });
    return taken;
  }

  /** Repeats it for queues that another session has locked, like the deliverer. */
  async #untilUnlocked(
    webhookIds: readonly string[],
    work: (left: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> {
    for (let left = webhookIds; left.length > 0; ) {
      left = await work(left);
      if (left.length > 0) await delay(2);
      this.passedOver += left.length;
    }
  }

  /** Resolves once some statement has found a queue locked. */
  async untilPassedOver(): Promise<void> {
    const before = this.passedOver;
    await waitFor(() => this.passedOver > before, { message: "nothing finds the queue locked" });
  }

  /** Records the results of deliveries; returns the webhooks that it no longer owns. */
  record(
    deliveries: readonly Attempted[],
    next: DeliveryAttempt["next"] = { kind: "delivered" },
  ): Promise<readonly string[]> {
    return this.recordAll(deliveries.map((delivery) => this.attempt(delivery, next)));
  }

  /** @param finished webhooks to give back with the record */
  async recordAll(
    attempts: readonly DeliveryAttempt[],
    finished: readonly string[] = [],
  ): Promise<readonly string[]> {
    return (await this.#record(attempts, finished)).gone;
  }

  async #record(attempts: readonly DeliveryAttempt[], finished: readonly string[]) {
    const recorded = { gone: [] as string[], released: [] as string[] };
    const webhookIds = [...new Set(attempts.map(({ webhookId }) => webhookId))];
    await this.#untilUnlocked(webhookIds, async (left) => {
      const own = attempts.filter(({ webhookId }) => left.includes(webhookId));
      const result = await recordAttempts(this.#store, { owner: this.owner, attempts: own, finished });
      recorded.gone.push(...result.gone);
      recorded.released.push(...result.released);
      return result.locked;
    });
    return recorded;
  }

  /**
   * Records that they were delivered, and gives their webhooks back in the same write; returns the webhooks
   * that it gave back.
   */
  async finish(deliveries: readonly Attempted[]): Promise<readonly string[]> {
    const attempts = deliveries.map((delivery) => this.attempt(delivery, { kind: "delivered" }));
    const finished = deliveries.map(({ webhookId }) => webhookId);
    return (await this.#record(attempts, finished)).released;
  }

  attempt({ id, webhookId, cut }: Attempted, next: DeliveryAttempt["next"]): DeliveryAttempt {
    const delivered = next.kind === "delivered";
    const target = this.#targets.get(webhookId) ?? { url: "", revision: 0, failing: null, secrets: [] };
    const wasUp = target.failing === null;
    const failing = delivered ? null : failedAgain(target.failing, this.#clock.now);
    this.#targets.set(webhookId, { ...target, failing });
    return {
      deliveryId: id,
      webhookId,
      cut,
      wasUp,
      revision: target.revision,
      failing,
      at: this.#clock.now,
      durationMs: 12.5,
      status: delivered ? 204 : 500,
      errorClass: delivered ? null : "http_5xx",
      answer: delivered ? "" : "no",
      next,
    };
  }

  release(...webhookIds: string[]): Promise<void> {
    return this.#untilUnlocked(webhookIds, (left) =>
      releaseWebhooks(this.#store, { owner: this.owner, webhookIds: left }),
    );
  }

  announce(): Promise<number> {
    return advance(this.#store);
  }
}

/** The recorded part of a delivery; without a `cut` it has a row. */
type Attempted = Pick<PendingDelivery, "id" | "webhookId"> & Partial<PendingDelivery>;

/** The ids of the test events of a delivery. */
export function eventIdsOf({ body }: PendingDelivery): string[] {
  return wordsOf(body, 2);
}

function wordsOf(body: string, nth: number): string[] {
  const texts = JSON.parse(`[${body}]`) as string[];
  return texts.map((text) => text.split(" ")[nth] as string);
}

/** The numbers of the test events in each delivery. */
export function numbersOf(deliveries: readonly PendingDelivery[]): number[][] {
  return deliveries.map(({ body }) => wordsOf(body, 1).map(Number));
}

/** An organisation and a process that dispatches. */
export async function testDispatch(store: Store, clock: MovableClock) {
  // The dispatcher of this test must not take the leftovers of other tests.
  await store`update webhook_queues set due_at = null`;
  return { dispatcher: new TestDispatcher(store, clock), organisation: await testOrganisation(store) };
}

/** The whole numbers from one to another. */
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

export const idsOf = (deliveries: readonly PendingDelivery[]) => deliveries.map(({ id }) => id);
