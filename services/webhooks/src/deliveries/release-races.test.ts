import t from "tap";
import type { Store, Transaction } from "#postgres";
import type { MovableClock } from "#test-support";
import { waitForLocks } from "#test-support";
import { retryDeliveries } from "../../../edge/src/webhook-deliveries/retry-deliveries.ts";
import { updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import type { PendingDelivery } from "./cut-events.ts";
import { recordAttempts } from "./record-attempts.ts";
import { clockedStore, testDispatch, testWebhook, writeTestEvents } from "./test-deliveries.ts";

/*
 * A delivery that `webhook/retry` or a start brings forward stays so, whatever session waits for the queue's
 * row meanwhile (issue 34, line 4).
 */

const LATER = { kind: "retry", afterMs: 50 * 60_000, refused: false } as const;

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

/** Runs something after the work of each transaction and before its commit. */
function beforeCommit(meanwhile: () => Promise<void>): Store {
  const begin = (work: (sql: Transaction) => Promise<unknown>) =>
    store.begin(async (sql) => {
      const result = await work(sql);
      await meanwhile();
      return result;
    });
  return new Proxy(store, { get: (target, name: keyof Store) => (name === "begin" ? begin : target[name]) });
}

/** A leased webhook, with the delivery that it has taken. */
async function taken() {
  const { dispatcher, organisation } = await testDispatch(store, clock);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1);
  await dispatcher.announce();
  await dispatcher.lease();
  const [delivery] = (await dispatcher.take(webhook)) as [PendingDelivery];
  /** Whether it is sent again now. */
  const comesNow = async () => {
    await dispatcher.announce();
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    t.match(await dispatcher.take(webhook), [{ id: delivery.id }]);
  };
  return { dispatcher, organisation, webhook, delivery, comesNow };
}

for (const asked of ["webhook/retry", "a start"] as const) {
  t.test(
    `release - one that has found the queue locked by ${asked} does not postpone what that brought forward`,
    async (t) => {
      const { dispatcher, organisation, webhook, delivery, comesNow } = await taken();
      await dispatcher.record([delivery], LATER);
      let released: Promise<void> | undefined;
      const waiting = beforeCommit(async () => {
        released = dispatcher.release(webhook);
        await dispatcher.untilPassedOver();
      });
      if (asked === "webhook/retry") {
        t.strictSame(await retryDeliveries(waiting, organisation, webhook), { due: 1 });
      } else {
        await updateWebhook(store, organisation, webhook, { state: "paused" });
        await updateWebhook(waiting, organisation, webhook, { state: "enabled" });
      }
      await released;
      await comesNow();
    },
  );
}

t.test("start - it sees the attempt whose record it has waited for", async () => {
  const { dispatcher, organisation, webhook, delivery, comesNow } = await taken();
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  let started: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    const attempts = [dispatcher.attempt(delivery, LATER)];
    await recordAttempts(sql, { owner: dispatcher.owner, attempts, finished: [] });
    started = updateWebhook(store, organisation, webhook, { state: "enabled" });
    await waitForLocks(store);
  });
  await started;
  await dispatcher.release(webhook);
  await comesNow();
});
