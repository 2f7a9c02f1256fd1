import t from "tap";
import type { TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { PublisherClient, waitFor } from "#test-support";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";
import { CLOCK_ERROR_MS, isTaken, shortLivedToken } from "./short-lived-token.ts";

/**
 * Every row of the tables in interface.md, "States and transitions", over HTTP on both ends: what the integrator
 * sends to `publisher.v1` and the retailer to `platform.v1`, and what `publisher.v1` and the stored events say of it.
 */
t.setTimeout(400_000);

const CLEARED = { cleared_at: "2026-03-02T10:00:00Z" };
const REVERTED = { reverted_at: "2026-03-03T10:00:00Z" };
const SHOP = "SHOP-1";

let loop: LoyaltyLoop;
/** Two stamps are 3.00 EUR; the deal gives back a tenth of 4.50 EUR. */
let program: string;
let deal: string;

t.before(async () => {
  loop = await LoyaltyLoop.open(t);
  await loop.opensShop("Shop", SHOP);
  const rules = { merchant_ids: [SHOP] };
  const reward_config = { type: "fixed-reward", amount: 300 };
  program = await loop.offers("loyalty-program", {
    name: "Two",
    qualifying_threshold: 2,
    reward_config,
    rules,
  });
  deal = await loop.offers("deal", {
    name: "Tenth",
    reward_config: { type: "percent", percent: 10 },
    rules,
  });
});

/** A member who is enrolled in the program and has saved the deal, if the row is about both. */
async function customer({ saves = true } = {}) {
  const member = await loop.joins("customer");
  const card = await loop.enrols(member, program);
  if (saves) await loop.saves(member, deal);
  const buys = (name: string, changes: Partial<TransactionEvent> = {}) =>
    loop.buys(member, name, { merchant_id: SHOP, ...changes });
  return { member, card, buys };
}

/** The stamps' events apart from the cashbacks': the order of the two outcomes is open. */
async function toldOf(...purchases: readonly Purchase[]) {
  const told = await loop.told(...purchases);
  return {
    stamps: told.filter((line) => line.startsWith("qualifying_purchase.")),
    cashbacks: told.filter((line) => line.startsWith("cashback.")),
  };
}

function identifiersOf({ event: { auth_code, network, bin, merchant_id } }: Purchase): string[] {
  const { six, eight } = transactionIdentifiers({
    authCode: auth_code,
    network,
    bin,
    merchantId: merchant_id,
  });
  return eight === null ? [six] : [six, eight];
}

t.test("transaction lifecycle", async (t) => {
  await t.test("none, event with authed_at only: authorized, identified, routed for matching", async (t) => {
    const { card, buys } = await customer();
    const A = await buys("A", { bin: "41111122" });
    t.match(await loop.transaction(A), { state: "authorized", identifiers: identifiersOf(A) });
    await loop.settles();
    t.strictSame(await loop.told(A), [], "routed is not matched");
    await loop.paid(A);
    await loop.settles();
    t.strictSame(await toldOf(A), {
      stamps: ["qualifying_purchase.created A 1"],
      cashbacks: ["cashback.created A 45 EUR (clip)"],
    });
    t.equal(await loop.counter(card), 1);
    t.match((await loop.transaction(A)).rewards, [
      { state: "pending", amount: 45, source: { deal_id: deal } },
    ]);
  });

  await t.test(
    "none, event with authed_at and cleared_at: cleared, accepted in one submission",
    async (t) => {
      const { buys } = await customer();
      const A = await buys("A", CLEARED);
      t.match(await loop.transaction(A), { state: "cleared", identifiers: identifiersOf(A) });
      await loop.paid(A);
      await loop.settles();
      t.strictSame(await toldOf(A), {
        stamps: ["qualifying_purchase.created A 1"],
        cashbacks: ["cashback.created A 45 EUR (clip)", "cashback.cleared A 45 EUR (clip)"],
      });
      t.match((await loop.transaction(A)).rewards, [{ state: "cleared", amount: 45 }]);
    },
  );

  await t.test(
    "none, event with authed_at and reverted_at: reverted, accepted in one submission",
    async (t) => {
      const { card, member, buys } = await customer();
      const A = await buys("A", REVERTED);
      t.match(await loop.transaction(A), { state: "reverted", identifiers: identifiersOf(A) });
      await loop.paid(A);
      await loop.settles();
      t.strictSame(await loop.told(A), [], "a refund earns nothing");
      t.equal(await loop.counter(card), 0);
      const [clip] = (await loop.publisher("wallet.clip/list", { member_id: member })).data;
      t.notOk(clip.redeemed_at, "the clip is still to be used");
    },
  );

  await t.test("authorized, resubmitted with cleared_at: cleared, a matched cashback settles", async (t) => {
    const { card, buys } = await customer();
    const A = await buys("A");
    await loop.paid(A);
    await loop.settles();
    await loop.changes(A, CLEARED);
    await loop.settles();
    t.equal((await loop.transaction(A)).state, "cleared");
    t.strictSame(await toldOf(A), {
      stamps: ["qualifying_purchase.created A 1"],
      cashbacks: ["cashback.created A 45 EUR (clip)", "cashback.cleared A 45 EUR (clip)"],
    });
    t.equal(await loop.counter(card), 1, "the stamp stays");
  });

  await t.test("authorized, resubmitted with reverted_at: reverted, cashback and stamp go", async (t) => {
    const { card, buys } = await customer();
    const A = await buys("A");
    await loop.paid(A);
    await loop.settles();
    await loop.changes(A, REVERTED);
    await loop.settles();
    t.match(await loop.transaction(A), { state: "reverted", rewards: [{ state: "reverted", amount: 45 }] });
    t.strictSame(await toldOf(A), {
      stamps: ["qualifying_purchase.created A 1", "qualifying_purchase.voided A 0"],
      cashbacks: ["cashback.created A 45 EUR (clip)", "cashback.reverted A 45 EUR (clip)"],
    });
    t.equal(await loop.counter(card), 0);
  });

  for (const [from, to, first, second] of [
    ["cleared", "reverted", CLEARED, REVERTED],
    ["reverted", "cleared", REVERTED, CLEARED],
  ] as const) {
    await t.test(`${from}, resubmitted with ${to}_at: an error, and nothing changes`, async (t) => {
      const { card, buys } = await customer();
      const A = await buys("A");
      await loop.paid(A);
      await loop.settles();
      await loop.changes(A, first);
      await loop.settles();
      const before = [await loop.transaction(A), await loop.counter(card), await loop.told(A)];
      const answer = await loop.integrator.ingest([{ ...A.event, ...second }]);
      t.equal(answer.status, 409);
      t.match(answer.body.error, { code: "conflict", data: { reason: "invalid_transition" } });
      t.match(answer.body.error.data.rejected, [{ external_id: A.event.external_id, from, to }]);
      await loop.settles();
      t.equal((await loop.transaction(A)).state, from);
      t.strictSame([await loop.transaction(A), await loop.counter(card), await loop.told(A)], before);
    });
  }

  await t.test("an identical event resubmitted: no duplicate of anything", async (t) => {
    for (const dates of [{}, CLEARED]) {
      const { card, member, buys } = await customer();
      const A = await buys("A", dates);
      await loop.paid(A);
      await loop.settles();
      const before = await loop.told(A);
      t.match(await loop.integrator.ingest([A.event, A.event]), {
        status: 200,
        body: { created: 0, updated: 0, unchanged: 2 },
      });
      await loop.paid(A);
      await loop.settles();
      t.strictSame(await loop.told(A), before);
      t.equal(await loop.counter(card), 1);
      const { data } = await loop.publisher("transaction/list", { member_id: member });
      t.equal(data.length, 1);
      t.equal(data[0].rewards.length, 1);
    }
  });
});

t.test("API token", async (t) => {
  const statusWith = async (token: string): Promise<number> => {
    const client = new PublisherClient(loop.pipeline.edge.url, token);
    return (await client.post("loyalty-program/list", {})).status;
  };

  await t.test("none, api-token/create: active; api-token/revoke: revoked for good", async (t) => {
    const { id, token } = await loop.publisher("api-token/create", { access: "read", description: "app" });
    t.equal(await statusWith(token), 200);
    const { revoked_at } = await loop.publisher("api-token/revoke", { id });
    t.equal(await statusWith(token), 401);
    t.equal((await loop.publisher("api-token/revoke", { id })).revoked_at, revoked_at);
    t.equal(await statusWith(token), 401);
  });

  await t.test("active, time reaches expires_at: requests get 401", async (t) => {
    const { guest, expiresAt } = await shortLivedToken(loop.pipeline.edge.url, loop.integrator);
    const isRefused = async () => !(await isTaken(guest));
    await waitFor(isRefused, { message: "the token does not expire", deadlineMs: 300_000 });
    t.ok(Date.now() >= expiresAt - CLOCK_ERROR_MS, "not before");
  });
});

t.test("stamp collection counter", async (t) => {
  await t.test("n, a qualifying purchase is matched: n + 1", async (t) => {
    const { card, buys } = await customer({ saves: false });
    t.equal(await loop.counter(card), 0);
    const A = await buys("A");
    await loop.paid(A);
    await loop.settles();
    t.equal(await loop.counter(card), 1);
    t.strictSame(await loop.told(A), ["qualifying_purchase.created A 1"]);
  });

  await t.test("n, a stamp is voided: it no longer counts", async (t) => {
    const { card, buys } = await customer({ saves: false });
    const A = await buys("A");
    await loop.paid(A);
    await loop.settles();
    await loop.changes(A, REVERTED);
    await loop.settles();
    t.equal(await loop.counter(card), 0);
    const B = await buys("B");
    await loop.paid(B);
    await loop.settles();
    t.strictSame(await loop.told(A, B), [
      "qualifying_purchase.created A 1",
      "qualifying_purchase.voided A 0",
      "qualifying_purchase.created B 1",
    ]);
    t.equal(await loop.counter(card), 1);
  });

  await t.test("unredeemed_purchases reaches the threshold: redemption, and a new cycle", async (t) => {
    const { member, card, buys } = await customer({ saves: false });
    const purchases = [await buys("A"), await buys("B"), await buys("C")];
    for (const purchase of purchases) {
      await loop.paid(purchase);
      await loop.settles();
    }
    t.strictSame(await loop.told(...purchases), [
      "qualifying_purchase.created A 1",
      "qualifying_purchase.created B 2",
      "cashback.created B 300 EUR (redemption)",
      "qualifying_purchase.created C 1",
    ]);
    t.equal(await loop.counter(card), 1);
    const [made] = (await loop.events()).filter((event) => {
      return event.type === "cashback.created" && event.transaction_ref === purchases[1]?.event.external_id;
    });
    t.match(made, {
      source: { type: "loyalty-program-redemption", loyalty_program_id: program, stamp_collection_id: card },
    });
    t.match((await loop.publisher("wallet.cashback/list", { member_id: member })).data, [
      { transaction_ref: purchases[1]?.event.external_id, state: "pending", amount: 300, currency: "EUR" },
    ]);
  });
});
