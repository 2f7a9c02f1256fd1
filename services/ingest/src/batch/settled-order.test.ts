import t from "tap";
import type { Store } from "#postgres";
import { testStore, waitFor } from "#test-support";
import { raiseSettledOrder } from "./settled-order.ts";

let store: Store;

t.before(async () => {
  store = await testStore(12);
});

const raise = (above: number) => store.begin((sql) => raiseSettledOrder(sql, above));

async function draw(): Promise<number> {
  const [{ drawn }] = await store<[{ drawn: number }]>`select nextval('transactions_settled_order') as drawn`;
  return drawn;
}

t.test("settled order - it is raised, and never goes back", async (t) => {
  t.equal(await draw(), 1);
  const now = Date.now() * 1000;
  await raise(now);
  t.equal(await draw(), now + 1);
  await raise(now - 5);
  await raise(now + 1);
  t.equal(await draw(), now + 2);
});

t.test(
  "settled order - two sessions that raise it take turns, and the lower number changes nothing",
  async (t) => {
    const above = (await draw()) + 1_000_000;
    let other: Promise<void> | undefined;
    await store.begin(async (sql) => {
      await raiseSettledOrder(sql, above);
      other = raise(above + 50_000);
      const isWaiting = async () =>
        (await store`select from pg_locks where locktype = 'advisory' and not granted`).length > 0;
      await waitFor(isWaiting, { message: "the other one does not wait" });
      await sql`select setval('transactions_settled_order', ${above + 70_000}::bigint)`;
    });
    await other;
    t.equal(await draw(), above + 70_001);
  },
);

t.test(
  "settled order - many raise it while others draw: no number comes twice, and none that is too low",
  async (t) => {
    const base = (await draw()) + 1_000_000;
    let seen: number[] = [];
    for (let round = 0; round < 20; round++) {
      const above = base + round * 10;
      const results = await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          if (i % 3 === 0) await raise(above + i);
          const first = await draw();
          const second = await draw();
          t.ok(second > first);
          if (i % 3 === 0) t.ok(first > above + i);
          return [first, second];
        }),
      );
      seen = [...seen, ...results.flat()];
    }
    t.equal(new Set(seen).size, seen.length);
  },
);
