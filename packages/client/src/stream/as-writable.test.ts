import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import t from "tap";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { FakeIngest, refusal, streamTo, testEvent, until } from "./test-ingest.ts";

const NEVER_MS = 60_000;

function* numbered(count: number): Generator<TransactionEvent> {
  for (let i = 0; i < count; i++) yield testEvent(`tx-${i}`);
}

/** A source that says how many events were taken from it. */
function counted(count: number) {
  const source = { read: 0, isEnded: false };
  const rows = async function* () {
    try {
      for (const event of numbered(count)) {
        source.read++;
        yield event;
      }
    } finally {
      source.isEnded = true;
    }
  };
  return { source, rows };
}

t.test(
  "writable - a pipeline is over when everything is delivered, and the stream is still open",
  async (t) => {
    const ingest = new FakeIngest((attempt) => (attempt === 2 ? "lost" : undefined));
    const stream = streamTo(ingest, { maxWaitMs: NEVER_MS, maxEvents: 30 });
    await pipeline(numbered(100), stream.toWritable());
    t.equal(stream.counts.created, 100);
    await pipeline(numbered(5), stream.toWritable());
    t.equal(stream.counts.unchanged, 5);
    await stream.close();
  },
);

t.test("writable - back-pressure reaches the source", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxBuffered: 10, maxEvents: 5 });
  const { source, rows } = counted(1_000);
  ingest.hold();
  const readable = Readable.from(rows(), { highWaterMark: 1 });
  const writable = stream.toWritable();
  const done = pipeline(readable, writable);
  await until(() => writable.writableNeedDrain && stream.buffered === 10);
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
  t.ok(source.read < 50, `read ${source.read} of 1000`);
  ingest.release();
  await done;
  t.equal(stream.counts.created, 1_000);
});

t.test("writable - a stream that fails ends the pipeline and its source", async (t) => {
  const stream = streamTo(new FakeIngest(() => refusal(401, "authentication_error")));
  const { source, rows } = counted(100_000);
  await t.rejects(pipeline(rows, stream.toWritable()), {
    name: "UndeliveredError",
    cause: { code: "authentication_error" },
  });
  t.ok(source.isEnded && source.read < 100_000);
});

t.test("writable - a source that has nothing to give learns of the failure too", async (t) => {
  const stream = streamTo(new FakeIngest(() => refusal(401, "authentication_error")), { maxWaitMs: 1 });
  const silent = async function* () {
    yield testEvent("a");
    await new Promise(() => {});
  };
  await t.rejects(pipeline(Readable.from(silent()), stream.toWritable()), { name: "UndeliveredError" });
});

t.test("writable - fails if its stream has failed before", async (t) => {
  const stream = streamTo(new FakeIngest(() => refusal(401, "authentication_error")));
  await t.rejects(stream.send(testEvent("a")));
  await t.rejects(pipeline(numbered(3), stream.toWritable()), { name: "UndeliveredError" });
  await t.rejects(ReadableStream.from(numbered(3)).pipeTo(stream.toWebWritable()), {
    name: "UndeliveredError",
  });
});

t.test("writable - the stream still delivers what a destroyed writable gave it", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS });
  const torn = new Error("the file is torn");
  const rows = async function* () {
    yield* numbered(10);
    throw torn;
  };
  await t.rejects(pipeline(rows, stream.toWritable()), torn);
  const { buffered } = stream;
  await stream.close();
  t.equal(ingest.states.size, buffered);
  t.ok(buffered > 0);
});

t.test("writable - rejections without a listener fail the pipeline at its end", async (t) => {
  const stream = streamTo(new FakeIngest());
  const rows = [testEvent("a"), testEvent("b", { bin: "1" }), testEvent("c")];
  await t.rejects(pipeline(rows, stream.toWritable()), { name: "UnheardRejectionsError", total: 1 });
  t.equal(stream.counts.created, 2);
});

t.test("web writable - a pipe is over when everything is delivered", async (t) => {
  const stream = streamTo(new FakeIngest(), { maxWaitMs: NEVER_MS, maxBuffered: 7 });
  await ReadableStream.from(numbered(50)).pipeTo(stream.toWebWritable());
  t.equal(stream.counts.created, 50);
});

t.test("web writable - a stream that fails ends the pipe, also one with nothing to give", async (t) => {
  const refused = () => refusal(403, "authorization_error");
  const failure = { name: "UndeliveredError", cause: { code: "authorization_error" } };
  const stream = streamTo(new FakeIngest(refused), { maxWaitMs: 1 });
  await t.rejects(ReadableStream.from(numbered(100_000)).pipeTo(stream.toWebWritable()), failure);
  const other = streamTo(new FakeIngest(refused), { maxWaitMs: 1 });
  const silent = new ReadableStream<TransactionEvent>({
    start: (controller) => controller.enqueue(testEvent("a")),
  });
  await t.rejects(silent.pipeTo(other.toWebWritable()), failure);
});

t.test("web writable - the stream still delivers what an aborted pipe gave it", async (t) => {
  const ingest = new FakeIngest();
  const stream = streamTo(ingest, { maxWaitMs: NEVER_MS });
  const abort = new AbortController();
  const silent = new ReadableStream<TransactionEvent>({
    start: (controller) => controller.enqueue(testEvent("a")),
  });
  const piped = silent.pipeTo(stream.toWebWritable(), { signal: abort.signal });
  await until(() => stream.buffered === 1);
  const reason = new Error("shutting down");
  abort.abort(reason);
  t.equal(await piped.catch((error: unknown) => error), reason);
  await stream.close();
  t.equal(ingest.states.size, 1);
});
