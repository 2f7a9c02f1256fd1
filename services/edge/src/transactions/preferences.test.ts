import t from "tap";
import { readPreferences } from "./preferences.ts";

const said = (header: string | undefined) => {
  const { respondAsync, representation } = readPreferences(header);
  return [respondAsync && "async", representation && "representation"].filter(Boolean).join(" ");
};

t.test("preferences - each is known in every way of writing it", async (t) => {
  for (const [header, wanted] of [
    [undefined, ""],
    ["", ""],
    ["respond-async", "async"],
    ["Respond-Async ; x=1", "async"],
    ["respond-async, wait=10", "async"],
    ["wait=10,respond-async", "async"],
    ["return=representation", "representation"],
    ['RETURN = "Representation"; foo', "representation"],
    ["respond-async,return=representation", "async representation"],
    ["return=representation, respond-async", "async representation"],
  ] as const) {
    t.equal(said(header), wanted, String(header));
  }
});

t.test("preferences - other preferences are ignored", async (t) => {
  for (const header of [
    "return=minimal",
    "return",
    "return=",
    "return=representations",
    "representation",
    "respond-asynchronously",
    "x-respond-async",
    "handling=strict, wait=5, , =, ;",
  ]) {
    t.equal(said(header), "", header);
  }
  t.equal(said("return=minimal, return=representation"), "", "the first of two counts");
  t.equal(said("return=representation, return=minimal"), "representation");
});

t.test(
  "preferences - a quotation mark without its other, or a name in two words, is passed over",
  async (t) => {
    for (const header of [
      'return="representation',
      'return=representation"',
      'return=""representation""',
      "re turn=representation",
    ]) {
      t.equal(said(header), "", header);
    }
    t.equal(said('a="b;respond-async, respond-async'), "async", "the next preference counts");
  },
);

t.test("preferences - a header full of blanks is read in linear time", async (t) => {
  // An earlier regular expression took the cube of the length: minutes for each of these, longer than this
  // file's time-out.
  for (const blanks of [" ".repeat(8_000), "\t".repeat(8_000)]) {
    t.equal(said(`a=${blanks}"x`), "");
    t.equal(said(`a${blanks}b${blanks}=${blanks}x${blanks}"`), "");
    t.equal(said(`${blanks}respond-async${blanks};${blanks}"`), "async");
  }
});
