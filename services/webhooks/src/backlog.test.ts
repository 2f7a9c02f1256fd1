import t from "tap";
import { testOrganisation } from "#test-support";
import { updateWebhook } from "../../edge/src/webhooks/webhook-rows.ts";
import { measureBacklog } from "./backlog.ts";
import { clockedStore, TestDispatcher, testWebhook, writeTestEvents } from "./deliveries/test-deliveries.ts";

t.test("backlog - failing webhooks, disabled ones, and waiting events", async (t) => {
  const { store, clock } = await clockedStore();
  const nothing = { waiting: 0, oldestSeconds: 0, disabled: 0, failing: 0 };
  t.strictSame(await measureBacklog(store), nothing, "without any webhook");
  const organisation = await testOrganisation(store);
  const [failing, parking, paused, disabled] = [
    await testWebhook(store, organisation),
    await testWebhook(store, organisation),
    await testWebhook(store, organisation),
    await testWebhook(store, organisation),
  ];
  t.strictSame(await measureBacklog(store), nothing);
  await updateWebhook(store, organisation, paused, { state: "paused" });
  await writeTestEvents(store, organisation, 1);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  t.strictSame(await measureBacklog(store), {
    ...nothing,
    waiting: 3,
    oldestSeconds: 14 * 3600,
  });
  await dispatcher.lease();
  const later = { kind: "retry", afterMs: 90_000, refused: false } as const;
  await dispatcher.record(await dispatcher.take(failing), later);
  await dispatcher.record(await dispatcher.take(parking), { kind: "parked" });
  await dispatcher.record(await dispatcher.take(disabled), { kind: "disable", refused: false });
  await dispatcher.release(failing, parking, disabled);
  await clock.pass(60_000);
  const { oldestSeconds, ...measured } = await measureBacklog(store);
  // The parked one failed, too, and no request has succeeded since.
  t.strictSame(measured, { waiting: 1, disabled: 1, failing: 2 });
  t.equal(oldestSeconds, 60, "the age of a delivery, since it was made");
});
