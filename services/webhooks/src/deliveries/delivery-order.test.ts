import t from "tap";
import { SeededRandom } from "#domain";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import { replayDeliveries } from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import type { DeliveryAttempt } from "./attempt-record.ts";
import type { PendingDelivery } from "./cut-events.ts";
import type { LeasedWebhook } from "./leased-webhook.ts";
import {
  clockedStore,
  eventIdsOf,
  LEASE_MS,
  TestDispatcher,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

/*
 * Dispatchers that die, lose their leases and meet refusing receivers, together with writers, replays and
 * operators. Afterwards each webhook has received each of its events, and for the first time in their order.
 */

const SEEDS = [1, 2, 3, 4, 5, 6];
const WRITES = 25;
const TYPES = ["cashback.created", "cashback.cleared"];
/** How often one delivery is refused before it is split or parked. */
const REFUSALS = 2;
const HOUR_MS = 3_600_000;

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore(10));
});

for (const seed of SEEDS) {
  t.test(
    `order - each event arrives, for the first time in order, whichever process dies (seed ${seed})`,
    async (t) => {
      const world = await World.make(new SeededRandom(seed));
      await world.run();
      for (const [webhook, types] of world.webhooks) {
        const events = await store<{ id: string; sequence: number }[]>`
        select id, sequence from events
        where organisation_id = ${world.organisation} and type = any(${types}) order by sequence`;
        const received = world.received.get(webhook) as Set<string>;
        const parked = world.parked.get(webhook) as Set<string>;
        t.ok(events.length > 0);
        const missing = events.filter(({ id }) => !received.has(id) && !parked.has(id));
        t.strictSame(missing, [], "all arrived, or were parked");
        const sequences = new Map(events.map(({ id, sequence }) => [id, sequence]));
        t.strictSame(
          [...received].filter((id) => !sequences.has(id)),
          [],
          "and nothing else",
        );
        // A parked event comes late, by a replay.
        const order = [...received].filter((id) => !parked.has(id)).map((id) => sequences.get(id) as number);
        t.strictSame(
          order,
          [...order].sort((a, b) => a - b),
          "in order",
        );
      }
    },
  );
}

class World {
  readonly organisation: string;
  readonly random: SeededRandom;
  /** The types that each webhook wants. */
  readonly webhooks = new Map<string, readonly string[]>();
  /** Ids of events by webhook, in the order in which they came for the first time. */
  readonly received = new Map<string, Set<string>>();
  readonly parked = new Map<string, Set<string>>();
  #calm = false;
  #lastMoment = 0;

  static async make(random: SeededRandom): Promise<World> {
    const world = new World(await testOrganisation(store), random);
    for (const types of [TYPES, TYPES.slice(0, 1), TYPES.slice(1)]) {
      const id = await testWebhook(store, world.organisation, types);
      world.webhooks.set(id, types);
      world.received.set(id, new Set());
      world.parked.set(id, new Set());
    }
    return world;
  }

  private constructor(organisation: string, random: SeededRandom) {
    this.organisation = organisation;
    this.random = random;
  }

  async run(): Promise<void> {
    let busy = true;
    const dispatchers = Promise.all([0, 1, 2].map(() => this.#dispatch(() => busy)));
    const operators = this.#operate(() => busy);
    await Promise.all([0, 1].map(() => this.#write()));
    busy = false;
    await Promise.all([dispatchers, operators]);
    this.#calm = true;
    for (const id of this.webhooks.keys()) {
      await updateWebhook(store, this.organisation, id, { state: "enabled" });
    }
    while (await this.#isUnfinished()) {
      await clock.pass(HOUR_MS);
      await this.#step(new TestDispatcher(store, clock));
    }
  }

  async #write(): Promise<void> {
    for (let n = 0; n < WRITES; n++) {
      await store.begin(async (sql) => {
        for (const type of this.random.shuffle(TYPES)) {
          await writeTestEvents(sql, this.organisation, this.random.between(0, 60), { type });
        }
        if (this.random.chance(0.3)) await sql`select pg_sleep(0.01)`;
      });
    }
  }

  async #dispatch(isBusy: () => boolean): Promise<void> {
    let dispatcher = new TestDispatcher(store, clock);
    while (isBusy()) {
      await clock.pass(this.random.between(0, LEASE_MS / 2));
      if (!(await this.#step(dispatcher))) dispatcher = new TestDispatcher(store, clock);
    }
  }

  /** Pauses, enables and replays failed deliveries, at odd times. */
  async #operate(isBusy: () => boolean): Promise<void> {
    while (isBusy()) {
      const webhookId = this.random.pick([...this.webhooks.keys()]);
      await updateWebhook(store, this.organisation, webhookId, {
        state: this.random.chance(0.2) ? "paused" : "enabled",
      });
      if (this.random.chance(0.3)) {
        await replayDeliveries(store, {
          organisationId: this.organisation,
          webhookId,
          events: "failed",
        });
      }
      await store`select pg_sleep(0.02)`;
    }
  }

  /** @returns false if it died in the middle */
  async #step(dispatcher: TestDispatcher): Promise<boolean> {
    const webhooks: string[] = [];
    const first: PendingDelivery[] = [];
    const keep = (leased: readonly LeasedWebhook[]) => {
      webhooks.push(...leased.map(({ id }) => id));
      first.push(...leased.flatMap((webhook) => webhook.first));
    };
    const asked = () => this.random.between(0, 5);
    keep((await dispatcher.announceAndLease(this.random.between(0, 2), asked())).leased);
    keep(await dispatcher.lease(this.random.between(1, 3), asked()));
    if (this.#dies(0.05)) return false;
    if (first.length > 0) {
      const attempts = this.#send(dispatcher, first);
      if (this.#dies(0.1)) return false;
      await dispatcher.recordAll(attempts);
    }
    for (let rounds = this.random.between(1, 4); rounds > 0; rounds--) {
      if (this.#dies(0.05)) return false;
      const taken = await dispatcher.take(webhooks, this.random.between(1, 5));
      const attempts = this.#send(dispatcher, taken);
      if (this.#dies(0.1)) return false;
      await dispatcher.recordAll(attempts, this.#finished(attempts));
    }
    if (this.#dies(0.05)) return false;
    await dispatcher.release(...webhooks);
    return true;
  }

  /** Some of those that seem to need nothing more: they are given back with the record. */
  #finished(attempts: readonly DeliveryAttempt[]): string[] {
    const open = new Set(
      attempts.filter(({ next }) => next.kind !== "delivered").map(({ webhookId }) => webhookId),
    );
    const settled = new Set(attempts.map(({ webhookId }) => webhookId).filter((id) => !open.has(id)));
    return [...settled].filter(() => this.random.chance(0.5));
  }

  #dies(probability: number): boolean {
    return !this.#calm && this.random.chance(probability);
  }

  /** Makes the deliveries of each webhook in order, until one fails. */
  #send(dispatcher: TestDispatcher, taken: readonly PendingDelivery[]): DeliveryAttempt[] {
    const attempts: DeliveryAttempt[] = [];
    const stopped = new Set<string>();
    for (const delivery of taken) {
      const { webhookId, refusals } = delivery;
      const eventIds = eventIdsOf(delivery);
      if (stopped.has(webhookId)) continue;
      const next = this.#answer(eventIds.length, refusals);
      attempts.push({ ...dispatcher.attempt(delivery, next), at: this.#moment() });
      if (next.kind === "parked") for (const event of eventIds) this.parked.get(webhookId)?.add(event);
      if (next.kind !== "delivered") stopped.add(webhookId);
      else for (const event of eventIds) this.received.get(webhookId)?.add(event);
    }
    return attempts;
  }

  /**
   * No two attempts share a moment: the time identifies an attempt, and the clock of this test may stand
   * still.
   */
  #moment(): Date {
    this.#lastMoment = Math.max(this.#lastMoment + 1, clock.now.getTime());
    return new Date(this.#lastMoment);
  }

  #answer(events: number, refusals: number): DeliveryAttempt["next"] {
    if (this.#calm || this.random.chance(0.7)) return { kind: "delivered" };
    if (this.random.chance(0.05)) return { kind: "disable", refused: false };
    const refused = this.random.chance(0.6);
    if (refused && refusals + 1 >= REFUSALS) return { kind: events > 1 ? "split" : "parked" };
    return { kind: "retry", afterMs: this.random.between(0, LEASE_MS), refused };
  }

  async #isUnfinished(): Promise<boolean> {
    const [{ unfinished }] = await store<[{ unfinished: boolean }]>`
      select exists (select from webhook_queues where organisation_id = ${this.organisation} and due_at is not null)
        or exists (
          select from webhook_deliveries where organisation_id = ${this.organisation} and state = 'pending'
        )
        or exists (select from events where sequence > (select sequence from webhook_horizon)) as unfinished`;
    return unfinished;
  }
}
