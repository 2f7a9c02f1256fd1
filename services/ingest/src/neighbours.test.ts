import { headers } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { INGEST_VERSION, packEvents, packMessage } from "#contract/codec";
import { OrderedLoop, streamName } from "#nats";
import { waitFor } from "#test-support";
import { createHashPool } from "./batch/hash-pool.ts";
import type { PreparedBatch } from "./batch/prepare-batch.ts";
import { type CommittedBatch, IngestSteps } from "./handle-ingest.ts";
import { ChangePublisher } from "./publish/publish-changes.ts";
import { makeAuthorization, openIngest } from "./test-ingest.ts";

const PARTITIONS = 4;

/** Ingest's loop in one lane, over all partitions. */
async function setUp(t: Test) {
  const { store, stream, log, organisationId, memberId, lost, newPositions } = await openIngest(
    t,
    PARTITIONS,
  );
  const failures: unknown[] = [];
  /** The partitions of each batch that is tried. */
  const tried: number[][] = [];
  const metrics = {
    batch: () => {},
    contradicted: () => {},
    timed: <T>(_step: string, work: () => Promise<T>) => work(),
  };
  const positions = newPositions();
  const pool = createHashPool(0, "test", () => {});
  const changes = new ChangePublisher(stream, PARTITIONS);
  const parts = { store, stream, pool, changes, positions, metrics, now: () => new Date() };
  const steps = new IngestSteps(parts as never);
  const commit = steps.commit.bind(steps);
  steps.commit = (batch, span) => {
    tried.push(batch.messages.map(({ partition }) => partition));
    return commit(batch, span);
  };
  const loop = new OrderedLoop<PreparedBatch, CommittedBatch>({
    stream,
    hop: FLOW.ingest,
    lanes: 1,
    steps,
    observer: { outcome: () => {}, retried: (error) => void failures.push(error) },
    onLost: (partitions) => void lost.push(...partitions),
    onGone: async () => {},
    log,
  });
  t.teardown(() => loop.stop());
  for (let partition = 0; partition < PARTITIONS; partition++) {
    loop.add(partition, await positions.takeOver(partition));
  }

  const publishAll = async (partition: number, refs: readonly string[], version = INGEST_VERSION) => {
    const events = refs.map((ref) => makeAuthorization(memberId, ref));
    const part = { batch: uuidv7(), organisation: organisationId, awaited: true, events: events.length };
    const data = packMessage({ reply: "", parts: [part] }, [packEvents(events, [...events.keys()]).bytes]);
    data[0] = version;
    const fields = headers();
    fields.set(HEADERS.rows, String(refs.length));
    const { seq } = await stream.jetstream.publish(`${stream.prefix}ingest.${partition}`, data, {
      headers: fields,
    });
    return () => (loop.feedOf(partition)?.last ?? 0) >= seq;
  };
  const publish = (partition: number, ref: string, version?: number) => publishAll(partition, [ref], version);
  /** Publishes while a batch of the last partition waits for a lock, so that all of it makes one batch. */
  const together = (publishAll: () => Promise<(() => boolean)[]>) =>
    store.begin(async (sql) => {
      const before = tried.length;
      await sql`select from ingest_positions where partition = ${PARTITIONS - 1} for update`;
      await publish(PARTITIONS - 1, uuidv7());
      await waitFor(() => tried.length > before, { message: "the first batch is handled" });
      const read = await publishAll();
      await waitFor(() => read.every((isRead) => isRead()), { message: "the others are read" });
    });
  const stored = async () => {
    const rows = await store<{ ref: string }[]>`
      select external_id as ref from transactions where external_id < '0' or external_id >= 'a' order by 1`;
    return rows.map(({ ref }) => ref);
  };
  const applied = async () => {
    const rows = await store<{ applied: number }[]>`select applied from ingest_positions order by partition`;
    return rows.map(({ applied }) => applied);
  };
  return {
    store,
    stream,
    loop,
    positions,
    lost,
    failures,
    tried,
    publish,
    publishAll,
    together,
    stored,
    applied,
  };
}

t.test("neighbours - a message of a later version stops its own partition only", async (t) => {
  const { loop, lost, failures, tried, publish, together, stored, applied } = await setUp(t);
  await together(async () => [
    await publish(0, "a", INGEST_VERSION + 1),
    await publish(1, "b"),
    await publish(0, "c"),
    await publish(2, "d"),
  ]);
  await waitFor(async () => (await stored()).length === 2, { message: "the others go on" });
  t.match(tried.slice(1, 3), [
    [0, 1, 0, 2],
    [0, 1, 0, 2],
  ]);
  t.strictSame(await stored(), ["b", "d"]);
  await publish(1, "e");
  await waitFor(async () => (await stored()).length === 3, { message: "they go on" });
  t.strictSame(await applied(), [0, 2, 1, 1]);
  for (const error of failures) t.match(error, { name: "OtherVersionError" });
  await loop.remove(0, true);
  t.pass("and a process that knows the version can have the partition");
  t.strictSame(lost, []);
});

t.test(
  "neighbours - a statement that fails for one partition does so alone, and then all is as usual",
  async (t) => {
    const { store, lost, tried, publish, together, stored, applied } = await setUp(t);
    await store.begin(async (sql) => {
      await sql`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise 'not now' using errcode = '55000'; end $$`;
      await sql`
      create trigger refuse before update on ingest_positions for each row when (new.partition = 0)
      execute function refuse()`;
    });
    await together(async () => [await publish(1, "a"), await publish(0, "b"), await publish(2, "c")]);
    await waitFor(async () => (await stored()).length === 2, { message: "the others go on" });
    t.strictSame(await stored(), ["a", "c"]);
    t.strictSame(await applied(), [0, 1, 1, 1]);
    await store`drop trigger refuse on ingest_positions`;
    await publish(0, "d");
    await waitFor(async () => (await stored()).length === 4, { message: "and then so does it" });
    t.strictSame(await applied(), [2, 1, 1, 1]);
    await together(async () => [await publish(0, "e"), await publish(1, "f")]);
    await waitFor(async () => (await stored()).length === 6, { message: "the last are stored" });
    t.strictSame(tried.at(-1), [0, 1], "in one batch");
    t.strictSame(await applied(), [3, 2, 1, 2]);
    t.strictSame(lost, []);
  },
);

t.test("regression - a partition whose stream of records was full stopped all others", async (t) => {
  const { stream, loop, positions, lost, failures, publish, publishAll, together, applied } = await setUp(t);
  const full = streamName(stream, FLOW.platformTransactions, 0);
  await stream.manager.streams.update(full, { max_bytes: 1 });
  const published = () =>
    Array.from({ length: PARTITIONS }, (_, partition) => positions.publishedOf(partition));
  const refs = Array.from({ length: LIMITS.rowsPerBatch }, (_, n) => `a${n}`);
  await together(async () => [await publish(0, "b"), await publish(1, "c"), await publishAll(0, refs)]);
  await publish(2, "d");
  await waitFor(() => published().join() === "0,1,1,1", { message: "the others go on" });
  await waitFor(() => failures.length > 3, { message: "it is tried again" });
  for (const error of failures) t.match(error, { name: "PublishError", isFull: true });
  await publish(0, "e");
  for (const n of [2, 3, 4]) {
    await publish(1, `c${n}`);
    await waitFor(() => positions.publishedOf(1) === n, { message: "a message is published" });
  }
  t.match(await applied(), [/^[12]$/, 4, 1, 1], "what is not published does not grow");
  await loop.remove(1, true);
  await stream.manager.streams.update(full, { max_bytes: 2 ** 21 });
  await waitFor(() => positions.publishedOf(0) === 3, { message: "and then so does it" });
  t.equal(loop.held, 0);
  await stream.manager.streams.update(full, { max_bytes: 1 });
  await publish(0, "f");
  await waitFor(async () => (await applied())[0] === 4, { message: "it is applied" });
  await loop.remove(0, true);
  t.equal(loop.held, 0, "the next owner publishes it");
  t.equal(positions.publishedOf(0), 3);
  t.strictSame(lost, []);
});
