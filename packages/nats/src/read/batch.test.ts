import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { LIMITS } from "#contract";
import { firstBatch, type QueuedMessage } from "./batch.ts";
import type { ReadFrom } from "./message.ts";
import { WaitingMessages } from "./waiting-messages.ts";

const MANY = LIMITS.rowsPerBatch / 2;
const FEW = LIMITS.rowsAtOnce;

interface Shape {
  readonly partition?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly deliveries?: number;
  readonly reading?: ReadFrom | undefined;
}

let sequences = 0;

function held({ partition = 0, rows = 1, bytes = 0, deliveries = 1, reading }: Shape = {}): QueuedMessage {
  const facts = { rows, traceIds: "", traceparent: "", data: new Uint8Array(bytes), storedAtMs: 0 };
  const message = { subject: "test", partition, sequence: ++sequences, reading, ...facts };
  return { message, deliveries, done: () => {}, retryLater: () => {}, release: () => {} };
}

function waitingOn(...shapes: Shape[]) {
  const waiting = new WaitingMessages(() => false);
  const entries = shapes.map(held);
  for (const entry of entries) waiting.add(entry);
  return { waiting, entries };
}

const partitionsOf = (entries: readonly QueuedMessage[]) => entries.map(({ message }) => message.partition);
const rowsOf = (entries: readonly QueuedMessage[]) =>
  entries.reduce((sum, { message }) => sum + message.rows, 0);

t.test("waiting - a few messages of several partitions make one batch, in the order they came", async (t) => {
  const { waiting, entries } = waitingOn({ partition: 2 }, { partition: 0 }, { partition: 2 });
  t.strictSame(waiting.take(), entries);
  t.equal(waiting.count, 0);
  t.strictSame(waiting.take(), []);
});

t.test("waiting - a few messages wait while a batch is handled, and follow it together", async (t) => {
  const { waiting, entries: first } = waitingOn({ partition: 0 });
  t.strictSame(waiting.take(), first);
  const next = [held({ partition: 1 }), held({ partition: 0 }), held({ partition: 3, rows: FEW - 2 })];
  for (const entry of next) waiting.add(entry);
  t.strictSame(waiting.take(), []);
  t.equal(waiting.count, 3);
  waiting.release(first);
  t.strictSame(waiting.take(), next);
});

t.test("waiting - if there are many, each partition has its own batch, side by side", async (t) => {
  const { waiting, entries } = waitingOn(
    { partition: 1, rows: FEW },
    { partition: 0, rows: FEW },
    { partition: 1, rows: 1 },
    { partition: 2, rows: FEW + 1 },
  );
  const [one, zero, oneAgain, two] = entries;
  t.strictSame(waiting.take(), [one, oneAgain]);
  t.strictSame(waiting.take(), [zero]);
  t.strictSame(waiting.take(), [two]);
  waiting.add(held({ partition: 2, rows: MANY }));
  t.strictSame(waiting.take(), [], "a partition is in one batch at a time");
});

t.test("batch - its rows and bytes are bounded, and it has at least one message", async (t) => {
  let entries: readonly QueuedMessage[] = [
    { rows: LIMITS.rowsPerBatch },
    { bytes: 60 },
    { bytes: 40 },
    { bytes: 1 },
    { bytes: 300 },
    { rows: 3 * LIMITS.rowsPerBatch },
    { rows: MANY },
    { rows: MANY },
    { rows: 1 },
  ].map(held);
  const sizes: number[] = [];
  while (entries.length > 0) {
    const batch = firstBatch(entries, 100);
    sizes.push(batch.length);
    entries = entries.slice(batch.length);
  }
  t.strictSame(sizes, [1, 2, 1, 1, 1, 2, 1]);
});

t.test("batch - a message that comes again is handled alone", async (t) => {
  const again = { deliveries: 2 };
  const entries = [{}, {}, again, again, {}, {}].map(held);
  const sizes = [0, 2, 3, 4].map((from) => firstBatch(entries.slice(from)).length);
  t.strictSame(sizes, [2, 1, 1, 2]);
});

t.test("waiting - messages that an earlier owner has applied are in separate batches", async (t) => {
  const reading = { after: 0, applied: sequences + 2, streamCreated: "" };
  const { waiting, entries } = waitingOn({ reading }, { reading }, { reading }, { partition: 1 });
  const taken: (readonly QueuedMessage[])[] = [];
  for (let next = waiting.take(); next.length > 0; next = waiting.take()) {
    taken.push(next);
    waiting.release(next);
  }
  t.strictSame(taken, [entries.slice(0, 2), entries.slice(2)]);
});

t.test("waiting - the next batch of a busy partition is announced once, when it is half full", async (t) => {
  const { waiting, entries } = waitingOn({ rows: MANY });
  const first = waiting.take();
  t.strictSame(first, entries);
  const next = [held({ rows: MANY - 1 }), held({ rows: 1 })] as const;
  waiting.add(next[0]);
  t.strictSame(waiting.announce(), []);
  waiting.add(next[1]);
  t.strictSame(waiting.announce(), [next]);
  t.strictSame(waiting.announce(), []);
  const later = held({ rows: MANY });
  waiting.add(later);
  t.strictSame(waiting.announce(), []);
  t.equal(waiting.count, 3, "the announced messages still wait");
  t.strictSame(waiting.take(), []);
  waiting.release(first);
  t.strictSame(waiting.take(), next, "just as it was announced");
  t.strictSame(waiting.announce(), [[later]]);
});

t.test("few messages starved: a partition that is always full does not hold up all others", async (t) => {
  const { waiting } = waitingOn({ partition: 0, rows: MANY });
  let busy = waiting.take();
  waiting.add(held({ partition: 0, rows: MANY }));
  waiting.announce();
  const few = [held({ partition: 1 }), held({ partition: 2 })];
  for (const entry of few) waiting.add(entry);
  const taken: (readonly QueuedMessage[])[] = [];
  for (let turn = 0; turn < 5; turn++) {
    waiting.add(held({ partition: 0, rows: MANY }));
    waiting.announce();
    waiting.release(busy);
    for (let next = waiting.take(); next.length > 0; next = waiting.take()) {
      taken.push(next);
      if (partitionsOf(next).includes(0)) busy = next;
    }
    waiting.announce();
  }
  t.ok(
    taken
      .slice(0, 3)
      .some(
        (entries) => entries.includes(few[0] as QueuedMessage) && entries.includes(few[1] as QueuedMessage),
      ),
    "their turn comes after earlier messages",
  );
  t.ok(
    taken.filter((entries) => partitionsOf(entries).includes(0)).length >= 4,
    "and they do not wait for it",
  );
});

t.test("waiting - the next batch of a partition whose batch has failed is not kept prepared", async (t) => {
  const { waiting } = waitingOn({ rows: MANY });
  const first = waiting.take();
  const next = [held({ rows: MANY }), held({ rows: 1 }), held({ partition: 1 })];
  for (const entry of next) waiting.add(entry);
  t.equal(waiting.announce().length, 1);
  waiting.failed(first);
  t.strictSame(waiting.announce(), []);
  t.strictSame(waiting.take(), next.slice(2));
  waiting.release(first);
  t.strictSame(waiting.take(), next.slice(0, 2), "but made in its turn");
});

t.test("waiting - messages put back make a batch for each partition", async (t) => {
  const { waiting, entries } = waitingOn({ partition: 1 }, { partition: 0 }, { partition: 1 });
  const [one, zero, oneAgain] = entries;
  const first = waiting.take();
  waiting.add(held({ partition: 1 }));
  waiting.putBack(first);
  waiting.release(first);
  t.strictSame(waiting.take(), [one, oneAgain]);
  t.strictSame(waiting.take(), [zero]);
});

t.test("waiting - messages put back come before all others of their partition", async (t) => {
  const { waiting, entries } = waitingOn({ rows: MANY });
  const first = waiting.take();
  const next = [held({ rows: MANY }), held({ rows: 1 })];
  for (const entry of next) waiting.add(entry);
  waiting.announce();
  const last = held();
  waiting.add(last);
  waiting.putBack(first);
  waiting.release(first);
  t.strictSame(waiting.removeAll(), [...entries, ...next, last]);
  t.equal(waiting.count, 0);
});

type Step =
  | { readonly do: "add"; readonly shape: Required<Shape> }
  | { readonly do: "take" }
  | { readonly do: "announce" }
  | { readonly do: "release" | "fail" | "putBack" | "forget"; readonly which: number };

const PARTITIONS = 4;

const shapes = fc.record({
  partition: fc.nat({ max: PARTITIONS - 1 }),
  rows: fc.constantFrom(1, 1, 3, FEW, 400, MANY, LIMITS.rowsPerBatch, 3 * LIMITS.rowsPerBatch),
  bytes: fc.constantFrom(0, 0, 10, 1_000, 5_000),
  deliveries: fc.constant(1),
  reading: fc.constant(undefined),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("add" as const), shape: shapes }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("take" as const, "announce" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("fail" as const, "putBack" as const, "forget" as const),
      which: fc.nat(),
    }),
  },
);

/** The expected result: the messages of each partition in their order. */
class Model {
  readonly waiting = new WaitingMessages(() => false);
  readonly busy: (readonly QueuedMessage[])[] = [];
  readonly #failed = new Set<readonly QueuedMessage[]>();
  readonly #due: QueuedMessage[][] = Array.from({ length: PARTITIONS }, () => []);

  get count(): number {
    return this.#due.reduce((sum, { length }) => sum + length, 0);
  }

  take(): readonly QueuedMessage[] {
    const batch = this.waiting.take();
    const isBusy = new Set(this.busy.flatMap(partitionsOf));
    for (const { message } of batch) assert.ok(!isBusy.has(message.partition), "one batch at a time");
    for (const entry of batch) assert.equal(this.#dueOf(entry).shift(), entry, "in order, once");
    this.#assertBounds(batch);
    if (batch.length > 0) this.busy.push(batch);
    else if (this.busy.every((one) => this.#failed.has(one))) {
      const free = this.#due.filter((_, partition) => !isBusy.has(partition)).flat();
      assert.equal(free.length, 0, "something is taken if nothing is handled but what has failed");
    }
    return batch;
  }

  do(step: Step): void {
    if (step.do === "add") {
      const entry = held(step.shape);
      this.waiting.add(entry);
      this.#dueOf(entry).push(entry);
    } else if (step.do === "take") this.take();
    else if (step.do === "announce") {
      for (const entries of this.waiting.announce()) {
        assert.ok(rowsOf(entries) > 0);
        assert.deepEqual(this.#dueOf(entries[0] as QueuedMessage).slice(0, entries.length), entries);
        this.#assertBounds(entries);
      }
    } else if (step.do === "forget") this.#forget(step.which % PARTITIONS);
    else if (step.do === "fail" && this.busy.length > 0) {
      const batch = this.busy[step.which % this.busy.length] as readonly QueuedMessage[];
      this.#failed.add(batch);
      this.waiting.failed(batch);
    } else if (this.busy.length > 0) {
      const [batch] = this.busy.splice(step.which % this.busy.length, 1) as [readonly QueuedMessage[]];
      if (step.do === "putBack") this.#lose(batch);
      this.waiting.release(batch);
    }
    assert.equal(this.waiting.count, this.count, "none lost");
  }

  /** Like the loop: one of the batch's partitions is lost, and the messages of the others wait again. */
  #lose(batch: readonly QueuedMessage[]): void {
    const lost = batch[0]?.message.partition as number;
    this.#forget(lost);
    const back = batch.filter(({ message }) => message.partition !== lost);
    this.waiting.putBack(back);
    for (const entry of [...back].reverse()) this.#dueOf(entry).unshift(entry);
  }

  #forget(partition: number): void {
    this.waiting.forget(partition);
    this.#due[partition] = [];
  }

  #dueOf({ message }: QueuedMessage): QueuedMessage[] {
    return this.#due[message.partition] as QueuedMessage[];
  }

  #assertBounds(batch: readonly QueuedMessage[]): void {
    if (batch.length < 2) return;
    assert.ok(rowsOf(batch) <= LIMITS.rowsPerBatch);
    assert.ok(new Set(partitionsOf(batch)).size === 1 || rowsOf(batch) <= FEW, "only a few are mixed");
  }
}

t.test("waiting - each partition's messages come out in order, none twice, none lost", async (t) => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 80 }), (history) => {
      const model = new Model();
      for (const step of history) model.do(step);
      while (model.count > 0 || model.busy.length > 0) {
        if (model.take().length === 0) model.do({ do: "release", which: 0 });
      }
      assert.deepEqual(model.waiting.removeAll(), []);
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 500) },
  );
  t.pass("random operations");
});
