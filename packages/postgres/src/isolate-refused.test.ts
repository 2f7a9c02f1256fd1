import t from "tap";
import { LIMITS } from "#contract";
import { isolateRefused } from "./isolate-refused.ts";

const REFUSAL = Object.assign(new Error("no"), { code: "23514" });

/** Applies all or nothing, and refuses items that hold one of these numbers. */
function table(bad: readonly number[]) {
  const applied: number[] = [];
  const calls: number[] = [];
  const apply = async (items: readonly number[]) => {
    calls.push(items.length);
    if (items.some((item) => bad.includes(item))) throw REFUSAL;
    applied.push(...items);
  };
  return { applied, calls, apply };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

t.test("isolate - without a refusal there is one attempt, and without items none", async (t) => {
  const { applied, calls, apply } = table([]);
  t.strictSame((await isolateRefused([], apply)).refused, []);
  t.strictSame((await isolateRefused(upTo(100), apply)).refused, []);
  t.strictSame([applied, calls], [upTo(100), [100]]);
});

t.test("isolate - the refused ones stand alone, the others are applied in order", async (t) => {
  const bad = [0, 41, 42, 99];
  const { applied, apply } = table(bad);
  const { refused } = await isolateRefused(upTo(100), apply);
  t.strictSame(
    refused,
    bad.map((item) => ({ item, error: "23514" })),
  );
  t.strictSame(
    applied,
    upTo(100).filter((item) => !bad.includes(item)),
  );
});

t.test("isolate - one in a thousand is found in a few attempts", async (t) => {
  const { calls, apply } = table([777]);
  await isolateRefused(upTo(1000), apply);
  t.ok(calls.length <= 2 * Math.ceil(Math.log2(1000)) + 1, `${calls.length} attempts`);
});

t.test("isolate - no attempt is larger than a batch", async (t) => {
  const { applied, calls, apply } = table([]);
  const many = upTo(3 * LIMITS.rowsPerBatch);
  await isolateRefused(many, apply);
  t.strictSame(applied, many);
  t.ok(calls.every((size) => size <= LIMITS.rowsPerBatch));
});

t.test("isolate - every other fault is thrown, to be tried again", async (t) => {
  for (const code of ["40P01", "40001", "57014", "42P01", "CONNECTION_CLOSED", undefined]) {
    const fault = Object.assign(new Error("fault"), code === undefined ? {} : { code });
    await t.rejects(
      isolateRefused(upTo(10), () => Promise.reject(fault)),
      fault,
    );
  }
});
