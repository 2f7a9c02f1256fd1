import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import type { PendingDelivery } from "../../../webhooks/src/deliveries/cut-events.ts";
import {
  clockedStore,
  type TestDispatcher,
  testDispatch,
  testEvents,
  testWebhook,
  writeTestEvents,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { recordTest } from "../../../webhooks/src/handle-webhook-test.ts";
import { sweepDeliveries } from "../../../webhooks/src/sweep.ts";
import { deleteWebhook } from "../webhooks/webhook-rows.ts";
import { type AttemptedDelivery, getDelivery } from "./delivery-rows.ts";
import { replayDeliveries } from "./replay-deliveries.ts";

const RETRY = { kind: "retry", afterMs: 0, refused: true } as const;

let store: Store;
let clock: MovableClock;
let dispatcher: TestDispatcher;
let organisationId: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  ({ dispatcher, organisation: organisationId } = await testDispatch(store, clock));
});

/** A webhook leased by this dispatcher, and its next deliveries, of this many events. */
async function taken(events: number): Promise<[webhook: string, ...PendingDelivery[]]> {
  const webhook = await testWebhook(store, organisationId);
  await writeTestEvents(store, organisationId, events);
  await dispatcher.announce();
  await dispatcher.lease();
  return [webhook, ...(await dispatcher.take(webhook))];
}

async function get(id: string | undefined): Promise<AttemptedDelivery> {
  const delivery = await getDelivery(store, organisationId, id as string);
  if (delivery === undefined) throw new Error("there is no such delivery");
  return delivery;
}

const keptOf = async (...ids: (string | undefined)[]) => {
  const [{ kept }] = await store<[{ kept: number }]>`
    select count(*) as kept from webhook_attempts where delivery_id = any(${ids as string[]}::uuid[])`;
  return kept;
};

t.test(
  "attempts - a delivery that arrived the first time shows its one attempt, which has no row",
  async (t) => {
    const [webhook, first, second] = await taken(150);
    await dispatcher.record([first, second] as PendingDelivery[]);
    const [{ all }] = await store<[{ all: number }]>`select count(*) as all from webhook_attempts`;
    t.equal(all, 0);
    const delivery = await get(first?.id);
    t.match(delivery, {
      id: first?.id,
      webhookId: webhook,
      state: "delivered",
      attempts: 1,
      splitFrom: null,
    });
    t.equal(delivery.eventIds.length, 100);
    t.strictSame(delivery.attemptLog, [
      { number: 1, at: clock.now, durationMs: 13, status: 204, errorClass: null, answer: "" },
    ]);
  },
);

t.test("attempts - each failure, and the success after them, with the beginning of its answer", async (t) => {
  const [webhook, first] = await taken(1);
  const delivery = first as PendingDelivery;
  const long = "ä".repeat(1000);
  const times: Date[] = [];
  for (const [answer, status] of [
    [long, 500],
    [null, null],
    ["ok", 200],
  ] as const) {
    times.push(clock.now);
    const next = status === 200 ? ({ kind: "delivered" } as const) : RETRY;
    const made = { ...dispatcher.attempt(delivery, next), answer, status, durationMs: 7 };
    await dispatcher.recordAll([made]);
    await dispatcher.recordAll([made]);
    await clock.pass(1000);
    await dispatcher.take(webhook);
  }
  const { attemptLog, attempts, answer } = await get(delivery.id);
  t.equal(attempts, 3);
  t.equal(answer, "ok");
  t.strictSame(
    attemptLog.map(({ number, at, durationMs, status, errorClass }) => [
      number,
      at,
      durationMs,
      status,
      errorClass,
    ]),
    [
      [1, times[0], 7, 500, "http_5xx"],
      [2, times[1], 7, null, "http_5xx"],
      [3, times[2], 7, 200, null],
    ],
    "recorded again, each is kept once",
  );
  t.strictSame(
    attemptLog.map(({ answer }) => answer),
    ["ä".repeat(512), null, "ok"],
  );
});

t.test(
  "attempts - an unsent delivery has none, and a failure without a stored row begins with one",
  async (t) => {
    const [webhook, first, second] = await taken(150);
    await dispatcher.record([first as PendingDelivery], RETRY);
    t.match((await get(first?.id)).attemptLog, [{ number: 1, status: 500, answer: "no" }]);
    t.strictSame((await get(second?.id)).attemptLog, []);
    t.match(await get(second?.id), { state: "pending", attempts: 0 });
    t.equal((await dispatcher.take(webhook)).length, 2);
  },
);

t.test(
  "attempts - of a delivery that was split stay with it, and its parts say where they are from",
  async (t) => {
    const [webhook, first] = await taken(2);
    const whole = first as PendingDelivery;
    await dispatcher.record([whole], RETRY);
    await clock.pass(1000);
    await dispatcher.record([{ ...whole, cut: undefined }], { kind: "split" });
    const split = await get(whole.id);
    t.match(split, { state: "split", attempts: 2, status: 500, nextAttemptAt: null });
    t.match(split.attemptLog, [{ number: 1 }, { number: 2, at: clock.now }]);
    t.equal(split.eventIds.length, 2);
    const [one, two] = (await dispatcher.take(webhook)) as [PendingDelivery, PendingDelivery];
    t.match(await get(one.id), {
      splitFrom: whole.id,
      attempts: 0,
      attemptLog: [],
      eventIds: split.eventIds.slice(0, 1),
    });
    await dispatcher.record([one]);
    await clock.pass(1000);
    await dispatcher.record([two], RETRY);
    t.match((await get(one.id)).attemptLog, [{ number: 1, status: 204 }]);
    t.match((await get(two.id)).attemptLog, [{ number: 1, status: 500 }]);
    t.strictSame(
      await dispatcher.take(webhook).then((next) => next.map(({ id }) => id)),
      [two.id],
      "the whole is over",
    );
  },
);

t.test(
  "attempts - a failed delivery that was replayed keeps its own, and says so; the replay has others",
  async (t) => {
    const [webhook, first] = await taken(1);
    const failed = first as PendingDelivery;
    await dispatcher.record([failed], { kind: "parked" });
    t.match(await get(failed.id), { state: "failed", replayedAt: null, attemptLog: [{ number: 1 }] });
    await dispatcher.release(webhook);
    await clock.pass(1000);
    t.equal(await replayDeliveries(store, { organisationId, webhookId: webhook, events: "failed" }), 1);
    await dispatcher.lease();
    const [again] = (await dispatcher.take(webhook)) as [PendingDelivery];
    await dispatcher.record([again]);
    t.match(await get(failed.id), {
      state: "failed",
      replayedAt: clock.now,
      attemptLog: [{ number: 1, status: 500 }],
    });
    t.match(await get(again.id), {
      state: "delivered",
      splitFrom: null,
      attemptLog: [{ number: 1, status: 204 }],
    });
  },
);

t.test(
  "attempts - of a target that asks to be tried every second the first and the last are kept",
  async (t) => {
    const [, first] = await taken(1);
    const delivery = first as PendingDelivery;
    const most = LIMITS.deliveryAttemptsKept;
    for (let n = 1; n <= most + 5; n++) {
      await dispatcher.record([n === 1 ? delivery : { ...delivery, cut: undefined }], RETRY);
      await clock.pass(1);
    }
    const { attempts, attemptLog } = await get(delivery.id);
    t.equal(attempts, most + 5);
    const numbers = attemptLog.map(({ number }) => number);
    const half = most / 2;
    t.strictSame(numbers, [
      ...Array.from({ length: half }, (_, n) => n + 1),
      ...Array.from({ length: half }, (_, n) => n + half + 6),
    ]);
  },
);

t.test("attempts - a test has its one", async (t) => {
  const webhook = await testWebhook(store, organisationId);
  const [event] = testEvents(organisationId, 1, { type: "webhook.test" });
  const deliveryId = uuidv7();
  await recordTest(store, {
    deliveryId,
    webhookId: webhook,
    event: event as NonNullable<typeof event>,
    at: clock.now,
    durationMs: 3.7,
    status: null,
    errorClass: "timeout",
    answer: null,
  });
  t.match(await get(deliveryId), {
    state: "failed",
    attemptLog: [{ number: 1, at: clock.now, durationMs: 4, status: null, errorClass: "timeout" }],
  });
});

t.test("attempts - of another organisation, or of a webhook that is gone, there are none", async (t) => {
  const [webhook, first] = await taken(1);
  await dispatcher.record([first as PendingDelivery], RETRY);
  const id = first?.id as string;
  t.equal(await getDelivery(store, await testOrganisation(store), id), undefined);
  t.equal(await getDelivery(store, organisationId, uuidv7()), undefined);
  await deleteWebhook(store, organisationId, webhook);
  t.equal(await getDelivery(store, organisationId, id), undefined);
});

t.test(
  "attempts - are swept with their delivery, that of a webhook which is gone too, and not before",
  async (t) => {
    await store`delete from webhook_deliveries`;
    const [webhook, arrived, waiting] = await taken(150);
    await dispatcher.record([arrived as PendingDelivery], RETRY);
    await clock.pass(1000);
    await dispatcher.record([{ ...(arrived as PendingDelivery), cut: undefined }]);
    const [other, ofOther] = await taken(1);
    await dispatcher.record([ofOther as PendingDelivery], RETRY);
    const late = { ...(waiting as PendingDelivery), cut: undefined };
    await dispatcher.record([late], RETRY);
    t.equal(await keptOf(arrived?.id, waiting?.id, ofOther?.id), 4);
    await clock.pass(LIMITS.eventKeptMs + 2000);
    await deleteWebhook(store, organisationId, other);
    t.equal(await sweepDeliveries(store, LIMITS.eventKeptMs), 2);
    t.equal(await keptOf(arrived?.id, ofOther?.id), 0);
    t.equal(await keptOf(waiting?.id), 1, "a pending delivery keeps its attempts");
    await deleteWebhook(store, organisationId, webhook);
    t.equal(await sweepDeliveries(store, LIMITS.eventKeptMs), 1);
    t.equal(await keptOf(waiting?.id), 0);
  },
);
