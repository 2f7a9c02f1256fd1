import fc from "fast-check";
import t from "tap";
import { type AmountFormat, PLAIN_AMOUNTS, scaleOf, toMinorUnits } from "./amount.ts";

const units = fc.maxSafeInteger();
const scales = fc.integer({ min: 0, max: 8 });
const MAX = Number.MAX_SAFE_INTEGER;

/** 1250 with scale 2 is `12.50`. */
function write(
  value: number,
  scale: number,
  { decimal, group }: Pick<AmountFormat, "decimal" | "group">,
): string {
  const digits = String(Math.abs(value)).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const grouped = group === undefined ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group);
  const sign = value < 0 ? "-" : "";
  return scale === 0 ? sign + grouped : `${sign}${grouped}${decimal}${digits.slice(-scale)}`;
}

t.test("amounts - text with decimals is the same number of minor units, to the last one", async () => {
  fc.assert(
    fc.property(units, scales, (value, scale) => {
      return toMinorUnits(write(value, scale, PLAIN_AMOUNTS), scale, PLAIN_AMOUNTS) === value;
    }),
  );
});

t.test("amounts - groups of digits and a decimal comma change nothing", async () => {
  const formats = fc.constantFrom<AmountFormat>(
    { scale: 0, decimal: ",", group: "." },
    { scale: 0, decimal: ".", group: "," },
    { scale: 0, decimal: ",", group: " " },
    { scale: 0, decimal: ",", group: undefined },
  );
  fc.assert(
    fc.property(units, scales, formats, (value, scale, format) => {
      return toMinorUnits(write(value, scale, format), scale, format) === value;
    }),
  );
});

t.test("amounts - a JSON number is exact or refused, never rounded", async (t) => {
  fc.assert(
    fc.property(units, scales, (value, scale) => {
      // The result of JSON.parse; from 16 digits on it may be another number.
      const parsed = Number(write(value, scale, PLAIN_AMOUNTS));
      try {
        return toMinorUnits(parsed, scale, PLAIN_AMOUNTS) === value;
      } catch {
        return Math.abs(value) >= 1e15 || String(parsed).includes("e");
      }
    }),
    { numRuns: 1000 },
  );
  // 16 digits: the double is another number of cents.
  t.throws(() => toMinorUnits(90071992547409.91, 2, PLAIN_AMOUNTS), {
    message: /not exact: write it as text/,
  });
  t.equal(toMinorUnits("90071992547409.91", 2, PLAIN_AMOUNTS), MAX);
  // 0.7999999999999999
  t.throws(() => toMinorUnits(0.1 + 0.7, 1, PLAIN_AMOUNTS), { message: "has more than 1 decimal place" });
});

t.test("amounts - zeros below the minor unit are ignored, other digits are refused", async (t) => {
  t.equal(toMinorUnits("12.500", 2, PLAIN_AMOUNTS), 1250);
  t.equal(toMinorUnits("1250.00", 0, PLAIN_AMOUNTS), 1250);
  t.throws(() => toMinorUnits("12.505", 2, PLAIN_AMOUNTS), { message: "has more than 2 decimal places" });
  t.throws(() => toMinorUnits("12.50", 0, PLAIN_AMOUNTS), {
    message: /^has decimals: amount.scale of the map/,
  });
});

t.test("amounts - a text that is no amount, or too large an amount, is refused", async (t) => {
  for (const text of ["", "-", "1e3", "12,50", "12.", ".5", "0x10", "1 000", "€5", "NaN", "١٢"]) {
    t.throws(() => toMinorUnits(text, 2, PLAIN_AMOUNTS), { message: "is no amount" }, JSON.stringify(text));
  }
  t.throws(() => toMinorUnits("90071992547409.92", 2, PLAIN_AMOUNTS), { message: /more than 2\^53-1/ });
  t.throws(() => toMinorUnits(1e21, 2, PLAIN_AMOUNTS), { message: "is no amount" });
  t.throws(() => toMinorUnits(true, 2, PLAIN_AMOUNTS), { message: /must be a number/ });
});

t.test("amounts - groups of other than three digits are a mistake of the map", async (t) => {
  const format: AmountFormat = { scale: 2, decimal: ".", group: "," };
  t.throws(() => toMinorUnits("12,50", 2, format), { message: /groups of digits that are not of three/ });
  t.throws(() => toMinorUnits("1.250", 2, { ...format, decimal: ",", group: undefined }), {
    message: /has a point/,
  });
});

t.test("amounts - if the map names several currencies, each has its own scale", async (t) => {
  const format: AmountFormat = { ...PLAIN_AMOUNTS, scale: { EUR: 2, JPY: 0 } };
  t.equal(scaleOf(format, "EUR"), 2);
  t.equal(scaleOf(format, "JPY"), 0);
  for (const currency of ["USD", undefined, "toString"]) {
    t.throws(() => scaleOf(format, currency), { message: /^has no scale/ });
  }
});
