import { setImmediate } from "node:timers/promises";
import t from "tap";
import { LIMITS } from "#contract";
import type { Batch, QueuedMessage } from "./batch.ts";
import { UnpublishedPartitions } from "./message-result.ts";
import { Publications } from "./publications.ts";

/** Publications that end, or fail, when the test says so. */
function setUp() {
  const attempts: { again: number[] | undefined; settle: (failed?: readonly number[]) => void }[] = [];
  const seen = { moved: [] as number[][], ended: 0, left: 0, over: 0, failures: [] as unknown[] };
  const givenUp = new Set<number>();
  const publications = new Publications({
    steps: {
      publish: (_batch, again) =>
        new Promise<void>((resolve, reject) => {
          const settle = (failed: readonly number[] = []) => {
            if (failed.length === 0) return resolve();
            reject(new UnpublishedPartitions(new Map(failed.map((one) => [one, `${one} is full`]))));
          };
          attempts.push({ again: again && [...again], settle });
        }),
      move: (_batch, partitions) => void seen.moved.push([...partitions]),
    },
    pause: async () => {},
    isGivenUp: ({ message }) => givenUp.has(message.partition),
    onEnded: (messages) => {
      seen.over += messages;
    },
  });
  const begin = (rows: number, ...partitions: number[]) => {
    const entries = partitions.map((partition) => ({ message: { partition } }) as QueuedMessage);
    const batch = {
      rows,
      entries,
      messages: entries.map(({ message }) => message),
      span: undefined,
      bury: async () => {},
      settle: () => {},
      failed: (_step: string, _attempt: number, error: unknown) => void seen.failures.push(error),
      end: () => void seen.ended++,
      leave: () => void seen.left++,
    };
    return publications.begin(batch as unknown as Batch, { results: entries.map(() => ({ kind: "done" })) });
  };
  return { publications, begin, attempts, seen, givenUp };
}

t.test("regression - all large batches that waited for one publication were published at once", async (t) => {
  const { begin, attempts, seen } = setUp();
  const begun = [1, 2, 3].map((partition) => begin(LIMITS.rowsPerBatch, partition));
  for (let batch = 1; batch <= begun.length; batch++) {
    await setImmediate();
    t.equal(attempts.length, batch, "memory is bounded by the one that is published");
    attempts.at(-1)?.settle();
  }
  await Promise.all(begun);
  await setImmediate();
  t.equal(seen.ended, 3);
});

t.test("regression - a partition whose stream was full stopped all others", async (t) => {
  const { publications, begin, attempts, seen } = setUp();
  await begin(LIMITS.rowsPerBatch, 1, 2);
  const next = begin(1, 3);
  attempts[0]?.settle([1]);
  await next;
  await setImmediate();
  t.strictSame(seen.moved, [[2]], "the other one of its batch is done");
  t.ok(publications.isFailing(1));
  t.notOk(publications.isFailing(2));
  t.strictSame(seen.failures, ["1 is full"]);
  const again = attempts.find((attempt) => attempt.again !== undefined);
  t.strictSame(again?.again, [1], "it is tried again alone");
  t.equal(seen.ended, 0, "its batch has not ended");
  again?.settle();
  await setImmediate();
  t.strictSame(seen.moved, [[2], [1]]);
  t.match(seen, { ended: 1, over: 2 });
  t.notOk(publications.isFailing(1));
});

t.test("regression - a partition was kept until all of its batch was published", async (t) => {
  const { publications, begin, attempts, seen, givenUp } = setUp();
  await begin(2, 1, 2);
  let hasEnded = false;
  const ended = publications.ended((partition) => partition === 2).then(() => (hasEnded = true));
  await setImmediate();
  t.notOk(hasEnded);
  attempts[0]?.settle([1]);
  await ended;
  givenUp.add(1);
  await setImmediate();
  attempts[1]?.settle([1]);
  await publications.ended(() => true);
  t.strictSame(seen.moved, [[2]], "the next owner publishes the other one");
  t.match(seen, { ended: 0, left: 1, over: 2 });
});
