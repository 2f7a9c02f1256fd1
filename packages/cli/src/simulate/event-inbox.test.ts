import t from "tap";
import type { WebhookEvent } from "#client";
import { EventInbox } from "./event-inbox.ts";

const stamp = (id: string, ref = "mine-1") =>
  ({ event_id: id, type: "qualifying_purchase.created", transaction_ref: ref }) as WebhookEvent;

function inbox() {
  const shown: string[] = [];
  const box = new EventInbox(
    (ref) => ref.startsWith("mine-"),
    ({ event_id }) => shown.push(event_id),
  );
  return { box, shown };
}

const HOUR = 3_600_000;

t.test("event inbox - an event counts once, for one wait, and only if it is ours", async (t) => {
  const { box, shown } = inbox();
  box.add(stamp("1"));
  box.add(stamp("1"));
  box.add(stamp("2", "other-1"));
  t.strictSame(shown, ["1"]);
  t.strictSame(await box.take(["qualifying_purchase.created"], 0), []);
  t.strictSame(await box.take(["qualifying_purchase.created"], 0), ["qualifying_purchase.created"]);
  t.strictSame(await box.take([], HOUR), [], "it waits for no event");
});

t.test("event inbox - a wait ends when the last of its events has come", async (t) => {
  const { box } = inbox();
  const both = box.take(["qualifying_purchase.created", "qualifying_purchase.created"], HOUR);
  box.add(stamp("1"));
  box.add(stamp("2"));
  t.strictSame(await both, []);
});

t.test("event inbox - an early event is kept for the next wait", async (t) => {
  const { box } = inbox();
  box.add(stamp("1"));
  t.strictSame(await box.take(["cashback.created", "qualifying_purchase.created"], 1), ["cashback.created"]);
  t.strictSame(await box.take(["qualifying_purchase.created"], 1), ["qualifying_purchase.created"]);
});

t.test("event inbox - when no more events can come, the wait fails", async (t) => {
  const { box } = inbox();
  const waiting = box.take(["cashback.created"], HOUR);
  box.fail(new Error("refused"));
  await t.rejects(waiting, { message: "refused" });
});
