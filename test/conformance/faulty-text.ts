import type { JsonSchema } from "./json-schema.ts";

const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  timestamp: [
    "2026-02-30T00:00:00Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "1999-12-31T23:59:59Z",
    "2101-01-01T00:00:00Z",
    "2026-01-01T00:00:00.1234567890Z",
    "2026-01-01T12:00:60Z",
    "2026-01-01",
    "٢٠٢٦-01-01T00:00:00Z",
  ],
  currency: ["eur", "EURO", "XXQ", "EU", "DEM", "EUR\u0000"],
  printable: ["a\u0000", "a\nb", "\u007f", "\u0085", "\u2028", "\ud800", "\udc00\ud800"],
  storable: ["\u0000", "a\u0000b", "\ud83d", "\ude00a"],
  "card-free": ["4111 1111 1111 1111", "x5500-0000-0000-0004", "a\u0000", "\ud800"],
  "webhook-secret": ["", "whsec_", "whsec_AAAA", "secret", `whsec_${"A".repeat(200)}`, "whsec_\u0000"],
};

/** Texts that break one rule of a string schema, each with its name. */
export function faultyTexts(schema: JsonSchema): Array<readonly [what: string, text: string]> {
  const { format = "", minLength = 0, maxLength, pattern } = schema;
  const texts: Array<readonly [string, string]> = (BY_FORMAT[format] ?? []).map((text) => [
    `not ${format}: ${JSON.stringify(text)}`,
    text,
  ]);
  if (minLength > 0) texts.push(["too short", ""]);
  if (maxLength !== undefined) {
    texts.push(["too long", "a".repeat(maxLength + 1)]);
    texts.push(["too long, in code points", "😀".repeat(maxLength + 1)]);
  }
  if (pattern !== undefined)
    texts.push(["not of the pattern", "\u0000"], ["pattern, then a newline", "411111\n"]);
  if (schema.enum !== undefined)
    texts.push(["not in the list", "no-such"], ["a name of Object", "__proto__"]);
  return texts;
}
