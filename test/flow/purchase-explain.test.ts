import { randomUUID } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import { AUTHED_AT, CLEARED_AT, PlatformClient, REVERTED_AT, waitFor } from "#test-support";
import { DISPLAY_CONTENT, LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

/** Why a purchase earned a reward or did not (contract, section 12), as the platform's operator sees it. */
t.setTimeout(400_000);

const SHOP = "ROASTERY-1";

let loop: LoyaltyLoop;
let program: string;
let deal: string;

t.before(async () => {
  loop = await LoyaltyLoop.open(t);
  await loop.opensShop("Roastery", SHOP);
  program = await loop.offers("loyalty-program", {
    name: "Every second coffee",
    qualifying_threshold: 2,
    reward_config: { type: "fixed-reward", amount: 300 },
    rules: { merchant_ids: [SHOP], min_amount: 200 },
  });
  deal = await loop.offers("deal", {
    name: "Ten per cent",
    reward_config: { type: "percent", percent: 10 },
    rules: { merchant_ids: [SHOP], currency: "EUR" },
  });
});

const explain = (body: object) => loop.platform("purchase/explain", body);
const buy = (member: string, name: string, changes: object = {}) =>
  loop.buys(member, name, { merchant_id: SHOP, ...changes });

async function idOf(purchase: Purchase): Promise<string> {
  return (await loop.transaction(purchase)).id;
}

/** The console's request: the transaction, and the record in its trace. */
async function recordOf(purchase: Purchase) {
  const { external_id } = purchase.event;
  const { transaction, links } = await loop.publisher("transaction/trace", { external_id });
  const { id, merchant_id, amount, currency, authed_at } = transaction;
  // biome-ignore lint/suspicious/noExplicitAny: of the answer
  const counting = (type: string) => links.filter((link: any) => link.type === type && link.counts);
  return {
    transaction_id: id,
    merchant_id,
    amount,
    currency,
    authed_at,
    // biome-ignore lint/suspicious/noExplicitAny: of the answer
    enrolments: counting("enrolment").map(({ stamp_collection_id, loyalty_program_id }: any) => ({
      stamp_collection_id,
      loyalty_program_id,
    })),
    // biome-ignore lint/suspicious/noExplicitAny: of the answer
    clips: counting("clip").map(({ clip_id, deal_id }: any) => ({ clip_id, deal_id })),
  };
}

t.test(
  "a purchase waits for its payment, and then shows the rewards that the publisher is told",
  async (t) => {
    const ada = await loop.joins("ada");
    const card = await loop.enrols(ada, program);
    const clip = await loop.saves(ada, deal);
    const purchase = await buy(ada, "first");
    await loop.settles();
    const waiting = await explain({ transaction_id: await idOf(purchase) });
    t.match(waiting, {
      kept: true,
      purchase: { state: "authorized", merchant_id: SHOP, authed_at: AUTHED_AT.replace("Z", ".000Z") },
      routing: { outcome: "routed", retailers: [{ id: /^ret_/, name: "Roastery" }], shared: false },
      verdicts: [
        {
          type: "enrolment",
          stamp_collection_id: card,
          loyalty_program_id: program,
          name: "Every second coffee",
          verdict: "waiting",
          waits_for: "payment",
          until: /Z$/,
        },
        { type: "clip", clip_id: clip, deal_id: deal, verdict: "waiting" },
      ],
      others: 0,
    });
    const days = (Date.parse(waiting.verdicts[0].until) - Date.now()) / 86_400_000;
    t.ok(days > 29.9 && days <= 30, "30 days from when it came");
    t.notOk("payment" in waiting);

    await loop.paid(purchase, { amount: 150 });
    await loop.settles();
    const decided = await explain(await recordOf(purchase));
    t.match(decided, {
      kept: true,
      payment: {
        payment_id: `P-${purchase.event.external_id}`,
        amount: 150,
        currency: "EUR",
        paid_at: AUTHED_AT.replace("Z", ".000Z"),
      },
      verdicts: [
        { type: "enrolment", verdict: "not_earned", reason: "amount_too_low", text: /less than the rules/ },
        {
          type: "clip",
          verdict: "earned",
          amount: 15,
          currency: "EUR",
          outcome_id: /^out_/,
          text: /was told/,
        },
      ],
    });
    t.notOk("amount" in decided.purchase, "the platform knows no amount of the publisher's");
    t.notOk("outcome_id" in decided.verdicts[0]);
    t.notMatch(JSON.stringify(decided), /identifier|auth_code|"bin"|member/);
  },
);

t.test(
  "later changes of rules do not matter: the explanation uses the rules of the purchase's time",
  async (t) => {
    const bo = await loop.joins("bo");
    await loop.enrols(bo, program);
    const [paid, waiting] = [await buy(bo, "first"), await buy(bo, "second")];
    await loop.paid(paid);
    await loop.settles();
    const verdictsOf = async (purchase: Purchase) =>
      (await explain({ transaction_id: await idOf(purchase) })).verdicts;
    t.match(await verdictsOf(paid), [{ verdict: "earned", amount: 450, outcome_id: /^out_/ }]);
    const terms = {
      id: program,
      name: "Every second coffee",
      qualifying_threshold: 2,
      reward_config: { type: "fixed-reward", amount: 300 },
      display_content: DISPLAY_CONTENT,
    };
    const rules = { merchant_ids: [SHOP], min_amount: 200, retroactive: true };
    await loop.platform("loyalty-program/upsert", { ...terms, rules: { ...rules, min_amount: 500 } });
    t.match(await verdictsOf(paid), [{ verdict: "earned", amount: 450, outcome_id: /^out_/ }]);
    const later = await buy(bo, "third", { authed_at: new Date().toISOString() });
    for (const one of [waiting, later]) await loop.paid(one);
    await loop.settles();
    t.match(
      await verdictsOf(waiting),
      [{ verdict: "earned", outcome_id: /^out_/ }],
      "authorized before the change",
    );
    t.match(await verdictsOf(later), [{ verdict: "not_earned", reason: "amount_too_low" }]);
    await loop.platform("loyalty-program/upsert", { ...terms, rules });
    t.match(await verdictsOf(later), [{ verdict: "not_earned", reason: "amount_too_low" }]);
    await loop.changes(paid, { reverted_at: REVERTED_AT });
    await loop.settles();
    t.match(await explain({ transaction_id: await idOf(paid) }), {
      purchase: { state: "reverted" },
      verdicts: [
        { verdict: "not_earned", reason: "reverted", outcome_id: /^out_/, text: /was told that it did/ },
      ],
    });
  },
);

t.test(
  "regression - rules changed to none while a purchase waited, and its payment earned nothing",
  async (t) => {
    const dee = await loop.joins("dee");
    const terms = {
      name: "Any coffee",
      qualifying_threshold: 5,
      reward_config: { type: "refund" },
      rules: { merchant_ids: [SHOP], confirmation: "retailer" },
    };
    const offered = await loop.offers("loyalty-program", terms);
    const card = await loop.enrols(dee, offered);
    const purchase = await buy(dee, "waits");
    await loop.settles();
    const rules = { ...terms.rules, confirmation: "none", retroactive: true };
    await loop.platform("loyalty-program/upsert", {
      ...terms,
      id: offered,
      display_content: DISPLAY_CONTENT,
      rules,
    });
    const [said] = (await explain({ transaction_id: await idOf(purchase) })).verdicts;
    t.match(said, { verdict: "waiting", waits_for: "payment" });
    await loop.paid(purchase);
    await loop.settles();
    t.equal(await loop.counter(card), 1);
    t.match((await explain({ transaction_id: await idOf(purchase) })).verdicts, [{ verdict: "earned" }]);
  },
);

t.test(
  "regression - a purchase that did not count was judged again when it cleared, and its twin was not",
  async (t) => {
    const eve = await loop.joins("eve");
    const terms = {
      name: "Large coffee",
      qualifying_threshold: 5,
      reward_config: { type: "refund" },
      rules: { merchant_ids: [SHOP], min_amount: 1000 },
    };
    const offered = await loop.offers("loyalty-program", terms);
    const card = await loop.enrols(eve, offered);
    const [first, twin] = [await buy(eve, "first"), await buy(eve, "twin", { cleared_at: CLEARED_AT })];
    for (const one of [first, twin]) await loop.paid(one);
    await loop.settles();
    const rules = { ...terms.rules, min_amount: 1, retroactive: true };
    await loop.platform("loyalty-program/upsert", {
      ...terms,
      id: offered,
      display_content: DISPLAY_CONTENT,
      rules,
    });
    await loop.changes(first, { cleared_at: CLEARED_AT });
    await loop.changes(twin, { cleared_at: CLEARED_AT });
    await loop.settles();
    t.equal(await loop.counter(card), 0);
    for (const one of [first, twin]) {
      t.match((await explain({ transaction_id: await idOf(one) })).verdicts, [{ reason: "amount_too_low" }]);
    }
  },
);

t.test(
  "near misses - a payment of the same shop, amount and time with another authorization code",
  async (t) => {
    const fay = await loop.joins("fay");
    await loop.enrols(fay, program);
    const amount = 777;
    const purchase = await buy(fay, "first", { amount });
    await loop.settles();
    const record = await recordOf(purchase);
    t.strictSame((await explain(record)).near_misses, []);
    const till = (changes: Partial<Purchase["event"]>) => ({
      ...purchase,
      event: {
        ...purchase.event,
        auth_code: `T${Math.random()}`.slice(0, 12),
        external_id: randomUUID(),
        ...changes,
      },
    });
    const typed = till({});
    await loop.paid(typed);
    await loop.paid(till({}), { amount: amount + 1 });
    await loop.paid(till({ authed_at: new Date(Date.parse(AUTHED_AT) + 25 * 3_600_000).toISOString() }));
    t.match(await explain(record), {
      near_misses: [
        {
          payment_id: `P-${typed.event.external_id}`,
          amount,
          currency: "EUR",
          differs_in: "identifiers",
          text: /authorization code/,
        },
      ],
      verdicts: [{ verdict: "waiting" }],
    });
    const { payment_id } = (await explain(record)).near_misses[0];
    const { data: retailers } = await loop.platform("retailer/list", {});
    const retailer_id = retailers.find(({ name }: { name: string }) => name === "Roastery").id;
    t.match(await loop.platform("payment/get", { retailer_id, payment_id }), { state: "open", amount });
    await loop.paid(purchase);
    await loop.settles();
    t.strictSame((await explain(record)).near_misses, [], "the purchase has its own payment now");
  },
);

t.test("near misses - none belongs to another purchase, which may be another organisation's", async (t) => {
  const [gus, hal] = [await loop.joins("gus"), await loop.joins("hal")];
  const amount = 888;
  const [purchase, paired, reverted] = [
    await buy(gus, "first", { amount }),
    await buy(hal, "paired", { amount }),
    await buy(hal, "reverted", { amount }),
  ];
  for (const one of [paired, reverted]) await loop.paid(one);
  // Both are paid first: if one were reverted earlier, its payment could belong to either.
  await loop.settles();
  await loop.changes(reverted, { reverted_at: REVERTED_AT });
  await loop.settles();
  t.strictSame((await explain(await recordOf(purchase))).near_misses, []);
});

t.test(
  "the platform does not keep a purchase without a retailer: the caller sends its record along",
  async (t) => {
    const cy = await loop.joins("cy");
    const anywhere = await loop.offers("loyalty-program", {
      name: "Anywhere",
      qualifying_threshold: 2,
      reward_config: { type: "refund" },
      rules: { merchant_ids: ["BAKERY-1"], min_amount: 400, confirmation: "retailer" },
    });
    await loop.enrols(cy, anywhere);
    const purchase = await loop.buys(cy, "bread", {
      merchant_id: "BAKERY-1",
      authed_at: new Date().toISOString(),
    });
    await loop.settles();
    const id = await idOf(purchase);
    const unknown = await loop.operator.post("purchase/explain", { transaction_id: id });
    t.match(unknown, {
      status: 404,
      body: {
        error: {
          code: "not_found",
          message: /nothing is of purchases that are routed to no retailer.*ask with merchant_id, authed_at/,
          data: { resource: "purchase", ask_with: ["merchant_id", "authed_at"] },
        },
      },
    });
    const record = await recordOf(purchase);
    t.match(await explain(record), {
      kept: false,
      purchase: { transaction_id: id, amount: 450, currency: "EUR" },
      routing: { outcome: "unknown_merchant", retailers: [], text: "No retailer has its merchant id." },
      verdicts: [{ type: "enrolment", name: "Anywhere", verdict: "not_earned", reason: "unknown_merchant" }],
    });
    await loop.opensShop("Bakery", "BAKERY-1");
    // The platform takes up the first by itself; for a similar one that it does not know, the caller sends the
    // record along.
    await waitFor(async () => (await explain(record)).kept, { message: "it is not taken up" });
    const other = { ...record, transaction_id: encodeId("tx", uuidv7()) };
    const routed = await explain(other);
    t.match(routed, {
      kept: false,
      routing: { outcome: "routed", retailers: [{ name: "Bakery" }] },
      verdicts: [{ verdict: "waiting", text: /is not kept here/ }],
    });
    t.match((await explain({ ...other, amount: 399 })).verdicts, [{ reason: "amount_too_low" }]);
    t.match((await explain({ ...other, authed_at: "2026-03-01T10:00:00Z" })).verdicts, [
      { reason: "no_payment" },
    ]);
    t.match((await explain({ ...other, reverted_at: new Date().toISOString() })).verdicts, [
      { reason: "reverted" },
    ]);
    const { transaction_id: _, enrolments, clips, ...bare } = record;
    const asSuch = await explain(bare);
    t.match(asSuch.verdicts, [{ type: "enrolment", loyalty_program_id: anywhere, verdict: "waiting" }]);
    t.notOk("stamp_collection_id" in asSuch.verdicts[0]);
    t.equal(asSuch.others, 4, "the roastery's programs and deal");
  },
);

t.test(
  "purchase/explain is open to the platform alone, and names the fault of a wrong request",
  async (t) => {
    const body = { merchant_id: SHOP, authed_at: AUTHED_AT };
    t.equal((await loop.operator.post("purchase/explain", body)).status, 200);
    const platformUrl = [...loop.pipeline.processes].find(({ service }) => service === "platform")?.url;
    const { token } = await loop.platform("retailer/upsert", { name: "Other", merchant_ids: ["OTHER-1"] });
    const retailer = new PlatformClient(platformUrl, token);
    t.match(await retailer.post("purchase/explain", body), {
      status: 403,
      body: { error: { code: "authorization_error", data: { required: "platform" } } },
    });
    const stranger = new PlatformClient(platformUrl, loop.pipeline.publisher.token);
    t.equal((await stranger.post("purchase/explain", body)).status, 401);
    for (const [wrong, path] of [
      [{}, "/merchant_id"],
      [{ merchant_id: SHOP }, "/authed_at"],
      [{ transaction_id: "tx_1", amount: 1 }, "/merchant_id"],
      [{ ...body, auth_code: "A1" }, "/auth_code"],
    ] as const) {
      t.match(await loop.operator.post("purchase/explain", wrong), {
        status: 400,
        body: { error: { data: { issues: [{ path }] } } },
      });
    }
  },
);
