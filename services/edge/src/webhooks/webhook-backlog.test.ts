import t from "tap";
import type { Store } from "#postgres";
import { explaining, type MovableClock, testOrganisation } from "#test-support";
import {
  clockedStore,
  type TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { replayDeliveries } from "../webhook-deliveries/replay-deliveries.ts";
import { measureWebhookBacklog } from "./webhook-backlog.ts";
import { updateWebhook } from "./webhook-rows.ts";

const RETRY = { kind: "retry", afterMs: 60_000, refused: false } as const;

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

async function backlog(): Promise<[events: number | undefined, since: Date | null | undefined]> {
  const measured = await measureWebhookBacklog(store, organisation, webhook);
  return [measured?.pendingEvents, measured?.oldestPendingAt];
}

/** Events of this second. */
const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;
const tell = (count: number, second: number, type?: string) =>
  writeTestEvents(store, organisation, count, { at: at(second), ...(type !== undefined && { type }) });

t.test("backlog - announced events that the webhook wants, until they have arrived", async (t) => {
  t.strictSame(await backlog(), [0, null]);
  await tell(3, 1);
  await tell(5, 0, "transaction.rejected");
  await writeTestEvents(store, await testOrganisation(store), 2);
  t.strictSame(await backlog(), [0, null], "no event was announced yet");
  await dispatcher.announce();
  t.strictSame(await backlog(), [3, new Date(at(1))]);
  await dispatcher.lease();
  const taken = await dispatcher.take(webhook);
  t.strictSame(await backlog(), [3, new Date(at(1))], "on its way");
  await dispatcher.record(taken);
  t.strictSame(await backlog(), [0, null]);
  t.equal(await measureWebhookBacklog(store, await testOrganisation(store), webhook), undefined);
});

t.test("backlog - a failed delivery that waits, the events after it, and replayed events", async (t) => {
  await tell(150, 1);
  await dispatcher.announce();
  await dispatcher.lease();
  const [first, second] = await dispatcher.take(webhook);
  await dispatcher.record([first as NonNullable<typeof first>], RETRY);
  await dispatcher.release(webhook);
  await tell(7, 2);
  await dispatcher.announce();
  t.strictSame(await backlog(), [157, new Date(at(2))], "the older ones were put into deliveries since");
  await clock.pass(60_000);
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame((await backlog())[0], 157, "in any state");
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  t.strictSame((await backlog())[0], 157, "before they are announced, too");
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(
    [first, second].map((one) => ({ ...(one as NonNullable<typeof one>), cut: undefined })),
  );
  t.strictSame((await backlog())[0], 7);
  t.equal(
    await replayDeliveries(store, {
      organisationId: organisation,
      webhookId: webhook,
      events: { since: new Date(0) },
    }),
    150,
  );
  t.strictSame((await backlog())[0], 157);
});

t.test("backlog - events that were swept are not sent, and do not count", async (t) => {
  await tell(5, 1);
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook), RETRY);
  await tell(4, 2);
  await dispatcher.announce();
  await store`
    delete from events where sequence in (select sequence from events where organisation_id = ${organisation} order by 1 limit 6)`;
  t.strictSame((await backlog())[0], 3);
});

t.test(
  "backlog - however many events wait, they are counted up to a bound, and no more are read",
  async (t) => {
    const most = 1000;
    const other = "cashback.cleared";
    webhook = await testWebhook(store, organisation, ["cashback.created", other]);
    await store`
    insert into events (at, id, organisation_id, type, body)
    select '2026-05-01T10:00:00Z', gen_random_uuid(), ${organisation}, (array['cashback.created', ${other}::text])[1 + n % 2], '{}'
    from generate_series(1, ${40 * most}::int) as n`;
    await dispatcher.announce();
    await store.script("vacuum analyze events");
    const plans: string[] = [];
    const measured = await measureWebhookBacklog(
      explaining(store, plans, "counted"),
      organisation,
      webhook,
      most,
    );
    t.equal(measured?.pendingEvents, most);
    const events = { since: new Date("2026-01-01") };
    await store`update webhook_queues set cursor = announced where webhook_id = ${webhook}`;
    t.equal(
      await replayDeliveries(store, { organisationId: organisation, webhookId: webhook, events }),
      40 * most,
    );
    const replayed = await measureWebhookBacklog(
      explaining(store, plans, "counted"),
      organisation,
      webhook,
      most,
    );
    t.equal(replayed?.pendingEvents, most);
    for (const plan of plans) {
      t.notMatch(plan, /Seq Scan on (events|webhook_deliveries)/);
      for (const [line, rows] of plan.matchAll(
        /Scan [^\n]*on (?:events|webhook_deliveries)[^\n]*actual rows=([\d.]+)/g,
      )) {
        t.ok(Number(rows) <= most, line);
      }
    }
  },
);
