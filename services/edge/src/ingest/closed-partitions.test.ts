import { TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import type { TransactionEvent } from "#contract";
import { partitionOf } from "#domain";
import { waitFor } from "#test-support";
import { ClosedPartitions } from "./closed-partitions.ts";
import type { IngestRequest, Slice } from "./ingest-request.ts";
import { EVENT, FULL, type Said, STORED, testGateway, turn } from "./test-gateway.ts";

const FOR_MS = 1000;
const NOTHING = { probes: new Set() };
const REFUSED = { refusal: "stream_full" };

function setUp() {
  let now = 50_000;
  const closed = new ClosedPartitions(FOR_MS, () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { closed, pass };
}

function sliceOf(partition: number) {
  const request = { isSettled: false };
  const slice: Slice = { request: request as IngestRequest, partition, indexes: [], bytes: new Uint8Array() };
  return { slice, settle: () => Object.assign(request, { isSettled: true }) };
}

t.test("closed partitions - a refusal is remembered, then one request tries, then the next", async (t) => {
  const { closed, pass } = setUp();
  t.strictSame(closed.admit([0, 1]), NOTHING);
  closed.refused(1, "stream_full");
  t.strictSame(closed.admit([0]), NOTHING, "the other one is open");
  t.strictSame(closed.admit([0, 1]), REFUSED);
  pass(FOR_MS);
  t.strictSame(closed.admit([0, 1]), { probes: new Set([1]) });
  t.strictSame(closed.admit([1]), REFUSED, "while that is under way");
  pass(FOR_MS);
  t.strictSame(closed.admit([1]), { probes: new Set([1]) }, "it was not heard of again");
  closed.stored(sliceOf(1).slice);
  t.strictSame(closed.admit([0, 1]), NOTHING);
  t.equal(closed.size, 0);
});

t.test("closed partitions - a request that is refused for one of them uses up no other's try", async (t) => {
  const { closed, pass } = setUp();
  closed.refused(0, "stream_full");
  pass(FOR_MS);
  closed.refused(1, "stream_full");
  t.strictSame(closed.admit([0, 1]), REFUSED);
  t.strictSame(closed.admit([0]), { probes: new Set([0]) });
});

t.test("closed partitions - closed as long as half a request waits for it", async (t) => {
  const { closed, pass } = setUp();
  const [one, two] = [sliceOf(1), sliceOf(1)];
  closed.waitFor(one.slice, "stream_full");
  closed.waitFor(two.slice, "stream_full");
  pass(100 * FOR_MS);
  t.strictSame(closed.admit([1]), REFUSED);
  closed.stored(one.slice);
  t.strictSame(closed.admit([1]), REFUSED);
  two.settle();
  t.strictSame(closed.admit([1]), { probes: new Set([1]) }, "its caller has been told something");
});

t.test("closed partitions - all of them: refused before the body is read", async (t) => {
  const { closed, pass } = setUp();
  closed.refused(0, "stream_missing");
  t.equal(closed.allClosed(2), undefined);
  closed.refused(1, "stream_full");
  t.equal(closed.allClosed(2), "stream_full");
  pass(FOR_MS);
  t.equal(closed.allClosed(2), undefined, "one may try");
});

/** One event for each of these partitions. */
function eventsOf(...partitions: number[]): TransactionEvent[] {
  return partitions.map((partition) => {
    let n = 0;
    while (partitionOf(`t${n}`, 2) !== partition) n++;
    return { ...EVENT, external_id: `t${n}` };
  });
}

t.test(
  "full partition - a request over it and one with room is refused, and nothing of it leaves",
  async (t) => {
    const { submit, published, refusedAtOnce } = testGateway(
      ({ partition }) => (partition === 1 ? FULL : STORED),
      2,
    );
    t.match(await submit(false, eventsOf(1)), { kind: "refused", reason: "stream_full" });
    await t.rejects(submit(false, eventsOf(0, 1)), { code: "unavailable", data: { reason: "stream_full" } });
    t.match(await submit(false, eventsOf(0)), { kind: "accepted" }, "a partition with room accepts it");
    await turn();
    t.strictSame(
      published.map(({ partition }) => partition),
      [1, 0],
    );
    t.strictSame(refusedAtOnce, ["stream_full"]);
  },
);

t.test("full partition - the request that tries it sends the rest only when that is stored", async (t) => {
  let isFull = true;
  const answers: ((said: Said) => void)[] = [];
  const { submit, published } = testGateway(
    ({ partition }) =>
      partition === 0 ? STORED : isFull ? FULL : new Promise<Said>((resolve) => answers.push(resolve)),
    2,
  );
  await submit(false, eventsOf(1));
  const tryIt = () => submit(false, eventsOf(0, 1)).catch(() => undefined);
  t.match(await waitFor(tryIt, { message: "no request may try" }), { kind: "refused" }, "still full: whole");
  t.strictSame(
    published.map(({ partition }) => partition),
    [1, 1],
    "nothing went to the partition with room",
  );
  isFull = false;
  let outcome: unknown;
  await waitFor(
    async () => {
      if (published.length === 3) return true;
      void tryIt().then((one) => {
        outcome ??= one;
      });
      return false;
    },
    { message: "no request may try" },
  );
  t.equal(published[2]?.partition, 1);
  answers[0]?.(STORED);
  t.match(await waitFor(async () => outcome, { message: "no outcome" }), { kind: "accepted" });
  t.strictSame(
    published.slice(2).map(({ partition }) => partition),
    [1, 0],
  );
});

t.test("full partition - the rest of a half-stored request comes before new requests", async (t) => {
  let isFull = true;
  const { submit, published } = testGateway(
    ({ partition }) => (partition === 1 && isFull ? FULL : STORED),
    2,
  );
  const half = submit(false, eventsOf(0, 1));
  await waitFor(() => published.length > 3, { message: "the rest is not tried again" });
  await t.rejects(submit(false, eventsOf(1)), { code: "unavailable" });
  isFull = false;
  t.match(await half, { kind: "accepted" });
  t.match(await submit(false, eventsOf(0, 1)), { kind: "accepted" });
});

t.test(
  "silent partition - a message that stays unknown for longer than an election refuses new requests",
  async (t) => {
    let isAway = true;
    const { gateway, submit, published } = testGateway(() => (isAway ? new TimeoutError() : STORED));
    const first = submit();
    // Until the partition counts as silent, requests wait, as during an election.
    const waiting: Promise<unknown>[] = [];
    await waitFor(
      () => {
        const one = submit();
        waiting.push(one);
        return Promise.race([
          one.then(
            () => false,
            (error) => error.data?.reason === "stream_silent",
          ),
          turn(),
        ]);
      },
      { message: "it goes on taking requests" },
    );
    t.equal(gateway.refuseAtDoor()?.code, "unavailable");
    isAway = false;
    t.match(await first, { kind: "accepted" });
    await Promise.allSettled(waiting);
    t.match(await submit(), { kind: "accepted" }, `after ${published.length} attempts`);
  },
);
