import t from "tap";
import { SeededRandom } from "#domain";
import { updateWebhook } from "../../edge/src/webhooks/webhook-rows.ts";
import { DispatchScene, failed, refused } from "./test-dispatch.ts";

/* What happens to deliveries under way when their webhook changes (issue 34, lines 2, 3, 6 and 7). */

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

async function start(t: Parameters<typeof DispatchScene.start>[0]) {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  const change = (changes: Parameters<typeof updateWebhook>[3]) =>
    updateWebhook(scene.store, organisation, webhook.id, changes);
  const row = async () => {
    const [found] = await scene.store<{ state: string; failingSince: Date | null; updatedAt: Date }[]>`
      select state, failing_since as "failingSince", updated_at as "updatedAt" from webhooks where id = ${webhook.id}`;
    return found as NonNullable<typeof found>;
  };
  return { scene, organisation, webhook, change, row };
}

t.test("change - another URL holds for the next request of a turn under way", async (t) => {
  const { scene, organisation, webhook, change } = await start(t);
  const url = "https://new.test/";
  scene.script = async () => {
    if (scene.sent.length === 2) await change({ url });
    return {};
  };
  const told = await scene.tell(organisation, 800);
  scene.dispatcher();
  await scene.run();
  t.strictSame(
    scene.sent.map((sent) => sent.url),
    [webhook.url, webhook.url, ...new Array(6).fill(url)],
  );
  t.strictSame(
    scene.sent.flatMap(({ events }) => events),
    told,
    "each event once, in order",
  );
});

t.test(
  "change - a 410 of the old address does not disable the new one, and failed deliveries continue immediately",
  async (t) => {
    const { scene, organisation, webhook, change, row } = await start(t);
    scene.script = async ({ url }) => {
      if (url !== webhook.url) return {};
      await change({ url: "https://new.test/" });
      await scene.pass(100);
      return refused(410);
    };
    const told = await scene.tell(organisation, 1);
    scene.dispatcher();
    await scene.run();
    t.match(await row(), { state: "enabled", failingSince: null });
    t.strictSame(scene.eventsTo({ url: "https://new.test/" }), told);
    t.strictSame(
      scene.sent.map(({ at }) => at - (scene.sent[0]?.at ?? 0)),
      [0, 100],
    );
  },
);

t.test("change - 410 disables, and the webhook says when", async (t) => {
  const { scene, organisation, row } = await start(t);
  scene.script = () => refused(410);
  await scene.tell(organisation, 1);
  await scene.pass(DAY_MS);
  const at = scene.now();
  scene.dispatcher();
  await scene.run();
  t.match(await row(), { state: "disabled" });
  t.ok((await row()).updatedAt >= at);
});

t.test("change - a secret without overlap signs the next request alone", async (t) => {
  const { scene, organisation, webhook } = await start(t);
  let secret = "";
  scene.script = async () => {
    if (scene.sent.length === 1) secret = await scene.rotateSecret(organisation, webhook.id, 0);
    return {};
  };
  await scene.tell(organisation, 300);
  scene.dispatcher();
  await scene.run();
  t.strictSame(
    scene.sent.map(({ secrets }) => secrets),
    [[webhook.secret], [secret], [secret]],
  );
});

t.test("change - a paused webhook gets no further request", async (t) => {
  const { scene, organisation, change } = await start(t);
  scene.script = async () => {
    await change({ state: "paused" });
    return {};
  };
  const told = await scene.tell(organisation, 300);
  scene.dispatcher();
  await scene.run();
  t.equal(scene.sent.length, 1);
  scene.script = () => ({});
  await change({ state: "enabled" });
  await scene.run();
  t.strictSame(
    scene.sent.flatMap(({ events }) => events),
    told,
  );
});

for (const [name, meanwhile] of [
  [
    "a pause",
    async ({ scene, change }) => {
      await change({ state: "paused" });
      await scene.pass(4 * DAY_MS);
      await change({ state: "enabled" });
    },
  ],
  [
    "another URL",
    async ({ scene, change }) => {
      await scene.pass(2 * HOUR_MS);
      await change({ url: "https://new.test/" });
    },
  ],
  ["an absence of Stampede", async ({ scene }) => scene.pass(4 * DAY_MS)],
] as const satisfies ReadonlyArray<
  readonly [string, (scene: Awaited<ReturnType<typeof start>>) => Promise<void>]
>) {
  t.test(`change - 72 hours of failure are not counted over ${name}`, async (t) => {
    const one = await start(t);
    const { scene, organisation, webhook, row } = one;
    scene.script = () => failed;
    await scene.tell(organisation, 1);
    const first = scene.dispatcher();
    await scene.run(() => scene.sent.length === 1);
    first.kill();
    await scene.stop();
    // As if it had been failing for 70 hours.
    await scene.store`
      update webhooks set failing_since = failing_since - interval '70 hours', failing_ms = ${70 * HOUR_MS} where id = ${webhook.id}`;
    await meanwhile(one);
    const before = scene.sent.length;
    scene.dispatcher();
    await scene.run(() => scene.sent.length === before + 1);
    t.equal((await row()).state, "enabled", "the first failure afterwards does not disable");
    const [{ ms }] = await scene.store<
      [{ ms: number }]
    >`select failing_ms as ms from webhooks where id = ${webhook.id}`;
    if (name === "an absence of Stampede") t.equal(ms, 71.25 * HOUR_MS, "one wait of it counts");
    else t.equal(ms, 0, "counted from the first failure since then");
  });
}

t.test("change - enabled after 30 days, it gets the events that were kept, in order", async (t) => {
  const { scene, organisation, change } = await start(t);
  await change({ state: "paused" });
  const told: string[] = [];
  scene.dispatcher();
  for (let day = 0; day < 30; day++) {
    told.push(...(await scene.tell(organisation, 40)));
    await scene.run();
    await scene.pass(DAY_MS - HOUR_MS);
  }
  t.strictSame(scene.sent, []);
  await change({ state: "enabled" });
  await scene.run();
  t.strictSame(
    scene.sent.flatMap(({ events }) => events),
    told,
  );
});

t.test("change - while its types change, nothing comes out of order or under two ids", async (t) => {
  const types = ["cashback.created", "cashback.cleared", "transaction.rejected"] as const;
  const random = new SeededRandom(34);
  const { scene, organisation, change } = await start(t);
  const number = (name: string) => Number(name.slice(1));
  scene.script = async () => {
    if (random.chance(0.4)) await change({ events: types.filter((_, n) => n === 0 || random.chance(0.5)) });
    if (random.chance(0.2)) return failed;
    return {};
  };
  let dispatcher = scene.dispatcher({ slots: 1 });
  for (let round = 0; round < 25; round++) {
    for (const type of random.shuffle([...types]))
      await scene.tell(organisation, random.between(0, 150), type);
    if (random.chance(0.3)) {
      dispatcher.kill();
      dispatcher = scene.dispatcher({ slots: 1 });
    }
    await scene.run();
  }
  let last = 0;
  const ids = new Map<string, string>();
  for (const { webhookId, events } of scene.sent) {
    for (const event of events) {
      t.equal(ids.get(event) ?? webhookId, webhookId, `${event} under one id`);
      if (!ids.has(event)) {
        if (number(event) <= last) t.fail(`${event} came after e${last}`);
        last = number(event);
      }
      ids.set(event, webhookId);
    }
  }
  t.ok(ids.size > 500);
});
