import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import t from "tap";
import type { TransactionEvent } from "#contract";
import { packEvents, packMessage } from "#contract/codec";
import { partitionOf } from "#domain";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";
import { runCommand } from "../test-command.ts";

const PARTITIONS = 4;
/** More than the schema allows, so the edge refuses it: only a message published by hand can carry it. */
const POISONOUS_AMOUNT = 2 ** 60;
const AUTH_CODE = "CANARY7Q9X2";
const BIN = "98170463";

t.test("dead-letter - poison is set apart, shown, and put back once its cause is gone", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: String(PARTITIONS) } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("poisoned")) as [string];
  const stampede = commandLine(pipeline);

  t.strictSame(await stampede("dead-letter", "list"), { code: 0, out: "", err: "0 dead letters\n" });

  await t.test("the neighbours of a poisonous event commit, and it becomes a dead letter", async (t) => {
    const [poison, ...neighbours] = sharingPartition(member, 5);
    const poisonous = { ...(poison as TransactionEvent), amount: POISONOUS_AMOUNT };
    const events = [...neighbours.slice(0, 2), poisonous, ...neighbours.slice(2)];
    await publish(pipeline, partitionOf(poisonous.external_id, PARTITIONS), events);

    await waitFor(async () => (await counter(pipeline, "dead")) === 1, { message: "no event is dead" });
    const { out } = await waitFor(() => listed(stampede, 1), { message: "no dead letter is listed" });
    t.strictSame(await stored(pipeline), neighbours.map((event) => event.external_id).sort());
    const [sequence, at, reason, error, externalId, from] = out.trimEnd().split("\t");
    t.match([sequence, reason, error, externalId], ["1", "poison_event", "23514", poison?.external_id]);
    t.ok(Date.parse(at as string) <= Date.now());
    t.match(from, /^INGEST\/[0-3]\/1$/);
    t.equal(await counter(pipeline, "created"), neighbours.length);
  });

  await t.test("--json tells all that is kept, and no card data", async (t) => {
    const { out } = await stampede("dead-letter", "list", "--json");
    const letter = JSON.parse(out);
    t.match(letter, { sequence: 1, reason: "poison_event", error: "23514", from: { stream: "INGEST" } });
    t.match(letter.row, { amount: POISONOUS_AMOUNT, identifier6: /^[0-9a-f]{64}$/ });
    for (const secret of [AUTH_CODE, BIN, BIN.slice(0, 6)]) t.notOk(out.includes(secret));
  });

  await t.test("one that is put back unmended dies again: nothing is lost, nothing loops", async (t) => {
    t.match(await stampede("dead-letter", "redrive", "1"), { code: 0, out: "1 put back\n" });
    await waitFor(async () => (await counter(pipeline, "dead")) === 2, { message: "it did not die again" });
    const { out } = await waitFor(() => listed(stampede, 1), { message: "the new letter is not listed" });
    t.match(out, /^2\t/);
  });

  await t.test("put back after the cause is mended, all events of a transaction take effect", async (t) => {
    await pipeline.store`
      alter table transactions add constraint test_refuses check (merchant_id <> 'REFUSED') not valid`;
    const refused = makeEvent(member, { merchant_id: "REFUSED", amount: 500, currency: "EUR" });
    const cleared = { ...refused, amount: 550, cleared_at: "2026-03-02T10:00:00Z" };
    for (const event of [refused, cleared]) {
      t.match(await client.ingest([event], { prefer: "respond-async" }), { status: 202 });
    }
    const { out } = await waitFor(() => listed(stampede, 3), { message: "the two are not dead" });
    const sequences = out.split("\n").flatMap((line) => /^(\d+).*\t23514\ttest-/.exec(line)?.[1] ?? []);
    await pipeline.store`alter table transactions drop constraint test_refuses`;

    const newestFirst = sequences.filter((sequence) => sequence !== "2").reverse();
    t.match(await stampede("dead-letter", "redrive", ...newestFirst), { code: 0, out: "2 put back\n" });
    const find = () =>
      pipeline.store<{ state: string; amount: number }[]>`
        select state, amount from transactions where external_id = ${refused.external_id}`;
    const [row] = await waitFor(async () => ((await find())[0]?.state === "cleared" ? find() : undefined), {
      message: "the events are not stored",
    });
    t.strictSame(row, { state: "cleared", amount: 550 });
    t.match((await stampede("dead-letter", "list")).out, /^2\t[^\n]*\n$/);
  });

  await t.test("what could not be read cannot be put back, and the command says so and fails", async (t) => {
    await publish(pipeline, 0, [makeEvent(member)], (bytes) => bytes.subarray(1));
    await waitFor(() => listed(stampede, 2), { message: "the unreadable message is not listed" });
    const result = await stampede("dead-letter", "redrive", "--all");
    t.match(result, { code: 1, out: "1 put back\n", err: /^\d+ cannot be put back: unreadable_message/ });
    t.match(await stampede("dead-letter", "redrive", "999"), { code: 1, err: "999 is no dead letter\n" });
  });
});

/** Commands against the pipeline's NATS. */
function commandLine(pipeline: Pipeline) {
  const env = { NATS_URL: pipeline.natsUrl, STAMPEDE_STREAM_PREFIX: pipeline.streamPrefix };
  return (...args: string[]) => runCommand(args, env);
}

async function listed(stampede: ReturnType<typeof commandLine>, count: number) {
  const result = await stampede("dead-letter", "list");
  return result.out.split("\n").length - 1 === count ? result : undefined;
}

/** Events of one partition, so that they can travel in one message. */
function sharingPartition(member: string, count: number): TransactionEvent[] {
  const events: TransactionEvent[] = [];
  while (events.length < count) {
    const event = makeEvent(member, { auth_code: AUTH_CODE, bin: BIN, amount: 100, currency: "EUR" });
    if (partitionOf(event.external_id, PARTITIONS) === 1) events.push(event);
  }
  return events;
}

/** Publishes without the edge, which would refuse such events. */
async function publish(
  pipeline: Pipeline,
  partition: number,
  events: readonly TransactionEvent[],
  damage = (bytes: Uint8Array) => bytes,
): Promise<void> {
  const { host, username, password } = new URL(pipeline.natsUrl);
  const nats = await connect({ servers: host, user: username, pass: password });
  const part = {
    batch: "0195a000-0000-7000-8000-000000000001",
    organisation: pipeline.publisher.organisationId,
    awaited: true,
    batchEvents: events.length,
    events: events.length,
  };
  const { bytes } = packEvents(events, [...events.keys()]);
  const message = packMessage({ reply: "nobody.waits", parts: [part] }, [damage(bytes)]);
  await jetstream(nats).publish(`${pipeline.streamPrefix}ingest.${partition}`, message);
  await nats.close();
}

async function counter(pipeline: Pipeline, result: string): Promise<number> {
  const { body } = await pipeline.ingest.ops("/metrics");
  const line = body
    .split("\n")
    .find((line) => line.startsWith("stampede_ingest_events_total{") && line.includes(`result="${result}"`));
  return Number(line?.split(" ").at(-1));
}

async function stored(pipeline: Pipeline): Promise<string[]> {
  const rows = await pipeline.store<{ id: string }[]>`
    select external_id as id from transactions order by external_id`;
  return rows.map((row) => row.id);
}
