import t from "tap";
import { ownRows } from "./own-rows.ts";

/** An answer in the library's form: rows begin at the position of its counter. */
function answer(rows: readonly (object | undefined)[], at: number, count: number | null, columns = ["id"]) {
  const items: (object | undefined)[] = [];
  for (const [i, row] of rows.entries()) items[at + i] = row;
  return Object.assign(items, { count, columns });
}

const ONE = { id: 1 };
const TWO = { id: 2 };

t.test("own rows - everything before them is cut off", async (t) => {
  t.strictSame(ownRows(answer([ONE, TWO], 0, 2)), [ONE, TWO]);
  t.strictSame(ownRows(answer([ONE, TWO], 1, 2)), [ONE, TWO]);
  t.strictSame(ownRows(answer([ONE], 100_000, 1)), [ONE]);
  t.strictSame(ownRows(answer([], 7, 0)), []);
});

t.test("own rows - a command without a number has the rows that came", async (t) => {
  t.strictSame(ownRows(answer([ONE, TWO], 3, null)), [ONE, TWO]);
  t.strictSame(ownRows(answer([], 3, null)), []);
});

t.test("own rows - a statement that returns none has the count of changed rows", async (t) => {
  t.strictSame(ownRows(answer([], 0, 5, [])), []);
});

t.test("own rows - an answer that is not whole is an error, and never an absent row", async (t) => {
  const fault = /should have/;
  t.throws(() => ownRows(answer([], 0, 1)), fault);
  t.throws(() => ownRows(answer([ONE], 0, 2)), fault);
  t.throws(() => ownRows(answer([ONE, TWO], 0, 1)), fault, "a row of another answer");
  t.throws(() => ownRows(answer([ONE, undefined, TWO], 0, 3)), fault);
  t.throws(() => ownRows(answer([undefined], 0, 1)), fault);
  t.throws(() => ownRows(answer([ONE, undefined, TWO], 2, null)), fault);
});
