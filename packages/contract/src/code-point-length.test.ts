import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { codePointLength } from "./code-point-length.ts";

t.test("code point length - a surrogate pair is one, a lone surrogate is one", async (t) => {
  for (const [text, length] of [
    ["", 0],
    ["abc", 3],
    ["\u{1f6d2}", 1],
    ["a\u{1f6d2}b\u{1f6d2}", 4],
    ["\ud83d", 1],
    ["\udc00\ud83d", 2],
    ["\ud83d\ud83d\uded2", 2],
  ] as const) {
    t.equal(codePointLength(text), length, JSON.stringify(text));
  }
});

t.test("code point length - it equals the count of the string's own iterator", async () => {
  const units = fc.string({ unit: fc.constantFrom("a", "\ud83d", "\uded2", "\u{1f6d2}", "é") });
  fc.assert(fc.property(units, (text) => assert.equal(codePointLength(text), [...text].length)));
});
