import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "../connection/connect.ts";
import { readDeadLetters } from "../dead-letters/stored-dead-letters.ts";
import { publishOrThrow } from "../publish/publish.ts";
import { streamName, subjectName } from "../streams/stream-names.ts";
import { ensureTopology } from "../streams/topology.ts";
import { type BatchHandler, eachMessage } from "./message-result.ts";
import { UnorderedLoop, type UnorderedLoopOptions } from "./unordered-loop.ts";

const HOP: Hop = FLOW.outcomes;
const TOPOLOGY = { partitions: 2, maxBytes: 8 * 1024 * 1024, linkMaxBytes: 8 * 1024 * 1024 };
const DONE = { kind: "done" } as const;

t.test("unordered loop - a single message does not wait, and the next batch collects after it", async (t) => {
  const { publish, start } = await setUp(t);
  const gate = new Gate();
  const batches: string[][] = [];
  const loop = await start(async (messages) => {
    batches.push(messages.map(({ data }) => text(data)));
    await gate.passed;
    return allDone(messages);
  });
  await publish("a");
  await waitFor(() => batches.length === 1, { message: "it was not handed over" });
  for (const name of ["b", "c", "d"]) await publish(name);
  await waitFor(() => loop.held === 4, { message: "the others are not taken" });
  gate.open();
  await waitFor(() => loop.held === 0, { message: "they are not done" });
  t.strictSame(batches, [["a"], ["b", "c", "d"]]);
});

t.test("unordered loop - small batches are spaced, large and full ones are not", async (t) => {
  const { publish, start } = await setUp(t);
  const batches: string[][] = [];
  const loop = await start(
    async (messages) => {
      batches.push(messages.map(({ data }) => text(data)));
      return allDone(messages);
    },
    // Longer than the test: every batch that starts at all starts before its spacing is over.
    { spacingMs: 600_000 },
  );
  await publish("a");
  await waitFor(() => batches.length === 1, { message: "a lone one waits" });
  await publish("b");
  await waitFor(() => loop.held === 1, { message: "it is not taken" });
  t.equal(batches.length, 1, "the next one waits for more");
  await publish("c", { rows: String(LIMITS.rowsPerBatch / 2) });
  await waitFor(() => batches.length === 2, { message: "half a batch waits" });
  for (let i = 0; i < 16; i++) await publish(`d${i}`);
  await waitFor(() => batches.flat().length === 19, { message: "no more can be held, and they wait" });
  t.strictSame(batches.slice(0, 2), [["a"], ["b", "c"]]);
});

t.test("unordered loop - a partition whose place another session owns is read no further", async (t) => {
  const { publish, start } = await setUp(t);
  const lost: (readonly number[])[] = [];
  const loop = await start(async (messages) => allDone(messages), {
    places: { takeOver: async () => undefined, keep: async () => [] },
    onLost: (partitions) => lost.push(partitions),
  });
  await publish("a");
  await waitFor(() => lost.length > 0, { message: "the loss is not noticed" });
  t.strictSame(lost, [[0]]);
  t.equal(loop.feedOf(0), undefined);
});

t.test("unordered loop - lanes work side by side", async (t) => {
  const { publish, start } = await setUp(t);
  const gate = new Gate();
  let under = 0;
  const loop = await start(
    async (messages) => {
      under++;
      await gate.passed;
      under--;
      return allDone(messages);
    },
    { lanes: 2 },
  );
  for (const name of ["a", "b", "c"]) await publish(name);
  await waitFor(() => loop.held === 3, { message: "they are not taken" });
  t.equal(under, 2);
  gate.open();
  await waitFor(() => loop.held === 0, { message: "they are not done" });
});

t.test("unordered loop - a batch is bounded in rows and bytes, or has one message", async (t) => {
  const { publish, start } = await setUp(t);
  const gate = new Gate();
  const batches: number[][] = [];
  const half = LIMITS.rowsPerBatch / 2;
  const loop = await start(async (messages) => {
    batches.push(messages.map(({ rows }) => rows));
    await gate.passed;
    return allDone(messages);
  });
  const sizes = [1, half, half, 1, 3 * half, 1];
  for (const rows of sizes) await publish("x", { rows: String(rows) });
  for (const rows of ["-7", "NaN", "", "Infinity"]) await publish("x", { rows });
  const large = "x".repeat(900 * 1024);
  for (let i = 0; i < 2; i++) await publish(large);
  await waitFor(() => loop.held === 12, { message: "they are not taken" });
  gate.open();
  await waitFor(() => loop.held === 0, { message: "they are not done" });
  t.strictSame(batches, [
    [1],
    [half, half],
    [1],
    [3 * half],
    [1, 1, 1, 1],
    [Number.POSITIVE_INFINITY],
    [1],
    [1],
  ]);
});

t.test(
  "unordered loop - it holds a bounded number of messages, and the rest stays in the stream",
  async (t) => {
    const { stream, publish, start } = await setUp(t);
    const gate = new Gate();
    const loop = await start(async (messages) => {
      await gate.passed;
      return allDone(messages);
    });
    for (let i = 0; i < 40; i++) await publish(`${i}`);
    await waitFor(() => loop.held === LIMITS.messagesHeld, { message: "it does not take them" });
    await publish("last");
    t.equal(loop.feedOf(0)?.last, 16);
    gate.open();
    await emptied(stream);
  },
);

t.test(
  "unordered loop - a message that fails its batch is isolated, and the others get through",
  async (t) => {
    const { stream, publish, start, observed } = await setUp(t);
    const gate = new Gate();
    const done: string[] = [];
    let failures = 0;
    const loop = await start(async (messages) => {
      await gate.passed;
      const names = messages.map(({ data }) => text(data));
      if (names.includes("bad") && failures++ < 4) throw Object.assign(new Error("bad"), { code: "E_BAD" });
      done.push(...names);
      return allDone(messages);
    });
    for (const name of ["first", "a", "bad", "b"]) await publish(name);
    await waitFor(() => loop.held === 4, { message: "they are not taken" });
    gate.open();
    await emptied(stream);
    t.strictSame(done.toSorted(), ["a", "b", "bad", "first"], "each once");
    t.strictSame(done.indexOf("bad"), 3, "the others did not wait for it");
    t.strictSame(observed.retried, ["E_BAD", "E_BAD", "E_BAD", "E_BAD"]);
  },
);

t.test("unordered loop - each message has its own outcome", async (t) => {
  const { stream, publish, start, observed, lines } = await setUp(t);
  const gate = new Gate();
  const loop = await start(async (messages) => {
    await gate.passed;
    const results = messages.map(({ data }) => {
      const kind = text(data);
      return kind === "done" ? DONE : { kind: kind as "skip" | "dead", reason: `because_of_${kind}` };
    });
    return { results };
  });
  await publish("done");
  for (const name of ["skip", "dead", "done"]) await publish(name, { traceIds: `of-${name},more` });
  await waitFor(() => loop.held === 4, { message: "they are not taken" });
  gate.open();
  await emptied(stream);
  t.strictSame(
    observed.outcomes,
    [
      ["done", "none"],
      ["skip", "because_of_skip"],
      ["dead", "because_of_dead"],
      ["done", "none"],
    ].toSorted(byKind),
    "in any order",
  );
  const letters = [];
  for await (const { letter } of readDeadLetters(stream)) letters.push(letter);
  t.strictSame(letters, [{ reason: "because_of_dead", hop: "OUTCOMES", partition: 0, sequence: 3 }]);
  const batches = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "batch");
  t.match(batches.at(-1), {
    hop: "OUTCOMES",
    messages: 3,
    rows: 3,
    skipped: 1,
    dead: 1,
    traceIds: ["of-skip", "more", "of-dead", "more", "of-done", "more"],
  });
});

t.test("unordered loop - a loop that stops finishes its batches, and purges them", async (t) => {
  const { publish, start, left } = await setUp(t);
  const gate = new Gate();
  const done: string[] = [];
  const handler: BatchHandler = async (messages) => {
    await gate.passed;
    done.push(...messages.map(({ data }) => text(data)));
    return allDone(messages);
  };
  const first = await start(handler);
  for (const name of ["a", "b", "c"]) await publish(name);
  await waitFor(() => first.held === 3, { message: "they are not taken" });
  const stopped = first.stop();
  gate.open();
  await stopped;
  t.strictSame(done, ["a"]);
  t.strictSame(await left(), ["b", "c"], "the unstarted messages belong to the next owner");
  await start(handler);
  await waitFor(async () => (await left()).length === 0, { message: "they are not done" });
  t.strictSame(done, ["a", "b", "c"], "each once");
});

t.test("unordered loop - a partition that is given up is finished, and the others go on", async (t) => {
  const { publish, start, left } = await setUp(t);
  const gate = new Gate();
  const done: string[] = [];
  const loop = await start(async (messages) => {
    await gate.passed;
    done.push(...messages.map(({ data }) => text(data)));
    return allDone(messages);
  });
  await loop.takeOver(1);
  await publish("a");
  await waitFor(() => loop.held === 1, { message: "it is not taken" });
  await publish("b");
  await publish("other", {}, 1);
  await waitFor(() => loop.held === 3, { message: "they are not taken" });
  const removed = loop.remove(0, true);
  gate.open();
  await removed;
  t.strictSame(await left(), ["b"]);
  await waitFor(async () => (await left(1)).length === 0, { message: "the other partition is not read" });
  t.strictSame(done, ["a", "other"]);
});

t.test("each message - one that throws takes no outcome from the others for long", async (t) => {
  const { stream, publish, start, observed } = await setUp(t);
  const gate = new Gate();
  const applied = new Set<string>();
  let failures = 0;
  const loop = await start(
    eachMessage(async ({ data }) => {
      await gate.passed;
      const name = text(data);
      if (name === "bad" && failures++ < 3) throw new Error("bad");
      if (applied.has(name)) return { kind: "skip", reason: "known" };
      applied.add(name);
      return DONE;
    }),
  );
  for (const name of ["first", "a", "bad", "b"]) await publish(name);
  await waitFor(() => loop.held === 4, { message: "they are not taken" });
  gate.open();
  await emptied(stream);
  t.strictSame([...applied].at(-1), "bad");
  t.equal(observed.outcomes.length, 4);
});

class Gate {
  open: () => void = () => {};
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const text = (data: Uint8Array): string => Buffer.from(data).toString();
const allDone = (messages: readonly unknown[]) => ({ results: messages.map(() => DONE) });
const byKind = ([a]: string[], [b]: string[]): number => (a as string).localeCompare(b as string);

/** Waits until everything in the stream is done and purged. */
async function emptied(stream: Stream): Promise<void> {
  await waitFor(
    async () => (await stream.manager.streams.info(streamName(stream, HOP, 0))).state.messages === 0,
    { message: "something is not done" },
  );
}

/** Streams of two partitions for this test, of which a loop reads the first. */
async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const lines: string[] = [];
  const log = createLog({
    service: "test",
    level: "info",
    destination: { write: (line) => lines.push(line) },
  });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  const observed = { outcomes: [] as string[][], retried: [] as string[] };
  const observer = {
    outcome: (kind: string, reason: string) => {
      observed.outcomes.push([kind, reason]);
      observed.outcomes.sort(byKind);
    },
    retried: (error: unknown) => observed.retried.push((error as { code: string }).code),
  };
  const start = async (handler: BatchHandler, options: Partial<UnorderedLoopOptions> = {}) => {
    const loop = new UnorderedLoop({
      stream,
      hop: HOP,
      topology: TOPOLOGY,
      handler,
      observer,
      log,
      ...options,
    });
    t.teardown(() => loop.stop());
    await loop.takeOver(0);
    return loop;
  };
  const publish = (payload: string, facts: { rows?: string; traceIds?: string } = {}, partition = 0) =>
    publishOrThrow(stream, {
      subject: subjectName(stream, HOP, partition),
      payload,
      id: randomUUID(),
      headers: {
        ...(facts.rows !== undefined && { [HEADERS.rows]: facts.rows }),
        ...(facts.traceIds !== undefined && { [HEADERS.traceIds]: facts.traceIds }),
      },
    });
  const left = async (partition = 0) => {
    const name = streamName(stream, HOP, partition);
    const { state } = await stream.manager.streams.info(name);
    const payloads: string[] = [];
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      if (message !== null) payloads.push(text(message.data));
    }
    return payloads;
  };
  return { stream, publish, start, observed, lines, left };
}
