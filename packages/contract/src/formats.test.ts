import t from "tap";
import { FORMATS } from "./formats.ts";

/**
 * Accepted and refused examples for each format; the finer points of dates, currencies and cards are tested
 * in `#domain`.
 */
const EXAMPLES: Readonly<Record<keyof typeof FORMATS, { yes: readonly string[]; no: readonly string[] }>> = {
  timestamp: { yes: ["2026-01-31T09:30:00.5+02:00"], no: ["", "2026-01-31", "2026-02-30T09:30:00Z"] },
  currency: { yes: ["EUR"], no: ["", "eur", "DEM", "XXX"] },
  printable: {
    yes: ["", " ", "Kafé №1", "\u{1f6d2}", "\u00a0", "\u200b", "e\u0301"],
    no: ["\u0000", "a\tb", "a\nb", "\u001b[2J", "\u007f", "\u0085", "\u2028", "\u2029", "\ud800", "\udc00x"],
  },
  storable: {
    yes: ["", "a\tb\r\nc", "\u007f", "\u2028", "\u{1f6d2}"],
    no: ["\u0000", "a\u0000b", "\ud83d", "x\udc00"],
  },
  "webhook-secret": {
    yes: [
      `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
      `whsec_${Buffer.alloc(64, 255).toString("base64")}`,
    ],
    no: [
      "",
      "whsec_",
      Buffer.alloc(24).toString("base64"),
      `whsec_${Buffer.alloc(23).toString("base64")}`,
      `whsec_${Buffer.alloc(65).toString("base64")}`,
      `whsec_${Buffer.alloc(25, 255).toString("base64url")}`,
      `WHSEC_${Buffer.alloc(24).toString("base64")}`,
      `whsec_${Buffer.alloc(25).toString("base64").replace("=", "")}`,
    ],
  },
  "card-free": {
    yes: ["", "AUTH123", "4111111111111112", "000123456789012"],
    no: ["4111 1111 1111 1111", "378282246310005", "a\nb", "\ud800"],
  },
};

/** Line separators in the name of a test would break the TAP. */
const show = (text: string) => encodeURI(text.toWellFormed());

for (const [name, { yes, no }] of Object.entries(EXAMPLES) as [
  keyof typeof FORMATS,
  (typeof EXAMPLES)["currency"],
][]) {
  t.test(`formats - ${name} takes exactly the right texts`, async (t) => {
    for (const text of yes) t.equal(FORMATS[name].test(text), true, show(text));
    for (const text of no) t.equal(FORMATS[name].test(text), false, show(text));
  });
}

t.test("formats - the wording of each completes a sentence", async (t) => {
  t.strictSame(Object.keys(FORMATS).sort(), Object.keys(EXAMPLES).sort());
  for (const { message } of Object.values(FORMATS)) t.match(message, /^must .*[^.]$/);
});
