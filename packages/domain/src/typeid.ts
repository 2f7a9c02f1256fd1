/**
 * Record ids are TypeIDs (jetify/typeid 0.3): `<prefix>_` and a UUID in 26 characters of Crockford's base32,
 * lower case. The database keeps the UUID; the prefix says which table it belongs to and is checked at the
 * door, so an id of the wrong kind is unknown before any look-up.
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
  // Of the reference platform.
  "ret",
  "out",
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH = 26;
/** Character code → 5-bit value; 255 for characters outside the alphabet (upper case is not accepted). */
const VALUES = new Uint8Array(128).fill(255);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/**
 * Tables for two characters (ten bits) and for two hex digits (a byte), because every event has an id to read
 * and one to write.
 */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const TWO_TO_20 = 2 ** 20;

/*
 * 26 characters hold 130 bits: two zero bits, then the 128 of the UUID. So the first two characters are its
 * first byte, and the others are three groups of eight characters for five bytes each.
 */

/** `uuid` is the canonical lower-case text with dashes. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);
  const first = PAIRS[Number.parseInt(hex.slice(0, 2), 16)];
  return `${prefix}_${first}${encodeFive(hex, 2)}${encodeFive(hex, 12)}${encodeFive(hex, 22)}`;
}

function encodeFive(hex: string, at: number): string {
  const bits = Number.parseInt(hex.slice(at, at + 10), 16);
  const high = Math.floor(bits / TWO_TO_20);
  const low = bits % TWO_TO_20;
  return `${PAIRS[high >> 10]}${PAIRS[high & 1023]}${PAIRS[low >> 10]}${PAIRS[low & 1023]}`;
}

/**
 * The UUID of a well-formed id with this prefix, else undefined: such an id is unknown, whatever its form.
 */
export function decodeId(prefix: IdPrefix, id: string): string | undefined {
  const start = prefix.length + 1;
  if (id.length !== start + SUFFIX_LENGTH || id.charCodeAt(prefix.length) !== 95 || !id.startsWith(prefix)) {
    return undefined;
  }
  const high = valueAt(id, start);
  const low = valueAt(id, start + 1);
  // Above 7 the number has more than 128 bits; a character outside the alphabet is above 31.
  if (high > 7 || low > 31) return undefined;
  const first = (high << 5) | low;
  const a = decodeFive(id, start + 2);
  const b = decodeFive(id, start + 10);
  const c = decodeFive(id, start + 18);
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const hex = HEX[first] + a + b + c;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function decodeFive(id: string, at: number): string | undefined {
  const high = decodeFour(id, at);
  const low = decodeFour(id, at + 4);
  if (high >= TWO_TO_20 || low >= TWO_TO_20) return undefined;
  const middle = HEX[((high & 15) << 4) | (low >> 16)];
  return `${HEX[high >> 12]}${HEX[(high >> 4) & 255]}${middle}${HEX[(low >> 8) & 255]}${HEX[low & 255]}`;
}

/** Twenty bits; more if a character is outside the alphabet. */
function decodeFour(id: string, at: number): number {
  const a = valueAt(id, at);
  const b = valueAt(id, at + 1);
  const c = valueAt(id, at + 2);
  const d = valueAt(id, at + 3);
  if ((a | b | c | d) > 31) return TWO_TO_20;
  return (a << 15) | (b << 10) | (c << 5) | d;
}

function valueAt(id: string, at: number): number {
  const code = id.charCodeAt(at);
  return code < 128 ? (VALUES[code] as number) : 255;
}
