import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import { clockedStore, writeTestEvents } from "./deliveries/test-deliveries.ts";
import { sweepEvents } from "./sweep.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  await store`delete from events`;
});

/** Writes events whose own time is `at`. */
async function write(count: number, at: Date, writtenAt = clock.now): Promise<void> {
  const events = await writeTestEvents(store, await testOrganisation(store), count, { at: at.toISOString() });
  await store`update events set written_at = ${writtenAt} where id = any(${events.map(({ id }) => id)}::uuid[])`;
}

async function sweep(): Promise<number> {
  let swept = 0;
  for (let step = 1; step > 0; swept += step) step = await sweepEvents(store, LIMITS.eventKeptMs);
  return swept;
}

t.test("sweep - events dated in the future do not keep the others for good", async (t) => {
  await write(1500, new Date("2100-01-01T00:00:00Z"));
  await write(2500, clock.now);
  await clock.pass(31 * DAY_MS);
  t.equal(await sweep(), 4000, "and they are swept, too");
  // Written at a time when the database's clock was ahead.
  await write(1500, clock.now, new Date("2100-01-01T00:00:00Z"));
  await write(2500, clock.now);
  await clock.pass(31 * DAY_MS);
  t.equal(await sweep(), 2500);
});

t.test("sweep - an event that is dated long ago is kept for 30 days from when it was written", async (t) => {
  await write(10, new Date(clock.now.getTime() - 31 * DAY_MS));
  t.equal(await sweep(), 0);
  await clock.pass(30 * DAY_MS);
  t.equal(await sweep(), 0);
  await clock.pass(1);
  t.equal(await sweep(), 10);
});
