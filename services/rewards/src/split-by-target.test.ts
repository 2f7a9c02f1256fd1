import t from "tap";
import { uuidv7 } from "uuidv7";
import { splitByTarget } from "./handle-rewards.ts";

t.test("split by target - parts share no target, hold all of the batch, and keep its order", async (t) => {
  const ids = Array.from({ length: 40 }, () => uuidv7());
  const outcomes = Array.from({ length: 400 }, (_, at) => ({
    at,
    transactionId: uuidv7(),
    target: { kind: at % 3 === 0 ? "clip" : "collection", id: ids[(at * 7) % 40] as string } as const,
  }));
  const parts = splitByTarget(outcomes, 2);
  const targets = parts.map((part) => new Set(part.map(({ target }) => target.id)));
  t.notOk([...(targets[0] ?? [])].some((id) => targets[1]?.has(id)));
  t.ok(targets.every(({ size }) => size > 0));
  for (const part of parts) {
    const places = part.map(({ at }) => at);
    t.strictSame(
      places,
      places.toSorted((a, b) => a - b),
    );
  }
  t.equal(parts.flat().length, outcomes.length);
});
