import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW, type TransactionEvent } from "#contract";
import type { OutcomeMessage } from "#contract/platform";
import { decodeId, transactionIdentifiers } from "#domain";
import {
  AUTHED_AT,
  CLEARED_AT,
  DISPLAY_CONTENT,
  makeEvent,
  type Pipeline,
  PlatformClient,
  PublisherClient,
  readMetric,
  readStream,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";
import { applyProgramConfig } from "../../services/rewards/src/handle-config.ts";

t.setTimeout(400_000);

/** A publisher with an enrolled member, a platform with a retailer, and the messages of both. */
async function setUp(t: Test) {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const platform = await pipeline.start("platform");
  const operator = new PlatformClient(platform.url, await pipeline.newPlatformToken());
  const retailer = await operator.call("retailer/upsert", { name: "Shop", merchant_ids: ["MID-1"] });
  const program = await operator.call("loyalty-program/upsert", {
    name: "Coffee",
    qualifying_threshold: 5,
    reward_config: { type: "refund" },
    display_content: DISPLAY_CONTENT,
    rules: { merchant_ids: ["mid-1"], currency: "EUR", retroactive: true },
  });
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("ada")) as [string];
  // As the reward engine would: it does not run, so that outcomes stay where the test can read them.
  await applyProgramConfig(pipeline.store, {
    id: decodeId("lp", program.id) as string,
    revision: 1,
    record: {
      name: "Coffee",
      qualifyingThreshold: 5,
      rewardConfig: { type: "refund" },
      displayContent: DISPLAY_CONTENT,
      retroactive: true,
      createdAt: "2026-03-01T10:00:00.000000Z",
      updatedAt: "2026-03-01T10:00:00.000000Z",
    },
  });
  const enrolment = { loyalty_program_id: program.id, member_id: member };
  const collection = await client.post("wallet.stamp-collection/create", enrolment);
  return {
    pipeline,
    platform,
    client,
    member,
    collectionId: collection.body.id as string,
    pay: payWith(retailer.token),
  };
}

/** Every purchase has a card of its own. */
const purchase = (member: string, changes: Partial<TransactionEvent> = {}): TransactionEvent =>
  makeEvent(member, { auth_code: randomUUID().slice(0, 12), authed_at: AUTHED_AT, ...changes });

/** The retailer's half of a purchase: it hashes the same card data. */
function paymentOf(event: TransactionEvent) {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = event;
  const { six } = transactionIdentifiers({ authCode, network, bin, merchantId });
  const payment_id = `till-${event.external_id}`;
  return {
    payment_id,
    identifiers: [six],
    amount: 1250,
    currency: "EUR",
    paid_at: AUTHED_AT,
  };
}

const payWith = (token: string) => async (url: string | undefined, events: readonly TransactionEvent[]) => {
  await new PlatformClient(url, token).call("payment/ingest", { payments: events.map(paymentOf) });
};

async function outcomes(pipeline: Pipeline): Promise<OutcomeMessage["outcomes"]> {
  const messages = await readStream<OutcomeMessage>(pipeline, "OUTCOMES");
  return messages.flatMap((message) => message.outcomes);
}

async function recordsAreDone(pipeline: Pipeline): Promise<void> {
  await waitFor(async () => (await readStream(pipeline, FLOW.platformTransactions.stream)).length === 0, {
    message: "records wait",
  });
}

t.test("matching", async (t) => {
  const { pipeline, platform, client, member, collectionId, pay } = await setUp(t);
  let current: ServiceProcess = platform;
  /** Of the tests before. */
  const earlier = new Set<string>();
  t.afterEach(async () => {
    for (const { outcome_id } of await outcomes(pipeline)) earlier.add(outcome_id);
  });
  /** The outcomes in the stream that no test before had, once there are this many distinct ones. */
  const newOutcomes = (count: number) =>
    waitFor(
      async () => {
        const found = (await outcomes(pipeline)).filter(({ outcome_id }) => !earlier.has(outcome_id));
        return new Set(found.map(({ outcome_id }) => outcome_id)).size >= count && found;
      },
      { message: `there are not ${count} outcomes` },
    );
  const paired = async () => {
    const [row] = await pipeline.store<[{ paired: number }]>`
      select count(*)::int as paired from platform.records where payment_id is not null`;
    return row.paired;
  };

  await t.test("payments and records meet in either order, and each pair has one outcome", async (t) => {
    const early = Array.from({ length: 20 }, () => purchase(member));
    const late = Array.from({ length: 20 }, () => purchase(member));
    const unpaid = [purchase(member), purchase(member, { merchant_id: "MID-2" })];
    await pay(current.url, early);
    await client.apply([...early, ...late, ...unpaid]);
    await pay(current.url, late);
    t.equal((await newOutcomes(40)).length, 40);

    // Sends all of it again, and changes every transaction too.
    await pay(current.url, [...late, ...early]);
    const cleared = [...early, ...late].map((event) => ({ ...event, cleared_at: CLEARED_AT }));
    await client.apply(cleared);
    await recordsAreDone(pipeline);
    const all = await newOutcomes(40);
    t.equal(all.length, 40);
    for (const outcome of all) {
      t.match(outcome, {
        type: "qualifying_purchase",
        stamp_collection_id: collectionId,
        purchase_amount: 1250,
        currency: "EUR",
      });
    }
    const paid = await Promise.all(
      [...early, ...late].map(
        async ({ external_id }) => (await client.post("transaction/get", { external_id })).body.id,
      ),
    );
    t.strictSame(all.map(({ transaction_id }) => transaction_id).sort(), paid.sort());
  });

  await t.test(
    "the platform is killed again and again, and no outcome is missing or different",
    async (t) => {
      const rounds = 4;
      const perRound = 60;
      const everything: TransactionEvent[] = [];
      for (let round = 0; round < rounds; round++) {
        const events = Array.from({ length: perRound }, () => purchase(member));
        everything.push(...events);
        const half = perRound / 2;
        await pay(current.url, events.slice(0, half));
        const ingesting = client.ingest(events);
        const paying = pay(current.url, events.slice(half)).catch(() => "not answered");
        await ingesting;
        await current.kill();
        current = await pipeline.start("platform");
        // A retailer that got no answer asks again.
        if ((await paying) === "not answered") await pay(current.url, events.slice(half));
      }
      const all = await newOutcomes(everything.length);
      await recordsAreDone(pipeline);
      const known = new Map(all.map((outcome) => [outcome.outcome_id, JSON.stringify(outcome)]));
      t.equal(known.size, everything.length);
      for (const outcome of all) t.equal(known.get(outcome.outcome_id), JSON.stringify(outcome));
      t.equal(new Set(all.map(({ transaction_id }) => transaction_id)).size, everything.length);
    },
  );

  await t.test("killed while it holds records: the standby process pairs them, each once", async (t) => {
    const platform = current;
    const standby = await pipeline.start("platform");
    const owned = (service: ServiceProcess) => readMetric(service, "stampede_partitions_owned");
    await waitFor(async () => (await owned(platform)) === 1 && (await owned(standby)) === 1, {
      message: "they do not share the partitions",
    });
    const before = await paired();
    const events = Array.from({ length: 40 }, () => purchase(member));
    // Their transactions wait for this lock, so that the killed process holds messages.
    await pipeline.store.begin(async (sql) => {
      await sql`lock table platform.records in exclusive mode`;
      await client.apply(events);
      await waitFor(async () => (await readMetric(platform, "stampede_platform_messages_held")) > 0, {
        message: "it holds nothing",
      });
      await platform.kill();
    });
    await recordsAreDone(pipeline);
    t.equal(await owned(standby), 2);
    await pay(standby.url, events);
    const all = await newOutcomes(events.length);
    t.equal(new Set(all.map(({ outcome_id }) => outcome_id)).size, events.length);
    t.equal(new Set(all.map(({ transaction_id }) => transaction_id)).size, events.length);
    t.equal((await paired()) - before, events.length);
  });
});
