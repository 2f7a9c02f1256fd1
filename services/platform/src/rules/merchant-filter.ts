import type { RouteIndex } from "./route-transaction.ts";

/** Bits for each merchant id: one in sixteen unknown ids is looked up in vain. */
const BITS_PER_MERCHANT = 16;
const BITS_MIN = 1024;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Recognises most merchant ids that no retailer has had by their bytes, without making texts: nine of ten records end here. A Bloom
 * filter with one hash, of two bytes for each merchant id of the index.
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
   * False: the index does not have the id in any spelling (`normaliseMerchantText`). True: look it up.
   * @param bytes UTF-8, from `start` to `end`
   */
  mayHave(bytes: Uint8Array, start: number, end: number): boolean {
    let from = start;
    let to = end;
    while (from < to && isBlank(bytes[from] as number)) from++;
    while (from < to && isBlank(bytes[to - 1] as number)) to--;
    let hash = FNV_OFFSET;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      // Beyond ASCII there are blanks, and letters whose capital is ASCII.
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

/** The ASCII blanks that `trim` removes. */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}
