import { LRUCache } from "lru-cache";
import type { TokenGrant } from "#publisher-db";

/** How many tokens are kept. Beyond that, the one unused longest is dropped, and looked up again when it comes back. */
const MAX_TOKENS = 10_000;

interface Entry {
  readonly grant: TokenGrant;
  /** `performance.now()` from before it was read. */
  readonly readAt: number;
}

/**
 * Grants by secret; the least recently used is dropped first. Only tokens that exist get in, so made-up ones cannot fill it.
 *
 * A look-up that is under way while the cache is emptied may bring back a grant that no longer holds. So its result is kept
 * only if `generation` is still what it was when the look-up began.
 */
export class TokenCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_TOKENS });
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  get(secret: string): Entry | undefined {
    return this.#entries.get(secret);
  }

  put(secret: string, grant: TokenGrant, readAt: number, generation: number): void {
    if (generation === this.#generation) this.#entries.set(secret, { grant, readAt });
  }

  forget(secret: string): void {
    this.#entries.delete(secret);
  }

  clear(): void {
    this.#entries.clear();
    this.#generation++;
  }
}
