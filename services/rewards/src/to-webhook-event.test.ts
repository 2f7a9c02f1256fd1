import t from "tap";
import { Check } from "typebox/value";
import { WebhookEvent } from "#contract";
import { encodeId } from "#domain";
import type { RewardEvent } from "#domain/rewards";
import { idOf } from "./test-decisions.ts";
import { toWebhookEvent } from "./to-webhook-event.ts";

const EVENT_ID = "0195a000-0000-7000-8000-000000000001";
const TRANSACTION = {
  at: "2026-05-01T10:00:00.123456Z",
  transactionId: idOf("transaction"),
  transactionRef: 'ref "é"',
};
const CLIP = { type: "clip", clipId: idOf("clip"), dealId: idOf("deal") } as const;
const REDEMPTION = {
  type: "loyalty-program-redemption",
  loyaltyProgramId: idOf("program"),
  stampCollectionId: idOf("card"),
  redemptionId: idOf("redemption"),
} as const;
const CASHBACK = { ...TRANSACTION, cashbackId: idOf("cashback"), amount: 2 ** 53 - 1, currency: "EUR" };
const STAMP = {
  ...TRANSACTION,
  qualifyingPurchaseId: idOf("stamp"),
  loyaltyProgramId: idOf("program"),
  stampCollectionId: idOf("card"),
  unredeemedPurchases: 0,
};

const SAID = {
  timestamp: "2026-05-01T10:00:00.123Z",
  transaction_id: encodeId("tx", idOf("transaction")),
  transaction_ref: 'ref "é"',
};
const CASHBACK_SAID = {
  ...SAID,
  cashback_id: encodeId("cb", idOf("cashback")),
  amount: 2 ** 53 - 1,
  currency: "EUR",
};
const CLIP_SAID = {
  type: "clip",
  clip_id: encodeId("clip", idOf("clip")),
  deal_id: encodeId("deal", idOf("deal")),
};
const REDEMPTION_SAID = {
  type: "loyalty-program-redemption",
  loyalty_program_id: encodeId("lp", idOf("program")),
  stamp_collection_id: encodeId("sc", idOf("card")),
  redemption_id: encodeId("red", idOf("redemption")),
};
const STAMP_SAID = {
  ...SAID,
  qualifying_purchase_id: encodeId("qp", idOf("stamp")),
  loyalty_program_id: encodeId("lp", idOf("program")),
  stamp_collection_id: encodeId("sc", idOf("card")),
  unredeemed_purchases: 0,
};

const EVENTS: ReadonlyArray<[event: RewardEvent, said: object]> = [
  [
    { type: "cashback.created", ...CASHBACK, source: REDEMPTION },
    { ...CASHBACK_SAID, source: REDEMPTION_SAID },
  ],
  [
    { type: "cashback.cleared", ...CASHBACK, source: CLIP },
    { ...CASHBACK_SAID, source: CLIP_SAID },
  ],
  [
    { type: "cashback.reverted", ...CASHBACK, source: CLIP },
    { ...CASHBACK_SAID, source: CLIP_SAID },
  ],
  [
    { type: "qualifying_purchase.created", ...STAMP },
    { ...STAMP_SAID, created_at: SAID.timestamp },
  ],
  [
    { type: "qualifying_purchase.voided", ...STAMP },
    { ...STAMP_SAID, voided_at: SAID.timestamp },
  ],
  [{ type: "qualifying_purchase.unredeemed", ...STAMP }, STAMP_SAID],
];

for (const [event, said] of EVENTS) {
  t.test(`webhook event - ${event.type} has the fields of the contract, in a stable order`, async (t) => {
    const written = toWebhookEvent(EVENT_ID, event);
    t.ok(Check(WebhookEvent, { ...written, member_id: null, member_ref: null }), "once its member is added");
    const { timestamp, ...rest } = said as { timestamp: string };
    const expected = { event_id: encodeId("evt", EVENT_ID), type: event.type, timestamp, ...rest };
    t.equal(JSON.stringify(written), JSON.stringify(expected));
  });
}
