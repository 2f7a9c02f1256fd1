import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { updateWebhook } from "../../edge/src/webhooks/webhook-rows.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { DispatchScene, failed, refused } from "./test-dispatch.ts";

/* With another URL, what the old address answered no longer counts: neither its refusals nor the wait after them. */

const NEW = "https://new.test/";

/** A webhook whose old address always answers 404. The new one refuses `refusals` times, and then accepts. */
async function start(t: Parameters<typeof DispatchScene.start>[0], refusals = 0) {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  const change = (changes: Parameters<typeof updateWebhook>[3]) =>
    updateWebhook(scene.store, organisation, webhook.id, changes);
  const tell = (count: number) => scene.tell(organisation, count);
  const toNew = () => scene.sent.filter(({ url }) => url === NEW);
  scene.script = ({ url }) => (url === webhook.url || toNew().length <= refusals ? refused(404) : {});
  /** Until some time after this many requests. */
  const sent = async (count: number) => {
    await scene.run(() => scene.sent.length === count);
    await scene.pass(1000);
  };
  const states = async () =>
    (
      await scene.store<{ state: string }[]>`
        select state from webhook_deliveries where webhook_id = ${webhook.id} order by id`
    ).map(({ state }) => state);
  return { scene, webhook, change, tell, toNew, sent, states };
}

t.test("another URL - a refused delivery goes there at once, and may be refused ten times", async (t) => {
  const { scene, change, tell, toNew, sent, states } = await start(t, 9);
  const told = await tell(2);
  scene.dispatcher();
  await sent(9);
  const at = scene.now().getTime();
  await change({ url: NEW });
  await scene.run();
  t.strictSame(
    toNew().map(({ events }) => events),
    new Array(10).fill(told),
  );
  t.strictSame(await states(), ["delivered"]);
  t.equal(toNew()[0]?.at, at);
  t.equal(toNew()[1]?.at, at + 5_000, "with the first step of the schedule");
});

for (const [requests, count, otherwise] of [
  [1, 1, "waits"],
  [10, 1, "is parked"],
  [10, 2, "is split"],
] as const) {
  t.test(`another URL - no delivery ${otherwise} for a late answer of the old address`, async (t) => {
    const { scene, webhook, change, tell, toNew, sent, states } = await start(t, 1);
    const { script } = scene;
    scene.script = async (request) => {
      if (request.url !== webhook.url || scene.sent.length < requests) return script(request);
      await change({ url: NEW });
      await scene.pass(100);
      return refused(404);
    };
    const told = await tell(count);
    scene.dispatcher();
    if (requests > 1) await sent(1);
    const later = await tell(150);
    await scene.run();
    const [first, second, ...rest] = toNew().map(({ events }) => events);
    if (requests > 1) t.strictSame([first, second], [told, told]);
    t.strictSame(first, second, "again, for the new address refuses it once");
    t.strictSame([...(second ?? []), ...rest.flat()], [...told, ...later], "in order");
    t.notOk((await states()).some((state) => state !== "delivered"));
    t.equal((toNew()[0]?.at ?? 0) - (scene.sent[requests - 1]?.at ?? 0), 100);
  });
}

t.test("another URL - refusals that were read before the change do not count after it", async (t) => {
  const { scene, change, tell, toNew, sent, states } = await start(t, 1);
  const store = (real: DeliveryStore): DeliveryStore => ({
    ...real,
    take: async (request) => {
      const taken = await real.take(request);
      if (scene.sent.length === 9) await change({ url: NEW });
      // Longer than a leased target counts as fresh.
      await delay(30);
      return taken;
    },
  });
  const told = await tell(1);
  scene.dispatcher({ store });
  await sent(9);
  await scene.run();
  t.strictSame(
    toNew().map(({ events }) => events),
    [told, told],
  );
  t.strictSame(await states(), ["delivered"]);
});

for (const starting of [[{ url: NEW }, { state: "enabled" }], [{ url: NEW, state: "enabled" }]] as const) {
  t.test(`another URL - of a paused webhook, ${starting.length} changes`, async (t) => {
    const { scene, change, tell, toNew, sent, states } = await start(t, 9);
    await tell(1);
    scene.dispatcher();
    await sent(9);
    await change({ state: "paused" });
    for (const changes of starting) {
      await scene.run();
      t.equal(scene.sent.length, 9, "nothing is sent while it is paused");
      await change(changes);
    }
    const at = scene.now().getTime();
    await scene.run();
    t.equal(toNew()[0]?.at, at);
    t.equal(toNew().length, 10);
    t.strictSame(await states(), ["delivered"]);
  });
}

t.test("another URL - the same one and other fields change nothing of the delivery", async (t) => {
  const { scene, webhook, change, tell, sent } = await start(t);
  scene.script = () => (scene.sent.length % 2 === 1 ? refused(404) : failed);
  await tell(1);
  scene.dispatcher();
  await sent(5);
  const read = () => scene.store`
    select d.refusals, d.failures, d.next_attempt_at, q.due_at
    from webhook_deliveries d join webhook_queues q using (webhook_id)
    where webhook_id = ${webhook.id}`;
  const before = await read();
  t.match(before, [{ refusals: 3, failures: 5 }]);
  await change({ url: webhook.url });
  await change({ url: webhook.url, description: "nightly", state: "enabled" });
  await change({ events: ["cashback.created", "cashback.cleared"] });
  t.strictSame(await read(), before);
});
