import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { LIMITS, type PlatformMessage, type TransactionEvent } from "#contract";
import { partitionOf, SeededRandom } from "#domain";
import {
  connectTo,
  makeEvent,
  type Pipeline,
  PublisherClient,
  privateServers,
  type RawAnswer,
  readMessages,
  startPipeline,
  startTcpProxy,
  type TcpProxy,
  waitFor,
} from "#test-support";
import { drained } from "./drained.ts";
import { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { readMetric } from "./read-metric.ts";

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
/** The bound: requests are taken again this long after the cause is gone, without an operator. */
const RECOVERY_MS = 5_000;
/** Of two writers together, each 100 ms, 200 ms, … apart: the next pause of each would be 10 s. */
const RETRIES = 14;

t.setTimeout(180_000);

t.test("stream full: 503, nothing half-accepted, taken again when there is room", async (t) => {
  const env = { STAMPEDE_PARTITIONS: "2", STAMPEDE_STREAM_MAX_BYTES: String(1024 * 1024) };
  const pipeline = await startPipeline({ env });
  t.teardown(() => pipeline.stop());
  const client = clientOf(pipeline);
  const [member] = (await client.enrol("full")) as [string];
  const make = (partition: number, count: number) => makeEvents(member, partition, count);
  const later = { prefer: "respond-async" };
  await pipeline.ingest.stop();
  const accepted: TransactionEvent[] = [];
  /** Sends smaller and smaller requests, until not even one event finds room. */
  const fill = async (partition: number): Promise<RawAnswer> => {
    let answer: RawAnswer | undefined;
    for (const size of [500, 100, 20, 1]) {
      do {
        const events = make(partition, size);
        answer = await client.ingest(events, later);
        if (answer.status === 202) accepted.push(...events);
      } while (answer.status === 202);
    }
    return answer as RawAnswer;
  };

  const answer = await fill(0);
  t.match(answer, { status: 503, headers: { "retry-after": /^[1-9]\d*$/ } });
  t.match(answer.body.error, { code: "unavailable", data: { reason: "stream_full" } });
  const other = make(1, 1);
  t.equal((await client.ingest(other, later)).status, 202, "a partition that has room takes events");
  accepted.push(...other);

  const spanning = [...make(0, 3), ...make(1, 3)];
  let spanningAnswer: RawAnswer | undefined;
  const before = await refusals(pipeline);
  const underWay = client.ingest(spanning, later).then((answer) => {
    spanningAnswer = answer;
  });
  await waitFor(async () => (await refusals(pipeline)) > before + 1, {
    message: "the half that was refused is not published again",
  });
  await fill(1);
  const nowhere = [...make(0, 2), ...make(1, 2)];
  t.match(await client.ingest(nowhere, later), { status: 503 }, "refused whole where nothing has room");
  t.equal(spanningAnswer, undefined, "half of it is stored: neither 202 nor 503 would be true yet");

  await pipeline.start("ingest");
  const afterwards = make(0, 1);
  await waitFor(() => takenAgain(client, afterwards), {
    deadlineMs: RECOVERY_MS,
    message: "events are not taken although there is room",
  });
  await underWay;
  t.match(spanningAnswer, { status: 202, body: { accepted: spanning.length } });
  await drained(pipeline);
  const expected = [...accepted, ...spanning, ...afterwards].map((event) => event.external_id);
  t.strictSame(await storedIds(pipeline), expected.sort(), "all that was accepted, nothing that was refused");
});

t.test("platform away: ingest waits, then 503, and every record is there once it is back", async (t) => {
  const small = String(1024 * 1024);
  const env = {
    STAMPEDE_PARTITIONS: "2",
    STAMPEDE_STREAM_MAX_BYTES: small,
    STAMPEDE_LINK_MAX_BYTES: small,
  };
  const pipeline = await startPipeline({ env });
  t.teardown(() => pipeline.stop());
  const client = clientOf(pipeline);
  const [member] = (await client.enrol("away")) as [string];
  let accepted = 0;
  let answer: RawAnswer;
  do {
    const events = Array.from({ length: 500 }, () => makeEvent(member));
    answer = await client.ingest(events, { prefer: "respond-async" });
    if (answer.status === 202) accepted += events.length;
  } while (answer.status === 202);
  t.match(answer, { status: 503, body: { error: { data: { reason: "stream_full" } } } });
  const [before] = await pipeline.store<[{ count: number }]>`select count(*)::int as count from transactions`;
  t.ok(before.count < accepted, `${before.count} of ${accepted} are stored: ingest waits`);
  const metric = "stampede_ingest_backpressure_total";
  const isCounted = async () => (await readMetric(pipeline.ingest, metric, 'reason="platform_tx_full"')) > 0;
  await waitFor(isCounted, { message: "it is not told what ingest waits for" });

  const recorded = new Set<string>();
  const stopTaking = takeRecords(pipeline, recorded);
  await waitFor(() => takenAgain(client, [makeEvent(member)]), {
    deadlineMs: RECOVERY_MS,
    message: "events are not taken although the platform is back",
  });
  await drained(pipeline);
  await stopTaking();
  t.equal((await storedIds(pipeline)).length, accepted + 1);
  t.equal(recorded.size, accepted + 1, "a record of each");
});

t.test("no room: refused at the door, before the body is read; taken again when there is room", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const client = clientOf(pipeline);
  const [member] = (await client.enrol("door")) as [string];
  await pipeline.ingest.stop();
  const most = Array.from({ length: LIMITS.eventsPerRequest }, () => makeEvent(member));
  const waiting: Promise<RawAnswer>[] = [];
  for (let events = 0; events < LIMITS.unansweredEvents; events += most.length) {
    waiting.push(
      client.ingest(most.map((event) => ({ ...event, external_id: `${event.external_id}-${events}` }))),
    );
  }
  await waitFor(
    async () =>
      (await readMetric(pipeline.edge, "stampede_edge_unanswered_events")) >= LIMITS.unansweredEvents,
    { message: "the room is not full" },
  );
  const answer = await headAlone(pipeline);
  t.match(answer, /^HTTP\/1\.1 503 .*\r\nretry-after: [1-9]/s, "although its body never comes");
  t.match(answer, /"reason":"too_many_unanswered"/);
  for (const late of await Promise.all(waiting)) t.match(late, { status: 202 });
  t.equal((await client.ingest([makeEvent(member)], { prefer: "respond-async" })).status, 202);
  await pipeline.start("ingest");
  await drained(pipeline);
});

t.test("Postgres gone: 202 and queued, 200 again when it is back", async (t) => {
  const { servers, pipeline, client } = await startOnOwnServers(t);
  const [member] = (await client.enrol("queued")) as [string];
  const events = Array.from({ length: 30 }, () => makeEvent(member));
  t.equal((await client.ingest(events.slice(0, 1))).status, 200);

  await servers.postgres.stop();
  const answers = [client.ingest(events.slice(1, 10)), client.ingest(events.slice(10, 20))];
  for (const answer of await Promise.all(answers)) t.match(answer, { status: 202 });
  // By now every memory of the database is older than anything that trusts it for a while.
  t.match(await client.ingest(events.slice(20, 29)), { status: 202, body: { accepted: 9 } });
  // As long as it takes for a batch to be given its longest pause: coming back must not wait for that.
  await waitFor(
    async () => (await readMetric(pipeline.ingest, "stampede_ingest_batch_retries_total")) >= RETRIES,
    {
      deadlineMs: 30_000,
      message: "the batch is not tried again",
    },
  );
  t.ok(await readMetric(pipeline.ingest, "stampede_ingest_backpressure_total", 'reason="database"'));

  await servers.postgres.start();
  await waitFor(() => takenAgain(client, events.slice(29)), {
    deadlineMs: RECOVERY_MS,
    message: "no 200 although the database is back",
  });
  await drained(pipeline);
  t.strictSame(await storedIds(pipeline), events.map((event) => event.external_id).sort());
});

t.test("NATS gone: 503 at once, nothing refused is stored, works again when it is back", async (t) => {
  const { servers, pipeline, client } = await startOnOwnServers(t);
  const members = await client.enrol("one", "two", "three");
  const ledger = new Ledger();
  let outages = 0;
  const load = startLoad({
    ledger,
    seed: SEED,
    lanes: 4,
    members,
    edges: () => [client],
    outages: () => outages,
  });
  t.teardown(() => load.abandon());
  await waitFor(() => load.answered >= 20, { message: "no answers under load" });

  outages++;
  await servers.nats.stop();
  const [member] = members as [string];
  for (let i = 0; i < 5; i++) {
    const refused = [makeEvent(member), makeEvent(member)];
    const answer = await client.ingest(refused);
    t.match(answer, { status: 503, headers: { "retry-after": /^[1-9]\d*$/ } });
    t.match(answer.body.error, { code: "unavailable", data: { reason: "stream_gone" } });
    ledger.refused(refused);
  }

  await servers.nats.start();
  outages++;
  const afterwards = [makeEvent(member)];
  const taken = await waitFor(() => takenAgain(client, afterwards), {
    deadlineMs: RECOVERY_MS,
    message: "no 200 although NATS is back",
  });
  ledger.answered({ events: afterwards, answer: taken, exact: false });
  await load.stop();
  await drained(pipeline);
  t.strictSame(await ledger.audit(pipeline.store, pipeline.publisher.organisationId), []);
  t.comment({ ...ledger.counts, statuses: load.statuses });
});

t.test(`ingest cut off and half-open under load: everything counts once (seed ${SEED})`, async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const proxies = {
    postgres: await startProxy(pipeline.databaseUrl),
    nats: await startProxy(pipeline.natsUrl),
  };
  t.teardown(() => Promise.all([proxies.postgres.close(), proxies.nats.close()]));
  await pipeline.ingest.stop();
  const ingest = await pipeline.start("ingest", {
    DATABASE_URL: through(pipeline.databaseUrl, proxies.postgres),
    NATS_URL: through(pipeline.natsUrl, proxies.nats),
  });
  const client = clientOf(pipeline);
  const ledger = new Ledger();
  const load = startLoad({
    ledger,
    seed: SEED,
    lanes: 4,
    members: await client.enrol("one", "two", "three"),
    edges: () => [client],
    outages: () => 0,
  });
  t.teardown(() => load.abandon());

  const random = new SeededRandom(SEED);
  const faults = random.shuffle(
    Object.values(proxies).flatMap((proxy) => [
      async () => proxy.cut(),
      async () => proxy.cut(),
      () => halfOpen(proxy, "freezeClient", random.between(500, 3_000)),
      () => halfOpen(proxy, "freezeServer", random.between(500, 3_000)),
      // What was on its way is lost for good.
      () => halfOpen(proxy, random.pick(["freezeClient", "freezeServer"]), 2_000, "cut"),
    ]),
  );
  for (const fault of faults) {
    const target = load.answered + 5;
    await waitFor(() => load.answered >= target, {
      deadlineMs: 40_000,
      message: `no answers; so far ${JSON.stringify(load.statuses)}`,
    });
    await fault();
  }
  await load.stop();
  await drained(pipeline);
  t.equal(ingest.child.exitCode, null, "ingest lived through it");
  t.strictSame(await ledger.audit(pipeline.store, pipeline.publisher.organisationId), []);
  t.comment({ ...ledger.counts, statuses: load.statuses });
});

/** On servers that the test may stop. */
async function startOnOwnServers(t: Test) {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const databaseUrl = await servers.postgres.databaseUrl();
  const pipeline = await startPipeline({ databaseUrl, natsUrl: servers.nats.url });
  t.teardown(() => pipeline.stop());
  return { servers, pipeline, client: clientOf(pipeline) };
}

function clientOf(pipeline: Pipeline): PublisherClient {
  return new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
}

/**
 * Takes the platform's records out of their stream, as the platform would, until it is stopped.
 * @param recorded gets the ids of their transactions
 */
function takeRecords(pipeline: Pipeline, recorded: Set<string>): () => Promise<void> {
  let stopping = false;
  const take = async () => {
    const messages = await readMessages<PlatformMessage>(pipeline, "PLATFORM_TX");
    for (const { body } of messages) for (const one of body.records) recorded.add(one.transaction_id);
    const last = messages.at(-1);
    if (last === undefined) return;
    const nats = await connectTo(pipeline);
    const { streams } = await jetstreamManager(nats);
    await streams.purge(`${pipeline.streamPrefix}PLATFORM_TX`, { seq: last.sequence + 1 });
    await nats.close();
  };
  const run = async () => {
    while (!stopping) {
      await take();
      await delay(20);
    }
    await take();
  };
  const running = run();
  return () => {
    stopping = true;
    return running;
  };
}

/** The answer, once it is 200. */
async function takenAgain(
  client: PublisherClient,
  events: readonly TransactionEvent[],
): Promise<RawAnswer | undefined> {
  const answer = await client.ingest(events);
  return answer.status === 200 ? answer : undefined;
}

/** Events of one of two partitions. */
function makeEvents(member: string, partition: number, count: number): TransactionEvent[] {
  const events: TransactionEvent[] = [];
  while (events.length < count) {
    const event = makeEvent(member);
    if (partitionOf(event.external_id, 2) === partition) events.push(event);
  }
  return events;
}

function refusals(pipeline: Pipeline): Promise<number> {
  return readMetric(pipeline.edge, "stampede_edge_publishes_total", 'outcome="refused"');
}

async function storedIds(pipeline: Pipeline): Promise<string[]> {
  const rows = await pipeline.store<{ id: string }[]>`
    select external_id as id from transactions order by external_id`;
  return rows.map((row) => row.id);
}

function startProxy(url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url);
  return startTcpProxy({ host: hostname, port: Number(port) });
}

function through(url: string, proxy: TcpProxy): string {
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  return proxied.href;
}

async function halfOpen(
  proxy: TcpProxy,
  half: "freezeClient" | "freezeServer",
  ms: number,
  end: "thaw" | "cut" = "thaw",
): Promise<void> {
  proxy[half]();
  await delay(ms);
  if (end === "cut") proxy.cut();
  proxy.thaw();
}

/** Sends a request without its body. Gives the answer as text, up to its body's end. */
async function headAlone({ edge, publisher }: Pipeline): Promise<string> {
  const { hostname, port } = new URL(edge.url as string);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    const fields = [`authorization: Bearer ${publisher.token}`, "content-type: application/json"];
    const head = [
      "POST /publisher.v1/transaction/ingest HTTP/1.1",
      "host: a",
      ...fields,
      "content-length: 1000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    let text = "";
    for await (const bytes of socket) {
      text += bytes;
      if (text.endsWith("}}")) break;
    }
    return text;
  } finally {
    socket.destroy();
  }
}
