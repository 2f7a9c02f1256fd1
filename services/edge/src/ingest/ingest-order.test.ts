import { TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import { LIMITS, type TransactionEvent } from "#contract";
import { partitionOf } from "#domain";
import type { Stream } from "#nats";
import { waitFor } from "#test-support";
import { IngestRequest, type Slice } from "./ingest-request.ts";
import { type PackedMessage, Packer } from "./packer.ts";
import {
  EVENT,
  FULL,
  inTurn,
  outcomeOf,
  type Published,
  type Said,
  STORED,
  testGateway,
  turn,
} from "./test-gateway.ts";

/** `[clear T, 999 others, revert T]`, all in one partition: one event more than fits into a message. */
function clearAndRevert(partition = 0, partitions = 1): TransactionEvent[] {
  const events: TransactionEvent[] = [];
  for (let n = 0; events.length < LIMITS.eventsPerMessage; n++) {
    const external_id = `t${n}`;
    if (partitionOf(external_id, partitions) !== partition) continue;
    events.push({ ...EVENT, external_id });
  }
  const [first] = events as [TransactionEvent];
  events[0] = { ...first, cleared_at: "2026-03-02T10:00:00Z" };
  events.push({ ...first, reverted_at: "2026-03-03T10:00:00Z" });
  return events;
}

const LAST = LIMITS.eventsPerMessage;

t.test(
  "order - if the first slice is refused, the later ones wait: nothing of the request is stored",
  async (t) => {
    const { submit, firsts } = testGateway(inTurn(FULL, STORED));
    t.match(await submit(false, clearAndRevert()), { kind: "refused", reason: "stream_full" });
    await turn();
    t.strictSame(firsts(), [0], "the end of it does not leave");
  },
);

t.test("order - the end of a request does not leave while its beginning is unknown", async (t) => {
  const { submit, firsts } = testGateway(inTurn(new TimeoutError(), FULL, STORED, STORED));
  t.match(await submit(false, clearAndRevert()), { kind: "accepted" });
  t.strictSame(firsts(), [0, 0, 0, LAST]);
});

t.test("order - half stored in another partition: the refused rest follows in its order", async (t) => {
  let refusals = 3;
  const { submit, published } = testGateway(
    ({ partition }) => (partition === 1 && refusals-- > 0 ? FULL : STORED),
    2,
  );
  const events = [...clearAndRevert(0, 2), ...clearAndRevert(1, 2)];
  t.match(await submit(false, events), { kind: "accepted" });
  const firstsOf = (wanted: number) =>
    published.filter(({ partition }) => partition === wanted).map(({ indexes }) => indexes[0] as number);
  t.strictSame(firstsOf(0), [0, LAST]);
  const second = LAST + 1;
  t.strictSame(firstsOf(1), [second, second, second, second, second + LAST]);
});

t.test("order - a connection that breaks takes the rest back, and no later part of it leaves", async (t) => {
  let answer: (said: Said) => void = () => {};
  const { submit, firsts, connect } = testGateway((_, count) =>
    count === 1 ? new Promise<Said>((resolve) => (answer = resolve)) : STORED,
  );
  const answered = submit(false, clearAndRevert());
  await waitFor(() => firsts().length === 1, { message: "nothing is published" });
  connect(false);
  connect(true);
  answer(new TimeoutError());
  t.match(await answered, { kind: "accepted" });
  t.strictSame(firsts(), [0, 0, LAST]);
});

t.test("repack - a slice whose caller has its answer is not published again with the others", async (t) => {
  let isAway = true;
  const { submit, published, report } = testGateway(() => (isAway ? new TimeoutError() : STORED));
  const old = submit(true);
  const fresh = submit(false);
  await waitFor(() => published.length > 0, { message: "nothing is published" });
  const [first, second] = (published[0] as Published).message.parts.map(({ batch }) => batch);
  report(outcomeOf(first));
  t.match(await old, { kind: "processed" });
  const attempts = published.length;
  await waitFor(() => published.length > attempts, { message: "the fresh one is not published again" });
  isAway = false;
  t.match(await fresh, { kind: "accepted" });
  for (const { id, message, indexes } of published.slice(attempts)) {
    t.strictSame(
      message.parts.map(({ batch }) => batch),
      [second],
    );
    t.equal(indexes.length, 1);
    t.equal(id, published[0]?.id, "the attempts before it may have stored it");
  }
});

t.test(
  "repack - a slice that waits for its next attempt is dropped once its caller has an answer",
  async (t) => {
    const packed: PackedMessage[] = [];
    const packer = new Packer({
      stream: { prefix: "" } as Stream,
      reply: "reply.1",
      publish: async (message) => void packed.push(message),
    });
    const slices: Slice[] = [];
    const [old, fresh] = ["old", "fresh"].map((batch) => {
      const request = new IngestRequest({
        batch,
        organisation: "o",
        traceId: "t",
        traceparent: undefined,
        awaited: false,
        total: 1,
        settle: () => {},
        publish: (slice) => slices.push(slice),
        republish: () => {},
      });
      request.start([{ partition: 0, indexes: [0], bytes: new Uint8Array(1) }], new Set());
      return request;
    }) as [IngestRequest, IngestRequest];
    old.giveUp();
    for (const slice of slices) packer.add(slice);
    await turn();
    t.strictSame(
      packed.map((message) => message.slices.map(({ request }) => request)),
      [[fresh]],
    );
    packer.add(slices[0] as Slice);
    await turn();
    t.equal(packed.length, 1, "and it is not sent alone");
  },
);
