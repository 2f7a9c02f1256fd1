import { LRUCache } from "lru-cache";
import type { TokenGrant } from "#publisher-db";

/** Tokens that are in use at the same time; beyond, the one unused longest is asked for again. */
const MAX_TOKENS = 10_000;

interface Entry {
  readonly grant: TokenGrant;
  /** `performance.now()` when it was read. */
  readonly readAt: number;
}

/**
 * Grants by secret, least recently used last to stay. Only tokens that exist get in, so made-up ones cannot fill it.
 *
 * A look-up that is under way while the cache is emptied may bring back what was true before. `generation` tells: its
 * result is kept only if nothing was emptied since it began.
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
