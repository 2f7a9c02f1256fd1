import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { holdsCardNumber } from "./card-number.ts";

/** Published test numbers and made-up ones of the issuer's form: no number here belongs to a card. */
const CARDS = {
  Visa: ["4111111111111111", "4012888888881881", "4242424242424242"],
  "Visa of 13 digits": ["4222222222222"],
  "Visa of 19 digits": ["4000000000000000006"],
  Mastercard: ["5555555555554444", "5105105105105100", "5454545454545454"],
  "Mastercard, 2-series": ["2223003122003222", "2221000000000009", "2720000000000005"],
  "American Express": ["378282246310005", "371449635398431", "341111111111111"],
  "Diners Club": ["30569309025904", "38520000023237", "36227206271667", "30950000000000"],
  JCB: ["3530111333300000", "3566002020360505"],
  Discover: ["6011111111111117", "6011000990139424", "6445644564456445", "6500000000000002"],
  UnionPay: ["6200000000000005", "6200000000000000000"],
  Maestro: ["6759649826438453", "6304000000000000", "501800000009", "6763000000000000007"],
  "Maestro, 56 to 58": ["5612345678901236", "560000000005", "5799999999999999999", "5868000000005"].map(
    valid,
  ),
  Dankort: ["5019717010103742", valid("5019000000000000")],
  Verve: [
    "5060990580000217499",
    "506198000000000000",
    "5078650000000000",
    "507964000000000000",
    "6500020000000000",
  ].map(valid),
  Troy: ["9792000000000001", "9792990000000008"].map(valid),
  Mir: ["2200000000000004"],
  RuPay: ["6073849700004947", "5080000000000002"],
};

for (const [issuer, numbers] of Object.entries(CARDS)) {
  t.test(`card number - ${issuer} is found`, async (t) => {
    for (const number of numbers) {
      t.ok(passesLuhn(number), `${number} is a valid test number`);
      t.ok(holdsCardNumber(number), number);
      t.ok(holdsCardNumber(`PAID WITH ${number}, THANKS`), `${number} in a sentence`);
    }
  });
}

t.test("card number - separators do not hide it", async (t) => {
  for (const text of [
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111.1111.1111.1111",
    "4111_1111_1111_1111",
    "4111 - 1111 - 1111 - 1111",
    "4111\u00a01111\u20111111\u20131111",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "41111111 11111111",
    "3782-822463-10005",
    "(4111)(1111)(1111)(1111)",
    "4111/1111,1111;1111",
  ]) {
    t.ok(holdsCardNumber(text), text);
  }
});

t.test("card number - full-width digits, and those of any other script, are digits", async (t) => {
  const NUMBER = "4111 1111-1111.1111";
  for (const [script, zero] of Object.entries({
    "full-width": 0xff10,
    "Arabic-Indic": 0x0660,
    "Extended Arabic-Indic": 0x06f0,
    Devanagari: 0x0966,
    Thai: 0x0e50,
    "mathematical bold": 0x1d7ce,
    "mathematical monospace": 0x1d7f6,
    segmented: 0x1fbf0,
  })) {
    const written = NUMBER.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
    t.ok(holdsCardNumber(written), `${script}: ${written}`);
    t.ok(holdsCardNumber(`4111 1111${written.slice(written.indexOf("-"))}`), `half ${script}: ${written}`);
    t.notOk(holdsCardNumber(written.replace(/.$/u, String.fromCodePoint(zero + 2))), `wrong check digit`);
  }
  t.ok(holdsCardNumber("４１１１　１１１１　１１１１　１１１１"), "ideographic spaces");
  t.ok(holdsCardNumber("５０１９－７１７０－１０１０－３７４２"), "full-width hyphens");
  t.ok(holdsCardNumber("⁴¹¹¹¹¹¹¹¹¹¹¹¹¹¹¹"), "raised");
  t.ok(holdsCardNumber("④①①①①①①①①①①①①①①①"), "circled");
  t.notOk(holdsCardNumber("カフェ東京　０３－１２３４－５６７８"), "a telephone number");
  t.notOk(holdsCardNumber("①②③④⑤⑥⑦⑧⑨⑩ CAFÉ ½"), "a list");
});

t.test("card number - text before or after does not hide it", async (t) => {
  for (const text of [
    "4711 4111111111111111",
    "REF 12 4111-1111-1111-1111",
    "2026-01-31 4111 1111 1111 1111",
    "4111 1111 1111 1111 12/29 123",
    "CARD4111111111111111EXP",
    "x4111111111111111",
    "00 00 4111 1111 1111 1111 00",
    "4111 1111 1111 1112, 4111 1111 1111 1111",
    "é4111111111111111é",
  ]) {
    t.ok(holdsCardNumber(text), text);
  }
});

t.test("card number - a wrong check digit is none", async (t) => {
  for (const number of Object.values(CARDS).flat()) {
    const last = Number(number.at(-1));
    for (let step = 1; step < 10; step++) {
      const wrong = `${number.slice(0, -1)}${(last + step) % 10}`;
      t.notOk(holdsCardNumber(wrong), wrong);
    }
  }
});

t.test("card number - a length that the issuer does not use is none", async (t) => {
  for (const number of [
    withCheckDigit("41111111111111"), // 15 digits
    withCheckDigit("4111111111111111"), // 17
    withCheckDigit("555555555555444"), // 16, the right length
    withCheckDigit("55555555555544441"), // 18
    withCheckDigit("3782822463100056"), // 17
  ]) {
    t.equal(holdsCardNumber(number), number.length === 16, number);
  }
  t.notOk(holdsCardNumber(withCheckDigit("4111111111111111111")), "20 digits");
  t.notOk(holdsCardNumber(withCheckDigit("41111111111")), "12 digits");
});

t.test("card number - the edges of the issuers' ranges are exact", async (t) => {
  const edges: Array<[prefix: string, known: boolean]> = [
    ["2220", false],
    ["2221", true],
    ["2720", true],
    ["2721", false],
    ["50", false],
    ["51", true],
    ["55", true],
    ["56", true],
    ["58", true],
    ["59", false],
    ["5019", true],
    ["5021", false],
    ["506098", false],
    ["506099", true],
    ["506198", true],
    ["506199", false],
    ["507864", false],
    ["507865", true],
    ["507964", true],
    ["507965", false],
    ["9791", false],
    ["9792", true],
    ["9793", false],
    ["3527", false],
    ["3528", true],
    ["3589", true],
    ["3590", false],
    ["643", false],
    ["644", true],
    ["659", true],
    ["2199", false],
    ["2200", true],
    ["2204", true],
    ["2205", false],
    ["1", false],
    ["7", false],
    ["80", false],
    ["81", true],
    ["83", false],
    ["9", false],
  ];
  for (const [prefix, known] of edges) {
    const number = withCheckDigit(prefix.padEnd(15, "0"));
    t.equal(holdsCardNumber(number), known, number);
  }
});

t.test("card number - ordinary descriptors and codes are not refused", async (t) => {
  for (const text of [
    "",
    "AUTH123",
    "000000",
    "A1B2C3",
    "COFFEE HOUSE STOCKHOLM",
    "AMZN Mktp DE*2K4AB1QX5",
    "PAYPAL *SPOTIFY 35314369001",
    "UBER *TRIP HELP.UBER.COM",
    "SQ *BAKERY 08-1234567",
    "TEL +46 8 123 456 78",
    "INVOICE 2026-01-31 000123",
    "000123456789012",
    "REF 100000000000000000",
    "20260131093000123456",
    "1767225600000",
    "0196f2a4-5b6c-7d8e-9fa0-b1c2d3e4f506",
    "9876543210987654",
    "1111111111111111",
    "SEPA DE89 3704 0044 0532 0130 00",
  ]) {
    t.notOk(holdsCardNumber(text), text);
  }
});

t.test(
  "card number - digits that letters, or more than three other characters, part do not count as one",
  async (t) => {
    t.notOk(holdsCardNumber("4111a1111b1111c1111"));
    t.notOk(holdsCardNumber("4111    1111    1111    1111"));
    t.notOk(holdsCardNumber("99994111111111111111"), "a longer number that merely ends like one");
  },
);

const visas = fc.stringMatching(/^[0-9]{14}$/).map((digits) => withCheckDigit(`4${digits}`));

t.test("card number - any Visa number is found, with any grouping and any text around it", async () => {
  const groupings = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 16, maxLength: 16 });
  const separators = fc.constantFrom(" ", "-", ".", " - ", "/", "\u00a0");
  const words = fc.constantFrom("", "CARD ", "REF 4711 ", "2026-01-31 ");
  fc.assert(
    fc.property(visas, groupings, separators, words, (number, sizes, separator, word) => {
      let rest = number;
      const groups: string[] = [];
      for (const size of sizes) {
        if (rest === "") break;
        groups.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      const text = `${word}${groups.join(separator)}`;
      assert.ok(holdsCardNumber(text), text);
    }),
    { numRuns: 300 },
  );
});

t.test("card number - text without twelve digits holds none", async () => {
  const texts = fc
    .string({ maxLength: 128, unit: "binary" })
    .filter((text) => (text.normalize("NFKC").match(/\p{Nd}/gu) ?? []).length < 12);
  fc.assert(
    fc.property(texts, (text) => {
      assert.ok(!holdsCardNumber(text));
    }),
    { numRuns: 200 },
  );
});

/** The test's own Luhn: a table of the doubled digits' sums, from the left. */
function luhnSum(digits: string): number {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  return [...digits].reduce((sum, digit, i) => {
    const isDoubled = (digits.length - i) % 2 === 0;
    return sum + (isDoubled ? (doubled[Number(digit)] as number) : Number(digit));
  }, 0);
}

function passesLuhn(digits: string): boolean {
  return luhnSum(digits) % 10 === 0;
}

function withCheckDigit(digits: string): string {
  return `${digits}${(10 - (luhnSum(`${digits}0`) % 10)) % 10}`;
}

/** The number with its check digit appended. */
function valid(number: string): string {
  return withCheckDigit(number.slice(0, -1));
}
