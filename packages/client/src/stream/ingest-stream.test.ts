import t from "tap";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { IngestStream } from "./ingest-stream.ts";
import type { StreamOptions } from "./stream-options.ts";
import { caught, FakeIngest, idsOf, streamTo, testEvent, until } from "./test-ingest.ts";
import { UndeliveredError } from "./undelivered-error.ts";

/** Longer than any test: what does not happen before is not due to a timer. */
const NEVER_MS = 60_000;

t.test("send - tells what became of each event", async (t) => {
  const stream = streamTo(new FakeIngest());
  const cleared = testEvent("a", { cleared_at: "2026-01-02T00:00:00Z" });
  const reverted = testEvent("a", { reverted_at: "2026-01-02T00:00:00Z" });
  const outcomes = await Promise.all(
    [testEvent("a"), testEvent("a"), cleared, reverted].map((event) => stream.send(event)),
  );
  t.match(outcomes, [
    { outcome: "created" },
    { outcome: "unchanged" },
    { outcome: "updated" },
    { outcome: "rejected", code: "conflict", reason: "invalid_transition" },
  ]);
  t.strictSame(stream.counts, { created: 1, updated: 1, unchanged: 1, rejected: 1, accepted: 0, ignored: 0 });
  await stream.close();
});

t.test("send - the outcome of an event that was only queued names its batch", async (t) => {
  const stream = streamTo(new FakeIngest(() => "queued"));
  t.strictSame(await stream.send(testEvent("a")), { outcome: "accepted", batch_id: "batch_1" });
});

t.test("write - events leave together, after the time that they wait for others", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: 1 });
  for (const id of ["a", "b", "c"]) await stream.write(testEvent(id));
  await until(() => stream.counts.created === 3);
  t.strictSame(ingest.attempts.map(idsOf), [["a", "b", "c"]]);
});

t.test("write - a full request does not wait", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxEvents: 2 });
  for (const id of ["a", "b", "c"]) await stream.write(testEvent(id));
  await until(() => stream.counts.created === 2);
  t.strictSame(ingest.attempts.map(idsOf), [["a", "b"]]);
  await stream.close();
});

t.test("write - an event that is changed after it was given is sent as it was", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest);
  const event = testEvent("a") as { external_id: string } & TransactionEvent;
  await stream.write(event);
  event.external_id = "b";
  await stream.close();
  t.strictSame(ingest.attempts.map(idsOf), [["a"]]);
});

t.test("write - waits for room, drops nothing, and holds no more than it may", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxBuffered: 10, maxEvents: 3 });
  ingest.hold();
  let written = 0;
  const writing = (async () => {
    for (let i = 0; i < 100; i++) {
      await stream.write(testEvent(`tx-${i}`));
      written++;
    }
  })();
  await until(() => written === 10);
  // A writer that has room goes on before an immediate of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(written, 10);
  t.equal(stream.buffered, 10);
  ingest.release();
  await writing;
  await stream.close();
  t.equal(ingest.states.size, 100);
});

t.test("write - if there is no room, the held events leave without waiting for more", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxBuffered: 7, maxEvents: 500 });
  for (let i = 0; i < 50; i++) await stream.write(testEvent(`tx-${i}`));
  await stream.close();
  t.strictSame(
    ingest.attempts.map(({ length }) => length),
    [7, 7, 7, 7, 7, 7, 7, 1],
    "in requests of all that there was room for",
  );
});

t.test("write - calls that are not awaited get room in their order", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxBuffered: 2, maxEvents: 2, maxInFlight: 1 });
  const wanted = Array.from({ length: 50 }, (_, i) => `tx-${i}`);
  await Promise.all(wanted.map((id) => stream.write(testEvent(id))));
  await stream.close();
  t.strictSame(ingest.attempts.flatMap(idsOf), wanted);
});

t.test("write - an event given in return for an outcome does not overtake those that wait", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, {
    maxBuffered: 1,
    onOutcome: ({ external_id }) => {
      if (external_id === "a") void stream.write(testEvent("late"));
    },
  });
  await Promise.all(["a", "b", "c"].map((id) => stream.write(testEvent(id))));
  await stream.close();
  t.strictSame(ingest.attempts.flatMap(idsOf), ["a", "b", "c", "late"]);
});

t.test("write - the events for which an answer makes room leave together, not one by one", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxBuffered: 5, maxEvents: 5, maxInFlight: 2 });
  const writes = Array.from({ length: 20 }, (_, i) => stream.write(testEvent(`tx-${i}`)));
  await stream.flush();
  await Promise.all(writes);
  t.strictSame(
    ingest.attempts.map(({ length }) => length),
    [5, 5, 5, 5],
  );
});

t.test("flush - sends at once what would wait for others", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS });
  await stream.write(testEvent("a"));
  await stream.flush();
  t.strictSame(stream.counts.created, 1);
});

t.test("flush - an event that comes meanwhile is not stuck behind it, and does not hold it up", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: 1 });
  await stream.write(testEvent("a"));
  ingest.hold();
  const flushed = stream.flush();
  await until(() => ingest.attempts.length === 1);
  const late = stream.send(testEvent("b"));
  await until(() => ingest.attempts.length === 2);
  ingest.release();
  await flushed;
  t.match(await late, { outcome: "created" });
});

t.test("flush - ends although events keep coming", async () => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: 0, maxBuffered: 4 });
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; !isOver; i++) await stream.write(testEvent(`tx-${i}`));
  })();
  await stream.flush();
  await stream.flush();
  isOver = true;
  await writing;
  await stream.close();
});

t.test("flush - reaches the events that wait for room", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxBuffered: 2, maxEvents: 100 });
  const writes = ["a", "b", "c", "d", "e"].map((id) => stream.write(testEvent(id)));
  await stream.flush();
  t.equal(ingest.states.size, 5);
  await Promise.all(writes);
});

t.test("flush - of an empty stream is over at once, as is closing it", async () => {
  const stream = streamTo(new FakeIngest());
  await stream.flush();
  await stream.close();
  await stream.close();
});

t.test("close - delivers what is in flight, queued and waiting for room", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxBuffered: 4, maxEvents: 2, maxInFlight: 1 });
  ingest.hold();
  const writes = ["a", "b", "c", "d", "e", "f", "g"].map((id) => stream.write(testEvent(id)));
  await until(() => ingest.attempts.length === 1);
  const closed = stream.close();
  ingest.release();
  await closed;
  await Promise.all(writes);
  t.equal(ingest.states.size, 7);
});

t.test("close - a closed stream takes no event, and says so", async (t) => {
  const stream = streamTo(new FakeIngest());
  await stream.close();
  await t.rejects(stream.write(testEvent("a")), /the stream is closed/);
  await t.rejects(stream.send(testEvent("a")), /the stream is closed/);
});

t.test("close - with a time that is too short throws with what is undelivered", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxEvents: 2, maxInFlight: 1 });
  for (const id of ["a", "b", "c"]) await stream.write(testEvent(id));
  await until(() => stream.buffered === 1 || stream.counts.created === 3);
  ingest.hold();
  const sent = caught(stream.send(testEvent("d")));
  const error = (await caught(stream.close({ timeoutMs: 5 }))) as UndeliveredError;
  t.type(error, UndeliveredError);
  t.strictSame(idsOf(error.events).at(-1), "d");
  t.equal(await sent, error);
  t.equal(stream.buffered, 0);
  t.equal(await caught(stream.close()), error, "and every further close too");
});

t.test("close - a later one with a time ends an earlier one without", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest);
  ingest.hold();
  await stream.write(testEvent("a"));
  const first = caught(stream.close());
  await t.rejects(stream.close({ timeoutMs: 1 }), UndeliveredError);
  t.type(await first, UndeliveredError);
});

t.test("options - one that is out of its range is named", async (t) => {
  const make = (options: StreamOptions) => () => new IngestStream(new FakeIngest().post, options);
  t.throws(make({ maxEvents: 5_001 }), /maxEvents must be a whole number from 1 to 5000, and not 5001/);
  t.throws(make({ maxInFlight: 0 }), /maxInFlight must be/);
  t.throws(make({ maxBuffered: 1.5 }), /maxBuffered must be/);
  t.throws(make({ maxWaitMs: Number.NaN }), /maxWaitMs must be/);
});
