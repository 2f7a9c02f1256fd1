import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { writeEvents } from "#publisher-db";
import { type MovableClock, testOrganisation } from "#test-support";
import { advance, clockedStore, writeTestEvents } from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { sweepEvents } from "../../../webhooks/src/sweep.ts";
import { type EventQuery, type EventsRead, readEvents } from "./event-rows.ts";

const CREATED = "cashback.created";
const REJECTED = "transaction.rejected";
const TYPES = [CREATED, "cashback.cleared", "cashback.reverted", REJECTED];
const DAY_MS = 24 * 60 * 60 * 1000;

let store: Store;
let clock: MovableClock;
let organisationId: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  organisationId = await testOrganisation(store);
});

type Changes = Partial<Omit<EventQuery, "organisationId">>;
const query = (changes: Changes = {}): EventQuery => ({
  organisationId,
  after: undefined,
  types: TYPES,
  limit: 1000,
  ...changes,
});

async function read(changes: Changes = {}, sql: Store = store): Promise<EventsRead> {
  const events = await readEvents(sql, query(changes));
  if ("misfit" in events) throw new Error(`the cursor is ${events.misfit}`);
  return events;
}

/** The numbers of the test events, counted from 1. */
const numbers = ({ bodies }: EventsRead) =>
  bodies.map((body) => Number((JSON.parse(body) as string).split(" ")[1]));

/** Writes test events at the present time of the test's clock. */
async function write(...written: [count: number, options?: { first?: number; at?: string }]): Promise<void> {
  const events = await writeTestEvents(store, organisationId, ...written);
  await store`update events set written_at = now() where id = any(${events.map(({ id }) => id)}::uuid[])`;
}

/** Writes an event about a transaction, as the services do. */
async function tellOf(transactionRef: string, type = CREATED): Promise<string> {
  const id = uuidv7();
  const body = JSON.stringify({
    event_id: id,
    type,
    transaction_ref: transactionRef,
    source: { type: "clip" },
  });
  await writeEvents(store, [
    { id, organisationId, type, at: "2026-05-01T10:00:00.000000Z", transactionId: null, body },
  ]);
  return body;
}

t.test("events - all types in the order of their numbers, page by page, each byte for byte", async (t) => {
  for (const [n, type] of [CREATED, REJECTED, CREATED, "cashback.cleared", REJECTED].entries()) {
    await writeTestEvents(store, organisationId, 1, { first: n + 1, type });
    await writeTestEvents(store, await testOrganisation(store), 1, { first: 100 + n, type });
  }
  await advance(store);
  const stored = await store<{ body: string }[]>`
    select body from events where organisation_id = ${organisationId} order by sequence`;
  const all = await read();
  t.strictSame(
    all.bodies,
    stored.map(({ body }) => body),
  );
  t.strictSame([numbers(all), all.more], [[1, 2, 3, 4, 5], false]);
  const walked: number[][] = [];
  for (let page: EventsRead | undefined; page?.more !== false; ) {
    page = await read({ limit: 2, after: page?.upto });
    walked.push(numbers(page));
  }
  t.strictSame(walked, [[1, 2], [3, 4], [5]]);
  t.strictSame(numbers(await read({ types: [REJECTED] })), [2, 5]);
  t.strictSame(numbers(await read({ types: [REJECTED, CREATED], limit: 2 })), [1, 2]);
  t.strictSame((await read({ types: ["cashback.reverted"] })).bodies, []);
});

t.test("events - no webhook is needed; where nothing is new there is a number to go on from", async (t) => {
  const empty = await read();
  t.strictSame([empty.bodies, empty.more], [[], false]);
  await writeTestEvents(store, organisationId, 2);
  t.strictSame((await read({ after: empty.upto })).bodies, [], "the horizon has not been looked up");
  await advance(store);
  const first = await read({ after: empty.upto });
  t.strictSame(numbers(first), [1, 2]);
  const nothing = await read({ after: first.upto });
  t.strictSame([nothing.bodies, nothing.more], [[], false]);
  await writeTestEvents(store, await testOrganisation(store), 3);
  await advance(store);
  const moved = await read({ after: nothing.upto });
  t.ok(moved.upto > nothing.upto, "other organisations' events move it on, so that it does not grow old");
  await writeTestEvents(store, organisationId, 1, { first: 3 });
  await advance(store);
  t.strictSame(numbers(await read({ after: moved.upto })), [3]);
});

t.test("events - one that is committed late is not passed over", async (t) => {
  const start = await read();
  let early: EventsRead | undefined;
  await store.begin(async (slow) => {
    await writeTestEvents(slow, organisationId, 1, { first: 1 });
    await writeTestEvents(store, organisationId, 1, { first: 2 });
    await advance(store);
    early = await read({ after: start.upto });
    t.strictSame(early.bodies, [], "the higher number can be seen, and waits for the lower one");
  });
  await advance(store);
  t.strictSame(numbers(await read({ after: early?.upto })), [1, 2]);
});

t.test(
  "events - many concurrent writers, some of which roll back: a poller gets each event once, in order",
  async (t) => {
    let isBusy = true;
    const write = async (writer: number) => {
      for (let n = 0; n < 40; n++) {
        await store
          .begin(async (sql) => {
            const type = TYPES[(writer + n) % TYPES.length] as string;
            await writeTestEvents(sql, organisationId, 1, { first: 1000 * writer + n, type });
            await sql`select pg_sleep(0.002)`;
            if (n % 7 === 0) throw new Error("changed its mind");
          })
          .catch(() => {});
      }
    };
    const polled: string[] = [];
    let after: number | undefined;
    let pages = 0;
    const poll = async () => {
      const page = await read({ after, limit: 7 });
      after = page.upto;
      polled.push(...page.bodies);
      if (page.bodies.length > 0) pages++;
      return page.more;
    };
    const polling = (async () => {
      while (isBusy) {
        await poll();
        await delay(1);
      }
    })();
    const advancing = (async () => {
      while (isBusy) await advance(store);
    })();
    await Promise.all([1, 2, 3, 4].map(write));
    isBusy = false;
    await Promise.all([polling, advancing]);
    await advance(store);
    while (await poll());
    const stored = await store<{ body: string }[]>`
    select body from events where organisation_id = ${organisationId} order by sequence`;
    t.ok(pages > 2, "it read while they wrote");
    t.strictSame(
      polled,
      stored.map(({ body }) => body),
    );
  },
);

t.test(
  "events - a transaction's are found in bounded steps, which move on where nothing is found",
  async (t) => {
    const told = [await tellOf("ref 1"), await tellOf("ref 1", REJECTED)];
    await tellOf("ref 11");
    await tellOf('quoted "ref 1"');
    await tellOf('"transaction_ref":"ref 1"');
    await writeTestEvents(store, organisationId, LIMITS.rowsPerScan);
    told.push(await tellOf("ref 1"));
    const quoted = await tellOf('"ref 1"\\', REJECTED);
    await advance(store);
    const first = await read({ transactionRef: "ref 1" });
    t.strictSame([first.bodies, first.more], [told.slice(0, 2), true]);
    const walk = async (transactionRef: string, limit = 1000) => {
      const found: string[] = [];
      for (let page: EventsRead | undefined; page?.more !== false; ) {
        page = await read({ transactionRef, limit, after: page?.upto });
        found.push(...page.bodies);
      }
      return found;
    };
    t.strictSame(await walk("ref 1"), told);
    t.strictSame(await walk("ref 1", 1), told);
    t.strictSame(await walk("unknown"), []);
    const none = await read({ transactionRef: "unknown" });
    t.strictSame([none.bodies, none.more], [[], true]);
    t.strictSame((await read({ transactionRef: "ref 1", limit: 1 })).bodies, told.slice(0, 1));
    const byType = await read({ transactionRef: "ref 1", types: [REJECTED] });
    t.strictSame([byType.bodies, byType.more], [told.slice(1, 2), false], "types are left out before that");
    t.strictSame((await read({ transactionRef: '"ref 1"\\', types: [REJECTED] })).bodies, [quoted]);
    organisationId = await testOrganisation(store);
    t.strictSame((await read({ transactionRef: "ref 1" })).bodies, []);
  },
);

t.test(
  "events - since a time: all events that the database wrote from then on, wherever the search begins",
  async (t) => {
    const written: Date[] = [];
    for (let n = 1; n <= 5; n++) {
      // The writing process dates it long ago: that date does not count.
      await write(1, { first: n, at: "2020-01-01T00:00:00.000000Z" });
      written.push(clock.now);
      await clock.pass(n === 2 ? 1 : 10 * 60_000);
    }
    await advance(store);
    for (const [n, since] of written.entries()) {
      t.strictSame(numbers(await read({ since })), [1, 2, 3, 4, 5].slice(n), `from ${n + 1} on, exactly`);
    }
    t.strictSame((await read({ since: clock.now })).bodies, []);
    const { upto } = await read({ limit: 4 });
    t.strictSame(numbers(await read({ since: written[1], after: upto })), [5], "both narrow");
    t.strictSame(numbers(await read({ since: new Date("2020-01-01") })), [1, 2, 3, 4, 5]);
  },
);

t.test("events - since a time: events of the minute before it make no empty page", async (t) => {
  await store`
    insert into events (at, id, organisation_id, type, body, written_at)
    select now(), gen_random_uuid(), ${organisationId}, ${CREATED}, '"old 0 x"', now() from generate_series(1, 45000)`;
  await clock.pass(30_000);
  const since = clock.now;
  await write(3, { first: 1 });
  await advance(store);
  const page = await read({ since, limit: 2 });
  t.strictSame([numbers(page), page.more], [[1, 2], true]);
  t.strictSame(numbers(await read({ since, after: page.upto })), [3]);
});

t.test("events - since a time: a write that was begun before and numbered after hides none", async (t) => {
  await write(1, { first: 1 });
  await clock.pass(10 * 60_000);
  await write(1, { first: 2 });
  const since = clock.now;
  await clock.pass(-5_000);
  await write(1, { first: 3 });
  await clock.pass(5_000);
  await advance(store);
  t.strictSame(numbers(await read({ since })), [2]);
});

t.test("events - a sweep makes older numbers unusable, and nothing else does", async (t) => {
  await write(1, { first: 1 });
  // Numbers that were given but never written are no loss.
  const givenUp = store.begin(async (sql) => {
    await writeTestEvents(sql, organisationId, 3);
    throw new Error("changed its mind");
  });
  await t.rejects(givenUp, { message: "changed its mind" });
  await write(1, { first: 2 });
  await advance(store);
  const atFirst = (await read({ limit: 1 })).upto;
  await clock.pass(20 * DAY_MS);
  await write(1, { first: 3 });
  await advance(store);
  const last = (await read()).upto;
  t.strictSame(numbers(await read({ after: atFirst })), [2, 3]);
  await clock.pass(11 * DAY_MS);
  while ((await sweepEvents(store, LIMITS.eventKeptMs)) > 0);
  const expired = await readEvents(store, query({ after: atFirst }));
  t.match(expired, { misfit: "expired", oldest: Number });
  t.strictSame(numbers(await read({ after: "oldest" in expired ? expired.oldest : -1 })), [3]);
  t.strictSame(numbers(await read()), [3], "without a number from the oldest on");
  t.strictSame(numbers(await read({ after: last })), []);
  await clock.pass(30 * DAY_MS);
  while ((await sweepEvents(store, LIMITS.eventKeptMs)) > 0);
  t.strictSame(
    numbers(await read({ after: last })),
    [],
    "a reader that has read everything has missed nothing",
  );
  t.match(await readEvents(store, query({ after: last - 1 })), { misfit: "expired", oldest: last });
  t.match(await readEvents(store, query({ after: last + 1, readAt: 5 })), {
    bodies: [],
    upto: last + 1,
    readAt: 5,
  });
});

t.test(
  "events - a sweep in the middle of a walk is reported, even if it left some older events",
  async (t) => {
    await write(1, { first: 1 });
    // It began earlier and got a later number: the sweep takes it first.
    await clock.pass(-40 * DAY_MS);
    await write(1, { first: 2 });
    await clock.pass(40 * DAY_MS);
    await advance(store);
    const before = await read({ limit: 1 });
    t.strictSame(numbers(before), [1]);
    t.equal(await sweepEvents(store, LIMITS.eventKeptMs), 1);
    t.match(await readEvents(store, query({ after: before.upto })), { misfit: "expired" });
  },
);

/** The last era began by the test's clock, after everything that was read. */
async function beginsNow(): Promise<void> {
  await clock.pass(1_000);
  await store`
    update event_eras set began_at = ${clock.now} where began_at = (select max(began_at) from event_eras)`;
  await clock.pass(1_000);
}

t.test(
  "events - a reader with a number that the restored server lacks continues from where that server began",
  async (t) => {
    await write(3, { first: 1 });
    await advance(store);
    const before = await read();
    t.strictSame(numbers(before), [1, 2, 3]);
    await write(2, { first: 4 });
    await advance(store);
    const lost = await read({ after: before.upto, readAt: before.readAt, era: before.era });
    t.strictSame(numbers(lost), [4, 5]);

    // As on a server that was restored to the time of the first read, and restarted.
    await store`delete from events where sequence > ${before.upto} and organisation_id = ${organisationId}`;
    await store`update webhook_horizon set sequence = ${before.upto}, server_started = 'epoch'`;
    await store`select setval('events_sequence_seq', ${before.upto})`;
    t.match(await read({ after: lost.upto, readAt: lost.readAt, era: lost.era }), {
      bodies: [],
      upto: lost.upto,
      readAt: lost.readAt,
    });
    await write(4, { first: 6 });
    await advance(store);
    await beginsNow();
    const again = await read({ after: lost.upto, readAt: lost.readAt, era: lost.era });
    t.strictSame(numbers(again), [6, 7, 8, 9], "none of those that have the numbers again is passed over");
    t.strictSame(numbers(await read({ after: again.upto, readAt: again.readAt, era: again.era })), []);
    t.strictSame(
      numbers(await read({ after: before.upto - 1, readAt: before.readAt, era: before.era })),
      [3, 6, 7, 8, 9],
    );
    t.strictSame(
      numbers(await read({ after: lost.upto })),
      [6, 7, 8, 9],
      "a cursor without a time finds them, too",
    );

    await store`update webhook_horizon set server_started = 'epoch'`;
    await write(1, { first: 10 });
    await advance(store);
    await beginsNow();
    const next = await read({ after: again.upto, readAt: again.readAt, era: again.era });
    t.strictSame(numbers(next), [10], "a server that was only restarted has none come twice");
  },
);
