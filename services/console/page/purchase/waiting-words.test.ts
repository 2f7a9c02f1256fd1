import t from "tap";
import type { Explanation, Waiting } from "./shapes.ts";
import { at, explained, verdict } from "./test-trace.ts";
import { sayWaiting } from "./waiting-words.ts";

const reader = { now: new Date("2026-11-23T16:00:00Z"), zone: "UTC" };
const hook = "https://bank.example/hook";
const say = (code: Waiting["code"], more: object = {}) =>
  sayWaiting({ code, text: "As the trace says it.", webhook_url: hook, ...more }, reader);

t.test("waiting - for webhooks, with the times of the reader", async (t) => {
  t.equal(say("webhook"), `1 event waits for the webhook ${hook}.`);
  t.equal(
    say("webhook", { events: 2, failing_since: at("13:40"), next_attempt_at: at("16:10") }),
    `2 events wait for the webhook ${hook}, which has been failing since 13:40. The next attempt is at 16:10.`,
  );
  t.equal(say("webhook_paused"), `1 event waits for the webhook ${hook}, which is paused.`);
  t.equal(
    say("webhook_disabled", { events: 3 }),
    `3 events wait for the webhook ${hook}, which is disabled.`,
  );
});

t.test("waiting - for a match: which question is open, if the platform has answered", async (t) => {
  const match: Waiting = { code: "match", text: "One of two." };
  t.equal(sayWaiting(match, reader), "One of two.");
  const waits = explained(verdict("waiting", { until: at("14:00", "2026-12-22") }));
  t.equal(sayWaiting(match, reader, waits), "It waits for the payment of Roastery.");
  const nobodys: Explanation = {
    ...explained(verdict("not_earned", { reason: "unknown_merchant" })),
    routing: { outcome: "unknown_merchant", text: "No retailer has its merchant id.", retailers: [] },
  };
  t.equal(sayWaiting(match, reader, nobodys), "Nothing comes of it. No retailer has its merchant id.");
  const judged = explained(verdict("not_earned", { reason: "amount_too_low" }));
  t.match(sayWaiting(match, reader, judged), /a purchase at Roastery; below it says why/);
});

t.test("waiting - for anything else, in the trace's words", async (t) => {
  for (const code of ["platform", "no_links", "match", "clearing", "stamps", "amount"] as const) {
    t.equal(say(code), "As the trace says it.");
  }
});
