import t from "tap";
import { createLog } from "#runtime";
import { GatheredWork, LOCKED } from "./gathered-work.ts";

const log = createLog({ service: "test", level: "silent" });

function gathered(
  work: (items: readonly string[]) => Promise<ReadonlyArray<string | typeof LOCKED>>,
  isWanted: (item: string) => boolean = () => true,
) {
  return new GatheredWork<string, string>({ name: "test", max: 3, spacingMs: 0, work, isWanted, log });
}

const refusal = () => Object.assign(new Error("refused"), { code: "22P02" });
const outage = () => Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });

t.test("gathered work - a lone item does not wait, and the next call gathers behind it", async (t) => {
  const calls: string[][] = [];
  const work = gathered(async (items) => {
    calls.push([...items]);
    await new Promise(setImmediate);
    return items.map((item) => item.toUpperCase());
  });
  const results = await Promise.all(["a", "b", "c", "d", "e"].map((item) => work.add(item)));
  t.strictSame(results, ["A", "B", "C", "D", "E"]);
  t.strictSame(calls, [["a"], ["b", "c", "d"], ["e"]]);
});

t.test("gathered work - what fails is tried again, as long as it is wanted", async (t) => {
  let failures = 2;
  const wanted = new Set(["a", "b"]);
  const work = gathered(
    async (items) => {
      if (failures-- > 0) throw outage();
      return items;
    },
    (item) => wanted.has(item),
  );
  t.strictSame(await Promise.all(["a", "b", "c"].map((item) => work.add(item))), ["a", "b", undefined]);
  t.equal(await work.add("c"), "c", "and it goes on");
});

t.test("gathered work - only the item that the database refuses is given up", async (t) => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = gathered(async (items) => {
    if (items.includes("first")) await gate;
    if (items.includes("bad")) throw refusal();
    return items;
  });
  const results = ["first", "a", "bad", "b", "c"].map((item) => work.add(item));
  open();
  t.strictSame(await Promise.all(results), ["first", "a", undefined, "b", "c"]);
});

t.test("gathered work - what somebody else holds comes again by itself, and the others go on", async (t) => {
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
  const givenUp = work.add("given up");
  t.strictSame(await Promise.all(["b", "c", "d", "e"].map((item) => work.add(item))), ["b", "c", "d", "e"]);
  t.equal(await givenUp, undefined, "nobody wants it any more");
  t.equal(await work.add("f"), "f");
  held.delete("a");
  t.equal(await locked, "a");
  t.equal(calls.flat().filter((item) => item === "given up").length, 1);
});
