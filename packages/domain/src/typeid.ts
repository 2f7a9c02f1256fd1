/**
 * Record ids are TypeIDs (jetify/typeid 0.3): `<prefix>_` and a UUID in 26 characters of Crockford's base32, lower
 * case. The database keeps the UUID; the prefix says which table it belongs to and is checked at the door, so an id
 * of the wrong kind is unknown before any look-up.
 */
export const ID_PREFIXES = [
  "org",
  "atok",
  "mb",
  "m",
  "lp",
  "sc",
  "deal",
  "clip",
  "tx",
  "qp",
  "red",
  "cb",
  "evt",
  "whk",
  "dlv",
  "batch",
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH = 26;
const HEX = "0123456789abcdef";
/** Character code → 5-bit value; 255 for characters outside the alphabet (upper case is not accepted). */
const DECODE = new Uint8Array(128).fill(255);
for (let value = 0; value < ALPHABET.length; value++) DECODE[ALPHABET.charCodeAt(value)] = value;

/** `uuid` is the canonical lower-case text with dashes. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  let bits = 0;
  let held = 2; // 26 × 5 = 130 bits: two leading zero bits stand before the 128 of the UUID.
  let suffix = "";
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === 45) continue;
    bits = (bits << 4) | (code <= 57 ? code - 48 : code - 87);
    held += 4;
    if (held >= 5) {
      held -= 5;
      suffix += ALPHABET[bits >>> held];
      bits &= (1 << held) - 1;
    }
  }
  return `${prefix}_${suffix}`;
}

/** The UUID of a well-formed id with this prefix, else undefined: such an id is unknown, whatever its form. */
export function decodeId(prefix: IdPrefix, id: string): string | undefined {
  const start = prefix.length + 1;
  if (id.length !== start + SUFFIX_LENGTH || id.charCodeAt(prefix.length) !== 95 || !id.startsWith(prefix)) {
    return undefined;
  }
  let bits = 0;
  let held = -2;
  let uuid = "";
  for (let i = start; i < id.length; i++) {
    const code = id.charCodeAt(i);
    const value = code < 128 ? (DECODE[code] as number) : 255;
    // The first character holds the two zero bits and three of the UUID: above 7 the number has 129 bits or more.
    if (value === 255 || (i === start && value > 7)) return undefined;
    bits = (bits << 5) | value;
    held += 5;
    while (held >= 4) {
      held -= 4;
      uuid += HEX[(bits >>> held) & 15];
      if (uuid.length === 8 || uuid.length === 13 || uuid.length === 18 || uuid.length === 23) uuid += "-";
    }
    bits &= (1 << Math.max(held, 0)) - 1;
  }
  return uuid;
}
