import t from "tap";
import type { WebhookEvent } from "#client";
import { ToldEvents } from "./told-events.ts";

const event = (event_id: string, type: WebhookEvent["type"], transaction_ref = "demo-1") =>
  ({ event_id, type, transaction_ref }) as WebhookEvent;

t.test("told events - a delivery that comes twice counts once", async (t) => {
  const told = new ToldEvents("demo-");
  told.add(event("evt_1", "cashback.created"));
  told.add(event("evt_1", "cashback.created"));
  t.match(told, { total: 1, twice: 0, strange: 0 });
  t.equal(told.count("cashback.created"), 1);
});

t.test("told events - another event with the same content is recognised as a second one", async (t) => {
  const told = new ToldEvents("demo-");
  told.add(event("evt_1", "qualifying_purchase.created"));
  told.add(event("evt_2", "qualifying_purchase.created"));
  told.add(event("evt_3", "cashback.created"));
  t.match(told, { total: 3, twice: 1, strange: 0 });
});

t.test("told events - events of others are ignored, and events without a cause are reported", async (t) => {
  const told = new ToldEvents("demo-");
  told.add(event("evt_1", "cashback.created", "other-1"));
  told.add({ event_id: "evt_2", type: "webhook.test" } as WebhookEvent);
  t.equal(told.total, 0);
  told.add(event("evt_3", "cashback.reverted"));
  t.match(told, { total: 1, strange: 1 });
});
