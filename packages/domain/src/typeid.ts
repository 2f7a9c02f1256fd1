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

/** The positions of the digits of the three groups in a UUID with dashes. */
const GROUPS = [
  [2, 3, 4, 5, 6, 7, 9, 10, 11, 12],
  [14, 15, 16, 17, 19, 20, 21, 22, 24, 25],
  [26, 27, 28, 29, 30, 31, 32, 33, 34, 35],
] as const;
type Group = (typeof GROUPS)[number];
/** Character code → the value of a hex digit. */
const DIGITS = new Uint8Array(128);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;

/** `uuid` is the canonical lower-case text with dashes. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  const first = PAIRS[(digitAt(uuid, 0) << 4) | digitAt(uuid, 1)];
  const [a, b, c] = GROUPS;
  return `${prefix}_${first}${encodeFive(uuid, a)}${encodeFive(uuid, b)}${encodeFive(uuid, c)}`;
}

/** Ten digits of four bits, as four pairs of characters of ten bits. */
function encodeFive(uuid: string, [a, b, c, d, e, f, g, h, i, j]: Group): string {
  const third = digitAt(uuid, c);
  const eighth = digitAt(uuid, h);
  const one = PAIRS[(digitAt(uuid, a) << 6) | (digitAt(uuid, b) << 2) | (third >> 2)];
  const two = PAIRS[((third & 3) << 8) | (digitAt(uuid, d) << 4) | digitAt(uuid, e)];
  const three = PAIRS[(digitAt(uuid, f) << 6) | (digitAt(uuid, g) << 2) | (eighth >> 2)];
  const four = PAIRS[((eighth & 3) << 8) | (digitAt(uuid, i) << 4) | digitAt(uuid, j)];
  return `${one}${two}${three}${four}`;
}

function digitAt(uuid: string, at: number): number {
  return DIGITS[uuid.charCodeAt(at)] as number;
}

const decoded = new Uint8Array(16);

/**
 * The UUID of a well-formed id with this prefix, else undefined: such an id is unknown, whatever its form.
 */
export function decodeId(prefix: IdPrefix, id: string): string | undefined {
  if (!decodeIdInto(prefix, id, decoded, 0)) return undefined;
  let hex = "";
  for (const byte of decoded) hex += HEX[byte];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Writes the sixteen bytes of the UUID of an id. Every event names its member by one, and its text is not
 * needed.
 * @returns false if `decodeId` refuses it; the bytes written then mean nothing
 */
export function decodeIdInto(prefix: IdPrefix, id: string, bytes: Uint8Array, at: number): boolean {
  const start = prefix.length + 1;
  if (id.length !== start + SUFFIX_LENGTH || id.charCodeAt(prefix.length) !== 95 || !id.startsWith(prefix)) {
    return false;
  }
  const high = valueAt(id, start);
  const low = valueAt(id, start + 1);
  // Above 7 the number has more than 128 bits; a character outside the alphabet is above 31.
  if (high > 7 || low > 31) return false;
  bytes[at] = (high << 5) | low;
  return (
    decodeFive(id, start + 2, bytes, at + 1) &&
    decodeFive(id, start + 10, bytes, at + 6) &&
    decodeFive(id, start + 18, bytes, at + 11)
  );
}

/** Eight characters as five bytes; false if one of them is outside the alphabet. */
function decodeFive(id: string, from: number, bytes: Uint8Array, to: number): boolean {
  const high = decodeFour(id, from);
  const low = decodeFour(id, from + 4);
  if (high >= TWO_TO_20 || low >= TWO_TO_20) return false;
  bytes[to] = high >> 12;
  bytes[to + 1] = high >> 4;
  bytes[to + 2] = (high << 4) | (low >> 16);
  bytes[to + 3] = low >> 8;
  bytes[to + 4] = low;
  return true;
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
