import { readFileSync } from "node:fs";
import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { EVENT_TYPES, FLOW, type TransactionEvent } from "#contract";
import { decodeId, transactionIdentifiers } from "#domain";
import { sweepIdempotencyKeys } from "#postgres";
import {
  CLEARED_AT,
  connectTo,
  makeEvent,
  type Pipeline,
  REVERTED_AT,
  readStream,
  startWebhookReceiver,
  waitFor,
} from "#test-support";
import { removeSettled } from "../../services/ingest/src/cleanup/remove-settled.ts";
import { sweepFindings } from "../../services/ingest/src/cleanup/sweep-findings.ts";
import { PLATFORM_KEYS } from "../../services/platform/src/idempotency-keys.ts";
import {
  expirePayments,
  expireRecords,
  forgetHalves,
} from "../../services/platform/src/matching/sweep-halves.ts";
import { sweepDeliveries, sweepEvents } from "../../services/webhooks/src/sweep.ts";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

/**
 * The remains of a deleted member, in every column of every table and in the streams, right afterwards and
 * after all times of docs/data.md. The member has every kind of record that a member can have.
 */
t.setTimeout(400_000);

const LOOPBACK = { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" };
const REF = "canary-person-7Q9X2";
const MARK = "canary-attribute-8K3";
/** Sweeps remove rows older than this: with this value, all of them. */
const AT_ONCE_MS = -60_000;

const CLEARED = { cleared_at: CLEARED_AT };
const REVERTED = { reverted_at: REVERTED_AT };

const PROGRAM = {
  name: "Every second coffee",
  qualifying_threshold: 2,
  reward_config: { type: "fixed-reward", amount: 300 },
  rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
};
const DEAL = {
  name: "Ten percent",
  reward_config: { type: "percent", percent: 10 },
  rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
};

/** Every column of every table, with its contents as text. */
async function readColumns({ store }: Pipeline): Promise<readonly { place: string; text: string }[]> {
  return store<{ place: string; text: string }[]>`
    select format('%s.%s', table_name, column_name) as place,
           query_to_xml(format('select %I::text as v from %I.%I', column_name, table_schema, table_name), true, false, '')::text
             as text
    from information_schema.columns
    where table_schema in ('public', 'platform')
    order by 1`;
}

/** The columns that hold one of these texts, as text or as bytes. */
async function placesOf(pipeline: Pipeline, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.flatMap((text) => [text, Buffer.from(text).toString("hex")]);
  const columns = await readColumns(pipeline);
  return columns.flatMap(({ place, text }) => (wanted.some((one) => text.includes(one)) ? place : []));
}

async function streamLimits(pipeline: Pipeline, stream: string): Promise<{ maxAgeMs: number }> {
  const nats = await connectTo(pipeline);
  try {
    const { config } = await (await jetstreamManager(nats)).streams.info(pipeline.streamPrefix + stream);
    return { maxAgeMs: config.max_age / 1_000_000 };
  } finally {
    await nats.close();
  }
}

function identifierOf({ auth_code, network, bin, merchant_id }: TransactionEvent): string {
  return transactionIdentifiers({ authCode: auth_code, network, bin, merchantId: merchant_id }).six;
}

t.test("deleting a member - only what docs/data.md lists remains of it and of its purchases", async (t) => {
  const receiver = await startWebhookReceiver();
  t.teardown(() => receiver.close());
  const loop = await LoyaltyLoop.open(t, { env: LOOPBACK });
  const { pipeline, integrator } = loop;
  await pipeline.start("webhooks");
  await loop.opensShop("Roastery", "ROASTERY-1");
  const program = await loop.offers("loyalty-program", PROGRAM);
  const deal = await loop.offers("deal", DEAL);
  await loop.publisher("webhook/create", { url: `${receiver.url}/all`, events: EVENT_TYPES });

  const { id: base } = await loop.publisher("member-base/create", { name: "people" });
  const upsert = { member_base_id: base, members: [{ ref: REF, attributes: { note: MARK } }] };
  const [member] = (await loop.publisher("member/bulk-upsert", upsert)) as [string];
  // With keys, so that the service keeps the answers.
  for (const [route, body] of [
    ["wallet.stamp-collection/create", { loyalty_program_id: program, member_id: member }],
    ["wallet.clip/save", { deal_id: deal, member_id: member }],
  ] as const) {
    const { status } = await integrator.post(route, body, { "idempotency-key": `key of ${route}` });
    t.equal(status, 200);
  }

  const shop = { merchant_id: "ROASTERY-1" };
  const purchases: Purchase[] = [];
  const buy = async (name: string, isPaid: boolean) => {
    const purchase = await loop.buys(member, name, shop);
    purchases.push(purchase);
    if (isPaid) await loop.paid(purchase);
    await loop.settles();
    return purchase;
  };
  // A paid redemption, a voided stamp, a pending redemption, a clip's cashback; and a purchase without a payment.
  for (const name of ["A", "B"]) await loop.changes(await buy(name, true), CLEARED);
  await loop.changes(await buy("C", true), REVERTED);
  await buy("D", true);
  await buy("E", true);
  await buy("F", false);
  await loop.settles();
  // Events rejected in the answer and afterwards, and a dead letter.
  const [first] = purchases as [Purchase];
  t.equal(
    (await integrator.ingest([{ ...first.event, ...REVERTED, cleared_at: undefined } as never])).status,
    409,
  );
  const late = await integrator.ingest([{ ...first.event, auth_code: "OTHER1" }], {
    prefer: "respond-async",
  });
  t.equal(late.status, 202);
  await pipeline.store`
    alter table transactions add constraint test_refuses check (merchant_id <> 'REFUSED') not valid`;
  const dead = makeEvent(member, { merchant_id: "REFUSED" });
  await integrator.ingest([dead], { prefer: "respond-async" });
  await waitFor(async () => (await readStream(pipeline, FLOW.dead.stream)).length === 1, {
    message: "nothing is dead",
  });
  await waitFor(async () => receiver.requests.some(({ body }) => body.includes("transaction.rejected")), {
    message: "the rejection was not delivered",
  });
  await loop.settles();

  const person = [REF, MARK, member, decodeId("m", member) as string];
  const ofPurchases = purchases.flatMap(({ event }) => [event.external_id, identifierOf(event)]);
  t.match(await placesOf(pipeline, person), [
    "cashbacks.member_id",
    "clips.member_id",
    "events.body",
    "events.member_id",
    "idempotency_keys.answer",
  ]);
  const cashbacks = await pipeline.store<{ state: string }[]>`select state from cashbacks`;
  t.strictSame([...new Set(cashbacks.map(({ state }) => state))].sort(), ["cleared", "pending"]);

  await loop.publisher("member/bulk-delete", { member_base_id: base, refs: [REF] });
  const isPutOff = async () =>
    (await pipeline.store`select from deleted_members where due_at > now() + interval '30 days'`).length ===
    1;
  await waitFor(isPutOff, { message: "the member is not put off" });
  const afterwards = makeEvent(member, { merchant_id: "ROASTERY-1" });
  t.equal((await integrator.ingest([afterwards])).status, 404);
  await loop.settles();

  t.strictSame(
    await placesOf(pipeline, person),
    [
      "cashbacks.member_id",
      "clips.member_id",
      "deleted_members.member_id",
      "events.body",
      "events.member_id",
      "idempotency_keys.answer",
      "stamp_collections.member_id",
      "transaction_rejections.member_id",
      "transactions.member_id",
    ],
    "the id alone; for a day, the answer to the saved clip; and events rejected since",
  );
  t.notMatch(
    JSON.stringify(
      await loop.publisher("transaction.rejection/list", { external_id: first.event.external_id }),
    ),
    member,
    "and no answer shows it",
  );
  t.strictSame(await placesOf(pipeline, ofPurchases), [
    "cashbacks.transaction_ref",
    "events.body",
    "payments.identifiers",
    "payments.payment_id",
    "qualifying_purchases.transaction_ref",
    "records.identifiers",
    "transaction_rejections.external_id",
    "transactions.external_id",
    "transactions.identifier_6",
  ]);
  for (const hop of Object.values(FLOW)) {
    const texts = (await readStream(pipeline, hop.stream)).map((body) => JSON.stringify(body));
    const isNamed = texts.some((text) => person.some((one) => text.includes(one)));
    t.equal(isNamed, hop === FLOW.dead, hop.stream);
  }
  const { maxAgeMs } = await streamLimits(pipeline, FLOW.dead.stream);
  t.equal(maxAgeMs, FLOW.dead.maxAgeMs, "a dead letter expires after 30 days");

  // The pending reward settles; then everything's time is over.
  for (const purchase of purchases.slice(3, 5)) {
    const answer = await integrator.ingest([{ ...purchase.event, ...CLEARED }]);
    t.equal(answer.status, 200, "its member is gone, and it settles nevertheless");
  }
  const isPending = async () =>
    (await pipeline.store`select from cashbacks where state = 'pending'`).length > 0;
  await waitFor(async () => !(await isPending()), { message: "a cashback stays pending" });
  await pipeline.store`
      update deleted_members set changed_at = now() - interval '62 days', due_at = now()`;
  await waitFor(async () => (await pipeline.store`select from deleted_members`).length === 0, {
    message: "the member is not forgotten",
  });
  t.strictSame(
    (await placesOf(pipeline, person)).filter((place) => !place.startsWith("idempotency_keys")),
    [
      "cashbacks.member_id",
      "events.body",
      "events.member_id",
      "transaction_rejections.member_id",
      "transactions.member_id",
    ],
    "the kept rows of its purchases hold the id, which leads nowhere",
  );
  await elapse(pipeline);
  t.strictSame(await placesOf(pipeline, person), []);
  t.strictSame(await placesOf(pipeline, ofPurchases), []);
});

/** Removes everything that is removed after a time, settled transactions too. */
async function elapse({ store }: Pipeline): Promise<void> {
  const steps = [
    () => sweepFindings(store, "ignored_fields", AT_ONCE_MS - 60_000),
    () => sweepFindings(store, "transaction_rejections", AT_ONCE_MS - 60_000),
    () => sweepIdempotencyKeys(store, AT_ONCE_MS),
    () => sweepIdempotencyKeys(store, AT_ONCE_MS, PLATFORM_KEYS.table),
    () => sweepDeliveries(store, AT_ONCE_MS),
    () => sweepEvents(store, AT_ONCE_MS),
    () => expireRecords(store, AT_ONCE_MS),
    () => expirePayments(store, AT_ONCE_MS),
    async () => {
      const { records, payments } = await forgetHalves(store, AT_ONCE_MS);
      return records + payments;
    },
  ];
  for (const step of steps) while ((await step()) > 0);
  await store.begin((sql) => removeSettled(sql, { from: 0, to: 1_000_000 }, "2100-01-01T00:00:00Z"));
}

t.test("data.md says for every table how long its rows are kept", async (t) => {
  const root = new URL("../../../", import.meta.url);
  const text = readFileSync(new URL("docs/data.md", root), "utf8");
  const schemas = ["packages/publisher-db/schema.txt", "packages/platform-db/schema.txt"];
  const tables = schemas.flatMap((path) =>
    [...readFileSync(new URL(path, root), "utf8").matchAll(/^table (\S+)/gm)].map(([, name = ""]) =>
      name.replace(/^public\./, ""),
    ),
  );
  t.ok(tables.length > 30, `${tables.length} tables`);
  t.strictSame(
    tables.filter((table) => !text.includes(`\`${table}\``)),
    [],
  );
});
