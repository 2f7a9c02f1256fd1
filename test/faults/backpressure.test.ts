import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { LIMITS, type TransactionEvent } from "#contract";
import type { PlatformMessage } from "#contract/platform";
import {
  connectTo,
  makeEvent,
  type Pipeline,
  PublisherClient,
  type RawAnswer,
  readMessages,
  readMetric,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";
import { drained } from "./drained.ts";
import { clientOf, makeEvents, PATIENCE_MS, storedIds, takenAgain } from "./publisher-scene.ts";
import { recovered } from "./recovered.ts";

t.setTimeout(400_000);

t.test("stream full: 503, nothing half-accepted, taken again when there is room", async (t) => {
  const env = { STAMPEDE_PARTITIONS: "2", STAMPEDE_STREAM_MAX_BYTES: String(1024 * 1024) };
  const pipeline = await startPipeline({ begin: ["edge"], env });
  t.teardown(() => pipeline.stop());
  const client = clientOf(pipeline);
  const [member] = (await client.enrol("full")) as [string];
  const make = (partition: number, count: number) => makeEvents(member, partition, count);
  const later = { prefer: "respond-async" };
  const accepted: TransactionEvent[] = [];
  /** Sends smaller and smaller requests, until not even one event finds room. */
  const fill = async (partition: number): Promise<RawAnswer> => {
    let answer: RawAnswer | undefined;
    for (const size of [500, 100, 20, 1]) {
      // Repeats until the stream itself refuses: for a second after a refusal the edge answers from memory.
      let isAsked = false;
      do {
        const before = await refusals(pipeline.edge);
        const events = make(partition, size);
        answer = await client.ingest(events, later);
        if (answer.status === 202) accepted.push(...events);
        else await delay(50);
        isAsked = (await refusals(pipeline.edge)) > before;
      } while (answer.status === 202 || !isAsked);
    }
    return answer as RawAnswer;
  };

  const answer = await fill(0);
  t.match(answer, { status: 503, headers: { "retry-after": /^[1-9]\d*$/ } });
  t.match(answer.body.error, { code: "unavailable", data: { reason: "stream_full" } });
  const other = make(1, 1);
  t.equal((await client.ingest(other, later)).status, 202, "a partition that has room takes events");
  accepted.push(...other);

  t.match(
    await client.ingest([...make(0, 3), ...make(1, 3)], later),
    { status: 503, body: { error: { data: { reason: "stream_full" } } } },
    "with events for a partition with room and one without: refused before any of them is published",
  );
  // An edge that does not know yet that there is no room.
  const fresh = await pipeline.start("edge");
  const freshClient = new PublisherClient(fresh.url, pipeline.publisher.token);
  const spanning = [...make(0, 3), ...make(1, 3)];
  let spanningAnswer: RawAnswer | undefined;
  const underWay = freshClient.ingest(spanning, later).then((answer) => {
    spanningAnswer = answer;
  });
  await waitFor(async () => (await refusals(fresh)) > 1, {
    deadlineMs: PATIENCE_MS,
    message: "the half that was refused is not published again",
  });
  await fill(1);
  const nowhere = [...make(0, 2), ...make(1, 2)];
  t.match(await client.ingest(nowhere, later), { status: 503 }, "refused whole if no partition has room");
  t.equal(spanningAnswer, undefined, "half of it is stored: neither 202 nor 503 would be true yet");

  await pipeline.start("ingest");
  const afterwards = make(0, 1);
  await recovered(t, "there is room", () => takenAgain(client, afterwards));
  await underWay;
  t.match(spanningAnswer, { status: 202, body: { accepted: spanning.length } });
  await drained(pipeline);
  const expected = [...accepted, ...spanning, ...afterwards].map((event) => event.external_id);
  t.strictSame(await storedIds(pipeline), expected.sort(), "all accepted events, and no refused one");
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
  const metric = "stampede_ingest_backpressure_total";
  const heldUp = () => readMetric(pipeline.ingest, metric, 'reason="platform_tx_full"');
  // One partition after the other: a request with room in only one of two waits for the other.
  for (const partition of [0, 1]) {
    let answer: RawAnswer;
    // A record is half as long as its event: before ingest is held up, its own stream may be full for a moment.
    let isHeldUp = false;
    do {
      const events = makeEvents(member, partition, 250);
      answer = await client.ingest(events, { prefer: "respond-async" });
      isHeldUp = (await heldUp()) > 0;
      if (answer.status === 202) accepted += events.length;
      else await delay(50);
    } while (answer.status === 202 || !isHeldUp);
    t.match(answer, { status: 503, body: { error: { data: { reason: "stream_full" } } } });
  }
  // Perhaps all of it is committed, for a stream as small as these holds no more than the batches that may
  // wait. But it is not done.
  const waiting = await pipeline.store<{ partition: number }[]>`
    select partition from ingest_positions where published < applied order by partition`;
  t.strictSame(
    waiting.map(({ partition }) => partition),
    [0, 1],
    `of ${accepted} events, the records of the last ones are not published: ingest waits`,
  );

  const recorded = new Set<string>();
  const stopTaking = takeRecords(pipeline, recorded);
  const afterwards = [makeEvent(member)];
  await recovered(t, "the platform is back", () => takenAgain(client, afterwards));
  await drained(pipeline);
  await stopTaking();
  t.equal((await storedIds(pipeline)).length, accepted + 1);
  t.equal(recorded.size, accepted + 1, "a record of each");
});

/** Some 250 bytes each: below `LIMITS.largeBodyBytes`. */
const FIRST_EVENTS = 600;

t.test("no room: refused at the door, before the body is read; taken again when there is room", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"] });
  t.teardown(() => pipeline.stop());
  const client = clientOf(pipeline);
  const [member] = (await client.enrol("door")) as [string];
  const publishers = await Promise.all(Array.from({ length: 64 }, () => pipeline.newPublisher()));
  const waiting: Promise<RawAnswer>[] = [];
  /** Events of the requests without an answer yet. */
  let open = 0;
  /** Each request is the first of its organisation; it waits until the edge answers 202. */
  const send = (events: number) => {
    const { token } = publishers[waiting.length % publishers.length] as (typeof publishers)[0];
    const other = new PublisherClient(pipeline.edge.url, token);
    const answer = other.ingest(Array.from({ length: events }, () => makeEvent(member)));
    open += events;
    waiting.push(
      answer.finally(() => {
        open -= events;
      }),
    );
  };
  const { unansweredEvents, eventsPerRequest, unansweredSmallEvents, smallRequestEvents } = LIMITS;
  const shared = unansweredEvents + eventsPerRequest;
  const unanswered = () => readMetric(pipeline.edge, "stampede_edge_unanswered_events");
  const refused = await waitFor(
    async () => {
      const taken = await unanswered();
      if (taken >= shared + unansweredSmallEvents) {
        const answer = await headAlone(pipeline);
        return answer.includes("too_many_unanswered") && answer;
      }
      // On a busy machine the edge answers the first requests before it takes the last: this sends
      // replacements, once the edge has taken or refused all that was sent. Each body is so small that it
      // waits for no turn.
      if (taken < open) return undefined;
      for (let room = shared - taken; room > 0; room -= FIRST_EVENTS) send(Math.min(FIRST_EVENTS, room));
      const small = shared + unansweredSmallEvents - Math.max(taken, shared);
      for (let room = small; room > 0; room -= smallRequestEvents) send(Math.min(smallRequestEvents, room));
      return undefined;
    },
    { deadlineMs: PATIENCE_MS, message: "a head is not refused" },
  );
  t.match(refused, /^HTTP\/1\.1 503 .*\r\nretry-after: [1-9]/s, "although its body never comes");
  t.match(refused, /"reason":"too_many_unanswered"/);
  const answers = await Promise.all(waiting);
  t.strictSame(
    answers.filter(({ status }) => status !== 202 && status !== 503),
    [],
    "each is taken, or refused whole",
  );
  t.equal((await client.ingest([makeEvent(member)], { prefer: "respond-async" })).status, 202);
  await pipeline.start("ingest");
  await drained(pipeline);
});

/**
 * Takes the platform's records out of their stream, as the platform would, until it is stopped.
 * @param recorded gets the ids of their transactions
 */
function takeRecords(pipeline: Pipeline, recorded: Set<string>): () => Promise<void> {
  let stopping = false;
  const take = async () => {
    const messages = await readMessages<PlatformMessage>(pipeline, "PLATFORM_TX");
    for (const { body } of messages) for (const one of body.records) recorded.add(one.transaction_id);
    // The last record read of each partition.
    const read = new Map(messages.map(({ partition, sequence }) => [partition, sequence]));
    if (read.size === 0) return;
    const nats = await connectTo(pipeline);
    const { streams } = await jetstreamManager(nats);
    for (const [partition, sequence] of read) {
      await streams.purge(`${pipeline.streamPrefix}PLATFORM_TX_${partition}`, { seq: sequence + 1 });
    }
    await nats.close();
  };
  const run = async () => {
    while (!stopping) {
      await take();
      await delay(200);
    }
    await take();
  };
  const running = run();
  return () => {
    stopping = true;
    return running;
  };
}

function refusals(edge: ServiceProcess): Promise<number> {
  return readMetric(edge, "stampede_edge_publishes_total", 'outcome="refused"');
}

/** Sends a request without its body. Resolves to the answer as text, with its body. */
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
