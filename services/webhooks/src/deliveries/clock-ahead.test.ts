import { readFileSync } from "node:fs";
import t from "tap";
import { constantText } from "#postgres";
import {
  clockedStore,
  eventIdsOf,
  LEASE_MS,
  TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

const RUNBOOKS = new URL("../../../../../docs/operations/runbooks.md", import.meta.url);
const DAYS_MS = 5 * 24 * 60 * 60 * 1000;

/** The statements of the runbook for deliveries that a wrong clock postponed. */
function statements(): string[] {
  const [, list = ""] = /Make them due now:\n(.*?)\n\n/s.exec(readFileSync(RUNBOOKS, "utf8")) ?? [];
  return Array.from(list.matchAll(/`(update [^`]+)`/g), ([, statement]) => statement as string);
}

t.test("clock ahead - the runbook's statements make postponed deliveries due", async (t) => {
  const { store, clock } = await clockedStore();
  const { dispatcher, organisation } = await testDispatch(store, clock);
  const [failed, leased] = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  const [event] = await writeTestEvents(store, organisation, 1);
  await dispatcher.announce();
  await dispatcher.lease();
  const taken = await dispatcher.take([failed, leased]);
  // One attempt failed while the clock was days ahead; the other process was killed with its lease.
  const own = taken.filter(({ webhookId }) => webhookId === failed);
  await dispatcher.record(own, { kind: "retry", afterMs: DAYS_MS, refused: false });
  await dispatcher.release(failed);
  await store`update webhook_queues set lease_until = now() + ${DAYS_MS}::float8 * interval '1 millisecond' where webhook_id = ${leased}`;
  const receive = async () => {
    await clock.pass(LEASE_MS);
    const next = new TestDispatcher(store, clock);
    const ids = await next.leaseIds();
    const deliveries = await next.take(ids);
    await next.release(...ids);
    return deliveries.flatMap(eventIdsOf);
  };
  t.strictSame(await receive(), []);
  const made = statements();
  t.ok(made.length > 0);
  for (const statement of made) await store`${constantText(statement)(store)}`;
  t.strictSame(await receive(), [event?.id, event?.id]);
});
