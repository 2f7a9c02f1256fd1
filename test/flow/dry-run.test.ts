import { randomUUID } from "node:crypto";
import t from "tap";
import { FLOW, type TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import {
  DISPLAY_CONTENT,
  makeEvent,
  PlatformClient,
  PublisherClient,
  readStream,
  startPipeline,
  waitFor,
} from "#test-support";

t.setTimeout(400_000);

const AT = new Date().toISOString();

const RULES = { merchant_ids: ["MID-1"], currency: "EUR", min_amount: 500 };
const PROGRAM = {
  name: "Coffee",
  qualifying_threshold: 5,
  reward_config: { type: "refund" },
  display_content: DISPLAY_CONTENT,
  rules: RULES,
};
const DEAL = {
  name: "Tea",
  reward_config: { type: "percent", percent: 10 },
  display_content: DISPLAY_CONTENT,
  rules: RULES,
};

/** The retailer's half of a purchase: it hashes the same card data. */
function paymentOf(event: TransactionEvent, amount: number) {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = event;
  const { six } = transactionIdentifiers({ authCode, network, bin, merchantId });
  return {
    payment_id: `till-${event.external_id}`,
    identifiers: [six],
    amount,
    currency: "EUR",
    paid_at: AT,
  };
}

t.test("dry run - a draft is tried on the day's purchases, and changes nothing", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const [platform] = await Promise.all([pipeline.start("platform"), pipeline.start("rewards")]);
  const operator = new PlatformClient(platform.url, await pipeline.newPlatformToken());
  const { body: retailer } = await operator.post("retailer/upsert", {
    name: "Shop",
    merchant_ids: ["mid-1"],
  });
  const { body: program } = await operator.post("loyalty-program/upsert", PROGRAM);
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [enrolled, other] = (await client.enrol("ada", "bob")) as [string, string];
  const enrolment = { loyalty_program_id: program.id, member_id: enrolled };
  await waitFor(async () => (await client.post("wallet.stamp-collection/create", enrolment)).status === 200, {
    message: "the program does not reach the publisher",
  });

  const buy = (member: string, changes: Partial<TransactionEvent> = {}) =>
    makeEvent(member, {
      auth_code: randomUUID().slice(0, 12),
      authed_at: new Date().toISOString(),
      merchant_id: "MID-1",
      ...changes,
    });
  const [counted, cheap, foreign, unpaid, elsewhere, refunded] = [
    buy(enrolled),
    buy(enrolled),
    buy(other),
    buy(other),
    buy(other, { merchant_id: "MID-2" }),
    buy(enrolled, { reverted_at: new Date(Date.now() + 1000).toISOString() }),
  ] as const;
  const events = [counted, cheap, foreign, unpaid, elsewhere, refunded];
  await client.apply(events);
  await waitFor(async () => (await readStream(pipeline, FLOW.platformTransactions.stream)).length === 0, {
    message: "records wait",
  });
  const payments = [paymentOf(counted, 1250), paymentOf(cheap, 499), paymentOf(foreign, 2000)];
  t.equal((await operator.post("payment/ingest", { retailer_id: retailer.id, payments })).status, 200);
  const idOf = async ({ external_id }: TransactionEvent) =>
    (await client.post("transaction/get", { external_id })).body.id;

  await t.test("a program counts stamps, and says why other purchases would earn none", async (t) => {
    const draft = { id: program.id, ...PROGRAM, rules: { ...RULES, merchant_ids: ["mid-1", "MID-9"] } };
    const { status, body } = await operator.post("loyalty-program/dry-run", draft);
    t.equal(status, 200);
    // The platform never kept payments at places without a retailer.
    t.match(body, { purchases: 5, complete: true, earned: 2, linked: 1, rewards: [] });
    t.strictSame(body.unrouted_merchant_ids, ["MID-9"]);
    const reasons = body.reasons.map((entry: { reason: string; purchases: number }) => Object.values(entry));
    t.strictSame(reasons.sort(), [
      ["amount_too_low", 1],
      ["reverted", 1],
      ["unconfirmed", 1],
    ]);
    const earners = body.examples.filter(({ result }: { result: string }) => result === "earned");
    t.strictSame(
      earners.map(({ transaction_id }: { transaction_id: string }) => transaction_id).sort(),
      [await idOf(counted), await idOf(foreign)].sort(),
    );
    t.match(earners[0], { merchant_id: "MID-1", paid: { currency: "EUR" } });
    t.notOk(JSON.stringify(body).includes("identifier"));
  });

  await t.test("a deal's dry run says what it would have given", async (t) => {
    const { body } = await operator.post("deal/dry-run", DEAL);
    t.match(body, { earned: 2, rewards: [{ amount: 325, currency: "EUR", purchases: 2 }] });
    t.notOk("linked" in body);
    const early = { ...DEAL, ends_at: "2026-02-01T00:00:00Z" };
    t.match((await operator.post("deal/dry-run", early)).body.reasons, [{ reason: "ended", purchases: 2 }]);
  });

  await t.test("a dry run refuses what an upsert refuses, and an unknown id is not found", async (t) => {
    const contradiction = { ...PROGRAM, rules: { ...RULES, confirmation: "none" } };
    t.match(await operator.post("loyalty-program/dry-run", contradiction), {
      status: 400,
      body: { error: { data: { issues: [{ path: "/rules/min_amount" }] } } },
    });
    const unknown = `${program.id.slice(0, -1)}${program.id.endsWith("0") ? "1" : "0"}`;
    t.match(await operator.post("loyalty-program/dry-run", { ...PROGRAM, id: unknown }), { status: 404 });
    t.match(await operator.post("deal/dry-run", { ...DEAL, id: program.id }), { status: 404 });
  });

  await t.test("nothing was changed", async (t) => {
    t.strictSame((await operator.post("loyalty-program/get", { id: program.id })).body, program);
    t.strictSame((await operator.post("deal/list", {})).body.data, []);
  });
});
