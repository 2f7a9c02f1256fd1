import type { RouteIndex } from "./route-transaction.ts";

/** Bits for each merchant id: one in sixteen of the unknown ones is looked up in vain. */
const BITS_PER_MERCHANT = 16;
const BITS_MIN = 1024;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Tells most merchant ids that no retailer has had by their bytes, where they lie: nine of ten records end here, and no text is made
 * of them. It has two bytes for each merchant id of the index (a Bloom filter with one hash).
 */
export class MerchantFilter {
  readonly #bits: Uint32Array;
  readonly #mask: number;

  constructor(routes: RouteIndex) {
    let bits = BITS_MIN;
    while (bits < routes.size * BITS_PER_MERCHANT) bits *= 2;
    this.#bits = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
    for (const merchantId of routes.keys()) {
      let hash = FNV_OFFSET;
      for (let i = 0; i < merchantId.length; i++) hash = add(hash, merchantId.charCodeAt(i));
      const bit = this.#bitOf(hash);
      (this.#bits[bit >>> 5] as number) |= 1 << (bit & 31);
    }
  }

  /**
   * False: the index does not have it, however it is spelled (`normaliseMerchantText`). True: look it up.
   * @param bytes in UTF-8, from one place to another
   */
  mayHave(bytes: Uint8Array, start: number, end: number): boolean {
    let from = start;
    let to = end;
    while (from < to && isBlank(bytes[from] as number)) from++;
    while (from < to && isBlank(bytes[to - 1] as number)) to--;
    let hash = FNV_OFFSET;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      // What is not ASCII may be a blank, or a letter whose capital is ASCII.
      if (byte > 127) return true;
      hash = add(hash, byte >= LOWER_A && byte <= LOWER_Z ? byte - 32 : byte);
    }
    const bit = this.#bitOf(hash);
    return ((this.#bits[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
  }

  /** The lower bits of the product depend on the lower bits of the characters alone, so the higher ones are mixed in. */
  #bitOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}

const LOWER_A = 97;
const LOWER_Z = 122;

function add(hash: number, code: number): number {
  return Math.imul(hash ^ code, FNV_PRIME);
}

/** Those blanks that `trim` takes away and that are ASCII. */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}
