import t from "tap";
import { AUTHED_AT, PlatformClient, REVERTED_AT } from "#test-support";
import { DISPLAY_CONTENT, LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

/** Why a purchase earned something or did not (contract, section 12), as whoever runs the platform is told. */
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

/** What the console sends: the transaction, and the record as its trace has it. */
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

t.test("a purchase waits for its payment, and has earned with it what the publisher is told", async (t) => {
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
      { type: "clip", verdict: "earned", amount: 15, currency: "EUR", outcome_id: /^out_/, text: /was told/ },
    ],
  });
  t.notOk("amount" in decided.purchase, "the platform knows no amount of the publisher's");
  t.notOk("outcome_id" in decided.verdicts[0]);
  t.notMatch(JSON.stringify(decided), /identifier|auth_code|"bin"|member/);
});

t.test("rules that change later say something else, and what was told stays told", async (t) => {
  const bo = await loop.joins("bo");
  await loop.enrols(bo, program);
  const purchase = await buy(bo, "first");
  await loop.paid(purchase);
  await loop.settles();
  const id = await idOf(purchase);
  t.match((await explain({ transaction_id: id })).verdicts, [
    { verdict: "earned", amount: 450, outcome_id: /^out_/ },
  ]);
  const terms = {
    id: program,
    name: "Every second coffee",
    qualifying_threshold: 2,
    reward_config: { type: "fixed-reward", amount: 300 },
    display_content: DISPLAY_CONTENT,
  };
  const rules = { merchant_ids: [SHOP], min_amount: 200, retroactive: true };
  await loop.platform("loyalty-program/upsert", { ...terms, rules: { ...rules, min_amount: 500 } });
  t.match((await explain({ transaction_id: id })).verdicts, [
    { verdict: "not_earned", reason: "amount_too_low", outcome_id: /^out_/, text: /was told that it did/ },
  ]);
  await loop.platform("loyalty-program/upsert", { ...terms, rules });
  await loop.changes(purchase, { reverted_at: REVERTED_AT });
  await loop.settles();
  t.match(await explain({ transaction_id: id }), {
    purchase: { state: "reverted" },
    verdicts: [{ verdict: "not_earned", reason: "reverted" }],
  });
});

t.test("a purchase that belonged to nobody is not kept: its record is sent along", async (t) => {
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
  t.match(unknown, { status: 404, body: { error: { code: "not_found", data: { resource: "purchase" } } } });
  const record = await recordOf(purchase);
  t.match(await explain(record), {
    kept: false,
    purchase: { transaction_id: id, amount: 450, currency: "EUR" },
    routing: { outcome: "unknown_merchant", retailers: [], text: "No retailer has its merchant id." },
    verdicts: [{ type: "enrolment", name: "Anywhere", verdict: "not_earned", reason: "unknown_merchant" }],
  });
  await loop.opensShop("Bakery", "BAKERY-1");
  const routed = await explain(record);
  t.match(routed, {
    kept: false,
    routing: { outcome: "routed", retailers: [{ name: "Bakery" }] },
    verdicts: [{ verdict: "waiting", text: /is not kept here/ }],
  });
  t.match((await explain({ ...record, amount: 399 })).verdicts, [{ reason: "amount_too_low" }]);
  t.match((await explain({ ...record, authed_at: "2026-03-01T10:00:00Z" })).verdicts, [
    { reason: "no_payment" },
  ]);
  t.match((await explain({ ...record, reverted_at: new Date().toISOString() })).verdicts, [
    { reason: "reverted" },
  ]);
  const { transaction_id: _, enrolments, clips, ...bare } = record;
  const asSuch = await explain(bare);
  t.match(asSuch.verdicts, [{ type: "enrolment", loyalty_program_id: anywhere, verdict: "waiting" }]);
  t.notOk("stamp_collection_id" in asSuch.verdicts[0]);
  t.equal(asSuch.others, 2, "the roastery's program and deal");
});

t.test("who may ask, and for what", async (t) => {
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
});
