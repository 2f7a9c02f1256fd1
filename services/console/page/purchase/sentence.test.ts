import t from "tap";
import { purchaseSentence, rejectedSentence, rejectionNote, type Standing } from "./sentence.ts";
import type { CashbackStep, Explanation, RedemptionStep, Rejection, Step, Trace, Waiting } from "./shapes.ts";
import {
  at,
  BOOKS,
  CARD,
  clip,
  delivery,
  enrolment,
  event,
  explained,
  stamp,
  trace,
  verdict,
} from "./test-trace.ts";

const reader = { now: new Date("2026-11-23T16:00:00Z"), zone: "UTC" };

const MADE = event("qualifying_purchase.created");
const TOLD = delivery(["qualifying_purchase.created"]);
const hook = (code: "webhook" | "webhook_paused" | "webhook_disabled", more: object = {}): Waiting => ({
  code,
  text: "It waits.",
  webhook_id: "whk_1",
  webhook_url: "https://bank.example/hook",
  events: 1,
  ...more,
});

const redemption = (fields: object = {}): RedemptionStep => ({
  at: at("14:02"),
  kind: "redemption",
  redemption_id: "red_1",
  ...CARD,
  stamps_total: 10,
  transaction_ref: "order-1",
  cashback_id: "cb_1",
  amount: 500,
  currency: "EUR",
  ...fields,
});
const source = { type: "loyalty-program-redemption", redemption_id: "red_1", ...CARD } as const;
const cashback = (fields: Partial<CashbackStep> = {}): CashbackStep => ({
  at: at("14:02"),
  kind: "cashback",
  cashback_id: "cb_1",
  amount: 500,
  currency: "EUR",
  source,
  state: "pending",
  ...fields,
});
const ofClip = { source: { type: "clip", clip_id: "clip_1", deal_id: "deal_1" }, amount: 300 } as const;
const settled = (kind: "cashback_cleared" | "cashback_reverted", time: string, more: object = {}): Step => ({
  at: at(time),
  kind,
  cashback_id: "cb_1",
  amount: 500,
  currency: "EUR",
  source,
  ...more,
});
const voided: Step = {
  at: at("15:10"),
  kind: "stamp_voided",
  qualifying_purchase_id: "qp_1",
  ...CARD,
  number: 17,
};
const reverted = { transaction: { state: "reverted", reverted_at: at("15:10") } } as const;
const full = stamp({ unredeemed_purchases: 10, state: "redeemed" });

type Case = readonly [name: string, trace: Trace, text: string, standing: Standing, explained?: Explanation];

const STAMPS: readonly Case[] = [
  [
    "a stamp that the webhook knows",
    trace([stamp(), MADE, TOLD]),
    "Stamp 7 of 10, given at 14:02; told your webhook at 14:02.",
    "good",
  ],
  [
    "a stamp of another day",
    trace([
      stamp({ at: at("23:59", "2026-11-20") }),
      MADE,
      delivery(["qualifying_purchase.created"], { at: at("00:01", "2026-11-21") }),
    ]),
    "Stamp 7 of 10, given on 20 November at 23:59; told your webhook on 21 November at 00:01.",
    "good",
  ],
  [
    "a stamp with an unknown counter",
    trace([stamp({ unredeemed_purchases: undefined, at: at("10:00", "2025-10-03") } as object)]),
    "Stamp 17 on the card, given on 3 October 2025 at 10:00.",
    "good",
  ],
  [
    "two stamps",
    trace([stamp(), stamp({ ...BOOKS, unredeemed_purchases: 1, qualifying_threshold: 5 }), MADE, TOLD]),
    "Stamp 7 of 10 for Coffee, given at 14:02; Stamp 1 of 5 for Books, given at 14:02; told your webhook " +
      "at 14:02.",
    "good",
  ],
  [
    "a stamp that was taken back",
    trace([stamp({ state: "voided" }), MADE, voided, event("qualifying_purchase.voided")], reverted),
    "Stamp 7 of 10, given at 14:02, and taken back at 15:10, because the purchase was reverted; no webhook " +
      "was told.",
    "none",
  ],
  [
    "a stamp that is about to be taken back",
    trace([stamp()], reverted),
    "Stamp 7 of 10, given at 14:02; the purchase was reverted, and the stamp is about to be taken back.",
    "open",
  ],
  [
    "a taken back stamp of a card that was paid out",
    trace([stamp({ state: "voided" }), redemption({ transaction_ref: "order-9" }), voided], reverted),
    "Stamp 7 of 10, given at 14:02, and taken back at 15:10, because the purchase was reverted; " +
      "the full card that it was part of was paid out before, and stays so.",
    "none",
  ],
  [
    "a taken back stamp of a card that was not",
    trace(
      [
        stamp({ state: "voided" }),
        redemption(),
        voided,
        redemption({ kind: "redemption_undone", at: at("15:10") }),
      ],
      reverted,
    ),
    "Stamp 7 of 10, given at 14:02, and taken back at 15:10, because the purchase was reverted; " +
      "the full card that it was part of was undone with it.",
    "none",
  ],
  [
    "the last stamp of a card, with a pending cashback",
    trace([full, redemption(), cashback(), MADE, event("cashback.created"), delivery(["cashback.created"])]),
    "Stamp 10 of 10, given at 14:02; the card is full, and its 5.00 EUR cashback is pending until the " +
      "purchase clears; " +
      "told your webhook at 14:02.",
    "open",
  ],
  [
    "the last stamp of a card, with a cleared cashback",
    trace([full, redemption(), cashback({ state: "cleared" }), settled("cashback_cleared", "15:30")]),
    "Stamp 10 of 10, given at 14:02; the card is full, and its 5.00 EUR cashback was cleared at 15:30.",
    "good",
  ],
  [
    "a stamp that a later purchase's full card took",
    trace([
      stamp({ state: "redeemed" }),
      redemption({ transaction_ref: "order-9", at: at("15:45") }),
      MADE,
      TOLD,
    ]),
    "Stamp 7 of 10, given at 14:02; it was part of a full card that gave 5.00 EUR cashback at 15:45; " +
      "told your webhook at 14:02.",
    "good",
  ],
  [
    "a stamp of a full card that was undone",
    trace([
      stamp(),
      redemption({ transaction_ref: "order-9" }),
      redemption({ transaction_ref: "order-9", kind: "redemption_undone", at: at("15:00") }),
    ]),
    "Stamp 7 of 10, given at 14:02; the full card that it was part of was undone at 15:00, and it counts " +
      "again.",
    "good",
  ],
  [
    "a full card without an amount",
    trace([stamp({ unredeemed_purchases: 11 })], {
      waiting: [{ code: "amount", text: "It waits for an amount.", ...CARD }],
    }),
    "Stamp 11, given at 14:02; the card is full, and waits for a purchase whose amount or currency is known.",
    "open",
  ],
];

const CLIPS: readonly Case[] = [
  [
    "a saved deal's cashback, pending",
    trace([cashback(ofClip), event("cashback.created"), delivery(["cashback.created"])]),
    "3.00 EUR cashback for a saved deal, given at 14:02, is pending until the purchase clears; told your " +
      "webhook at 14:02.",
    "open",
  ],
  [
    "a saved deal's cashback, cleared",
    trace([cashback({ ...ofClip, state: "cleared" }), settled("cashback_cleared", "15:00", ofClip)]),
    "3.00 EUR cashback for a saved deal, given at 14:02, was cleared at 15:00.",
    "good",
  ],
  [
    "a saved deal's cashback, taken back",
    trace(
      [cashback({ ...ofClip, state: "reverted" }), settled("cashback_reverted", "15:10", ofClip)],
      reverted,
    ),
    "3.00 EUR cashback for a saved deal, given at 14:02, was taken back at 15:10.",
    "none",
  ],
  [
    "a stamp and a saved deal",
    trace([stamp(), cashback({ ...ofClip, currency: "JPY" })]),
    "Stamp 7 of 10 for Coffee, given at 14:02; 300 JPY cashback for a saved deal, given at 14:02, " +
      "is pending until the purchase clears.",
    "open",
  ],
];

const given = "Stamp 7 of 10, given at 14:02";
const WEBHOOKS: readonly Case[] = [
  [
    "a webhook that is about to be told",
    trace([stamp(), MADE], { waiting: [hook("webhook")] }),
    `${given}; your webhook is about to be told.`,
    "open",
  ],
  [
    "a webhook that fails",
    trace([stamp(), MADE], {
      waiting: [hook("webhook", { failing_since: at("13:40"), next_attempt_at: at("16:10") })],
    }),
    `${given}; your webhook has not been told: it has been failing since 13:40, and is tried again at 16:10.`,
    "open",
  ],
  [
    "a paused webhook",
    trace([stamp(), MADE], { waiting: [hook("webhook_paused")] }),
    `${given}; your webhook is paused and has not been told.`,
    "bad",
  ],
  [
    "a disabled webhook",
    trace([stamp(), MADE], { waiting: [hook("webhook_disabled")] }),
    `${given}; your webhook is disabled and has not been told.`,
    "bad",
  ],
  [
    "one that knows, one that is disabled, and two more",
    trace([stamp(), MADE, TOLD], {
      waiting: [
        hook("webhook", { webhook_id: "whk_2" }),
        hook("webhook_disabled", { webhook_id: "whk_3" }),
        hook("webhook_paused", { webhook_id: "whk_4" }),
      ],
    }),
    `${given}; told your webhook at 14:02; another webhook is disabled and has not been told; 2 other webhooks wait too.`,
    "bad",
  ],
  [
    "one that knows this and waits for something else",
    trace([stamp(), MADE, TOLD], { waiting: [hook("webhook")] }),
    `${given}; told your webhook at 14:02.`,
    "good",
  ],
  [
    "two that know",
    trace([
      stamp(),
      MADE,
      TOLD,
      delivery(["qualifying_purchase.created"], { webhook_id: "whk_2", at: at("14:03") }),
      delivery(["qualifying_purchase.created"], { at: at("15:00"), delivery_id: "dlv_replayed" }),
    ]),
    `${given}; told 2 of your webhooks, the last at 14:03.`,
    "good",
  ],
  [
    "one that refused",
    trace([
      stamp(),
      MADE,
      delivery(["qualifying_purchase.created"], { state: "failed", status: 400, attempts: 10 }),
    ]),
    `${given}; your webhook refused to be told (status 400) and will not be asked again unless the event is replayed.`,
    "bad",
  ],
  ["none", trace([stamp(), MADE]), `${given}; no webhook was told.`, "good"],
];

const waiting: Waiting[] = [{ code: "match", text: "The platform has not matched it." }];
const unmatched = trace([], { waiting });
const withClip = trace([], { waiting, links: [enrolment(), clip()] });
const late = { counts: false, reason: "made_too_late", made_at: at("15:00") };
/** Also a reason that is not known yet. */
const no = (reason: string, more: object = {}) => verdict("not_earned", { reason, ...more });
const books = { name: "Books" };
const CLIP = {
  type: "clip",
  stamp_collection_id: undefined,
  clip_id: "clip_1",
  deal_id: "deal_1",
  name: "Shoes",
};

const NOTHING: readonly Case[] = [
  ["a reverted purchase", trace([], reverted), "No stamp: the purchase was reverted at 15:10.", "none"],
  [
    "a purchase of a deleted member",
    trace([], { transaction: { member_id: null }, links: [] }),
    "No stamp: its member was deleted.",
    "none",
  ],
  [
    "a purchase of a member without cards and clips",
    trace([], { links: [] }),
    "No stamp: the member has no stamp card and no saved deal.",
    "none",
  ],
  [
    "one before the member joined",
    trace([], { links: [enrolment(late)] }),
    "No stamp: the member joined Coffee at 15:00, after the purchase.",
    "none",
  ],
  [
    "one before the member saved the deal",
    trace([], { links: [clip(late)] }),
    "No cashback: the member saved Shoes at 15:00, after the purchase.",
    "none",
  ],
  [
    "one before all that the member has",
    trace([], { links: [enrolment(late), enrolment(late), clip(late)] }),
    "No stamp and no cashback: the member joined 2 programs and saved 1 deal, all of them after the purchase.",
    "none",
  ],
  [
    "one that has not left",
    trace([], { waiting: [{ code: "platform", text: "" }] }),
    "No stamp yet: the purchase is on its way to the platform.",
    "open",
  ],
  [
    "one of which nothing is known",
    unmatched,
    "No stamp yet: the platform has not matched the purchase.",
    "open",
  ],
  [
    "one without the retailer's payment",
    unmatched,
    "No stamp yet: the retailer's payment has not come; it may until 22 December.",
    "open",
    explained(
      no("amount_too_low", books),
      verdict("waiting", { waits_for: "payment", until: at("14:00", "2026-12-22") }),
    ),
  ],
  [
    "a purchase with an answer on the way",
    unmatched,
    "No stamp yet: the platform counted the purchase, and its answer is on the way.",
    "open",
    explained(verdict("earned", { outcome_id: "out_1" })),
  ],
  [
    "one that counts only by today's rules",
    unmatched,
    "No stamp: today's rules would count the purchase, but the rules by which it was judged did not.",
    "none",
    explained(verdict("earned")),
  ],
  [
    "one that was made elsewhere",
    unmatched,
    "No stamp: Coffee does not count purchases at this merchant.",
    "none",
    explained(no("other_merchant")),
  ],
  [
    "one that was made where no card counts",
    withClip,
    "No stamp and no cashback: none of the member's 2 cards and saved deals counts purchases at this merchant.",
    "none",
    explained(no("other_merchant"), no("other_merchant", books)),
  ],
  [
    "several reasons: the most telling is said",
    unmatched,
    "No stamp: the amount is below the least that Books asks for (and 1 other reason, below).",
    "none",
    explained(no("other_merchant"), no("amount_too_low", books)),
  ],
  [
    "one that was counted under rules that have changed since",
    unmatched,
    "No stamp yet: the platform counted the purchase, and its answer is on the way.",
    "open",
    explained(no("ended", { outcome_id: "out_1" })),
  ],
  [
    "a saved deal that another purchase redeemed",
    trace([], { waiting, links: [] }),
    "No cashback: Shoes was redeemed with another purchase.",
    "none",
    explained(verdict("earned", { ...CLIP, outcome_id: "out_1" })),
  ],
  [
    "the same, and a card that asks for more",
    unmatched,
    "No stamp and no cashback: the amount is below the least that Coffee asks for (and 1 other reason, below).",
    "none",
    explained(no("amount_too_low"), verdict("earned", { ...CLIP, outcome_id: "out_1" })),
  ],
  [
    "programs that the member is not in",
    trace([], { links: [] }),
    "No stamp: the member has no stamp card and no saved deal.",
    "none",
    explained(verdict("earned", { stamp_collection_id: undefined })),
  ],
  [
    "a reason that came later",
    unmatched,
    "No stamp: In its own words.",
    "none",
    explained(no("phase_of_the_moon")),
  ],
];

const REASONS: Readonly<Record<string, string>> = {
  unknown_merchant: "no retailer on the platform has its merchant id",
  no_descriptor_matches:
    "several retailers share its merchant id, and its statement descriptor fits none of them",
  ambiguous:
    "several retailers share its merchant id, and its statement descriptor fits more than one of them",
  removed: "the program was removed from the platform",
  other_descriptor: "Coffee counts purchases at this merchant under another statement descriptor only",
  amount_unknown: "Coffee asks for a least amount, and the platform knows none of this purchase",
  other_currency: "Coffee counts purchases in another currency only",
  paid_too_early: "it was paid before Coffee began to count purchases",
  paid_too_late: "it was paid after Coffee stopped counting purchases",
  not_started: "Coffee had not begun yet",
  ended: "Coffee was over",
  no_payment: "the retailer's payment did not come within 30 days",
  payment_not_kept:
    "the platform does not keep the retailer's payment any more, so it cannot be judged again",
  already_earned: "another card of Coffee got the stamp",
};

for (const [title, cases] of Object.entries({ STAMPS, CLIPS, WEBHOOKS, NOTHING })) {
  t.test(`sentence - ${title.toLowerCase()}`, async (t) => {
    for (const [name, it, text, standing, explanation] of cases) {
      t.strictSame(purchaseSentence(it, explanation, reader), { text, standing }, name);
    }
  });
}

t.test("sentence - every reason of the platform", async (t) => {
  for (const [reason, clause] of Object.entries(REASONS)) {
    const { text } = purchaseSentence(unmatched, explained(no(reason)), reader);
    t.equal(text, `No stamp: ${clause}.`);
  }
});

t.test("sentence - an event that was rejected", async (t) => {
  const rejected = (reason: string, more: object = {}): Rejection => ({
    rejected_at: at("14:05"),
    code: "conflict",
    reason,
    ...more,
  });
  const said = (...rejections: Parameters<typeof rejectedSentence>[0]) =>
    rejectedSentence(rejections, reader).text;
  t.equal(
    said(rejected("not_found")),
    "No purchase: its event was rejected at 14:05, because there was no such member.",
  );
  t.equal(
    said(rejected("not_found"), rejected("not_found"), rejected("not_found")),
    "No purchase: its event was rejected at 14:05, because there was no such member; so were 2 events before.",
  );
  t.equal(
    said(rejected("past_retention")),
    "No purchase: its event was rejected at 14:05, because it was of a purchase from before the time that " +
      "purchases are kept for.",
  );
  t.equal(said(), "No purchase has this external_id.");
  const note = (...rejections: Parameters<typeof rejectionNote>[0]) => rejectionNote(rejections, reader);
  t.equal(note(), undefined);
  t.equal(
    note(rejected("invalid_transition", { from: "cleared", to: "reverted" }), rejected("not_found")),
    "An event for it was rejected at 14:05, and 1 other before: a cleared purchase cannot be reverted any " +
      "more.",
  );
  t.equal(
    note(rejected("identity_mismatch", { field: "card" })),
    "An event for it was rejected at 14:05: it named another card than the purchase that is stored.",
  );
  t.equal(
    note(rejected("identity_mismatch", { field: "member_id" })),
    "An event for it was rejected at 14:05: it named another member than the purchase that is stored.",
  );
});
