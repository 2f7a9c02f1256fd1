import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import t from "tap";
import type { Store } from "#postgres";
import { waitFor } from "#test-support";
import { retryDeliveries } from "../../edge/src/webhook-deliveries/retry-deliveries.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { DispatchScene, failed } from "./test-dispatch.ts";

/*
 * One statement serves the webhooks of many organisations. A queue's row that another session has locked, for
 * however long, delays no other webhook; its own deliveries come afterwards (issue 32, section 3).
 */

const SECOND_MS = 1000;
/** Events of more deliveries than are taken together, so that the turn takes twice. */
const MANY = 900;

/**
 * Locks the queue of a webhook, like a long transaction. Resolves once it has the lock, to a function that
 * ends it.
 */
async function lockQueue(store: Store, webhookId: string): Promise<() => Promise<void>> {
  let end: () => void = () => {};
  const isEnded = new Promise<void>((resolve) => (end = resolve));
  let over: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    over = store.begin(async (sql) => {
      await sql`select from webhook_queues where webhook_id = ${webhookId} for update`;
      resolve();
      await isEnded;
    });
    over.catch(reject);
  });
  return async () => {
    end();
    await over;
  };
}

/**
 * A webhook whose queue is locked just before a dispatcher does `what` for it the first time, and a webhook
 * of another organisation.
 */
async function lockedScene(t: Test, what: "take" | "record" | "release" | "renew") {
  const scene = await DispatchScene.start(t);
  const [organisation, other] = [await scene.organisation(), await scene.organisation()];
  const [locked, quiet] = [await scene.webhook(organisation), await scene.webhook(other)];
  let end: (() => Promise<void>) | undefined;
  let looks = 0;
  // The clocks of the process and of the database do not move in the same moment: no query runs between the
  // two.
  let passing = Promise.resolve();
  scene.dispatcher({
    store: (real) =>
      new Proxy(real, {
        get: (target, name: keyof DeliveryStore) => {
          if (name !== what) return target[name];
          return async (request: Parameters<DeliveryStore[typeof what]>[0]) => {
            const ids =
              "attempts" in request ? request.attempts.map(({ webhookId }) => webhookId) : request.webhookIds;
            await passing;
            if (ids.includes(locked.id)) looks++;
            if (looks === 1) end ??= await lockQueue(scene.store, locked.id);
            return target[name](request as never);
          };
        },
      }),
  });
  return {
    scene,
    organisation,
    other,
    locked,
    quiet,
    isLocked: () => end !== undefined,
    /** How often it was done for the locked webhook. */
    looks: () => looks,
    unlock: async () => end?.(),
    pass: (ms: number) => (passing = scene.pass(ms)),
  };
}

for (const { what, where, script, wanted } of [
  { what: "take", where: "taken", script: () => ({}), wanted: (told: string[]) => told },
  { what: "record", where: "recorded", script: () => ({}), wanted: (told: string[]) => told },
  {
    what: "record",
    where: "recorded, and has failed",
    script: (nth: number) => (nth === 1 ? failed : {}),
    wanted: (told: string[]) => [...told.slice(0, 100), ...told],
  },
  {
    what: "release",
    where: "given back",
    script: (nth: number) => (nth === 1 ? failed : {}),
    wanted: (told: string[]) => [...told.slice(0, 100), ...told],
  },
] as const) {
  t.test(`locked queue - while one waits to be ${where}, another's deliveries come`, async (t) => {
    const { scene, organisation, other, locked, quiet, isLocked, looks, unlock } = await lockedScene(t, what);
    let nth = 0;
    scene.script = ({ url }) => (url === locked.url ? script(++nth) : {});
    const told = await scene.tell(organisation, MANY);
    await waitFor(isLocked, { message: "it is never locked" });
    const quietTold: string[] = [];
    for (let round = 0; round < 5; round++) {
      quietTold.push(...(await scene.tell(other, what === "take" ? MANY : 3)));
      // It was taken, recorded and given back, otherwise the next would not come.
      const isServed = () => scene.eventsTo(quiet).length === quietTold.length;
      await waitFor(isServed, { message: "another's deliveries wait for the lock" });
    }
    const seen = looks();
    await waitFor(() => looks() > seen, { message: "it is not looked at again" });
    await unlock();
    await scene.run();
    t.strictSame(scene.eventsTo(quiet), quietTold);
    t.strictSame(scene.eventsTo(locked), wanted(told), "all of it, in order, once");
  });
}

t.test("locked queue - another's lease is renewed, and its own as soon as the lock is gone", async (t) => {
  const { scene, organisation, other, locked, quiet, isLocked, unlock, pass } = await lockedScene(t, "renew");
  const answers: Array<(result: object) => void> = [];
  scene.script = () => new Promise((resolve) => answers.push(resolve));
  const told = [await scene.tell(organisation, 1), await scene.tell(other, 1)];
  await waitFor(() => answers.length === 2, { message: "they are not sent" });
  const isRenewed = async ({ id }: { readonly id: string }) => {
    const [row] = await scene.store<[{ until: Date | null }]>`
      select lease_until as until from webhook_queues where webhook_id = ${id}`;
    return (row.until?.getTime() ?? 0) >= scene.now().getTime() + 10 * SECOND_MS;
  };
  await pass(4 * SECOND_MS);
  await waitFor(isLocked, { message: "it is never locked" });
  await waitFor(() => isRenewed(quiet), { message: "another's lease is not renewed" });
  t.notOk(await isRenewed(locked));
  await unlock();
  await waitFor(() => isRenewed(locked), { message: "its own lease is not renewed" });
  // Longer than the leases at the beginning.
  await pass(8 * SECOND_MS);
  for (const answer of answers) answer({});
  await scene.run();
  t.strictSame([scene.eventsTo(locked), scene.eventsTo(quiet)], told, "sent once");
});

t.test("locked queue - a lock longer than the lease: taken deliveries come again unchanged", async (t) => {
  const { scene, organisation, locked, isLocked, looks, unlock } = await lockedScene(t, "record");
  const told = await scene.tell(organisation, 150);
  await waitFor(isLocked, { message: "it is never locked" });
  await waitFor(() => looks() > 1, { message: "it is not looked at again" });
  await scene.pass(11 * SECOND_MS);
  const before = scene.sent.length;
  await unlock();
  await scene.run();
  t.strictSame([...new Set(scene.eventsTo(locked))], told);
  const ids = scene.sent.map(({ webhookId }) => webhookId);
  t.strictSame(ids.slice(before).slice(0, before), ids.slice(0, before), "under the same ids");
});

t.test("locked queue - one that is locked again and again gets its deliveries all the same", async (t) => {
  const scene = await DispatchScene.start(t);
  const [organisation, other] = [await scene.organisation(), await scene.organisation()];
  const [hammered, quiet] = [await scene.webhook(organisation), await scene.webhook(other)];
  scene.dispatcher();
  let isOver = false;
  t.teardown(() => (isOver = true));
  const hammer = async () => {
    for (; !isOver; await delay(2)) await retryDeliveries(scene.store, organisation, hammered.id);
  };
  const hammers = [hammer(), hammer(), hammer(), hammer()];
  const told: string[] = [];
  const quietTold: string[] = [];
  for (let round = 0; round < 5; round++) {
    told.push(...(await scene.tell(organisation, 150)));
    quietTold.push(...(await scene.tell(other, 2)));
    const isServed = () => scene.eventsTo(quiet).length === quietTold.length;
    await waitFor(isServed, { message: "another's deliveries wait" });
  }
  const isServed = () => scene.eventsTo(hammered).length >= told.length;
  await waitFor(isServed, { message: "its own never come" });
  isOver = true;
  await Promise.all(hammers);
  await scene.run();
  t.strictSame(scene.eventsTo(hammered), told, "in order, once");
  t.strictSame(scene.eventsTo(quiet), quietTold);
});
