import t from "tap";
import { VALIDATORS } from "#contract/validation";
import { planSending } from "../plan-requests.ts";
import { countCard, type Ending, planRewards } from "./plan-rewards.ts";
import { planSample } from "./test-plan.ts";

const { entries, events, memberIds, whole, shops, plan } = planSample();
const cards = plan.wallets.flatMap((wallet) => wallet.cards);
const stateOf = (externalId: string) => whole.transactions.get(externalId)?.state;

t.test("shops - every retailer has several, and none has another's", async (t) => {
  const ids = [...shops.values()].flat();
  t.equal(new Set(ids).size, ids.length);
  t.ok([...shops.values()].every((of) => of.length >= 10));
});

t.test("plan - is the same every time", async (t) => {
  t.strictSame(planRewards("test", memberIds, whole, shops), plan);
});

t.test("plan - the purchases of a card end as it says", async (t) => {
  const endings: Record<Ending, (states: readonly unknown[], card: (typeof cards)[number]) => boolean> = {
    open: (states) => states.every((state) => state === "authorized"),
    cleared: (states) => states.every((state) => state === "cleared"),
    reverted_early: (states, { retailer }) =>
      states.length < retailer.program.threshold && !states.includes("cleared"),
    reverted_late: (states, { retailer }) =>
      states.filter((state) => state === "reverted").length === 1 &&
      !states.includes("cleared") &&
      (states.length < retailer.program.threshold || states.length % retailer.program.threshold === 0),
  };
  for (const card of cards) {
    const states = card.purchases.map(({ externalId }) => stateOf(externalId));
    t.ok(endings[card.ending](states, card), `${card.ending}: ${states}`);
  }
});

t.test(
  "plan - a clip has at most one purchase that could redeem it, and none that is reverted early",
  async (t) => {
    for (const { clipped, purchases, ending } of cards) {
      if (clipped) t.ok(purchases.length <= 1 && ending !== "reverted_early");
    }
  },
);

t.test(
  "plan - every kind of card occurs, with and without a redemption, and a clip that is not redeemed",
  async (t) => {
    const counts = cards.map((card) => ({ card, ...countCard(card, false) }));
    const some = (what: string, least: number, is: (count: (typeof counts)[number]) => boolean) =>
      t.ok(counts.filter(is).length >= least, what);
    some("pending redemptions", 10, ({ redemptions, pending }) => redemptions > 0 && pending > 0);
    some("cleared redemptions", 10, ({ redemptions, cleared }) => redemptions > 0 && cleared > 0);
    some("redemptions undone", 5, ({ card, reverted }) => card.purchases.length > 1 && reverted > 0);
    some("clips taken back", 5, ({ card, clipsRedeemed, reverted }) => {
      return card.clipped && clipsRedeemed === 0 && reverted > 0;
    });
    some("clips whose purchase is too small", 2, ({ card, clipsRedeemed, reverted }) => {
      return card.clipped && card.purchases.length === 1 && clipsRedeemed === 0 && reverted === 0;
    });
    some("stamps that come and go", 5, ({ card }) => card.ending === "reverted_early");
    t.ok(
      plan.wallets.some((wallet) => wallet.cards.length === 0),
      "members who are enrolled nowhere",
    );
  },
);

t.test("plan - payments have ids of their own, and go to the retailer whose shop it was", async (t) => {
  for (const [retailer, payments] of plan.payments) {
    t.equal(new Set(payments.map(({ payment_id }) => payment_id)).size, payments.length);
    t.ok(payments.length > 100 && payments.length <= 2000, `${payments.length} of ${retailer.name}`);
  }
  for (const { retailer, purchases } of cards) {
    for (const { externalId, payment } of purchases) {
      const transaction = whole.transactions.get(externalId);
      t.ok(payment.identifiers.includes(transaction?.identifier6 ?? ""));
      t.ok(shops.get(retailer)?.includes(transaction?.merchantId ?? ""));
    }
  }
});

t.test("plan - no other transaction has an identifier of a payment", async (t) => {
  const uses = new Map<string, number>();
  for (const { identifier6 } of whole.transactions.values()) {
    uses.set(identifier6, (uses.get(identifier6) ?? 0) + 1);
  }
  const payments = [...plan.payments.values()].flat();
  t.ok(payments.every(({ identifiers }) => uses.get(identifiers[0] ?? "") === 1));
});

t.test("sending - held reversals and what follows them come last, everything else before", async (t) => {
  const { first, last } = planSending(entries, whole.outcomes, 8, plan.heldIds);
  const idsOf = (lanes: typeof first) => lanes.flat().flatMap((request) => request.events);
  t.equal(idsOf(first).length + idsOf(last).length, 10_000);
  t.ok(idsOf(last).every(({ external_id }) => plan.heldIds.has(external_id)));
  const reverted = new Set(
    idsOf(first)
      .filter(({ reverted_at }) => reverted_at !== undefined)
      .map(({ external_id }) => external_id),
  );
  t.notOk([...plan.heldIds].some((id) => reverted.has(id)));
  t.equal(new Set(idsOf(last).map(({ external_id }) => external_id)).size, plan.heldIds.size);
});

t.test(
  "sending - with nothing held everything is sent at first, in the requests that there always were",
  async (t) => {
    const { first, last } = planSending(entries, whole.outcomes, 8, new Set());
    t.equal(last.flat().length, 0);
    t.equal(first.flat().flatMap(({ events }) => events).length, 10_000);
  },
);

t.test("plan - the events of the run still pass the contract's validator", async (t) => {
  const validate = VALIDATORS["transaction/ingest"] as (body: unknown) => boolean;
  t.ok(validate({ events: events.slice(0, 5000) }));
  t.ok(validate({ events: events.slice(5000) }));
});
