/** Seeded numbers: the same everywhere, for every subject, in the generator and in the verification. */

/** A 32-bit hash of two numbers (murmur3's finaliser over both): equal inputs, equal outputs, nothing remembered. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Four hex digits of every 16-bit number: formatting them one by one was a third of the time to make a workload. */
const HEX4 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, "0"));

function hex4(value: number): string {
  return HEX4[value & 0xffff] as string;
}

/**
 * A UUIDv7 of that time whose random bits come from the seed and the number.
 * @param number below 2^32
 */
export function seededUuid(ms: number, seed: number, number: number): string {
  const high = Math.floor(ms / 65_536);
  const a = mix(seed, number);
  const first = 0x7000 | (a & 0xfff);
  const second = 0x8000 | ((a >>> 12) & 0x3fff);
  // The number ends the id: so two ids of one millisecond always differ.
  const rest = hex4(mix(seed + 1, number)) + hex4(number >>> 16) + hex4(number);
  return `${hex4(high >>> 16)}${hex4(high)}-${hex4(ms % 65_536)}-${hex4(first)}-${hex4(second)}-${rest}`;
}
