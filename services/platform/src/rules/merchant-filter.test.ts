import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { MerchantFilter } from "./merchant-filter.ts";
import { indexRoutes, normaliseMerchantText } from "./route-transaction.ts";

const filterOf = (merchantIds: readonly string[]) => {
  const value = { merchantIds, statementDescriptors: [] };
  return new MerchantFilter(indexRoutes([{ id: "a", since: 0, value }]));
};
/** Checks a merchant id among other bytes. */
const mayHave = (filter: MerchantFilter, merchantId: string) => {
  const bytes = Buffer.from(`x ${merchantId} x`);
  return filter.mayHave(bytes, 2, bytes.length - 2);
};

t.test("merchant filter - an id of the index, however it is spelled, is never reported missing", async () => {
  const blank = fc.constantFrom("", " ", "\t\n", "\u00a0", "\u2028", "\v\f\r ");
  const letters = fc.string({ unit: fc.constantFrom(..."aZ1ıſéß-ﬀ\u00a0 ") });
  fc.assert(
    fc.property(fc.array(letters), letters, blank, blank, (others, merchantId, before, behind) => {
      const said = before + merchantId + behind;
      for (const spelled of [said, said.toLowerCase(), said.toUpperCase()]) {
        const filter = filterOf([...others, spelled]);
        for (const asked of [said, said.toLowerCase(), said.toUpperCase(), merchantId]) {
          if (normaliseMerchantText(asked) !== normaliseMerchantText(spelled)) continue;
          assert.ok(mayHave(filter, asked), JSON.stringify([spelled, asked]));
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

t.test("merchant filter - nearly all other ids are recognised by their bytes", async (t) => {
  const idOf = (n: number) => `MID-${String(n).padStart(8, "0")}`;
  const filter = filterOf(Array.from({ length: 1_000 }, (_, n) => idOf(n)));
  const others = Array.from({ length: 10_000 }, (_, n) => idOf(1_000 + n));
  const found = others.filter((one) => mayHave(filter, one)).length;
  t.ok(found < others.length / 10, `${found} of ${others.length}`);
  t.notOk(mayHave(filterOf([]), "MID-1"));
});
