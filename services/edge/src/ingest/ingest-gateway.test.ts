import { randomUUID } from "node:crypto";
import { TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import { LIMITS, type TransactionEvent } from "#contract";
import { partitionOf } from "#domain";
import { waitFor } from "#test-support";
import type { SubmissionResult } from "./ingest-request.ts";
import {
  apiError,
  EVENT,
  FULL,
  inTurn,
  outcomeOf,
  REMADE,
  STORED,
  STREAM_CREATED,
  testGateway,
  turn,
} from "./test-gateway.ts";

t.test("gateway - a message that was unknown once is not refused: it may be stored", async (t) => {
  const { submit, published } = testGateway(inTurn(new TimeoutError(), FULL, { duplicate: true }));
  t.match(await submit(), {
    kind: "accepted",
    places: [{ partition: 0, sequence: 3, streamCreated: STREAM_CREATED }],
  });
  t.equal(published.length, 3);
});

t.test("gateway - a no to the first attempt is a refusal", async (t) => {
  const { submit, published } = testGateway(inTurn(FULL));
  t.match(await submit(), { kind: "refused", reason: "stream_full" });
  t.equal(published.length, 1);
});

t.test(
  "gateway - a request whose caller has its outcome is not published again after later ones",
  async (t) => {
    const { gateway, submit, report, batch } = testGateway(inTurn(new TimeoutError()));
    const answered = submit(true);
    await waitFor(() => batch() !== undefined, { message: "nothing is published" });
    report(outcomeOf(batch()));
    t.match(await answered, { kind: "processed", created: 1 });
    await waitFor(() => gateway.publishesInFlight === 0, { message: "it is published for ever" });
  },
);

/** A gateway with one request that waits for its outcome. */
async function waiting() {
  const scene = testGateway(inTurn(STORED));
  const answered = scene.submit(true);
  await waitFor(() => scene.batch() !== undefined, { message: "nothing is published" });
  return { ...scene, answered, batch: scene.batch() as string };
}

t.test("gateway - a part reported twice counts once: no outcome before that of the other part", async (t) => {
  const { submit, report, batch } = testGateway(inTurn(STORED), 2);
  let outcome: SubmissionResult | undefined;
  const answered = submit(true, [eventOf(0, 2), eventOf(1, 2)]).then((result) => {
    outcome = result;
  });
  await waitFor(() => batch() !== undefined, { message: "nothing is published" });
  for (let n = 0; n < 3; n++) report(outcomeOf(batch()));
  await turn();
  t.equal(outcome, undefined);
  report(outcomeOf(batch(), { first: 1 }));
  await answered;
  t.match(outcome, { kind: "processed", created: 2 });
});

t.test(
  "gateway - ignored events are reported: the first hundred of all parts by index, and their number",
  async (t) => {
    const { answered, batch, report } = await waiting();
    const ignored = (first: number) =>
      Array.from({ length: 80 }, (_, n) => ({ index: first + n, externalId: `e${n}`, fields: ["amount"] }));
    report(outcomeOf(batch, { created: 0, first: 500, ignored: ignored(500), ignoredCount: 80 }));
    report(outcomeOf(batch, { created: 0, updated: 1, ignored: ignored(0), ignoredCount: 200 }));
    const outcome = await answered;
    if (outcome.kind !== "processed") return t.fail(outcome.kind);
    t.equal(outcome.ignoredCount, 280);
    t.strictSame(
      outcome.ignored.map(({ index }) => index),
      [...ignored(0), ...ignored(500).slice(0, 20)].map(({ index }) => index),
    );
  },
);

t.test("gateway - a caller that asks for the outcome of each event gets every ignored one", async (t) => {
  const { submit, published, report } = testGateway(inTurn(STORED));
  const answered = submit(true, [EVENT], true);
  await waitFor(() => published.length > 0, { message: "nothing is published" });
  const batch = published[0]?.message.parts[0]?.batch as string;
  const ignored = Array.from({ length: 150 }, (_, index) => ({ index, externalId: "e", fields: ["amount"] }));
  report(outcomeOf(batch, { created: 0, unchanged: 1, ignored, ignoredCount: 150, outcomes: "n" }));
  t.match(await answered, { kind: "processed", ignoredCount: 150, ignored: { length: 150 } });
});

t.test(
  "gateway - ingest makes the outcome of each event only for a request that asks, and waits",
  async (t) => {
    const { submit, published } = testGateway(inTurn(STORED));
    for (const [awaited, detailed] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const before = published.length;
      void submit(awaited, [EVENT], detailed);
      await waitFor(() => published.length > before, { message: "nothing is published" });
    }
    const flags = published.map(({ message }) =>
      message.parts.map((part) => "detailed" in part && part.detailed),
    );
    t.strictSame(flags, [[true], [false], [false]]);
  },
);

t.test(
  "gateway - the letters of all parts are in the request's order; of a repeated report the first",
  async (t) => {
    const { submit, report, batch } = testGateway(inTurn(STORED), 2);
    const events = [0, 1, 1, 0].map((partition) => eventOf(partition, 2));
    const answered = submit(true, events, true);
    await waitFor(() => batch() !== undefined, { message: "nothing is published" });
    const part = (first: number, outcomes: string) => outcomeOf(batch(), { first, created: 2, outcomes });
    report(part(1, "un"), part(1, "nn"));
    report(part(0, "cr"));
    t.match(await answered, { kind: "processed", outcomes: "cunr" });
  },
);

t.test(
  "gateway - while another organisation sends, requests for 202 wait until ingest has committed the earlier ones",
  async (t) => {
    const { gateway, published, commit } = testGateway(inTurn(STORED));
    const send = (organisation: string, count: number) => {
      const events = Array.from({ length: count }, (_, n) => ({ ...EVENT, external_id: `${n}` }));
      const facts = { organisation, traceId: "t", traceparent: undefined, awaited: false, detailed: false };
      return gateway.submit({ ...facts, events });
    };
    await send(randomUUID(), 1);
    const loud = randomUUID();
    await send(loud, LIMITS.eventsPerMessage);
    const [, first] = published;
    await send(loud, LIMITS.eventsPerMessage);
    let isAnswered = false;
    const third = send(loud, LIMITS.eventsPerMessage).then(() => {
      isAnswered = true;
    });
    await send(randomUUID(), 1);
    t.equal(isAnswered, false, "another goes by it");
    t.equal(published.length, 4);
    commit([first?.message.parts[0]?.batch as string, 0]);
    await third;
    t.equal(published.length, 5);
  },
);

const placeOf = (outcome: SubmissionResult) => (outcome.kind === "accepted" ? outcome.places[0] : undefined);

t.test(
  "regression - an id had the age of the stream of before for a message of one that was recreated unseen",
  async (t) => {
    const { submit, remake } = testGateway(
      inTurn({ duplicate: false, seq: 5 }, { duplicate: false, seq: 9 }),
    );
    t.match(placeOf(await submit()), { sequence: 5, streamCreated: STREAM_CREATED });
    // Other edges have filled the new stream past this edge's sequence in the old one.
    remake();
    t.match(
      placeOf(await submit()),
      { sequence: 9, streamCreated: undefined },
      "of which stream it is, is not known",
    );
    t.match(placeOf(await submit()), { sequence: 9, streamCreated: REMADE });
  },
);

t.test("regression - an id had the age of the later stream for a message of the earlier one", async (t) => {
  const { submit, remake, asked, published } = testGateway(inTurn({ duplicate: false, seq: 5 }));
  // The stream is recreated between the message and the answer, if the question was sent together with the
  // message.
  asked.push(async () => {
    await turn();
    if (published.length > 0) remake();
  });
  t.match(placeOf(await submit()), { sequence: 5, streamCreated: STREAM_CREATED });
});

t.test("gateway - a stream that does not say when it was made is not published to", async (t) => {
  const { submit, asked, published } = testGateway(inTurn(STORED));
  for (let n = 0; n < 100; n++) {
    asked.push(async () => {
      throw apiError(10008, "system temporarily unavailable");
    });
  }
  t.match(await submit(), { kind: "refused", reason: "stream_missing" });
  t.equal(published.length, 0, "nothing is stored in a place without a name");
});

t.test("gateway - where a stream's identity cannot be asked for, a stored message is accepted", async (t) => {
  const { submit, asked } = testGateway(inTurn(STORED));
  asked.push(
    async () => {},
    () => new Promise(() => {}),
  );
  t.match(placeOf(await submit()), { sequence: 1, streamCreated: STREAM_CREATED });
});

/** An event of this partition, with a new key. */
function eventOf(partition: number, partitions: number): TransactionEvent {
  for (;;) {
    const external_id = randomUUID();
    if (partitionOf(external_id, partitions) === partition) return { ...EVENT, external_id };
  }
}

t.test("gateway - the messages of one turn for several partitions leave in one write", async (t) => {
  let writes = 0;
  let isOpen = false;
  /** The client writes at the end of the callback in which the first message was sent. */
  const { submit, published } = testGateway(() => {
    const isFirst = !isOpen;
    isOpen = true;
    if (isFirst) {
      queueMicrotask(() => {
        isOpen = false;
        writes++;
      });
    }
    return STORED;
  }, 2);
  const idOf = (partition: number) => {
    for (let i = 0; ; i++) if (partitionOf(`e${i}`, 2) === partition) return `e${i}`;
  };
  const events = [0, 1].map((partition) => ({ ...EVENT, external_id: idOf(partition) }));
  const both = () => Promise.all(events.map((event) => submit(false, [event])));
  // The first requests ask when the streams were created.
  await both();
  writes = 0;
  await both();
  t.strictSame(
    published.slice(-2).map(({ partition }) => partition),
    [0, 1],
  );
  t.equal(writes, 1);
});
