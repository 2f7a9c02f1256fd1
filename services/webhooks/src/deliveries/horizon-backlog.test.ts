import t from "tap";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import { updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { type Advanced, advanceHorizon, NOTHING, NUMBERS_PER_STEP } from "./advance-horizon.ts";
import {
  clockedStore,
  LEASE_MS,
  numbersOf,
  TestDispatcher,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

/*
 * Many events after the horizon (issue 34, line 1), and how long they take: 20 million in `npm run
 * test:long`, or `STAMPEDE_BACKLOG_EVENTS`.
 */

const USUAL = process.env.TEST_LONG === undefined ? 300_000 : 20_000_000;
const EVENTS = Number(process.env.STAMPEDE_BACKLOG_EVENTS ?? USUAL);
const IS_LONG = EVENTS > 300_000;
/** Few, so that a step is a small part of the backlog; when measured, as many as in the service. */
const NUMBERS = IS_LONG ? NUMBERS_PER_STEP : 5_000;

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

const horizon = async () =>
  (await store<[{ sequence: number }]>`select sequence from webhook_horizon`)[0].sequence;

async function pileUp(organisation: string): Promise<void> {
  // Fills faster: no query here uses these indexes.
  if (IS_LONG) {
    await store.script("alter table events drop constraint events_pkey");
    await store.script("drop index events_organisation_at_idx, events_written_idx");
  }
  for (let left = EVENTS; left > 0; left -= 300_000) {
    await store`
      insert into events (at, id, organisation_id, type, body)
      select now(), gen_random_uuid(), ${organisation}, 'cashback.created', '{}' from generate_series(1, ${Math.min(left, 300_000)}::int)`;
  }
  await store.script("vacuum analyze events");
}

/** One step after the other, each as a process makes it. */
async function* steps() {
  const request = {
    owner: "00000000-0000-4000-8000-000000000001",
    leaseMs: LEASE_MS,
    limit: 0,
    perWebhook: 0,
  };
  for (let before: Advanced = NOTHING; ; ) {
    before = await advanceHorizon(store, { ...request, numbers: NUMBERS }, before);
    yield before;
    if (!before.isBehind) return;
  }
}

t.test(
  "backlog - the horizon advances in bounded steps, each with its own commit, from any place",
  async (t) => {
    const [mine, others] = [await testOrganisation(store), await testOrganisation(store)];
    const [crowded, quiet, paused] = [
      await testWebhook(store, mine),
      await testWebhook(store, others),
      await testWebhook(store, others),
    ];
    await updateWebhook(store, others, paused, { state: "paused" });
    await pileUp(mine);
    await writeTestEvents(store, others, 3);
    const first = await horizon();
    const startedAt = performance.now();
    let [at, count, passed, slowestMs] = [first, 0, 0, 0];
    const stepsOfFirst = steps();
    for (let stepAt = startedAt; ; count++) {
      // A process dies after half of them, and another continues from there.
      const { value, done } = await stepsOfFirst.next();
      if (done || count === Math.floor(EVENTS / NUMBERS / 2)) break;
      const now = await horizon();
      t.ok(now > at && now - at <= NUMBERS, `a step of ${now - at}`);
      passed += value.events;
      at = now;
      slowestMs = Math.max(slowestMs, performance.now() - stepAt);
      stepAt = performance.now();
    }
    for await (const { events } of steps()) passed += events;
    const seconds = (performance.now() - startedAt) / 1000;
    t.equal(passed >= EVENTS - NUMBERS, true);
    t.equal(await horizon(), first + EVENTS + 3);
    const said =
      `${EVENTS} events in ${seconds.toFixed(1)} s, ${Math.round(EVENTS / seconds)}/s; the slowest step took ${Math.round(slowestMs)} ms; ` +
      `${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MiB`;
    t.comment(said);
    if (IS_LONG) process.stderr.write(`horizon: ${said}\n`);
    // Its turn comes after earlier events, and not after everything that the other organisation has still to
    // be sent.
    const dispatcher = new TestDispatcher(store, clock);
    t.strictSame((await dispatcher.leaseIds()).sort(), [crowded, quiet].sort());
    t.strictSame(numbersOf(await dispatcher.take(quiet)), [[1, 2, 3]]);
    t.equal((await dispatcher.take(crowded, 2)).length, 2);
  },
);

t.test("backlog - numbers that were never committed are passed, more than a step of them too", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 2);
  await store`select nextval(pg_get_serial_sequence('events', 'sequence')) from generate_series(1, ${3 * NUMBERS}::int)`;
  await writeTestEvents(store, organisation, 2, { first: 3 });
  let events = 0;
  for await (const step of steps()) events += step.events;
  t.equal(events, 4);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1, 2, 3, 4]]);
});

t.test(
  "backlog - a step waits for a writer under way, wherever it is, and loses nothing of it",
  async (t) => {
    const organisation = await testOrganisation(store);
    const webhook = await testWebhook(store, organisation);
    let first: Advanced | undefined;
    await store.begin(async (slow) => {
      await writeTestEvents(store, organisation, NUMBERS, { first: 1 });
      await writeTestEvents(slow, organisation, 1, { first: NUMBERS + 1 });
      await writeTestEvents(store, organisation, 2, { first: NUMBERS + 2 });
      for await (const step of steps()) first ??= step;
    });
    t.match(first, { events: NUMBERS, isBehind: true }, "earlier events come immediately");
    for await (const step of steps()) void step;
    const dispatcher = new TestDispatcher(store, clock);
    await dispatcher.lease();
    const got: number[] = [];
    for (
      let taken = await dispatcher.take(webhook);
      taken.length > 0;
      taken = await dispatcher.take(webhook)
    ) {
      got.push(...numbersOf(taken).flat());
      await dispatcher.record(taken);
    }
    t.strictSame(
      got,
      Array.from({ length: NUMBERS + 3 }, (_, n) => n + 1),
    );
  },
);
