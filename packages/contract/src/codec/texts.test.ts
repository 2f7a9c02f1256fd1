import t from "tap";
import { copyAsciiAt, copyTextAt, joinTexts, takeRuns, textAt } from "./texts.ts";

t.test("texts - each comes back as it was", async (t) => {
  const originals = ["first", "", 'with , and "quotes"', "ümlaut 🎟", ""];
  const texts = joinTexts(originals);
  t.strictSame(
    originals.map((_, i) => textAt(texts, i)),
    originals,
  );
  t.strictSame(
    originals.map((_, i) => copyTextAt(texts, i)),
    originals,
  );
  t.strictSame(joinTexts([]), { all: "", ends: new Uint32Array() });
});

t.test("texts - copies are made of those that are ASCII, also beside others", async (t) => {
  // U+0141 and "A" have the same last byte.
  for (const originals of [
    ["first", "", "second"],
    ["first", "\u0141", "", "\u{1f600}", "\u00e9", "last"],
  ]) {
    const copyOf = copyAsciiAt(joinTexts(originals));
    t.strictSame(
      originals.map((_, i) => copyOf(i)),
      originals.map((text) => (/^[ -~]*$/.test(text) ? text : undefined)),
    );
  }
});

t.test(
  "texts - neighbours are taken together, and joined runs are what the texts joined would be",
  async (t) => {
    const texts = joinTexts(["a", "b", "c", "d", "e"]);
    const run = (text: string, count: number) => ({ text, count });
    t.strictSame(takeRuns(texts, [0, 1, 3, 4]), [run("a,b", 2), run("d,e", 2)]);
    t.strictSame(takeRuns(texts, [2]), [run("c", 1)]);
    t.strictSame(
      takeRuns(texts, [4, 3, 0, 1]),
      [run("e", 1), run("d", 1), run("a,b", 2)],
      "in the order given",
    );
    t.strictSame(takeRuns(texts, []), []);
  },
);

t.test("texts - a run stays short enough to be put into a message whole", async (t) => {
  const originals = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(400, "x"));
  const runs = takeRuns(joinTexts(originals), [...originals.keys()]);
  t.ok(runs.length > 1 && runs.every(({ text }) => text.length <= 16 * 1024));
  t.equal(runs.map(({ text }) => text).join(","), originals.join(","));
  t.equal(
    runs.reduce((sum, { count }) => sum + count, 0),
    originals.length,
  );
});
