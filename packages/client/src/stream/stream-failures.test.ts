import t from "tap";
import { IngestStream } from "./ingest-stream.ts";
import { caught, FakeIngest, idsOf, refusal, streamTo, testEvent, until } from "./test-ingest.ts";
import { UndeliveredError, UnheardRejectionsError } from "./undelivered-error.ts";

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
  t.strictSame(ingest.attempts.map(idsOf), [["a", "c"]]);
});

t.test("malformed - one that only the service knows to be malformed does not stop the others", async (t) => {
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
  t.strictSame(ingest.attempts.map(idsOf), [
    ["a", "b", "c"],
    ["a", "c"],
  ]);
});

t.test("rejected - the listeners hear of written events, and of sent ones too", async (t) => {
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

t.test("rejected - without a listener flush throws the rejections, once, and so does close", async (t) => {
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

t.test("failure - a final refusal rejects all waiting calls, and later ones", async (t) => {
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
  t.strictSame(idsOf(error.events), ["a", "b", "c", "e"], "d was refused by its write");
  for (const one of [...sent, waits, sendWaits]) t.equal(await one, error);
  t.strictSame(told, [error]);
  t.equal(await caught(stream.write(testEvent("f"))), error);
  t.equal(await caught(stream.send(testEvent("f"))), error);
  t.equal(await caught(stream.flush()), error);
  t.equal(await caught(stream.close()), error);
  t.equal(ingest.attempts.length, 1);
});

t.test("failure - answers to other requests that come before it count", async (t) => {
  const ingest = new FakeIngest((_, [first]) =>
    first?.external_id === "b" ? refusal(403, "authorization_error") : undefined,
  );
  const stream = streamTo(ingest, { maxEvents: 1, maxInFlight: 1 });
  const outcomes = ["a", "b", "c"].map((id) => caught(stream.send(testEvent(id))));
  const error = (await caught(stream.close())) as UndeliveredError;
  t.strictSame(idsOf(error.events), ["b", "c"]);
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

t.test("failure - a flush that waits learns that a listener threw at its last event", async (t) => {
  const fault = new Error("disk full");
  const onError = (): void => {};
  const onOutcome = (): void => {
    throw fault;
  };
  for (const end of ["flush", "close"] as const) {
    const stream = streamTo(new FakeIngest(), { onOutcome, onError });
    await stream.write(testEvent("a"));
    t.match(await caught(stream[end]()), { name: "UndeliveredError", cause: fault, events: [] }, end);
  }
});

t.test("failure - a close that has nothing to wait for learns of it, too", async (t) => {
  const fault = new Error("disk full");
  const onOutcome = (): void => {
    throw fault;
  };
  for (const end of ["flush", "close"] as const) {
    const stream = streamTo(new FakeIngest(), { onOutcome, onError: () => {} });
    void stream.write(testEvent("a", { bin: "1" }));
    t.match(await caught(stream[end]()), { name: "UndeliveredError", cause: fault, events: [] }, end);
  }
});

t.test("repeat - the same events in the same order, even if others come meanwhile", async (t) => {
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
    ingest.attempts.map((events) => idsOf(events).join("")),
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
  t.strictSame(idsOf(error.events), ["a"]);
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
    new FakeIngest((_, events) => (idsOf(events).includes("b") ? "too large" : undefined)),
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
