import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import t from "tap";
import type { TransactionEvent } from "#contract";
import { packEvents, packMessage } from "#contract/codec";
import { partitionOf } from "#domain";
import { connectStream, type Stream } from "#nats";
import { readDeadLetters, redrive, type StoredDeadLetter } from "#nats/dead-letters";
import { createLog } from "#runtime";
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

  await t.test("--json shows all kept fields, and no card data", async (t) => {
    const { out } = await stampede("dead-letter", "list", "--json");
    const letter = JSON.parse(out);
    t.match(letter, { sequence: 1, reason: "poison_event", error: "23514", from: { stream: "INGEST" } });
    t.match(letter.row, { amount: POISONOUS_AMOUNT, identifier6: /^[0-9a-f]{64}$/ });
    for (const secret of [AUTH_CODE, BIN, BIN.slice(0, 6)]) t.notOk(out.includes(secret));
  });

  await t.test(
    "a letter that is put back too early dies again: nothing is lost, nothing loops",
    async (t) => {
      t.match(await stampede("dead-letter", "redrive", "1"), { code: 0, out: "1 put back\n" });
      await waitFor(async () => (await counter(pipeline, "dead")) === 2, { message: "it did not die again" });
      const { out } = await waitFor(() => listed(stampede, 1), { message: "the new letter is not listed" });
      t.match(out, /^2\t/);
    },
  );

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

  await t.test("an unreadable letter cannot be put back, and the command says so and fails", async (t) => {
    await publish(pipeline, 0, [makeEvent(member)], (bytes) => bytes.subarray(1));
    await waitFor(() => listed(stampede, 2), { message: "the unreadable message is not listed" });
    t.match(await stampede("dead-letter", "redrive", "--all", "--dry-run"), {
      code: 0,
      out: "2 would be put back\n",
    });
    t.match(await stampede("dead-letter", "redrive", "--all"), { code: 1, out: /^2 would be .* add --yes/ });
    const result = await stampede("dead-letter", "redrive", "--all", "--yes");
    t.match(result, { code: 1, out: "1 put back\n", err: /^\d+ cannot be put back: unreadable_message/ });
    t.match(await stampede("dead-letter", "redrive", "999"), { code: 1, err: "999 is no dead letter\n" });
  });

  await t.test("a message that is no letter hides none behind it, and can be discarded", async (t) => {
    const { host, username, password } = new URL(pipeline.natsUrl);
    const connection = await connect({ servers: host, user: username, pass: password });
    t.teardown(() => connection.close());
    const client = jetstream(connection);
    const { stream, seq } = await client.publish(`${pipeline.streamPrefix}dead`, "no letter");
    // Between the two, the poison that was just put back may die again.
    const other = await client.publish(`${pipeline.streamPrefix}dead`, JSON.stringify({ reason: 7 }));
    t.match(stream, /DEAD$/);
    const { out } = await stampede("dead-letter", "list");
    t.match(out, new RegExp(`^${seq}\\t[^\\n]*\\tunreadable_letter\\t-\\t-\\tDEAD/0/0$`, "m"));
    t.match(await stampede("dead-letter", "show", String(seq)), {
      code: 0,
      out: /"can_be_redriven": ?false/,
    });
    const again = await stampede("dead-letter", "redrive", String(seq));
    t.match(again, { code: 1, err: /cannot be put back: unreadable_letter/ });
    const both = [String(seq), String(other.seq)];
    t.match(await stampede("dead-letter", "discard", ...both, "--yes"), { code: 0 });
    t.notMatch((await stampede("dead-letter", "list")).out, /unreadable_letter/);
  });

  await t.test("letters are counted by stream and reason, and found by each of these", async (t) => {
    await waitFor(async () => (await counter(pipeline, "dead")) === 5, { message: "it did not die again" });
    await waitFor(() => listed(stampede, 2), { message: "there are two" });
    const { out, err } = await stampede("dead-letter", "list", "--group");
    const rows = out.trimEnd().split("\n");
    t.strictSame(
      rows.map((row) => row.split("\t").filter((_, column) => column < 3 || column === 5)),
      [
        ["1", "INGEST", "poison_event", "23514: 1"],
        ["1", "INGEST", "unreadable_message", "-"],
      ],
    );
    t.equal(err, "2 dead letters\n");
    const count = async (...filter: string[]) =>
      JSON.parse(
        `[${(await stampede("dead-letter", "list", "--group", "--json", ...filter)).out.trim().replaceAll("\n", ",")}]`,
      ).map(({ reason, errors }: { reason: string; errors: object }) => [reason, errors]);
    const poison = ["poison_event", { 23514: 1 }];
    const unreadable = ["unreadable_message", {}];
    t.strictSame(await count("--reason", "unreadable_message"), [unreadable]);
    t.strictSame(await count("--error", "23"), [poison]);
    t.strictSame(await count("--stream", "INGEST"), [poison, unreadable]);
    t.strictSame(await count("--stream", "OUTCOMES"), []);
    t.strictSame(await count("--external-id", "no-such"), []);
    t.strictSame(await count("--since", "1h", "--until", "2100-01-01T00:00:00Z"), [poison, unreadable]);
    t.strictSame(await count("--until", "1h"), []);
  });

  await t.test(
    "show prints the event in the API's form, and says which letters cannot be put back",
    async (t) => {
      const [poison, unreadable] = (await stampede("dead-letter", "list")).out
        .trimEnd()
        .split("\n")
        .sort((a) => (a.includes("poison") ? -1 : 1))
        .map((line) => line.split("\t")[0] as string) as [string, string];
      const { out } = await stampede("dead-letter", "show", poison);
      t.match(JSON.parse(out), {
        reason: "poison_event",
        can_be_redriven: true,
        event: {
          member_id: member,
          amount: POISONOUS_AMOUNT,
          authed_at: /^20\d\d-\d\d-\d\dT10:00:00/,
          identifiers: { length: 2 },
        },
      });
      for (const secret of [AUTH_CODE, BIN, BIN.slice(0, 6)]) t.notOk(out.includes(secret));
      const shown = JSON.parse((await stampede("dead-letter", "show", unreadable)).out);
      t.match(shown, { reason: "unreadable_message", can_be_redriven: false });
      await t.rejects(stampede("dead-letter", "show", "999"), { message: /^999 is no dead letter/ });
    },
  );

  await t.test("a redrive that is killed before it deletes loses nothing and doubles nothing", async (t) => {
    const [letter] = await deadLetters(pipeline, ({ letter }) => letter.row !== undefined);
    const { stream, close } = await operatorStream(pipeline);
    // Otherwise a failure would keep this process.
    t.teardown(() => close());
    const published = Object.create(stream, {
      manager: { value: { streams: { deleteMessage: () => Promise.reject(new Error("killed")) } } },
    }) as Stream;
    await t.rejects(redrive(published, letter as StoredDeadLetter, PARTITIONS), { message: "killed" });
    await waitFor(async () => (await counter(pipeline, "dead")) === 6, { message: "it was published" });
    // The letter is still there, and so is another that died of the same event.
    await waitFor(() => listed(stampede, 3), { message: "nothing is lost" });
    t.ok(await redrive(stream, letter as StoredDeadLetter, PARTITIONS));
    t.ok(await redrive(stream, letter as StoredDeadLetter, PARTITIONS), "even if the letter is gone already");
    await close();
    // A later message comes behind those that were published, if any was.
    const [marker] = sharingPartition(member, 1);
    await publish(pipeline, partitionOf((marker as TransactionEvent).external_id, PARTITIONS), [
      marker as TransactionEvent,
    ]);
    await waitFor(async () => (await stored(pipeline)).includes((marker as TransactionEvent).external_id), {
      message: "ingest goes on",
    });
    t.equal(await counter(pipeline, "dead"), 6, "the stream recognised its id");
    await waitFor(() => listed(stampede, 2), { message: "the letter is gone" });
  });

  await t.test("discard asks first, and removes the matching letters", async (t) => {
    t.match(await stampede("dead-letter", "discard", "--reason", "poison_event"), {
      code: 1,
      out: "1 would be discarded: nothing was changed, add --yes to do it\n",
    });
    t.match(await stampede("dead-letter", "discard", "--reason", "poison_event", "--yes"), {
      code: 0,
      out: "1 discarded\n",
    });
    const { out } = await stampede("dead-letter", "list");
    t.match(out, /^\d+\t[^\n]*unreadable_message[^\n]*\n$/);
    const [sequence = ""] = out.split("\t");
    t.match(await stampede("dead-letter", "discard", sequence), { code: 1, out: /^1 would be discarded/ });
    t.match(await stampede("dead-letter", "discard", sequence, "--yes"), { code: 0, out: "1 discarded\n" });
    t.strictSame(await stampede("dead-letter", "list"), { code: 0, out: "", err: "0 dead letters\n" });
  });
});

async function operatorStream({ natsUrl, streamPrefix }: Pipeline) {
  const log = createLog({ service: "test", level: "silent" });
  const stream = await connectStream({ url: natsUrl, name: "operator", prefix: streamPrefix, log });
  return { stream, close: () => stream.close() };
}

async function deadLetters(pipeline: Pipeline, isMeant: (stored: StoredDeadLetter) => boolean) {
  const { stream, close } = await operatorStream(pipeline);
  const letters: StoredDeadLetter[] = [];
  for await (const stored of readDeadLetters(stream)) if (isMeant(stored)) letters.push(stored);
  await close();
  return letters;
}

/** Runs commands against the pipeline's NATS. */
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
