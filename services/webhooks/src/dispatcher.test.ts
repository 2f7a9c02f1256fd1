import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { EventType } from "#contract";
import { SeededRandom } from "#domain";
import { makeEncryptionKey, SecretBox } from "#runtime";
import { waitFor } from "#test-support";
import { listDeliveries } from "../../edge/src/webhook-deliveries/delivery-rows.ts";
import { replayDeliveries } from "../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { deleteWebhook, updateWebhook } from "../../edge/src/webhooks/webhook-rows.ts";
import { type DeliveryStore, deliveryStore } from "./delivery-store.ts";
import { DispatchScene, failed, refused } from "./test-dispatch.ts";

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const never = () => new Promise<never>(() => {});

/** Milliseconds between the attempts of a scene. */
const waits = ({ sent }: DispatchScene) => sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0));
/** Events in the order in which each came for the first time. */
const firsts = (names: readonly string[]) => [...new Set(names)];

t.test("dispatcher - events of its types go out in order, at most a hundred at a time", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const all = await scene.webhook(organisation, ["cashback.created", "cashback.cleared"]);
  const some = await scene.webhook(organisation, ["cashback.cleared"]);
  const told: string[] = [];
  const wanted: string[] = [];
  scene.dispatcher();
  for (const [count, type] of [
    [150, "cashback.created"],
    [3, "cashback.cleared"],
    [120, "cashback.created"],
  ] as const satisfies ReadonlyArray<readonly [number, EventType]>) {
    const names = await scene.tell(organisation, count, type);
    told.push(...names);
    if (type === "cashback.cleared") wanted.push(...names);
  }
  await scene.run();
  t.strictSame(scene.eventsTo(all), told);
  t.strictSame(scene.eventsTo(some), wanted);
  t.ok(scene.sent.every(({ events }) => events.length <= 100));
  const [first] = scene.sent;
  t.match(first?.webhookId, /^dlv_[0-9a-z]{26}$/);
  t.strictSame(first?.secrets, [first?.url === all.url ? all.secret : some.secret]);
});

t.test(
  "dispatcher - a healthy webhook is given back in its last record, without another write",
  async (t) => {
    const scene = await DispatchScene.start(t);
    const organisation = await scene.organisation();
    const webhook = await scene.webhook(organisation);
    const made: string[] = [];
    scene.dispatcher({
      store: (real) =>
        new Proxy(real, {
          get: (target, name: keyof DeliveryStore) => {
            if (name === "take" || name === "record" || name === "release") made.push(name);
            return target[name];
          },
        }),
    });
    const told = await scene.tell(organisation, 1);
    await scene.run();
    t.strictSame(scene.eventsTo(webhook), told);
    t.strictSame(made, ["record"], "and was taken with its lease");
  },
);

t.test(
  "dispatcher - attempts come at the times of the schedule, and 72 hours of failures disable",
  async (t) => {
    const scene = await DispatchScene.start(t);
    const organisation = await scene.organisation();
    const webhook = await scene.webhook(organisation);
    scene.script = () => failed;
    scene.dispatcher();
    const told = await scene.tell(organisation, 1);
    await scene.run();
    const table = [5, 30, 120, 600, 1800, ...new Array<number>(72).fill(3600)].map((s) => s * SECOND_MS);
    t.strictSame(waits(scene), table.slice(0, scene.sent.length - 1));
    const span = (scene.sent.at(-1)?.at ?? 0) - (scene.sent[0]?.at ?? 0);
    t.ok(span >= 72 * HOUR_MS && span < 73 * HOUR_MS, "the last one is the first after 72 hours");
    t.equal(new Set(scene.sent.map(({ webhookId }) => webhookId)).size, 1, "one id");
    t.equal(await stateOf(scene, webhook.id), "disabled");

    const meanwhile = await scene.tell(organisation, 250);
    await scene.run();
    const before = scene.sent.length;
    scene.script = () => ({});
    await scene.pass(SECOND_MS);
    await updateWebhook(scene.store, organisation, webhook.id, { state: "enabled" });
    await scene.run();
    t.strictSame(
      scene.sent.slice(before).flatMap(({ events }) => events),
      [...told, ...meanwhile],
      "enabled, it gets all of it in order",
    );
  },
);

t.test("dispatcher - 410 disables immediately; retry-after is honoured", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  const script = [{ ...refused(429), retryAfterMs: 17 * SECOND_MS }, refused(410)];
  scene.script = () => script[scene.sent.length - 1] ?? {};
  scene.dispatcher();
  await scene.tell(organisation, 1);
  await scene.run();
  t.strictSame(waits(scene), [17 * SECOND_MS]);
  t.equal(await stateOf(scene, webhook.id), "disabled");
});

t.test("dispatcher - ten refusals split; an event refused alone is parked and can be replayed", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  let isStrict = true;
  scene.script = ({ events }) => (isStrict && events.includes("e2") ? refused(400) : {});
  scene.dispatcher();
  await scene.tell(organisation, 3);
  await scene.run(() => scene.sent.length > 0);
  await scene.tell(organisation, 2);
  await scene.run();
  const got = scene.sent.map(({ events }) => events.join());
  t.strictSame(got, [
    ...new Array<string>(10).fill("e1,e2,e3"),
    "e1",
    ...new Array<string>(10).fill("e2"),
    "e3",
    "e4,e5",
  ]);
  t.notOk((await stateOf(scene, webhook.id)) === "disabled");
  const ids = { organisationId: organisation, webhookId: webhook.id };
  const listed = await listDeliveries(scene.store, { ...ids, state: "failed" }, { limit: 10 });
  t.match(listed?.records, [{ status: 400 }]);
  isStrict = false;
  t.equal(await replayDeliveries(scene.store, { ...ids, events: "failed" }), 1);
  await scene.run();
  t.strictSame(scene.sent.at(-1)?.events, ["e2"]);
});

t.test("dispatcher - a paused webhook collects; a deleted one is left alone", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const [paused, deleted] = [await scene.webhook(organisation), await scene.webhook(organisation)];
  await updateWebhook(scene.store, organisation, paused.id, { state: "paused" });
  await deleteWebhook(scene.store, organisation, deleted.id);
  scene.dispatcher();
  const told = await scene.tell(organisation, 250);
  await scene.run();
  t.strictSame(scene.sent, []);
  await updateWebhook(scene.store, organisation, paused.id, { state: "enabled" });
  await scene.run();
  t.strictSame(scene.eventsTo(paused), told);
  t.strictSame(scene.eventsTo(deleted), []);
});

t.test("dispatcher - targets that hang delay no other webhook, and are taken for no leak", async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on("warning", onWarning);
  t.teardown(() => process.off("warning", onWarning));
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const hanging = await Promise.all(Array.from({ length: 40 }, () => scene.webhook(organisation)));
  const others = await Promise.all(Array.from({ length: 10 }, () => scene.webhook(organisation)));
  const hangs = new Set(hanging.map(({ url }) => url));
  scene.script = ({ url }) => (hangs.has(url) ? never() : {});
  const { dispatcher } = scene.dispatcher({ slots: 50 });
  const told: string[] = [];
  for (let i = 0; i < 5; i++) told.push(...(await scene.tell(organisation, 20)));
  const isServed = () => others.every((webhook) => scene.eventsTo(webhook).length === told.length);
  await waitFor(isServed, { message: "the others wait" });
  for (const webhook of others) t.strictSame(scene.eventsTo(webhook), told);
  t.ok(hanging.every((webhook) => firsts(scene.eventsTo(webhook)).length <= 100));
  await waitFor(() => dispatcher.inFlight >= 40, { message: "some do not hang" });
  t.strictSame(warnings, []);
});

t.test("dispatcher - of webhooks beyond its slots each gets its turn", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhooks = await Promise.all(Array.from({ length: 9 }, () => scene.webhook(organisation)));
  let most = 0;
  const { dispatcher } = scene.dispatcher({ slots: 2 });
  scene.script = async () => {
    most = Math.max(most, dispatcher.inFlight);
    return {};
  };
  const told = await scene.tell(organisation, 5);
  await scene.run();
  for (const webhook of webhooks) t.strictSame(scene.eventsTo(webhook), told);
  t.equal(most, 2);
});

t.test("dispatcher - an organisation whose webhooks all hang leaves slots for the others", async (t) => {
  const scene = await DispatchScene.start(t);
  const [hostile, quiet] = [await scene.organisation(), await scene.organisation()];
  const hanging = await Promise.all(Array.from({ length: 30 }, () => scene.webhook(hostile)));
  const own = await Promise.all([scene.webhook(quiet), scene.webhook(quiet)]);
  const hangs = new Set(hanging.map(({ url }) => url));
  scene.script = ({ url }) => (hangs.has(url) ? never() : {});
  // A look for due webhooks begins during the step that announces and leases, and leases after it.
  let step: Promise<unknown> = Promise.resolve();
  const { dispatcher } = scene.dispatcher({
    slots: 20,
    store: (real) => ({
      ...real,
      advanceHorizon: (request) => {
        const advanced = delay(request.limit > 0 ? 20 : 0).then(() => real.advanceHorizon(request));
        if (request.limit > 0) step = advanced.catch(() => {});
        return advanced;
      },
      lease: (request) => step.then(() => real.lease(request)),
    }),
  });
  const told: string[] = [];
  for (let round = 0; round < 5; round++) {
    await scene.tell(hostile, 10);
    dispatcher.kick();
    // By now everything that it may hold hangs, and more of its webhooks have waited for longer than the
    // quiet one's.
    await waitFor(() => dispatcher.inFlight >= 18, { message: "they do not hang" });
    told.push(...(await scene.tell(quiet, 10)));
    const isServed = () => own.every((webhook) => scene.eventsTo(webhook).length === told.length);
    await waitFor(isServed, { message: "the other organisation waits" });
  }
  t.equal(new Set(scene.sent.filter(({ url }) => hangs.has(url)).map(({ url }) => url)).size, 18);
  for (const webhook of own) t.strictSame(scene.eventsTo(webhook), told);
});

/** A dispatcher whose step of the horizon waits for a slow writer, with ten of its twenty slots reserved, until `end` is called. */
async function waitingStep(scene: DispatchScene, pollMs: number) {
  let end: (error?: Error) => void = () => {};
  const writer = new Promise<Error | undefined>((resolve) => (end = resolve));
  let isWaiting = false;
  const { dispatcher } = scene.dispatcher({
    slots: 20,
    pollMs,
    store: (real) => ({
      ...real,
      advanceHorizon: async (request) => {
        if (request.limit > 0) {
          isWaiting = true;
          const error = await writer;
          if (error !== undefined) throw error;
        }
        return real.advanceHorizon(request);
      },
    }),
  });
  const isBegun = () => {
    dispatcher.kick();
    return isWaiting;
  };
  await waitFor(isBegun, { message: "no step begins" });
  const other = deliveryStore(scene.store, randomUUID());
  return {
    dispatcher,
    end,
    /** Another process makes the webhooks of an organisation due. */
    async announce(organisation: string) {
      await scene.tell(organisation, 1);
      await other.advanceHorizon({ leaseMs: 1, limit: 0, perWebhook: 0 });
    },
  };
}

t.test(
  "dispatcher - an organisation that holds no slot does not wait for a step while slots are free",
  async (t) => {
    const scene = await DispatchScene.start(t);
    const [hostile, quiet] = [await scene.organisation(), await scene.organisation()];
    await Promise.all(Array.from({ length: 30 }, () => scene.webhook(hostile)));
    const own = await scene.webhook(quiet);
    scene.script = ({ url }) => (url === own.url ? {} : never());
    const { dispatcher, end, announce } = await waitingStep(scene, 10);
    t.teardown(() => end());
    await announce(hostile);
    await waitFor(() => dispatcher.inFlight === 8, { message: "they do not hang" });
    await announce(quiet);
    await waitFor(() => scene.eventsTo(own).length === 1, { message: "it waits for the step" });
    await waitFor(() => dispatcher.inFlight === 8, { message: "the turn does not end" });
    end();
    await waitFor(() => dispatcher.inFlight === 18, { message: "the slots stay reserved" });
  },
);

t.test("dispatcher - webhooks due when a step fails do not wait for the next look", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  const { end, announce } = await waitingStep(scene, 600_000);
  t.teardown(() => end());
  await announce(organisation);
  end(new Error("the connection is lost"));
  await waitFor(() => scene.eventsTo(webhook).length === 1, { message: "it waits for the next look" });
});

t.test("dispatcher - a turn that has lasted its time ends with the delivery under way", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const [slow, other] = [
    await scene.webhook(organisation),
    await scene.webhook(organisation, ["cashback.cleared"]),
  ];
  let told: string[] = [];
  scene.script = async ({ url, events }) => {
    if (url !== slow.url || !events.includes("e1")) return {};
    told = await scene.tell(organisation, 1, "cashback.cleared");
    const isDue = async () =>
      (await scene.store`select from webhook_queues where webhook_id = ${other.id} and due_at is not null`)
        .length > 0;
    await waitFor(isDue, { message: "the other is not told" });
    await scene.pass(3 * SECOND_MS);
    return {};
  };
  const all = await scene.tell(organisation, 500);
  scene.dispatcher({ slots: 1 });
  await scene.run();
  t.strictSame(scene.eventsTo(slow), all, "in order, each once");
  t.strictSame(scene.eventsTo(other), told);
  t.equal(scene.sent[1]?.url, other.url, "the other one had the next turn");
});

t.test(
  "dispatcher - one dies between request and record: another makes the same request again",
  async (t) => {
    const scene = await DispatchScene.start(t);
    const organisation = await scene.organisation();
    const webhook = await scene.webhook(organisation);
    const first = scene.dispatcher();
    scene.script = () => {
      first.kill();
      return {};
    };
    const told = await scene.tell(organisation, 3);
    await waitFor(() => scene.sent.length === 1, { message: "it is not sent" });
    scene.script = () => ({});
    scene.dispatcher();
    await scene.run();
    t.strictSame(scene.eventsTo(webhook), [...told, ...told]);
    t.equal(scene.sent[0]?.webhookId, scene.sent[1]?.webhookId);
    t.ok((waits(scene)[0] ?? Infinity) <= 15 * SECOND_MS, "within 15 s");
  },
);

t.test("dispatcher - records of a suspended one do not count, and it makes no further request", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  let answer: (result: object) => void = () => {};
  scene.script = () => new Promise((resolve) => (answer = resolve));
  const old = scene.dispatcher();
  const told = await scene.tell(organisation, 250);
  await waitFor(() => scene.sent.length === 1, { message: "it is not sent" });
  const answerOld = answer;
  scene.script = () => ({});
  await scene.pass(11 * SECOND_MS);
  // The first dispatcher may take its other webhooks again; this one goes to the new dispatcher, which looks
  // first.
  const isServed = () => firsts(scene.eventsTo(webhook)).length === told.length;
  scene.dispatcher();
  await waitFor(isServed, { message: "no dispatcher continues" });
  const before = scene.sent.length;
  answerOld(failed);
  await waitFor(() => old.dispatcher.inFlight === 0, { message: "it keeps the webhook" });
  await scene.run();
  t.equal(scene.sent.length, before);
  t.strictSame(firsts(scene.eventsTo(webhook)), told);
});

t.test(
  "dispatcher - without the database it keeps the answers, and records them when it is back",
  async (t) => {
    const scene = await DispatchScene.start(t);
    const organisation = await scene.organisation();
    const webhook = await scene.webhook(organisation);
    let isGone = false;
    let refusals = 0;
    scene.script = () => {
      isGone = true;
      return {};
    };
    scene.dispatcher({
      store: (real) => ({
        ...real,
        record: (request) => {
          if (!isGone) return real.record(request);
          refusals++;
          return Promise.reject(Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" }));
        },
      }),
    });
    const told = await scene.tell(organisation, 3);
    await waitFor(() => refusals > 1, { message: "it does not try again" });
    scene.script = () => ({});
    isGone = false;
    await scene.run();
    t.strictSame(scene.eventsTo(webhook), told, "sent once");
  },
);

t.test("dispatcher - a webhook without a secret that opens waits; the others go on", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const lost = await scene.webhook(organisation, undefined, new SecretBox(makeEncryptionKey(new Date())));
  const other = await scene.webhook(organisation);
  scene.dispatcher();
  const told = await scene.tell(organisation, 3);
  await waitFor(() => scene.isAtRest(), { message: "they do not come to rest" });
  t.strictSame(scene.eventsTo(other), told);
  t.strictSame(scene.eventsTo(lost), []);
  const ids = { organisationId: organisation, webhookId: lost.id };
  const listed = await listDeliveries(scene.store, ids, { limit: 10 });
  t.match(listed?.records, [{ state: "pending", errorClass: "secret_unavailable" }]);
});

t.test("dispatcher - stopping finishes requests under way, and cuts those that take too long", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const [quick, slow] = [await scene.webhook(organisation), await scene.webhook(organisation)];
  let answer: (result: object) => void = () => {};
  scene.script = ({ url }) => (url === slow.url ? never() : new Promise((resolve) => (answer = resolve)));
  const { dispatcher } = scene.dispatcher();
  const told = await scene.tell(organisation, 120);
  await waitFor(() => scene.sent.length === 2, { message: "they are not sent" });
  const stopped = dispatcher.stop(2_000);
  answer({});
  await stopped;
  t.equal(dispatcher.inFlight, 0);
  scene.script = () => ({});
  scene.dispatcher();
  // The webhooks were given back, so no process has to wait for the end of a lease.
  await waitFor(() => scene.isAtRest(), { message: "they are not given back" });
  t.strictSame(scene.eventsTo(quick), told, "the answered deliveries are recorded");
  t.strictSame(scene.eventsTo(slow), [...told.slice(0, 100), ...told], "the other comes again");
});

for (const seed of [1, 2, 3]) {
  t.test(`dispatcher - order and completeness, with failures and deaths, seed ${seed}`, async (t) => {
    const scene = await DispatchScene.start(t);
    const random = new SeededRandom(seed);
    const organisations = [await scene.organisation(), await scene.organisation()];
    const webhooks = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const organisation = organisations[i % 2] as string;
        return { organisation, ...(await scene.webhook(organisation)) };
      }),
    );
    const living = [scene.dispatcher(), scene.dispatcher()];
    scene.script = async () => {
      await delay(random.between(0, 2));
      if (random.chance(0.02)) {
        living.splice(random.between(0, 1), 1)[0]?.kill();
        living.push(scene.dispatcher());
      }
      if (random.chance(0.2)) return failed;
      return random.chance(0.2) ? refused(400) : {};
    };
    const told = new Map(organisations.map((organisation): [string, string[]] => [organisation, []]));
    for (let round = 0; round < 30; round++) {
      for (const [organisation, names] of told) {
        names.push(...(await scene.tell(organisation, random.between(1, 60))));
      }
    }
    await scene.run();
    for (const { organisation, url } of webhooks) {
      t.strictSame(firsts(scene.eventsTo({ url })), told.get(organisation));
    }
  });
}

async function stateOf({ store }: DispatchScene, id: string): Promise<string | undefined> {
  return (await store<{ state: string }[]>`select state from webhooks where id = ${id}`)[0]?.state;
}
