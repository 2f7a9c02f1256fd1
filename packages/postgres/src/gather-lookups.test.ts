import t from "tap";
import { gatherLookups } from "./gather-lookups.ts";
import type { Sql } from "./store.ts";

/** In place of a store: only its identity matters. */
const someStore = () => ({}) as Sql;

/** A look-up whose statements the test answers. It finds the text of a key, and nothing for "none". */
function underControl() {
  const statements: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const find = gatherLookups<string, string>(
    (_sql, keys) =>
      new Promise((resolve, reject) => {
        const found = keys.map((key) => (key === "none" ? undefined : `found ${key}`));
        statements.push({ keys, answer: () => resolve(found), fail: reject });
      }),
  );
  return { find, statements };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test("gather - single look-ups leave immediately, those after two statements share the next", async (t) => {
  const { find, statements } = underControl();
  const store = someStore();
  const found = Promise.all(["a", "b", "c", "none", "d", "c"].map((key) => find(store, key)));
  t.strictSame(
    statements.map(({ keys }) => keys),
    [["a"], ["b"]],
  );
  statements[1]?.answer();
  await turn();
  t.strictSame(statements[2]?.keys, ["c", "none", "d", "c"], "in the order they came");
  const late = find(store, "e");
  t.equal(statements.length, 3, "two are under way: it waits");
  statements[0]?.answer();
  await turn();
  t.strictSame(statements[3]?.keys, ["e"]);
  statements[2]?.answer();
  statements[3]?.answer();
  t.strictSame(await found, ["found a", "found b", "found c", undefined, "found d", "found c"]);
  t.equal(await late, "found e");
});

t.test("gather - a question never joins a statement that has left, though it asks the same", async (t) => {
  const { find, statements } = underControl();
  const store = someStore();
  const before = find(store, "a");
  const after = find(store, "a");
  t.equal(statements.length, 2);
  for (const { answer } of statements) answer();
  t.strictSame(await Promise.all([before, after]), ["found a", "found a"]);
});

t.test("gather - a look-up in one transaction is not made in another", async (t) => {
  const { find, statements } = underControl();
  const [one, other] = [someStore(), someStore()];
  const found = Promise.all([find(one, "a"), find(one, "b"), find(one, "c"), find(other, "x")]);
  t.strictSame(
    statements.map(({ keys }) => keys),
    [["a"], ["b"], ["x"]],
    "the other has room although the first has none",
  );
  for (const { answer } of statements) answer();
  await turn();
  statements[3]?.answer();
  t.strictSame(await found, ["found a", "found b", "found c", "found x"]);
});

t.test("gather - a key that the database cannot take fails alone", async (t) => {
  const asked: (readonly string[])[] = [];
  const find = gatherLookups<string, string>(async (_sql, keys) => {
    asked.push(keys);
    await turn();
    if (keys.includes("bad")) throw new Error("a fault of that key");
    return keys;
  });
  const store = someStore();
  const results = await Promise.allSettled(["a", "b", "c", "bad", "d"].map((key) => find(store, key)));
  t.strictSame(
    results.map((result) => (result.status === "fulfilled" ? result.value : "failed")),
    ["a", "b", "c", "failed", "d"],
  );
  t.strictSame(asked.slice(2), [["c", "bad", "d"], ["c"], ["bad"], ["d"]]);
});

t.test("gather - a lost connection fails its own look-ups once, and the next leave", async (t) => {
  const { find, statements } = underControl();
  const store = someStore();
  const found = Promise.allSettled(["a", "b", "c", "d"].map((key) => find(store, key)));
  statements[0]?.answer();
  await turn();
  t.strictSame(statements[2]?.keys, ["c", "d"]);
  statements[2]?.fail(Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" }));
  await turn();
  t.equal(statements.length, 3, "not asked again: the server is gone for each of them");
  const next = find(store, "e");
  t.strictSame(statements[3]?.keys, ["e"]);
  statements[1]?.answer();
  statements[3]?.answer();
  t.strictSame(
    (await found).map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "rejected"],
  );
  t.equal(await next, "found e");
});

t.test("gather - a statement has a bound, for any number of callers", async (t) => {
  const sizes: number[] = [];
  const find = gatherLookups<number, number>(async (_sql, keys) => {
    sizes.push(keys.length);
    await turn();
    return keys;
  });
  const store = someStore();
  const keys = Array.from({ length: 1000 }, (_, i) => i);
  t.strictSame(await Promise.all(keys.map((key) => find(store, key))), keys);
  t.equal(Math.max(...sizes), 250);
});
