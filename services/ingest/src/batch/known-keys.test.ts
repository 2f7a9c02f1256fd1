import fc from "fast-check";
import t from "tap";
import { SeededRandom } from "#domain";
import { boundKnownKeys, KnownKeys, ORGANISATIONS_MAX } from "./known-keys.ts";

const ORGANISATION = "organisation";

t.test("known keys - nothing is new before the highest key is known", async (t) => {
  const keys = new KnownKeys();
  t.strictSame(keys.unknown([ORGANISATION]), [ORGANISATION]);
  t.notOk(keys.isNew(ORGANISATION, "b"));
  keys.learn(ORGANISATION, "a");
  t.strictSame(keys.unknown([ORGANISATION]), []);
  t.ok(keys.isNew(ORGANISATION, "b"));
  t.notOk(keys.isNew(ORGANISATION, "a"));
  keys.add(ORGANISATION, "b");
  t.notOk(keys.isNew(ORGANISATION, "b"));
});

t.test(
  "known keys - keys that are not ASCII are looked up: their order is not that of the database",
  async (t) => {
    const keys = new KnownKeys();
    // In byte order U+FF61 comes before U+1F600; in UTF-16 units it comes after.
    keys.learn(ORGANISATION, "\u{1f600}");
    t.notOk(keys.isNew(ORGANISATION, "\uff61"));
    keys.learn(ORGANISATION, "a");
    t.notOk(keys.isNew(ORGANISATION, "\u00e9"));
  },
);

t.test("known keys - a stored key is never called new, however many keys are forgotten", async (t) => {
  fc.assert(
    fc.property(fc.integer(), fc.boolean(), (seed, hasOutlier) => {
      const random = new SeededRandom(seed);
      const keys = new KnownKeys();
      keys.learn(ORGANISATION, null);
      const stored: string[] = hasOutlier ? ["zzz"] : [];
      for (let n = 0; n < 40_000; n++) stored.push(String(1_000_000 + n + random.between(0, 50)));
      for (const key of stored) keys.add(ORGANISATION, key);
      for (const key of stored) if (keys.isNew(ORGANISATION, key)) return false;
      // The next keys still need no look-up.
      return keys.isNew(ORGANISATION, "2000000");
    }),
    { numRuns: 5 },
  );
  t.pass("40,000 keys");
});

t.test(
  "known keys - all partitions share one bound in bytes, and one organisation cannot use up the share of others",
  async (t) => {
    const partitions = [new KnownKeys(), new KnownKeys()];
    const bytesOf = () => partitions.reduce((sum, { bytes }) => sum + bytes, 0);
    const bound = 400_000;
    const stored: string[] = [];
    /** In the second half, when keys were forgotten; at the end half of it, or more, may just have been freed. */
    let most = 0;
    for (const keys of partitions) {
      for (const organisation of ["large", "small"]) keys.learn(organisation, null);
      for (let n = 0; n < 100; n++) keys.add("small", String(1000 + n));
    }
    for (let n = 0; n < 20_000; n++) {
      const key = String(1_000_000 + n);
      stored.push(key);
      for (const keys of partitions) keys.add("large", key);
      boundKnownKeys(partitions, bound);
      if (bytesOf() > bound) return t.fail(`${bytesOf()} bytes`);
      if (n >= 10_000) most = Math.max(most, bytesOf());
    }
    t.ok(most > (bound * 3) / 4, "most of it is used");
    for (const keys of partitions) {
      t.notOk(stored.some((key) => keys.isNew("large", key)));
      t.ok(keys.isNew("large", "2000000"));
      t.ok(keys.isNew("small", "10505"), "between two keys, of which none is forgotten");
    }
    boundKnownKeys(partitions, 1);
    t.ok(bytesOf() < 4 * 1024, "nothing but the organisations");
  },
);

t.test(
  "known keys - one organisation too many makes only the one that was used longest ago unknown",
  async (t) => {
    const keys = new KnownKeys();
    const organisations = Array.from({ length: ORGANISATIONS_MAX }, (_, n) => `organisation ${n}`);
    for (const organisation of organisations) {
      keys.learn(organisation, "a");
      keys.add(organisation, "b");
    }
    const full = keys.bytes;
    t.strictSame(keys.unknown(["organisation 0"]), [], "it is in use");
    keys.learn("one more", "a");
    keys.add("one more", "b");
    t.strictSame(keys.unknown(organisations), ["organisation 1"]);
    t.ok(keys.isNew("organisation 0", "c"));
    t.equal(keys.bytes, full, "forgotten keys are not counted");
  },
);
