import t from "tap";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { ingestAll } from "./ingest-all.ts";
import { IngestStream } from "./ingest-stream.ts";
import type { EventSource, StreamOptions } from "./stream-options.ts";
import { FakeIngest, quickPace, refusal, testEvent, until } from "./test-ingest.ts";

function resultsOf<E extends TransactionEvent>(
  ingest: FakeIngest,
  source: EventSource<E>,
  options: StreamOptions = {},
) {
  const stream = new IngestStream(ingest.post, options, { pace: quickPace(4) });
  return ingestAll(source, stream, options.maxBuffered ?? 20_000);
}

function* numbered(count: number): Generator<TransactionEvent> {
  for (let i = 0; i < count; i++) yield testEvent(`tx-${i}`);
}

t.test("ingestAll - yields the source's own objects in its order, for any order of answers", async (t) => {
  const ingest = new FakeIngest((attempt) => (attempt % 3 === 0 ? "busy" : undefined));
  const events = [...numbered(300)].map((event, line) => ({ ...event, line }));
  // The service would refuse a field outside the schema, so `line` is hidden, as in rows that know their
  // position.
  for (const event of events) Object.defineProperty(event, "line", { enumerable: false });
  const seen: number[] = [];
  for await (const { event, outcome } of resultsOf(ingest, events, { maxEvents: 7, maxWaitMs: 0 })) {
    t.equal(outcome.outcome, "created");
    seen.push(event.line);
  }
  t.strictSame(seen, [...events.keys()]);
});

t.test("ingestAll - takes async iterables, and an empty source", async (t) => {
  async function* later() {
    for (const event of numbered(3)) {
      await new Promise((resolve) => setImmediate(resolve));
      yield event;
    }
  }
  const outcomes: string[] = [];
  for await (const { outcome } of resultsOf(new FakeIngest(), later())) outcomes.push(outcome.outcome);
  t.strictSame(outcomes, ["created", "created", "created"]);
  for await (const _ of resultsOf(new FakeIngest(), [])) t.fail("there is nothing to yield");
});

t.test("ingestAll - an event is yielded while the source has no other yet", async (t) => {
  let more!: () => void;
  async function* slow() {
    yield testEvent("a");
    await new Promise<void>((resolve) => {
      more = resolve;
    });
    yield testEvent("b");
  }
  const results = resultsOf(new FakeIngest(), slow(), { maxWaitMs: 1 });
  t.match((await results.next()).value, { event: { external_id: "a" } });
  const second = results.next();
  more();
  t.match((await second).value, { event: { external_id: "b" } });
  t.match(await results.next(), { done: true });
});

t.test("ingestAll - reads no further ahead than it may", async (t) => {
  let read = 0;
  function* counted() {
    for (const event of numbered(100)) {
      read++;
      yield event;
    }
  }
  const ingest = new FakeIngest();
  const results = resultsOf(ingest, counted(), { maxBuffered: 10, maxEvents: 3, maxWaitMs: 0 });
  await results.next();
  await until(() => ingest.states.size === read);
  t.equal(read, 11, "ten ahead of the one that was taken");
  let yielded = 1;
  for await (const _ of results) {
    yielded++;
    t.ok(read <= yielded + 10);
  }
  t.equal(yielded, 100);
});

t.test("ingestAll - rejected events have their place among the others", async (t) => {
  const events = [testEvent("a"), testEvent("b", { bin: "1" }), testEvent("c")];
  const seen: unknown[] = [];
  for await (const { event, outcome } of resultsOf(new FakeIngest(), events)) {
    seen.push([event.external_id, outcome.outcome]);
  }
  t.strictSame(seen, [
    ["a", "created"],
    ["b", "rejected"],
    ["c", "created"],
  ]);
});

t.test("ingestAll - the source's error comes after the outcomes of all events before it", async (t) => {
  const torn = new Error("the file is torn");
  function* tearing() {
    yield* numbered(5);
    throw torn;
  }
  let yielded = 0;
  await t.rejects(async () => {
    for await (const _ of resultsOf(new FakeIngest(), tearing())) yielded++;
  }, torn);
  t.equal(yielded, 5);
});

t.test("ingestAll - a failure of the stream is thrown where the first unknown outcome is", async (t) => {
  const ingest = new FakeIngest((_, [first]) =>
    first?.external_id === "tx-4" ? refusal(401, "authentication_error") : undefined,
  );
  const seen: string[] = [];
  await t.rejects(
    async () => {
      const options = { maxEvents: 2, maxWaitMs: 0, maxInFlight: 1 };
      for await (const { event } of resultsOf(ingest, numbered(8), options)) seen.push(event.external_id);
    },
    { name: "UndeliveredError", cause: { code: "authentication_error" } },
  );
  t.strictSame(seen, ["tx-0", "tx-1", "tx-2", "tx-3"]);
});

t.test("ingestAll - a consumer that leaves ends the source, and what was read is delivered", async (t) => {
  let isEnded = false;
  let read = 0;
  function* counted() {
    try {
      for (const event of numbered(100)) {
        read++;
        yield event;
      }
    } finally {
      isEnded = true;
    }
  }
  const ingest = new FakeIngest();
  for await (const _ of resultsOf(ingest, counted(), { maxBuffered: 20 })) break;
  t.ok(isEnded);
  t.ok(read < 100);
  t.equal(ingest.states.size, read);
});

t.test("ingestAll - a consumer may leave while the source is stuck in the middle of a read", async (t) => {
  async function* stuck() {
    yield testEvent("a");
    await new Promise(() => {});
  }
  for await (const { outcome } of resultsOf(new FakeIngest(), stuck(), { maxWaitMs: 0 })) {
    t.equal(outcome.outcome, "created");
    break;
  }
});
