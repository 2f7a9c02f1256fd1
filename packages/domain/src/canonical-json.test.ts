import fc from "fast-check";
import t from "tap";
import { canonicalJson } from "./canonical-json.ts";

/** The same value with the keys of every object in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

t.test("canonical JSON - neither key order, white space nor spelling of a value matters", async (t) => {
  const one = JSON.parse('{"b":[1,{"d":null,"c":"é"}],"a":1.0,"10":true,"9":false}');
  const other = JSON.parse('{ "9":false, "10":true, "a":1e0, "b":[1.00, {"c":"\\u00e9", "d":null}] }');
  t.equal(canonicalJson(one), '{"10":true,"9":false,"a":1,"b":[1,{"c":"é","d":null}]}');
  t.equal(canonicalJson(other), canonicalJson(one));
});

t.test("canonical JSON - different values stay different", async (t) => {
  const values = [
    "{}",
    "[]",
    "null",
    '""',
    '"null"',
    "0",
    '"0"',
    "false",
    "[[]]",
    "[1,2]",
    "[2,1]",
    "[12]",
    '{"a":1}',
    '{"a":"1"}',
    '{"a":null}',
    '{"a":{"b":1}}',
    '{"a":1,"b":2}',
    '{"a":"1,\\"b\\":2"}',
    '{"__proto__":1}',
    '"\\ud800"',
    '"\\udfff"',
  ];
  const texts = values.map((text) => canonicalJson(JSON.parse(text)));
  t.equal(new Set(texts).size, values.length);
});

t.test("canonical JSON - it is JSON of the same value, for any order of keys", async (t) => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      const canonical = canonicalJson(value);
      return (
        canonicalJson(JSON.parse(canonical)) === canonical &&
        canonicalJson(turned(value)) === canonical &&
        JSON.stringify(JSON.parse(canonical)).length === canonical.length
      );
    }),
    { seed: 20260301, numRuns: 300 },
  );
  t.pass();
});
