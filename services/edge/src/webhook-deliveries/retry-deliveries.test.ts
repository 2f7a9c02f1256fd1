import t from "tap";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import {
  clockedStore,
  numbersOf,
  type TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { updateWebhook } from "../webhooks/webhook-rows.ts";
import { retryDeliveries } from "./retry-deliveries.ts";

const RETRY = { kind: "retry", afterMs: 3_600_000, refused: false } as const;

let store: Store;
let clock: MovableClock;
let dispatcher: TestDispatcher;
let organisation: string;
let webhook: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  ({ dispatcher, organisation } = await testDispatch(store, clock));
  webhook = await testWebhook(store, organisation);
});

const retry = (organisationId = organisation) => retryDeliveries(store, organisationId, webhook);

/** Its first delivery fails; the dispatcher keeps the webhook. */
async function fail(): Promise<void> {
  await writeTestEvents(store, organisation, 2);
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook), RETRY);
}

t.test(
  "retry - waiting deliveries are due now, with the first step of the schedule, and then none waits",
  async (t) => {
    t.strictSame(await retry(), { due: 0 });
    t.strictSame(await dispatcher.leaseIds(), [], "nothing to wake it for");
    await fail();
    await dispatcher.release(webhook);
    t.strictSame(await dispatcher.leaseIds(), []);
    t.strictSame(await retry(), { due: 1 });
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    const taken = await dispatcher.take(webhook);
    t.strictSame(numbersOf(taken), [[1, 2]]);
    t.match(taken, [{ failures: 0 }]);
    await dispatcher.record(taken);
    await dispatcher.release(webhook);
    t.strictSame(await retry(), { due: 0 });
  },
);

t.test("retry - a webhook that a process has is given back as due", async (t) => {
  await fail();
  t.strictSame(await retry(), { due: 1 });
  await dispatcher.release(webhook);
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
});

t.test("retry - not while it is paused, and not of another organisation", async (t) => {
  await fail();
  await dispatcher.release(webhook);
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame(await retry(), { state: "paused" });
  t.equal(await retry(await testOrganisation(store)), undefined);
  t.strictSame(await dispatcher.leaseIds(), []);
});
