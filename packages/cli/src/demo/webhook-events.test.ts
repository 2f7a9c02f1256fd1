import t from "tap";
import type { WebhookEvent } from "#contract";
import { disagreeing } from "./report.ts";
import { countCard } from "./rewards/plan-rewards.ts";
import { planSample } from "./rewards/test-plan.ts";
import { countEvents, type EventCounts, isComplete, judgeEvents, ReceivedEvents } from "./webhook-events.ts";

const NONE: EventCounts = countEvents(undefined, 0);

const nobody = { member_id: null, member_ref: null };

let last = 0;
function cashback(type: "cashback.created" | "cashback.cleared", id: string, ref = "demo-1-a"): WebhookEvent {
  last++;
  return {
    event_id: `evt_${last}`,
    type,
    timestamp: "2026-03-01T10:00:00.000Z",
    ...nobody,
    transaction_id: "tx_1",
    transaction_ref: ref,
    cashback_id: id,
    amount: 1,
    currency: "EUR",
    source: { type: "clip", clip_id: "clip_1", deal_id: "deal_1" },
  };
}

t.test("events - each counts once, and only those of the run", async (t) => {
  const received = new ReceivedEvents("demo-1-");
  const created = cashback("cashback.created", "cb_1");
  for (const event of [created, created, cashback("cashback.created", "cb_2", "demo-2-a")])
    received.add(event);
  received.add({ event_id: "evt_t", type: "webhook.test", timestamp: "2026-03-01T10:00:00.000Z", ...nobody });
  t.strictSame(received.counts, { ...NONE, "cashback.created": 1 });
  t.ok(isComplete({ ...NONE, "cashback.created": 1 }, received));
  t.notOk(isComplete(NONE, received));
});

t.test("events - one that comes before what it follows is found and named", async (t) => {
  const received = new ReceivedEvents("demo-1-");
  received.add(cashback("cashback.cleared", "cb_1"));
  received.add(cashback("cashback.created", "cb_1"));
  const section = judgeEvents({ ...NONE, "cashback.created": 1, "cashback.cleared": 1 }, received);
  t.strictSame(
    disagreeing([section]).map(({ name }) => name),
    ["before what they follow"],
  );
  t.strictSame(section.examples, ["cashback.cleared of cb_1 came before it was created"]);
});

t.test("events - a delivery that does not verify is found", async (t) => {
  const received = new ReceivedEvents("demo-1-");
  received.refuse("no signature matches");
  const section = judgeEvents(NONE, received);
  t.strictSame(
    disagreeing([section]).map(({ name }) => name),
    ["deliveries that do not verify"],
  );
  t.match(section.examples, [/no signature matches/]);
});

t.test(
  "events - the count of the sample has some of every type, and agrees with that of its wallets",
  async (t) => {
    const { plan } = planSample();
    const expected = countEvents(plan, 3);
    for (const [name, count] of Object.entries(expected)) t.ok(count > 0, name);
    const cards = plan.wallets.flatMap((wallet) => wallet.cards);
    const cleared = cards.reduce((sum, card) => sum + countCard(card, false).cleared, 0);
    t.equal(expected["cashback.cleared"], cleared);
    t.ok(expected["cashback.created"] >= expected["cashback.cleared"] + expected["cashback.reverted"]);
  },
);
