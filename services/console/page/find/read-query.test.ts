import t from "tap";
import { KINDS, type Prefix, readQuery } from "./read-query.ts";

const SUFFIX = "01jt7a8pvcfnp9z85hr79f9z86";

t.test("query - an id of ours is recognised by its prefix, and is also looked up as a name", async (t) => {
  for (const prefix of Object.keys(KINDS) as Prefix[]) {
    const text = `${prefix}_${SUFFIX}`;
    t.match(readQuery(text), { id: prefix, externalId: text, ref: text, hint: undefined });
  }
});

t.test("query - a damaged id is no id, and gets a hint", async (t) => {
  for (const text of [
    "abc",
    "order_1234",
    `user_${SUFFIX}`,
    "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10",
    "constructor_1",
  ]) {
    t.match(readQuery(text), { id: undefined, hint: undefined, externalId: text }, text);
  }
  t.match(readQuery(`tx_${SUFFIX.slice(1)}`), {
    id: undefined,
    hint: /has 26 characters .* and this has 25/,
  });
  t.match(readQuery(`tx_${SUFFIX.toUpperCase()}`), { id: undefined, hint: /lower case/ });
  t.match(readQuery(`tx_8${SUFFIX.slice(1)}`), { id: undefined }, "more than 128 bits");
});

t.test("query - outer spaces do not count, and an empty text is no query", async (t) => {
  t.equal(readQuery("  \n"), undefined);
  t.match(readQuery(" a b\n"), { text: "a b", ref: "a b" });
});

t.test("query - a text that cannot be an external_id or a ref is not looked up as one", async (t) => {
  t.match(readQuery("x".repeat(128)), { externalId: /^x+$/, ref: /^x+$/ });
  t.match(readQuery("x".repeat(129)), { externalId: undefined, ref: /^x+$/ });
  t.match(
    readQuery("\u{1f6d2}".repeat(128)),
    { externalId: /./u },
    "whole characters are counted, not halves of them",
  );
  t.match(readQuery("x".repeat(257)), { externalId: undefined, ref: undefined });
  t.match(readQuery("a\u0000b"), { externalId: undefined, ref: undefined });
});
