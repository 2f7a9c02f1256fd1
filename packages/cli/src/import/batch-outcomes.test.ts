import t from "tap";
import { type BatchAnswer, BatchOutcomes } from "./batch-outcomes.ts";
import type { RowResult } from "./row-result.ts";

const rejected = (index: number, external_id: string) => ({
  index,
  external_id,
  code: "conflict" as const,
  reason: "invalid_transition",
  from: "cleared",
  to: "reverted",
});

const NEVER = new AbortController().signal;

/** Batches that are processed at the second request for them. */
function service(answers: Readonly<Record<string, BatchAnswer["rejected"]>>) {
  const asked: string[] = [];
  const ask = async (id: string): Promise<BatchAnswer> => {
    asked.push(id);
    const isFirst = asked.filter((one) => one === id).length === 1;
    return { status: isFirst ? "pending" : "processed", rejected: isFirst ? [] : (answers[id] ?? []) };
  };
  return { ask, asked };
}

t.test(
  "batches - each event gets its result by its index, even if an external_id occurs twice",
  async (t) => {
    const { ask } = service({ one: [rejected(1, "a")] });
    const failures: unknown[] = [];
    const batches = new BatchOutcomes(
      ask,
      (error) => failures.push(error),
      () => {},
      NEVER,
    );
    const results: [string, RowResult][] = [];
    for (const [batch, externalId] of [
      ["one", "a"],
      ["one", "a"],
      ["one", "b"],
      ["two", "c"],
    ] as const) {
      batches.add(batch, { externalId, settle: (result) => results.push([externalId, result]) });
    }
    await batches.drained();
    t.strictSame(
      results.toSorted(([a], [b]) => a.localeCompare(b)),
      [
        ["a", { outcome: "applied" }],
        [
          "a",
          {
            outcome: "rejected",
            rejection: { code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
          },
        ],
        ["b", { outcome: "applied" }],
        ["c", { outcome: "applied" }],
      ],
    );
    t.strictSame(failures, []);
  },
);

t.test("batches - of many batches none is forgotten, whenever its result comes", async (t) => {
  const { ask, asked } = service({});
  const batches = new BatchOutcomes(
    ask,
    (error) => t.fail(String(error)),
    () => {},
    NEVER,
  );
  let settled = 0;
  const settle = () => {
    settled++;
    if (settled < 40) batches.add(`later ${settled}`, { externalId: "a", settle });
  };
  for (let i = 0; i < 10; i++) batches.add(`batch ${i}`, { externalId: "a", settle });
  await batches.drained();
  t.equal(settled, 49);
  t.equal(new Set(asked).size, 49);
});

t.test(
  "batches - a batch that cannot be requested is reported, and the rest is left to a resume",
  async (t) => {
    const failures: Error[] = [];
    const ask = async (): Promise<BatchAnswer> => {
      throw new Error("gone");
    };
    const batches = new BatchOutcomes(
      ask,
      (error) => failures.push(error as Error),
      () => {},
      NEVER,
    );
    batches.add("one", { externalId: "a", settle: () => t.fail("the result is unknown") });
    batches.add("two", { externalId: "b", settle: () => t.fail("the result is unknown") });
    await batches.drained();
    t.ok(failures.every(({ message }) => message === "gone"));
    t.ok(failures.length > 0);
  },
);

t.test(
  "batches - a batch that was lost with its stream is left to a resume, which sends it again",
  async (t) => {
    const failures: string[] = [];
    const batches = new BatchOutcomes(
      async () => ({ status: "lost", rejected: [] }),
      (error) => failures.push((error as Error).message),
      () => {},
      NEVER,
    );
    batches.add("one", { externalId: "a", settle: () => t.fail("it was not applied") });
    await batches.drained();
    t.match(failures, [/lost/]);
  },
);

t.test("batches - a signal ends the requests", async (t) => {
  const controller = new AbortController();
  const ask = async (): Promise<BatchAnswer> => ({ status: "pending", rejected: [] });
  const batches = new BatchOutcomes(
    ask,
    (error) => t.fail(String(error)),
    () => {},
    controller.signal,
  );
  batches.add("one", { externalId: "a", settle: () => t.fail("it is pending") });
  controller.abort();
  await batches.drained();
});

t.test("batches - ignored fields are matched by index, and unlisted events counted", async (t) => {
  const ask = async (): Promise<BatchAnswer> => ({
    status: "processed",
    rejected: [],
    ignored: [{ index: 1, external_id: "a", fields: ["amount"] }],
    ignored_total: 3,
  });
  const results: RowResult[] = [];
  let unlisted = 0;
  const batches = new BatchOutcomes(
    ask,
    (error) => t.fail(String(error)),
    (events) => {
      unlisted += events;
    },
    NEVER,
  );
  for (let i = 0; i < 2; i++)
    batches.add("one", { externalId: "a", settle: (result) => results.push(result) });
  await batches.drained();
  t.strictSame(results, [{ outcome: "applied" }, { outcome: "applied", ignored: ["amount"] }]);
  t.equal(unlisted, 2);
});
