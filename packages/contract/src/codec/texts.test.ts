import t from "tap";
import { copyAsciiAt, copyTextAt, joinTexts, textAt } from "./texts.ts";

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

t.test("texts - ASCII texts are copied, even among others", async (t) => {
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
