import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import { replayDeliveries } from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { stepReplay } from "./replay-step.ts";
import {
  advance,
  clockedStore,
  numbersOf,
  TestDispatcher,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

/*
 * `webhook.delivery/replay` of many events of one organisation (issue 34): 20 million in `npm run test:long`,
 * or `STAMPEDE_BACKLOG_EVENTS`.
 */

const USUAL = process.env.TEST_LONG === undefined ? 30_000 : 20_000_000;
const EVENTS = Number(process.env.STAMPEDE_BACKLOG_EVENTS ?? USUAL);
const IS_LONG = EVENTS > 300_000;
/** How often events of another organisation, and new ones of this one, come between two steps. */
const LIVE_ROUNDS = 20;
const MIB = 1024 * 1024;

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

async function pileUp(organisation: string): Promise<void> {
  // Fills faster: no query here uses these indexes.
  if (IS_LONG) {
    await store.script("alter table events drop constraint events_pkey");
    await store.script("drop index events_written_idx");
  }
  for (let left = EVENTS; left > 0; left -= 300_000) {
    await store`
      insert into events (at, id, organisation_id, type, body)
      select now(), gen_random_uuid(), ${organisation}, 'cashback.created', '"e 0"'
      from generate_series(1, ${Math.min(left, 300_000)}::int)`;
  }
  await store.script("vacuum analyze events");
}

/** Everything in deliveries was delivered, and the sweep has run. */
async function settle(webhook: string): Promise<number> {
  const [{ events }] = await store<[{ events: number }]>`
    with gone as (
      delete from webhook_deliveries where webhook_id = ${webhook} returning cardinality(event_sequences) as events
    ),
    passed as (
      update webhook_queues set done_place = last_place, done_part = last_part, due_at = null where webhook_id = ${webhook}
    )
    select coalesce(sum(events), 0)::int as events from gone`;
  return events;
}

async function placeOf(webhook: string): Promise<number | undefined> {
  const [replay] = await store<{ after: number }[]>`
    select after_sequence as after from webhook_replays where webhook_id = ${webhook}`;
  return replay?.after;
}

t.test("replay of many events - in bounded steps, and others' and new events come between", async (t) => {
  const [mine, others] = [await testOrganisation(store), await testOrganisation(store)];
  const [crowded, quiet] = [await testWebhook(store, mine), await testWebhook(store, others)];
  await pileUp(mine);
  await store`update webhook_horizon set sequence = (select max(sequence) from events)`;
  await store`update webhook_queues set cursor = h.sequence, announced = h.sequence from webhook_horizon h`;
  const askedAt = performance.now();
  const request = { organisationId: mine, webhookId: crowded, events: { since: new Date(0) } };
  const counted = await replayDeliveries(store, request);
  const askedMs = performance.now() - askedAt;
  t.equal(counted, Math.min(EVENTS, LIMITS.replayLooks * LIMITS.replayRowsPerLook), "it looks at no more");
  const dispatcher = new TestDispatcher(store, clock);
  const every = Math.max(1, Math.floor(EVENTS / LIMITS.eventsPerReplay / LIVE_ROUNDS));
  let [steps, replayed, live, slowestMs, most, firstRss, lastRss] = [0, 0, 0, 0, 0, 0, 0];
  const startedAt = performance.now();
  let before = -1;
  for (; ; steps++) {
    const stepAt = performance.now();
    if ((await stepReplay(store)) === undefined) break;
    slowestMs = Math.max(slowestMs, performance.now() - stepAt);
    const place = await placeOf(crowded);
    if (place !== undefined && place <= before) t.fail("a step goes on where the one before has ended");
    before = place ?? before;
    if (steps % every === 0) {
      live++;
      await writeTestEvents(store, others, 1, { first: live });
      await writeTestEvents(store, mine, 1, { first: live });
      await advance(store);
      const leased = await dispatcher.leaseIds();
      t.strictSame(leased.sort(), [crowded, quiet].sort());
      const taken = await dispatcher.take(quiet);
      t.strictSame(numbersOf(taken), [[live]], "another organisation's event comes immediately");
      await dispatcher.record(taken);
      const sent: number[] = [];
      for (let own = await dispatcher.take(crowded); own.length > 0; own = await dispatcher.take(crowded)) {
        sent.push(...numbersOf(own).flat());
        await dispatcher.record(own);
      }
      t.strictSame(sent.splice(-1), [live], "and its own new one after the step");
      t.ok(sent.every((number) => number === 0));
      replayed += sent.length;
      most = Math.max(most, sent.length);
      await store`delete from webhook_deliveries where webhook_id = ${crowded}`;
      await dispatcher.release(crowded, quiet);
      lastRss = process.memoryUsage().rss;
      if (live === 2) firstRss = lastRss;
    } else {
      const events = await settle(crowded);
      replayed += events;
      most = Math.max(most, events);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  t.equal(replayed, EVENTS, "each once");
  t.equal(most, LIMITS.eventsPerReplay);
  t.equal(await placeOf(crowded), undefined, "it is over");
  t.ok(lastRss - firstRss < 64 * MIB, `memory stays flat: ${(lastRss - firstRss) / MIB} MiB more`);
  const said =
    `${EVENTS} events in ${steps} steps and ${seconds.toFixed(1)} s, ${Math.round(EVENTS / seconds)}/s; asked for in ${Math.round(askedMs)} ms; ` +
    `the slowest step took ${Math.round(slowestMs)} ms; ${Math.round(lastRss / MIB)} MiB`;
  t.comment(said);
  if (IS_LONG) process.stderr.write(`replay: ${said}\n`);
});
