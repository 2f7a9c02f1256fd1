import t from "tap";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { IngestStream } from "./ingest-stream.ts";
import type { StreamOptions } from "./stream-options.ts";
import { FakeIngest, quickPace, refusal, testEvent, until } from "./test-ingest.ts";
import { UndeliveredError, UnheardRejectionsError } from "./undelivered-error.ts";

/** Longer than any test: what does not happen before is not due to a timer. */
const NEVER_MS = 60_000;

function streamTo(ingest: FakeIngest, options: StreamOptions = {}): IngestStream {
  return new IngestStream(ingest.post, options, { pace: quickPace(options.maxInFlight ?? 4) });
}

const ids = (events: readonly TransactionEvent[]) => events.map(({ external_id }) => external_id);
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

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
  t.strictSame(stream.counts, { created: 1, updated: 1, unchanged: 1, rejected: 1, accepted: 0 });
  await stream.close();
});

t.test("send - a batch that was only queued is told by its id", async (t) => {
  const stream = streamTo(new FakeIngest(() => "queued"));
  t.strictSame(await stream.send(testEvent("a")), { outcome: "accepted", batch_id: "batch_1" });
});

t.test("write - events leave together, after the time that they wait for others", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: 1 });
  for (const id of ["a", "b", "c"]) await stream.write(testEvent(id));
  await until(() => stream.counts.created === 3);
  t.strictSame(ingest.attempts.map(ids), [["a", "b", "c"]]);
});

t.test("write - a full request does not wait", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxEvents: 2 });
  for (const id of ["a", "b", "c"]) await stream.write(testEvent(id));
  await until(() => stream.counts.created === 2);
  t.strictSame(ingest.attempts.map(ids), [["a", "b"]]);
  await stream.close();
});

t.test("write - an event that is changed after it was given is sent as it was", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest);
  const event = testEvent("a") as { external_id: string } & TransactionEvent;
  await stream.write(event);
  event.external_id = "b";
  await stream.close();
  t.strictSame(ingest.attempts.map(ids), [["a"]]);
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
  // Whoever could write on would do so before an immediate of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(written, 10);
  t.equal(stream.buffered, 10);
  ingest.release();
  await writing;
  await stream.close();
  t.equal(ingest.states.size, 100);
});

t.test("write - where there is no room, what is held leaves without waiting for more", async (t) => {
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

t.test("write - callers that do not wait for it are let in in their order", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxBuffered: 2, maxEvents: 2, maxInFlight: 1 });
  const wanted = Array.from({ length: 50 }, (_, i) => `tx-${i}`);
  await Promise.all(wanted.map((id) => stream.write(testEvent(id))));
  await stream.close();
  t.strictSame(ingest.attempts.flatMap(ids), wanted);
});

t.test("malformed - an event that breaks the schema fails alone, and is never sent", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest);
  const outcomes = await Promise.all(
    [testEvent("a"), testEvent("b", { bin: "1" }), testEvent("c")].map((event) => stream.send(event)),
  );
  t.match(outcomes, [
    { outcome: "created" },
    { outcome: "rejected", code: "bad_request", path: "/bin", reason: /must match/ },
    { outcome: "created" },
  ]);
  t.strictSame(ingest.attempts.map(ids), [["a", "c"]]);
});

t.test("malformed - one that only the service knows to be malformed takes nobody with it", async (t) => {
  const issues = [{ path: "/events/1/currency", message: "must be a current ISO 4217 code" }];
  const ingest = new FakeIngest((attempt) =>
    attempt === 1 ? refusal(400, "bad_request", { issues }) : undefined,
  );
  const stream = streamTo(ingest);
  const outcomes = await Promise.all(["a", "b", "c"].map((id) => stream.send(testEvent(id))));
  t.match(outcomes, [
    { outcome: "created" },
    { outcome: "rejected", code: "bad_request", path: "/currency" },
    { outcome: "created" },
  ]);
  t.strictSame(ingest.attempts.map(ids), [
    ["a", "b", "c"],
    ["a", "c"],
  ]);
});

t.test("rejected - written events are told to the listeners, sent ones too", async (t) => {
  const heard: unknown[] = [];
  const every: unknown[] = [];
  const stream = streamTo(new FakeIngest(), {
    onRejected: ({ external_id }, { code }) => heard.push([external_id, code]),
    onOutcome: ({ external_id }, { outcome }) => every.push([external_id, outcome]),
  });
  await stream.write(testEvent("a", { bin: "1" }));
  await stream.write(testEvent("b", { cleared_at: "2026-01-02T00:00:00Z" }));
  await stream.send(testEvent("b", { reverted_at: "2026-01-02T00:00:00Z" }));
  await stream.close();
  t.strictSame(heard, [
    ["a", "bad_request"],
    ["b", "conflict"],
  ]);
  t.strictSame(every, [
    ["a", "rejected"],
    ["b", "created"],
    ["b", "rejected"],
  ]);
});

t.test("rejected - what nobody listens to is thrown by flush, once, and by close", async (t) => {
  const stream = streamTo(new FakeIngest());
  for (const id of ["a", "b"]) await stream.write(testEvent(id, { bin: "1" }));
  const error = (await caught(stream.flush())) as UnheardRejectionsError;
  t.type(error, UnheardRejectionsError);
  t.equal(error.total, 2);
  t.match(error.rejected, [{ event: { external_id: "a" }, outcome: { path: "/bin" } }, {}]);
  t.match(error.message, /2 events were rejected.*\/bin must match/);
  await stream.flush();
  await stream.write(testEvent("c", { bin: "1" }));
  await t.rejects(stream.close(), UnheardRejectionsError);
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

t.test("close - takes nothing after it, and says so", async (t) => {
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
  t.strictSame(ids(error.events).at(-1), "d");
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

t.test("failure - a refusal for good is told to everybody who waits, and to who comes later", async (t) => {
  const refused = refusal(401, "authentication_error");
  const ingest = new FakeIngest(() => refused);
  const told: UndeliveredError[] = [];
  const stream = streamTo(ingest, { maxBuffered: 3, onError: (error) => told.push(error) });
  const sent = ["a", "b"].map((id) => caught(stream.send(testEvent(id))));
  await stream.write(testEvent("c"));
  const waits = caught(stream.write(testEvent("d")));
  const sendWaits = caught(stream.send(testEvent("e")));
  const flushed = caught(stream.flush());
  const error = (await flushed) as UndeliveredError;
  t.type(error, UndeliveredError);
  t.equal(error.cause, refused);
  t.match(error.message, /4 events are not known to be delivered: it is authentication_error/);
  t.strictSame(ids(error.events), ["a", "b", "c", "e"], "d was refused by its write");
  for (const one of [...sent, waits, sendWaits]) t.equal(await one, error);
  t.strictSame(told, [error]);
  t.equal(await caught(stream.write(testEvent("f"))), error);
  t.equal(await caught(stream.send(testEvent("f"))), error);
  t.equal(await caught(stream.flush()), error);
  t.equal(await caught(stream.close()), error);
  t.equal(ingest.attempts.length, 1);
});

t.test("failure - what other requests are told before it counts", async (t) => {
  const ingest = new FakeIngest((_, [first]) =>
    first?.external_id === "b" ? refusal(403, "authorization_error") : undefined,
  );
  const stream = streamTo(ingest, { maxEvents: 1, maxInFlight: 1 });
  const outcomes = ["a", "b", "c"].map((id) => caught(stream.send(testEvent(id))));
  const error = (await caught(stream.close())) as UndeliveredError;
  t.strictSame(ids(error.events), ["b", "c"]);
  t.equal(stream.counts.created, 1);
  await Promise.all(outcomes);
});

t.test("failure - an answer that is about other events is one", async (t) => {
  const post = async () => ({ status: "processed", accepted: 7, created: 7, outcomes: "ccccccc" });
  const stream = new IngestStream(post);
  await t.rejects(stream.send(testEvent("a")), {
    name: "UndeliveredError",
    cause: { code: "unexpected_answer" },
  });
});

t.test("failure - a listener that throws fails the stream, behind the outcomes of its answer", async (t) => {
  const fault = new Error("disk full");
  const stream = streamTo(new FakeIngest(), {
    onOutcome: ({ external_id }) => {
      if (external_id === "a") throw fault;
    },
  });
  const sent = ["a", "b"].map((id) => stream.send(testEvent(id)));
  t.match(await Promise.all(sent), [{ outcome: "created" }, { outcome: "created" }]);
  t.match(await caught(stream.close()), { name: "UndeliveredError", cause: fault, events: [] });
});

t.test("repeat - the same events in the same order, whatever comes meanwhile", async (t) => {
  const faults = ["busy", "lost", "untold", "failed", "limited"] as const;
  const retries: string[] = [];
  const ingest = new FakeIngest((attempt) => faults[attempt - 1]);
  const stream = streamTo(ingest, {
    maxInFlight: 1,
    maxEvents: 3,
    maxWaitMs: 0,
    onRetry: ({ attempt, error }) => retries.push(`${attempt} ${error.code}`),
  });
  const first = ["a", "b", "a"].map((id) => stream.send(testEvent(id)));
  await until(() => ingest.attempts.length === 1);
  for (const id of ["a", "c", "d"]) await stream.write(testEvent(id));
  await Promise.all(first);
  await stream.close();
  t.strictSame(
    ingest.attempts.map((events) => ids(events).join("")),
    [...Array.from({ length: 6 }, () => "aba"), "acd"],
  );
  t.strictSame(retries, [
    "1 unavailable",
    "2 connection_error",
    "3 connection_error",
    "4 internal_error",
    "5 rate_limited",
  ]);
});

t.test("repeat - ends after its time, and the stream fails with the last reason", async (t) => {
  const ingest = new FakeIngest(() => "lost");
  const stream = streamTo(ingest, { retryForMs: 20 });
  const error = (await caught(stream.send(testEvent("a")))) as UndeliveredError;
  t.match(error, { name: "UndeliveredError", cause: { code: "connection_error" } });
  t.strictSame(ids(error.events), ["a"]);
  t.ok(ingest.attempts.length > 1);
});

t.test("repeat - a service that asks for longer than there is time fails the stream at once", async (t) => {
  const busy = Object.assign(refusal(429, "rate_limited"), { retryAfterSeconds: 3_600 });
  const ingest = new FakeIngest(() => busy);
  const stream = streamTo(ingest, { retryForMs: 600_000 });
  await t.rejects(stream.send(testEvent("a")), { cause: busy });
  t.equal(ingest.attempts.length, 1);
});

t.test("too large - is halved until it fits, in order, and later requests are smaller", async (t) => {
  const ingest = new FakeIngest((_, events) => (events.length > 3 ? "too large" : undefined));
  const stream = streamTo(ingest, { maxEvents: 10, maxInFlight: 4 });
  // One key throughout: the halves of a request must not be open at the same time.
  const wanted = Array.from({ length: 20 }, (_, i) => testEvent("a", { amount: i }));
  const outcomes = wanted.map((event) => stream.send(event));
  await Promise.all(outcomes);
  const taken = ingest.attempts.filter(({ length }) => length <= 3);
  t.strictSame(
    taken.flat().map(({ amount }) => amount),
    wanted.map(({ amount }) => amount),
  );
  t.strictSame(ingest.overlaps, []);
  const refused = ingest.attempts.filter(({ length }) => length > 3).map(({ length }) => length);
  t.strictSame(refused, [10, 5, 5], "the second ten come in pieces that are known to fit");
});

t.test("too large - an event alone fails the stream", async (t) => {
  const stream = streamTo(
    new FakeIngest((_, events) => (ids(events).includes("b") ? "too large" : undefined)),
  );
  const sent = ["a", "b", "c"].map((id) => caught(stream.send(testEvent(id))));
  t.match(await caught(stream.close()), { cause: { code: "payload_too_large" } });
  await Promise.all(sent);
});

t.test("in flight - as many requests as may be open, and half as many after a 503", async (t) => {
  const ingest = new FakeIngest((attempt) => (attempt === 9 ? "busy" : undefined));
  const stream = streamTo(ingest, { maxEvents: 1, maxInFlight: 8, maxBuffered: 100 });
  ingest.hold();
  for (let i = 0; i < 8; i++) await stream.write(testEvent(`tx-${i}`));
  t.equal(ingest.mostOpen, 8);
  ingest.release();
  await stream.flush();
  await stream.send(testEvent("refused"));
  ingest.mostOpen = 0;
  ingest.hold();
  for (let i = 10; i < 18; i++) await stream.write(testEvent(`tx-${i}`));
  t.equal(ingest.mostOpen, 4);
  ingest.release();
  await stream.close();
});

t.test("options - one that is out of its range is named", async (t) => {
  const make = (options: StreamOptions) => () => new IngestStream(new FakeIngest().post, options);
  t.throws(make({ maxEvents: 5_001 }), /maxEvents must be a whole number from 1 to 5000, and not 5001/);
  t.throws(make({ maxInFlight: 0 }), /maxInFlight must be/);
  t.throws(make({ maxBuffered: 1.5 }), /maxBuffered must be/);
  t.throws(make({ maxWaitMs: Number.NaN }), /maxWaitMs must be/);
});
