import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { microsecondsOf, type StoredTransaction } from "#domain";
import { authedAtOf, packRows, rowAt } from "./row-codec.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const timestamp = fc
  .record({
    at: fc.date({ min: new Date("1990-01-01"), max: new Date("2100-12-31"), noInvalidDate: true }),
    micros: fc.nat({ max: 999 }),
  })
  .map(({ at, micros }) => at.toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`));
const hash = fc.stringMatching(/^[0-9a-f]{64}$/);

const row: fc.Arbitrary<StoredTransaction> = fc.record({
  id: fc.uuid(),
  organisationId: fc.uuid(),
  memberId: orNull(fc.uuid()),
  externalId: text,
  state: fc.constantFrom("authorized", "cleared", "reverted"),
  network: text,
  merchantId: text,
  statementDescriptor: orNull(text),
  amount: orNull(fc.maxSafeNat()),
  currency: orNull(fc.constant("EUR")),
  authedAt: timestamp,
  clearedAt: orNull(timestamp),
  revertedAt: orNull(timestamp),
  identifier6: hash,
  identifier8: orNull(hash),
  firstDescriptor: orNull(text),
});

t.test("row codec - a row is read back unchanged, and its authorization time separately", async (t) => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const packed = packRows(rows);
      return rows.every(
        (one, at) =>
          isDeepStrictEqual(rowAt(packed, at), { ...one }) &&
          authedAtOf(packed, at) === microsecondsOf(one.authedAt),
      );
    }),
  );
  t.pass("with any fields null before it");
});
