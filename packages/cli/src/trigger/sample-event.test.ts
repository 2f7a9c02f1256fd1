import { Ajv } from "ajv";
import t from "tap";
import { EVENT_TYPES, WebhookEvent } from "#contract";
import { SAMPLE_TYPES, sampleEvent, withField } from "./sample-event.ts";

t.test("sample event - there is one of every type, as the contract says it", async (t) => {
  t.strictSame([...SAMPLE_TYPES].sort(), [...EVENT_TYPES, "webhook.test"].sort());
  // Closed, so that a field too many shows as well.
  const closed = JSON.parse(JSON.stringify(WebhookEvent), (_, value) =>
    value?.type === "object" ? { ...value, additionalProperties: false } : value,
  );
  const isEvent = new Ajv({ strict: false }).compile(closed);
  for (const type of SAMPLE_TYPES) {
    const event = sampleEvent(type);
    t.equal(event.type, type);
    t.ok(isEvent(JSON.parse(JSON.stringify(event))), `${type}: ${JSON.stringify(isEvent.errors)}`);
    t.not(sampleEvent(type).event_id, event.event_id);
  }
});

t.test("sample event - a field is set with a value of its kind", async (t) => {
  const event = sampleEvent("cashback.created");
  t.match(withField(event, "amount=500"), { amount: 500, currency: "EUR" });
  t.match(withField(event, "transaction_ref=order = 7"), { transaction_ref: "order = 7" });
  t.match(withField(event, "source.deal_id=deal_1"), { source: { type: "clip", deal_id: "deal_1" } });
  t.match(withField(event, 'source={"type":"loyalty-program-redemption"}'), {
    source: { type: "loyalty-program-redemption" },
  });
  t.match(event, { amount: 250 }, "the event that was given is left alone");
});

t.test("sample event - an unknown field, and a value of another type, are refused", async (t) => {
  const event = sampleEvent("cashback.created");
  for (const assignment of [
    "amuont=500",
    "type=webhook.test",
    "amount",
    "source.none=1",
    "amount.x=1",
    "=1",
    "__proto__.x=1",
    "source.__proto__={}",
    "",
  ]) {
    t.throws(
      () => withField(event, assignment),
      { message: /no such field to set; it has event_id/ },
      assignment,
    );
  }
  for (const assignment of ["amount=12.50", "amount=-1", "amount=", "source=clip", "source=7"]) {
    t.throws(() => withField(event, assignment), { name: "CommandError", message: /it is a/ }, assignment);
  }
});
