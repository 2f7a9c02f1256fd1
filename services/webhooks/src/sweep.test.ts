import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { writeEvents } from "#publisher-db";
import { createLog } from "#runtime";
import { startSweep } from "./sweep.ts";
import { DispatchScene } from "./test-dispatch.ts";

const log = createLog({ service: "test", level: "silent" });
const DAY_MS = 24 * 60 * 60 * 1000;

async function sweepOnce({ store }: DispatchScene): Promise<void> {
  const sweep = startSweep(store, log);
  await sweep.begun;
  await sweep.stop();
}

t.test("sweep - a process with a clock 31 days ahead deletes no undelivered event", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhook = await scene.webhook(organisation);
  const told = await scene.tell(organisation, 150);
  const { now } = Date;
  Date.now = () => now() + 31 * DAY_MS;
  t.teardown(() => {
    Date.now = now;
  });
  await sweepOnce(scene);
  scene.dispatcher();
  await scene.run();
  t.strictSame(scene.eventsTo(webhook), told);
  const deliveries = () => scene.store`select from webhook_deliveries`;
  t.equal((await deliveries()).length, 2);
  await sweepOnce(scene);
  t.equal((await deliveries()).length, 2, "and not the delivered ones");
});

t.test("sweep - undelivered events are kept for 30 days, in every state of the webhook", async (t) => {
  const scene = await DispatchScene.start(t);
  const organisation = await scene.organisation();
  const webhooks = await Promise.all(
    ["enabled", "paused", "disabled"].map(() => scene.webhook(organisation)),
  );
  scene.script = () => ({ status: 503, errorClass: "http_5xx" });
  const ids = webhooks.map(({ id }) => id);
  await scene.store`
    update webhooks set state = (array['enabled', 'paused', 'disabled'])[ord]
    from unnest(${ids}::uuid[]) with ordinality as given (id, ord) where webhooks.id = given.id`;
  await scene.store`update webhook_queues set enabled = false where webhook_id <> ${ids[0] as string}`;
  const id = uuidv7();
  // The event's time comes from a process whose clock was a year behind.
  const at = new Date(scene.now().getTime() - 365 * DAY_MS).toISOString();
  const event = { id, organisationId: organisation, type: "cashback.created", at, transactionId: null };
  await scene.store.begin((sql) => writeEvents(sql, [{ ...event, body: '{"event_id":"e1"}' }]));
  await scene.store`update events set written_at = ${scene.now()}`;
  const left = async () => {
    await sweepOnce(scene);
    return (await scene.store`select from events`).length;
  };
  t.equal(await left(), 1);
  await scene.pass(LIMITS.eventKeptMs);
  t.equal(await left(), 1);
  await scene.pass(1);
  t.equal(await left(), 0);
});
