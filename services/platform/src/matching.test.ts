import { randomBytes, randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { DATABASE_CONNECTIONS, FLOW, HEADERS } from "#contract";
import { RECORDS_VERSION } from "#contract/codec";
import type { DeadLetter } from "#contract/ingest";
import type { OutcomeMessage, PlatformRecord } from "#contract/platform";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import { encodeId } from "#domain";
import { connectStream, ensureTopology, publishOrThrow, type Stream, streamName, subjectName } from "#nats";
import { readDeadLetters } from "#nats/dead-letters";
import { closeStore, connectStore, type Store } from "#postgres";
import { createLog, createRegistry, Health, MetricFactory } from "#runtime";
import { DISPLAY_CONTENT, isolation, recordMessage, testServers, waitFor } from "#test-support";
import { programTable } from "./configuration/programs.ts";
import { createRetailer } from "./retailers/retailer-rows.ts";
import { startMatching } from "./service.ts";

/** Matching alone, with real servers: records come from the stream, payments by a call. */
const TOPOLOGY = { partitions: 1, maxBytes: 8 * 1024 * 1024, linkMaxBytes: 8 * 1024 * 1024 };

interface Platform {
  readonly store: Store;
  readonly stream: Stream;
  readonly retailerId: string;
  readonly programId: string;
  start(): Promise<{ matching: Awaited<ReturnType<typeof startMatching>>; metrics(): Promise<string> }>;
  /** Sends bytes; if a record is not valid, JSON, which can express anything. */
  send(...records: unknown[]): Promise<void>;
  sendMessage(payload: string | Uint8Array, rows: number): Promise<void>;
  isAtRest(): Promise<boolean>;
  /** The outcomes of every message in their stream. */
  published(): Promise<OutcomeMessage["outcomes"]>;
}

async function setUp(t: Test): Promise<Platform> {
  const servers = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  await ensureTopology(stream, TOPOLOGY);
  const databaseUrl = await servers.databaseUrl();
  const store = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.platform.matching,
    applicationName: "test",
  });
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });
  const retailerId = randomUUID();
  await createRetailer(store, {
    id: retailerId,
    name: "Shop",
    merchantIds: ["MID-1", "POISON"],
    statementDescriptors: [],
    tokenHash: randomBytes(32),
  });
  const programId = randomUUID();
  await addProgram(store, programId);
  let sent = 0;
  const sendMessage = (payload: string | Uint8Array, rows: number) =>
    publishOrThrow(stream, {
      subject: subjectName(stream, FLOW.platformTransactions, 0),
      payload,
      id: `${++sent}`,
      headers: { [HEADERS.rows]: String(rows) },
    });
  return {
    store,
    stream,
    retailerId,
    programId,
    start: async () => {
      const registry = createRegistry("test", "0");
      const metrics = new MetricFactory(registry);
      const locks = connectStore({ url: databaseUrl, max: 1, applicationName: "test" });
      const matching = await startMatching({
        store,
        locks,
        stream,
        topology: TOPOLOGY,
        replayMinutes: 0,
        metrics,
        health: new Health(),
        log,
      });
      t.teardown(async () => {
        await matching.stop();
        await closeStore(locks);
      });
      return { matching, metrics: () => registry.metrics() };
    },
    send: (...records) => {
      const areValid = records.length > 0 && records.every((one) => MESSAGE_VALIDATORS.platformRecord(one));
      const payload = areValid
        ? recordMessage(...(records as PlatformRecord[]))
        : JSON.stringify({ v: 1, records });
      return sendMessage(payload, records.length);
    },
    sendMessage,
    isAtRest: async () => {
      const name = streamName(stream, FLOW.platformTransactions, 0);
      return (await stream.manager.streams.info(name)).state.messages === 0;
    },
    published: () => readOutcomes(stream),
  };
}

function addProgram(store: Store, id: string, merchantId = "MID-1") {
  return programTable.create(store, {
    id,
    name: "Coffee",
    qualifyingThreshold: 5,
    rewardConfig: { type: "refund" },
    displayContent: DISPLAY_CONTENT,
    rules: { merchant_ids: [merchantId], confirmation: "retailer" },
  });
}

async function readOutcomes(stream: Stream): Promise<OutcomeMessage["outcomes"]> {
  const name = streamName(stream, FLOW.outcomes, 0);
  const { state } = await stream.manager.streams.info(name);
  const outcomes: OutcomeMessage["outcomes"] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
    const message = await stream.manager.streams.getMessage(name, { seq });
    if (message === null) continue;
    const { outcomes: more } = message.json<OutcomeMessage>();
    if (message.header.get(HEADERS.rows) !== String(more.length)) throw new Error("it does not say its rows");
    outcomes.push(...more);
  }
  return outcomes;
}

const identifier = () => randomBytes(32).toString("hex");

function record(programId: string, changes: Partial<PlatformRecord> = {}): PlatformRecord {
  return {
    transaction_id: encodeId("tx", randomUUID()),
    identifiers: [identifier()],
    merchant_id: "MID-1",
    authed_at: "2026-03-01T10:00:00Z",
    clips: [],
    enrolments: [
      { stamp_collection_id: encodeId("sc", randomUUID()), loyalty_program_id: encodeId("lp", programId) },
    ],
    ...changes,
  };
}

const payment = (identifiers: readonly string[]) => ({
  payment_id: randomUUID(),
  identifiers: [...identifiers],
  amount: 1250,
  currency: "EUR",
  paid_at: "2026-03-01T10:00:05Z",
});

t.test("matching - a record and a payment become one outcome, however often either comes", async (t) => {
  const platform = await setUp(t);
  const { matching, metrics } = await platform.start();
  const first = record(platform.programId);
  const second = record(platform.programId);
  const early = payment(second.identifiers);
  await matching.takePayments(platform.retailerId, [early]);
  await platform.send(first, second, record(platform.programId, { merchant_id: "UNOWNED" }));
  await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
  const late = payment(first.identifiers);
  for (let again = 0; again < 2; again++) {
    await matching.takePayments(platform.retailerId, [late, early]);
    await platform.send(second, first);
  }
  await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
  const outcomes = await waitFor(
    async () => {
      const all = await platform.published();
      return all.length >= 2 && all;
    },
    { message: "outcomes are not published" },
  );
  t.strictSame(
    outcomes.map(({ transaction_id }) => transaction_id).sort(),
    [first.transaction_id, second.transaction_id].sort(),
  );
  for (const outcome of outcomes) {
    t.ok(MESSAGE_VALIDATORS.outcome(outcome));
    t.match(outcome, { type: "qualifying_purchase", purchase_amount: 1250, currency: "EUR" });
  }
  const text = await metrics();
  for (const line of [
    'stampede_platform_records_total{result="routed",service="test"} 6',
    'stampede_platform_records_total{result="unknown_merchant",service="test"} 1',
    'stampede_platform_payments_total{result="new",service="test"} 2',
    'stampede_platform_payments_total{result="known",service="test"} 3',
    'stampede_platform_pairs_total{service="test"} 2',
  ]) {
    t.ok(text.includes(line), line);
  }
  t.strictSame(
    [...(await platform.store`select merchant_id from platform.records where merchant_id = 'UNOWNED'`)],
    [],
  );
});

t.test(
  "matching - a program counts for purchases before its removal, whenever the record comes",
  async (t) => {
    const platform = await setUp(t);
    const { matching } = await platform.start();
    const programId = randomUUID();
    const pay = ({ identifiers }: PlatformRecord) =>
      matching.takePayments(platform.retailerId, [payment(identifiers)]);
    const bring = async (record: PlatformRecord) => {
      await platform.send(record);
      await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
      await pay(record);
    };
    await bring(record(programId));
    await addProgram(platform.store, programId);
    const counted = record(programId);
    await bring(counted);
    await programTable.delete(platform.store, programId);
    const late = record(programId);
    await bring(late);
    await bring({ ...record(programId), authed_at: new Date(Date.now() + 60_000).toISOString() });
    const outcomes = await waitFor(
      async () => {
        const all = await platform.published();
        return all.length > 1 && all;
      },
      { message: "outcomes are not published" },
    );
    t.strictSame(
      outcomes.map(({ transaction_id }) => transaction_id),
      [counted.transaction_id, late.transaction_id],
    );
  },
);

t.test(
  "regression - a retailer that was made later got only the purchases whose records came after that",
  async (t) => {
    const platform = await setUp(t);
    const { matching } = await platform.start();
    const tell = async (...records: PlatformRecord[]) => {
      await platform.send(...records);
      await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
    };
    const kept = async () => (await platform.store`select from platform.unrouted_records`).length;
    for (const order of ["told before", "told after"]) {
      const [programId, retailerId] = [randomUUID(), randomUUID()];
      const merchant_id = `later ${order}`;
      await addProgram(platform.store, programId, merchant_id);
      const [bought, reverted, other] = [0, 1, 2].map(() => record(programId, { merchant_id })) as [
        PlatformRecord,
        PlatformRecord,
        PlatformRecord,
      ];
      const records = [
        bought,
        { ...bought, cleared_at: "2026-03-02T10:00:00Z" },
        reverted,
        // The member is gone by then.
        { ...reverted, enrolments: [], reverted_at: "2026-03-02T10:00:00Z" },
        { ...other, enrolments: [] },
        { ...other, enrolments: [], reverted_at: "2026-03-02T10:00:00Z" },
      ];
      if (order === "told before") {
        await tell(...records);
        await tell(...records);
        t.equal(
          await kept(),
          3,
          "a purchase that cannot earn is not kept, except its reversal, and a purchase has one row",
        );
      }
      await createRetailer(platform.store, {
        id: retailerId,
        name: "Later",
        merchantIds: [merchant_id.toUpperCase()],
        statementDescriptors: [],
        tokenHash: randomBytes(32),
      });
      if (order === "told after") await tell(...records);
      await waitFor(async () => (await kept()) === 0, { message: "they are not read again" });
      await matching.takePayments(
        retailerId,
        [bought, reverted].map(({ identifiers }) => payment(identifiers)),
      );
      const ids = await waitFor(
        async () => {
          const all = await platform.published();
          const own = all.filter((one) =>
            [bought, reverted].some((of) => of.transaction_id === one.transaction_id),
          );
          return own.length > 0 && own.map(({ transaction_id }) => transaction_id);
        },
        { message: `it earns nothing: ${order}` },
      );
      t.strictSame(ids, [bought.transaction_id], order);
    }
  },
);

t.test(
  "regression - a reversal that overtook a purchase of a merchant without retailer was forgotten, and so a payment was lost",
  async (t) => {
    const platform = await setUp(t);
    const { matching } = await platform.start();
    const tell = async (record: PlatformRecord) => {
      await platform.send(record);
      await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
    };
    const kept = async () => (await platform.store`select from platform.unrouted_records`).length;
    for (const order of ["all told before", "only the reversal told before"]) {
      const [programId, retailerId] = [randomUUID(), randomUUID()];
      const merchant_id = `overtaken: ${order}`;
      await addProgram(platform.store, programId, merchant_id);
      const gone = record(programId, { merchant_id });
      // The customer repeats the purchase with the same card and code.
      const again = record(programId, {
        merchant_id,
        identifiers: gone.identifiers,
        authed_at: "2026-03-01T10:00:30Z",
      });
      const makeRetailer = async () => {
        await createRetailer(platform.store, {
          ...{ id: retailerId, name: order, merchantIds: [merchant_id], statementDescriptors: [] },
          tokenHash: randomBytes(32),
        });
        await waitFor(async () => (await kept()) === 0, { message: "they are not read again" });
      };
      await tell({ ...gone, enrolments: [], reverted_at: "2026-03-01T10:00:20Z" });
      if (order === "only the reversal told before") await makeRetailer();
      await tell(gone);
      await tell(again);
      if (order === "all told before") await makeRetailer();
      // This payment is nearer to the reverted purchase.
      await matching.takePayments(retailerId, [payment(gone.identifiers)]);
      const isOwn = ({ transaction_id: id }: { transaction_id: string }) =>
        id === gone.transaction_id || id === again.transaction_id;
      const told = await waitFor(
        async () => {
          const own = (await platform.published()).filter(isOwn);
          return own.length > 0 && own.map(({ transaction_id }) => transaction_id);
        },
        { message: `it earns nothing: ${order}` },
      );
      t.strictSame(told, [again.transaction_id], order);
    }
  },
);

t.test(
  "matching - while a change stays open payments are refused soon, and records wait for its end",
  async (t) => {
    const platform = await setUp(t);
    const { matching } = await platform.start();
    const bought = record(platform.programId);
    await platform.store.begin(async (sql) => {
      await sql`update platform.loyalty_programs set qualifying_threshold = 7`;
      await platform.send(bought);
      await t.rejects(matching.takePayments(platform.retailerId, [payment(bought.identifiers)]), {
        code: "55P03",
        message: /has an open change/,
      });
    });
    await matching.takePayments(platform.retailerId, [payment(bought.identifiers)]);
    const outcomes = await waitFor(
      async () => {
        const all = await platform.published();
        return all.length > 0 && all;
      },
      { message: "outcomes are not published" },
    );
    t.match(outcomes, [{ transaction_id: bought.transaction_id }]);
  },
);

t.test(
  "matching - invalid records are buried one by one, with nothing but the id of their transaction",
  async (t) => {
    const platform = await setUp(t);
    // A constraint makes the database refuse a record; it refuses no valid one otherwise.
    await platform.store.script(`
    alter table platform.records add constraint test_poison check (merchant_id <> 'POISON')`);
    await platform.start();
    const good = [record(platform.programId), record(platform.programId)];
    const invalid = record(platform.programId, { authed_at: "yesterday" });
    const refused = record(platform.programId, { merchant_id: "POISON" });
    await platform.send(good[0], invalid, refused, good[1]);
    await platform.send();
    await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
    const stored = await platform.store<{ count: number }[]>`select count(*) from platform.records`;
    t.strictSame([...stored], [{ count: 2 }]);
    const letters: DeadLetter[] = [];
    for await (const { letter } of readDeadLetters(platform.stream)) letters.push(letter);
    const from = { hop: "PLATFORM_TX", partition: 0 };
    t.strictSame(
      letters.sort((a, b) => a.reason.localeCompare(b.reason)),
      [
        { reason: "invalid_message", ...from, sequence: 2 },
        { reason: "invalid_record", ...from, sequence: 1, transactionId: invalid.transaction_id },
        {
          reason: "refused_by_database",
          error: "23514",
          ...from,
          sequence: 1,
          transactionId: refused.transaction_id,
        },
      ],
    );
  },
);

t.test("matching - records of a version that is not known wait, and hold up and bury nothing", async (t) => {
  const platform = await setUp(t);
  const { metrics } = await platform.start();
  const [before, behind] = [record(platform.programId), record(platform.programId)];
  const later = Buffer.from(recordMessage(record(platform.programId)));
  later[0] = RECORDS_VERSION + 1;
  await platform.send(before);
  await platform.sendMessage(later, 1);
  await platform.send(behind);
  // A truncated message, which can never be read.
  await platform.sendMessage(recordMessage(record(platform.programId)).subarray(0, -1), 1);
  const count = async () => (await platform.store`select from platform.records`).length;
  await waitFor(async () => (await count()) === 2, { message: "the others are not taken" });
  const letters: DeadLetter[] = [];
  await waitFor(
    async () => {
      letters.length = 0;
      for await (const { letter } of readDeadLetters(platform.stream)) letters.push(letter);
      return letters.length > 0;
    },
    { message: "the truncated message is not buried" },
  );
  t.strictSame(letters, [{ reason: "unreadable_message", hop: "PLATFORM_TX", partition: 0, sequence: 4 }]);
  const isTriedAgain = async () =>
    /^stampede_platform_batch_retries_total\{fault="unexpected",[^}]*\} [1-9]/m.test(await metrics());
  await waitFor(isTriedAgain, { message: "it is not tried again" });
  t.notOk(await platform.isAtRest(), "it is in the stream");
});

t.test(
  "regression - a record that was read before a restore is not matched in the restored database",
  async (t) => {
    const platform = await setUp(t);
    // As if the server had been started after the take-over of the partition.
    await platform.store`alter table platform.stream_places alter server_started set default 'epoch'`;
    const { metrics } = await platform.start();
    await platform.send(record(platform.programId));
    const isTriedAgain = async () =>
      /^stampede_platform_batch_retries_total\{fault="unexpected",[^}]*\} [1-9]/m.test(await metrics());
    await waitFor(isTriedAgain, { message: "it is not tried again" });
    t.equal((await platform.store`select from platform.records`).length, 0);
    t.notOk(await platform.isAtRest(), "it is in the stream");
  },
);

t.test("matching - outcomes that a crash left in the queue are published by the next process", async (t) => {
  const platform = await setUp(t);
  const left = JSON.stringify({ left: true });
  await platform.store`insert into platform.outcome_queue (outcome) values (${left})`;
  await platform.start();
  const outcomes = await waitFor(
    async () => {
      const all = await platform.published();
      return all.length > 0 && all;
    },
    { message: "it is not published" },
  );
  t.strictSame(outcomes as unknown, [{ left: true }]);
  await waitFor(async () => (await platform.store`select from platform.outcome_queue`).length === 0, {
    message: "it is still in the queue",
  });
});

t.test("matching - a stream that takes nothing keeps outcomes in the queue, until it does", async (t) => {
  const platform = await setUp(t);
  const name = streamName(platform.stream, FLOW.outcomes, 0);
  await platform.stream.manager.streams.delete(name);
  const { matching } = await platform.start();
  const one = record(platform.programId);
  await matching.takePayments(platform.retailerId, [payment(one.identifiers)]);
  await platform.send(one);
  await waitFor(() => platform.isAtRest(), { message: "records are not taken" });
  t.equal((await platform.store`select from platform.outcome_queue`).length, 1);
  await ensureTopology(platform.stream, TOPOLOGY);
  await waitFor(async () => (await platform.published()).length === 1, { message: "it is not published" });
});
