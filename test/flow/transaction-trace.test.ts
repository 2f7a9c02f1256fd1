import t from "tap";
import { EVENT_TYPES } from "#contract";
import { transactionIdentifiers } from "#domain";
import {
  AUTHED_AT,
  answer,
  CLEARED_AT,
  PublisherClient,
  REVERTED_AT,
  startWebhookReceiver,
  type WebhookReceiver,
  waitFor,
} from "#test-support";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

/** The way of a purchase, step by step, and what it still waits for (contract, section 12). */
t.setTimeout(400_000);

const SHOP = "ROASTERY-1";
const CLEARED = { cleared_at: CLEARED_AT };
const REVERTED = { reverted_at: REVERTED_AT };

let loop: LoyaltyLoop;
let receiver: WebhookReceiver;
let webhook: { id: string; url: string };
/** Every second coffee gives three euros. */
let program: string;

t.before(async () => {
  receiver = await startWebhookReceiver();
  loop = await LoyaltyLoop.open(t, {
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  await loop.pipeline.start("webhooks");
  await loop.opensShop("Roastery", SHOP);
  program = await loop.offers("loyalty-program", {
    name: "Every second coffee",
    qualifying_threshold: 2,
    reward_config: { type: "fixed-reward", amount: 300 },
    rules: { merchant_ids: [SHOP], currency: "EUR" },
  });
  webhook = await loop.publisher("webhook/create", { url: `${receiver.url}/told`, events: EVENT_TYPES });
});
t.teardown(() => receiver.close());

const trace = (purchase: Purchase) =>
  loop.publisher("transaction/trace", { external_id: purchase.event.external_id });
const coffee = (member: string, name: string) => loop.buys(member, name, { merchant_id: SHOP });

interface Step {
  readonly kind: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own
  readonly [field: string]: any;
}

/** The trace, once no event of it waits for a webhook any more. */
async function whenTold(purchase: Purchase) {
  await loop.settles();
  const told = async () => {
    const traced = await trace(purchase);
    return !codesOf(traced).some((code) => code.startsWith("webhook")) && traced;
  };
  return waitFor(told, { message: "the webhook was not told of all" });
}

const codesOf = (traced: { waiting: { code: string }[] }) => traced.waiting.map(({ code }) => code);
const kindsOf = (traced: { steps: Step[] }) => traced.steps.map(({ kind }) => kind);
const stepsOf = (traced: { steps: Step[] }, kind: string) =>
  traced.steps.filter((step) => step.kind === kind);

/** A member with a card. The purchases that are to earn a stamp each are paid one after the other. */
async function customer(ref: string, ...names: string[]) {
  const member = await loop.joins(ref);
  const card = await loop.enrols(member, program);
  const bought: Purchase[] = [];
  for (const name of names) {
    const purchase = await coffee(member, name);
    await loop.paid(purchase);
    await loop.settles();
    bought.push(purchase);
  }
  return { member, card, bought };
}

t.test("a stamp: from its receipt to the webhook's answer, and it waits for the next stamp", async (t) => {
  const { card, bought } = await customer("ada", "first");
  const [first] = bought as [Purchase];
  const traced = await whenTold(first);
  t.strictSame(kindsOf(traced).toSorted(), [
    "authorized",
    "delivery",
    "event",
    "received",
    "sent_to_platform",
    "stamp",
  ]);
  t.strictSame(
    traced.steps.map(({ at }: Step) => at),
    traced.steps.map(({ at }: Step) => at).toSorted(),
  );
  const [authorized] = stepsOf(traced, "authorized");
  t.match(authorized, {
    at: AUTHED_AT.replace("Z", ".000Z"),
    network: "visa",
    merchant_id: SHOP,
    amount: 450,
    currency: "EUR",
    transaction_id: traced.transaction.id,
  });
  t.match(stepsOf(traced, "stamp"), [
    {
      qualifying_purchase_id: /^qp_/,
      stamp_collection_id: card,
      loyalty_program_id: program,
      program_name: "Every second coffee",
      number: 1,
      unredeemed_purchases: 1,
      qualifying_threshold: 2,
      purchase_amount: 450,
      state: "live",
    },
  ]);
  const [event] = stepsOf(traced, "event");
  t.match(event, { event_id: /^evt_/, event_type: "qualifying_purchase.created" });
  t.match(stepsOf(traced, "delivery"), [
    {
      delivery_id: /^dlv_/,
      webhook_id: webhook.id,
      webhook_url: webhook.url,
      state: "delivered",
      attempts: 1,
      status: 200,
      event_ids: [event?.event_id],
    },
  ]);
  t.match(traced.waiting, [
    { code: "clearing", text: /cleared/ },
    {
      code: "stamps",
      missing: 1,
      stamp_collection_id: card,
      text: /Every second coffee waits for 1 more stamp/,
    },
  ]);
  t.match(traced.links, [{ type: "enrolment", stamp_collection_id: card, counts: true }]);
});

t.test(
  "a full card: both purchases show the redemption, and one the cashback and its clearing",
  async (t) => {
    const { bought } = await customer("bo", "first", "second");
    const [first, second] = bought as [Purchase, Purchase];
    const pending = await whenTold(second);
    const [redemption] = stepsOf(pending, "redemption");
    t.match(redemption, {
      redemption_id: /^red_/,
      stamps_total: 2,
      transaction_ref: second.event.external_id,
      amount: 300,
      currency: "EUR",
    });
    const [cashback] = stepsOf(pending, "cashback");
    t.match(cashback, { cashback_id: redemption?.cashback_id, state: "pending", amount: 300 });
    t.match(pending.waiting, [{ code: "clearing", cashback_ids: [cashback?.cashback_id] }]);
    t.strictSame(stepsOf(await trace(first), "redemption"), [redemption]);
    t.strictSame(stepsOf(await trace(first), "cashback"), []);

    await loop.changes(second, CLEARED);
    const cleared = await whenTold(second);
    t.match(stepsOf(cleared, "cleared"), [{ at: CLEARED_AT.replace("Z", ".000Z") }]);
    t.match(stepsOf(cleared, "cashback_cleared"), [{ cashback_id: cashback?.cashback_id }]);
    t.equal(stepsOf(cleared, "sent_to_platform").length, 2, "a second time with its clearing");
    t.strictSame(cleared.waiting, []);
    t.strictSame(
      stepsOf(cleared, "event").map(({ event_type }) => event_type),
      ["qualifying_purchase.created", "cashback.created", "cashback.cleared"],
    );
    const delivered = stepsOf(cleared, "delivery").flatMap(({ event_ids }) => event_ids);
    t.strictSame(
      delivered,
      stepsOf(cleared, "event").map(({ event_id }) => event_id),
    );
  },
);

t.test(
  "a refund: the stamp is voided, and both purchases show that the redemption that used it is undone",
  async (t) => {
    const { bought } = await customer("cy", "first", "second");
    const [first, second] = bought as [Purchase, Purchase];
    await loop.changes(first, REVERTED);
    const refunded = await whenTold(first);
    t.match(stepsOf(refunded, "reverted"), [{ at: REVERTED_AT.replace("Z", ".000Z") }]);
    t.match(stepsOf(refunded, "stamp"), [{ state: "voided" }]);
    t.equal(stepsOf(refunded, "stamp_voided").length, 1);
    t.equal(stepsOf(refunded, "redemption_undone").length, 1);
    t.strictSame(refunded.waiting, []);
    const other = await whenTold(second);
    t.equal(stepsOf(other, "redemption_undone").length, 1);
    t.equal(stepsOf(other, "cashback_reverted").length, 1);
    t.match(stepsOf(other, "stamp"), [{ state: "live" }]);
    t.strictSame(codesOf(other), ["clearing", "stamps"]);
    t.ok(
      stepsOf(other, "event").some(({ event_type }) => event_type === "qualifying_purchase.unredeemed"),
      "and the webhook gets the event that it counts again",
    );
  },
);

t.test("a clip: its cashback names the deal", async (t) => {
  const deal = await loop.offers("deal", {
    name: "Ten per cent",
    reward_config: { type: "percent", percent: 10 },
    rules: { merchant_ids: [SHOP] },
  });
  const member = await loop.joins("di");
  const clip = await loop.saves(member, deal);
  const purchase = await coffee(member, "first");
  t.match((await trace(purchase)).links, [
    { type: "clip", clip_id: clip, name: "Ten per cent", counts: true },
  ]);
  await loop.paid(purchase);
  const traced = await whenTold(purchase);
  t.match(stepsOf(traced, "cashback"), [
    { amount: 45, source: { type: "clip", clip_id: clip, deal_id: deal } },
  ]);
  t.strictSame(codesOf(traced), ["clearing"]);
});

t.test(
  "why a purchase earns nothing: no match yet, no program that counts it, joined too late, deleted",
  async (t) => {
    const member = await loop.joins("eve");
    const purchase = await coffee(member, "first");
    await loop.settles();
    t.strictSame(codesOf(await trace(purchase)), ["no_links", "clearing"]);
    const late = await loop.offers("loyalty-program", {
      name: "From now on",
      qualifying_threshold: 2,
      reward_config: { type: "refund" },
      rules: { merchant_ids: [SHOP], retroactive: false },
    });
    await loop.enrols(member, late);
    const afterwards = await trace(purchase);
    t.match(afterwards.links, [{ name: "From now on", counts: false, reason: "made_too_late" }]);
    t.strictSame(codesOf(afterwards), ["no_links", "clearing"]);
    await loop.enrols(member, program);
    await loop.settles();
    const unpaid = await trace(purchase);
    t.strictSame(codesOf(unpaid), ["match", "clearing"]);
    const [{ text }] = unpaid.waiting;
    t.match(text, /no retailer has its merchant id, or the retailer's payment has not come/);
    const asked = JSON.parse(text.match(/purchase\/explain with (\{.*?\})/)?.[1] ?? "");
    t.match(await loop.platform("purchase/explain", asked), { routing: { outcome: "routed" } });
    const shopless = await loop.buys(member, "elsewhere", { merchant_id: "NOBODYS-1" });
    await loop.settles();
    const [open] = (await trace(shopless)).waiting;
    t.match(open, { code: "match", text: /"merchant_id":"NOBODYS-1"/ });
    t.strictSame(kindsOf(unpaid).toSorted(), ["authorized", "received", "sent_to_platform"]);
    await loop.changes(purchase, REVERTED);
    t.strictSame(codesOf(await trace(purchase)), [], "a refund has nothing to wait for");

    const gone = await loop.joins("gone");
    const left = await coffee(gone, "left");
    const [{ member_base_id }] = [await loop.publisher("member/get", { id: gone })];
    const removed = await loop.publisher("member/bulk-delete", { member_base_id, member_ids: [gone] });
    t.strictSame(removed, { deleted: 1 });
    const deleted = await trace(left);
    t.equal(deleted.transaction.member_id, null);
    t.match(deleted.waiting, [{ code: "no_links", text: /deleted/ }, { code: "clearing" }]);
  },
);

t.test(
  "it holds the ignored fields of each event, the newest first, and those of no other transaction",
  async (t) => {
    const member = await loop.joins("jo");
    const purchase = await coffee(member, "first");
    t.notOk("ignored" in (await trace(purchase)));
    await loop.changes(purchase, { currency: "SEK" });
    await loop.changes(purchase, { amount: 999 });
    await loop.changes(purchase, {});
    const other = await loop.pipeline.newPublisher();
    const theirs = new PublisherClient(loop.pipeline.edge.url, other.token);
    const [theirMember] = (await theirs.enrol("jo")) as [string];
    const same = { ...purchase.event, member_id: theirMember };
    await theirs.ingest([same]);
    await theirs.ingest([{ ...same, amount: 1 }]);
    const traced = await trace(purchase);
    t.match(traced.ignored, [
      { at: /Z$/, fields: ["amount"], batch_id: /^batch_/, index: 0 },
      { at: /Z$/, fields: ["currency"], batch_id: /^batch_/, index: 0 },
    ]);
    t.equal(traced.ignored.length, 2);
    t.equal(traced.transaction.amount, 450);
  },
);

t.test("a full card waits for an amount", async (t) => {
  const given = await loop.offers("loyalty-program", {
    name: "Given back",
    qualifying_threshold: 1,
    reward_config: { type: "refund" },
    rules: { merchant_ids: [SHOP], confirmation: "none" },
  });
  const member = await loop.joins("fay");
  const card = await loop.enrols(member, given);
  const nothing = { amount: undefined, currency: undefined };
  const purchase = await loop.buys(member, "unknown", { merchant_id: SHOP, ...nothing } as object);
  const traced = await whenTold(purchase);
  t.strictSame(codesOf(traced), ["clearing", "amount"]);
  t.match(traced.waiting[1], { stamp_collection_id: card, program_name: "Given back" });
  t.notOk("amount" in (stepsOf(traced, "authorized")[0] ?? {}));
});

t.test("an event waits for its webhook: failing, paused, disabled", async (t) => {
  receiver.follow(({ path }) => answer(path === "/told" ? 500 : 200));
  const { bought } = await customer("gil", "first");
  const [purchase] = bought as [Purchase];
  const waits = (code: string) => async () => {
    const traced = await trace(purchase);
    return traced.waiting.find((one: { code: string }) => one.code === code);
  };
  const failing = async () => {
    const found = await waits("webhook")();
    return found?.next_attempt_at !== undefined && found;
  };
  t.match(await waitFor(failing, { message: "it does not wait for the webhook" }), {
    webhook_id: webhook.id,
    webhook_url: webhook.url,
    events: 1,
    failing_since: /Z$/,
    text: /has failed since .* The next attempt is at/,
  });
  t.match(stepsOf(await trace(purchase), "delivery"), [
    { state: "pending", status: 500, error_class: "http_5xx", next_attempt_at: /Z$/ },
  ]);
  await loop.publisher("webhook/update", { id: webhook.id, state: "paused" });
  t.match(await waits("webhook_paused")(), { events: 1, text: /is paused/ });
  // 410 disables the webhook at once.
  receiver.follow(() => answer(410));
  await loop.publisher("webhook/update", { id: webhook.id, state: "enabled" });
  t.match(await waitFor(waits("webhook_disabled"), { message: "it is not disabled" }), {
    events: 1,
    text: /is disabled/,
  });
  receiver.follow(() => answer(200));
  await loop.publisher("webhook/update", { id: webhook.id, state: "enabled" });
  await whenTold(purchase);
});

t.test("events of a paused webhook wait without a delivery", async (t) => {
  await loop.publisher("webhook/update", { id: webhook.id, state: "paused" });
  const { bought } = await customer("hal", "first");
  const [purchase] = bought as [Purchase];
  const traced = await trace(purchase);
  t.strictSame(stepsOf(traced, "delivery"), []);
  t.strictSame(codesOf(traced), ["clearing", "stamps", "webhook_paused"]);
  await loop.publisher("webhook/update", { id: webhook.id, state: "enabled" });
  t.strictSame(codesOf(await whenTold(purchase)), ["clearing", "stamps"]);
});

t.test("it holds no card data, and no other organisation sees it", async (t) => {
  const member = await loop.joins("ida");
  await loop.enrols(member, program);
  const card = { auth_code: "ZQ81KX", bin: "45717360" };
  const purchase = await loop.buys(member, "first", { merchant_id: SHOP, ...card });
  await loop.paid(purchase);
  await whenTold(purchase);
  const request = { external_id: purchase.event.external_id };
  const { status, text } = await loop.integrator.postForText("transaction/trace", request);
  t.equal(status, 200);
  const { six, eight } = transactionIdentifiers({
    authCode: card.auth_code,
    network: purchase.event.network,
    bin: card.bin,
    merchantId: SHOP,
  });
  for (const secret of [card.auth_code, card.bin, card.bin.slice(0, 6), six, eight as string]) {
    t.notOk(text.includes(secret), secret);
  }
  t.notMatch(text, /identifiers|auth_code|"bin"/);
  const { token } = await loop.pipeline.newPublisher();
  const other = new PublisherClient(loop.pipeline.edge.url, token);
  const notFound = { status: 404, body: { error: { code: "not_found", data: { resource: "transaction" } } } };
  t.match(await other.post("transaction/trace", request), notFound);
  t.match(await loop.integrator.post("transaction/trace", { external_id: "unknown" }), notFound);
});
