import t from "tap";
import { Gathering, LOCKED } from "./gathering.ts";

const gathered = (
  work: (items: readonly string[]) => Promise<ReadonlyArray<string | typeof LOCKED>>,
  isWanted: (item: string) => boolean = () => true,
) => new Gathering<string, string>({ work, isWanted, max: 3, isOfItem: (error) => error === REFUSAL });

const REFUSAL = new Error("refused");
const OUTAGE = new Error("gone");
const settled = async (...results: Promise<string>[]) =>
  (await Promise.allSettled(results)).map((one) => (one.status === "fulfilled" ? one.value : one.reason));
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test("gathering - a single item does not wait, and the next call collects after it", async (t) => {
  const calls: string[][] = [];
  const work = gathered(async (items) => {
    calls.push([...items]);
    await turn();
    return items.map((item) => item.toUpperCase());
  });
  const results = await settled(...["a", "b", "c", "d", "e"].map((item) => work.add(item)));
  t.strictSame(results, ["A", "B", "C", "D", "E"]);
  t.strictSame(calls, [["a"], ["b", "c", "d"], ["e"]]);
});

t.test("gathering - a failed item is tried again, as long as it is wanted", async (t) => {
  let failures = 2;
  const wanted = new Set(["a", "b"]);
  const work = gathered(
    async (items) => {
      if (failures-- > 0) throw OUTAGE;
      return items;
    },
    (item) => wanted.has(item),
  );
  t.strictSame(await settled(...["a", "b", "c"].map((item) => work.add(item))), ["a", "b", OUTAGE]);
  t.equal(await work.add("c"), "c", "and it goes on");
});

t.test("gathering - only the item that an error is about fails", async (t) => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = gathered(async (items) => {
    if (items.includes("first")) await gate;
    if (items.includes("bad")) throw REFUSAL;
    return items;
  });
  const results = settled(...["first", "a", "bad", "b", "c"].map((item) => work.add(item)));
  open();
  t.strictSame(await results, ["first", "a", REFUSAL, "b", "c"]);
});

t.test("gathering - spaced calls leave when they are full, by the weight of their items", async (t) => {
  const calls: (readonly string[])[] = [];
  const work = new Gathering<string, string>({
    work: async (items) => {
      calls.push(items);
      return items;
    },
    weigh: ({ length }) => length,
    max: 4,
    calls: Number.POSITIVE_INFINITY,
    spacingMs: 3_600_000,
  });
  await work.add("a");
  const waiting = ["b", "cc"].map((item) => work.add(item));
  await turn();
  t.equal(calls.length, 1, "not full");
  const full = work.add("ddd");
  t.strictSame(await Promise.all([...waiting, full]), ["b", "cc", "ddd"]);
  t.strictSame(calls, [["a"], ["b", "cc", "ddd"]]);
});

t.test("gathering - a locked item comes again alone, and the others continue", async (t) => {
  const held = new Set(["a", "given up"]);
  const calls: string[][] = [];
  const wanted = new Set(["a"]);
  const work = gathered(
    async (items) => {
      calls.push([...items]);
      return items.map((item) => (held.has(item) ? LOCKED : item));
    },
    (item) => wanted.has(item),
  );
  const locked = work.add("a");
  const givenUp = t.rejects(work.add("given up"), "it is no longer wanted");
  t.strictSame(await Promise.all(["b", "c", "d", "e"].map((item) => work.add(item))), ["b", "c", "d", "e"]);
  await givenUp;
  t.equal(await work.add("f"), "f");
  held.delete("a");
  t.equal(await locked, "a");
  t.equal(calls.flat().filter((item) => item === "given up").length, 1);
});
