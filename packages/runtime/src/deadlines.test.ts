import t from "tap";
import { waitFor } from "#test-support";
import { Deadlines } from "./deadlines.ts";

t.test("deadlines - each expires once, when its time is up, and none that ended before", async (t) => {
  const began = new Map<number, number>();
  const expired: { item: number; after: number }[] = [];
  const deadlines = new Deadlines<number>(60, (item) => {
    expired.push({ item, after: performance.now() - (began.get(item) as number) });
  });
  for (const item of [1, 2, 3, 4]) {
    began.set(item, performance.now());
    deadlines.begin(item);
    await new Promise((resolve) => setTimeout(resolve, 5));
    // The first one ends: its timer stays, and serves the others.
    if (item === 1 || item === 3) deadlines.end(item);
  }
  await waitFor(() => expired.length === 2, { message: "two expire" });
  t.strictSame(
    expired.map(({ item }) => item),
    [2, 4],
  );
  for (const { after } of expired) t.ok(after >= 59, `${after} ms`);
});

t.test("deadlines - one that begins while another expires has its own time", async (t) => {
  const expired: number[] = [];
  const deadlines = new Deadlines<number>(20, (item) => {
    expired.push(item);
    if (item < 3) deadlines.begin(item + 1);
  });
  deadlines.begin(1);
  await waitFor(() => expired.length === 3, { message: "all expire" });
  t.strictSame(expired, [1, 2, 3]);
});
