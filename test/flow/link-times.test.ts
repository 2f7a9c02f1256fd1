import { randomUUID } from "node:crypto";
import t from "tap";
import { waitFor } from "#test-support";
import { LoyaltyLoop } from "./loyalty-loop.ts";

t.setTimeout(400_000);

/** Times decide which enrolments and clips a purchase has (contract, section 9). */

const SHOP = "ROASTERY-1";
const SECOND_MS = 1000;

let loop: LoyaltyLoop;
t.before(async () => {
  loop = await LoyaltyLoop.open(t);
  await loop.opensShop("Roastery", SHOP);
});

const offers = (retroactive: boolean | undefined) =>
  loop.offers("deal", {
    name: "Ten percent",
    reward_config: { type: "percent", percent: 10 },
    rules: { merchant_ids: [SHOP], currency: "EUR", retroactive },
  });
const cashbacks = async (member: string) =>
  (await loop.publisher("wallet.cashback/list", { member_id: member })).data as {
    amount: number;
    state: string;
  }[];
const saves = async (member: string, deal: string) =>
  (await loop.publisher("wallet.clip/save", { member_id: member, deal_id: deal })).id as string;
const buys = (member: string, ageMs: number) =>
  loop.buys(member, randomUUID(), {
    merchant_id: SHOP,
    amount: 900,
    currency: "EUR",
    authed_at: new Date(Date.now() - ageMs).toISOString(),
  });

t.test(
  "regression - bought, paid, then saved the deal, then cleared: the deal gave a cashback for the purchase before it",
  async (t) => {
    const deal = await offers(false);
    const ada = await loop.joins("ada");
    const early = await buys(ada, 120 * SECOND_MS);
    await loop.paid(early);
    await loop.settles();
    await saves(ada, deal);
    await loop.changes(early, { cleared_at: new Date().toISOString() });
    await loop.settles();
    t.strictSame(await cashbacks(ada), []);
    // The clip is still open, and counts for later purchases.
    const late = await buys(ada, 0);
    await loop.paid(late);
    await loop.settles();
    t.match(await cashbacks(ada), [{ amount: 90, state: "pending" }]);
  },
);

t.test(
  "a deal that is saved up to a minute after the authorization counts, without a further message of the purchase",
  async (t) => {
    const deal = await offers(undefined);
    const ada = await loop.joins("ada");
    const bought = await buys(ada, 5 * SECOND_MS);
    await loop.paid(bought);
    await loop.settles();
    await saves(ada, deal);
    await waitFor(async () => (await cashbacks(ada)).length > 0, { message: "no cashback" });
    t.match(await cashbacks(ada), [{ amount: 90, state: "pending" }]);
  },
);

t.test("a retroactive program counts purchases that were paid before the member joined it", async (t) => {
  const program = await loop.offers("loyalty-program", {
    name: "Every third",
    qualifying_threshold: 3,
    reward_config: { type: "refund" },
    rules: { merchant_ids: [SHOP], retroactive: true },
  });
  const ada = await loop.joins("ada");
  const bought = [await buys(ada, 20 * 24 * 3600 * SECOND_MS), await buys(ada, 3600 * SECOND_MS)];
  for (const one of bought) await loop.paid(one);
  await loop.settles();
  const card = await loop.enrols(ada, program);
  await waitFor(async () => (await loop.counter(card)) === 2, { message: "they do not count" });
  await loop.settles();
  t.equal(await loop.counter(card), 2);
});

t.test(
  "regression - a retroactive program counted purchases more than 30 days old if they were ingested after the enrolment",
  async (t) => {
    const program = await loop.offers("loyalty-program", {
      name: "Every tenth",
      qualifying_threshold: 10,
      reward_config: { type: "refund" },
      rules: { merchant_ids: [SHOP], retroactive: true },
    });
    const ada = await loop.joins("ada");
    const days = (count: number) => count * 24 * 3600 * SECOND_MS;
    const before = [await buys(ada, days(31)), await buys(ada, days(29))];
    const card = await loop.enrols(ada, program);
    const after = [await buys(ada, days(31)), await buys(ada, days(29))];
    for (const one of [...before, ...after]) await loop.paid(one);
    await waitFor(async () => (await loop.counter(card)) >= 2, { message: "they do not count" });
    await loop.settles();
    t.equal(await loop.counter(card), 2, "those of 29 days count, whenever they came");
  },
);
