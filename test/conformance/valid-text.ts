import type { SeededRandom } from "#domain";
import type { JsonSchema } from "./json-schema.ts";

/** Characters of several planes that trip escaping, sorting and normalising; none is a control character. */
const LETTERS = [
  ..."abcXYZ019 -_./\\\"'%&<>{}[]~$;:,?",
  ..."äßéİıſﬁ汉字あ",
  "e\u0301",
  "\u200d",
  "\ufeff",
  "😀",
  "𐍈",
];
const PLAIN = [..."abcdefghijklmnopqrstuvwxyz"];
const STORABLE = [...LETTERS, "\n", "\t", "\u007f", "\u2028"];
/** If the schema says nothing, any text will do: an id of any form is unknown, not malformed. */
const WILD = [...STORABLE, "\u0000", "\ud800"];

export const plainText: readonly string[] = PLAIN;
export const printableText: readonly string[] = LETTERS;
export const wildText: readonly string[] = WILD;

/** `length` in code points, as JSON Schema counts. */
export function textOfLength(
  random: SeededRandom,
  length: number,
  alphabet: readonly string[] = plainText,
): string {
  let text = "";
  let left = length;
  while (left > 0) {
    const piece = random.pick(alphabet);
    if ([...piece].length > left) continue;
    text += piece;
    left -= [...piece].length;
  }
  return text;
}

const BY_FORMAT: Readonly<Record<string, (random: SeededRandom, length: number) => string>> = {
  timestamp,
  "date-time": timestamp,
  currency: (random) => random.pick(["EUR", "USD", "JPY", "CHF", "KWD"]),
  printable: (random, length) => textOfLength(random, length, printableText),
  storable: (random, length) => textOfLength(random, length, STORABLE),
  "card-free": (random, length) => textOfLength(random, length, plainText),
  "webhook-secret": (random) => {
    const bytes = Uint8Array.from({ length: random.between(24, 64) }, () => random.between(0, 255));
    return `whsec_${Buffer.from(bytes).toString("base64")}`;
  },
};

/**
 * Throws for a format without a generator: a new format needs one here, or no case would ever try its fields.
 */
export function textOfFormat(schema: JsonSchema, random: SeededRandom): string {
  const generate = BY_FORMAT[schema.format as string];
  if (generate === undefined) throw new Error(`no generator for the format ${schema.format}`);
  const { minLength = 0, maxLength = 40 } = schema;
  const length = random.chance(0.05)
    ? random.pick([minLength, Math.min(maxLength, 300)])
    : random.between(minLength, Math.min(maxLength, minLength + 12));
  return generate(random, length);
}

/** Every form that RFC 3339 has: fractions, offsets, lower case, the leap second. */
function timestamp(random: SeededRandom): string {
  if (random.chance(0.03)) return random.pick(["2016-12-31T23:59:60Z", "2017-01-01T05:29:60.5+05:30"]);
  const two = (least: number, most: number) => String(random.between(least, most)).padStart(2, "0");
  const fraction = random.chance(0.4) ? `.${"123456789".slice(0, random.between(1, 9))}` : "";
  const zone = random.pick([
    "Z",
    "Z",
    "z",
    "+02:00",
    "-00:00",
    `${random.pick(["+", "-"])}${two(0, 23)}:${two(0, 59)}`,
  ]);
  const t = random.chance(0.1) ? "t" : "T";
  const year = random.chance(0.1) ? random.pick(["2000", "2100"]) : `20${two(1, 99)}`;
  return `${year}-${two(1, 12)}-${two(1, 28)}${t}${two(0, 23)}:${two(0, 59)}:${two(0, 59)}${fraction}${zone}`;
}
