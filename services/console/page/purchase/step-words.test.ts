import t from "tap";
import type { Step } from "./shapes.ts";
import { sayIgnored, sayStep } from "./step-words.ts";
import { at, CARD, clip, delivery, stamp } from "./test-trace.ts";

const reader = { now: new Date("2026-11-23T16:00:00Z"), zone: "UTC" };
const EUR = { amount: 1250, currency: "EUR" };
const card = {
  redemption_id: "red_1",
  ...CARD,
  stamps_total: 10,
  transaction_ref: "o",
  cashback_id: "cb",
  ...EUR,
};
const ofClip = {
  cashback_id: "cb",
  source: { type: "clip", clip_id: "clip_1", deal_id: "deal_1" },
  ...EUR,
} as const;
const ofCard = {
  ...ofClip,
  source: { type: "loyalty-program-redemption", redemption_id: "red_1", ...CARD },
} as const;
const hook = "https://bank.example/hook";

const STEPS: ReadonlyArray<readonly [step: object, title: string, detail: string | undefined]> = [
  [{ kind: "received" }, "Received", "The integrator sent its first event."],
  [
    { kind: "authorized", network: "amex", merchant_id: "4711", statement_descriptor: "ROASTERY", ...EUR },
    "Card authorized",
    "12.50 EUR at merchant 4711, “ROASTERY”, by American Express",
  ],
  [
    { kind: "authorized", network: "new", merchant_id: "4711" },
    "Card authorized",
    "at merchant 4711, by new",
  ],
  [{ kind: "cleared", ...EUR }, "Purchase cleared", "12.50 EUR"],
  [{ kind: "reverted" }, "Purchase reverted", undefined],
  [
    { kind: "sent_to_platform", merchant_id: "4711" },
    "Sent to the platform",
    "Without anything that names the member or the card.",
  ],
  [stamp(), "Stamp 7 of 10 for Coffee", "It counts on the card."],
  [stamp({ state: "redeemed" }), "Stamp 7 of 10 for Coffee", "It was redeemed with a full card."],
  [
    { kind: "stamp_voided", qualifying_purchase_id: "qp", number: 17, unredeemed_purchases: 1, ...CARD },
    "Stamp taken back · Coffee",
    "The card then had 1 stamp.",
  ],
  [{ kind: "redemption", ...card }, "Card full · Coffee", "10 stamps gave 12.50 EUR cashback."],
  [
    { kind: "redemption_undone", ...card },
    "Full card undone · Coffee",
    "Its cashback was taken back, and its other stamps count again.",
  ],
  [{ kind: "cashback", state: "pending", ...ofClip }, "12.50 EUR cashback", "For the saved deal Shoes."],
  [{ kind: "cashback_cleared", ...ofCard }, "12.50 EUR cashback cleared", "For a full card."],
  [{ kind: "cashback_reverted", ...ofCard }, "12.50 EUR cashback taken back", "For a full card."],
  [
    { kind: "event", event_id: "evt", event_type: "cashback.created" },
    "Webhook event cashback.created",
    undefined,
  ],
  [delivery([]), "Webhook told", `${hook} · status 200.`],
  [delivery([], { attempts: 3 }), "Webhook told after 3 attempts", `${hook} · status 200.`],
];

const UNANSWERED = delivery([], { state: "pending", attempts: 2, error_class: "connection_refused" });
const { status: _, ...noStatus } = UNANSWERED;

t.test("steps - each kind in words", async (t) => {
  for (const [step, title, detail] of STEPS) {
    t.match(sayStep({ at: at("14:00"), ...step } as Step, [clip()], reader), { title, detail }, title);
  }
});

t.test("steps - the ignored fields of a later event", async (t) => {
  const ignored = { at: at("15:00"), fields: ["amount"] };
  t.equal(sayIgnored(ignored), "Its amount was ignored: the stored values do not change.");
  t.match(
    sayIgnored({ ...ignored, fields: ["amount", "authed_at"] }),
    /^Its amount and authed at were ignored/,
  );
});

t.test("steps - a delivery that has not arrived says why, and when the next attempt comes", async (t) => {
  const again = { ...noStatus, next_attempt_at: at("16:05") };
  t.strictSame(sayStep(again, [], reader), {
    title: "Webhook not told after 2 attempts",
    detail: `${hook} · connection refused. Tried again at 16:05.`,
    state: "waiting",
  });
  t.match(sayStep({ ...noStatus, state: "failed", status: 400 }, [], reader), {
    title: "Webhook refused to be told after 2 attempts",
    state: "stopped",
  });
});
