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
  readonly #entries = new Map<string, Entry>();
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  get(secret: string): Entry | undefined {
    const entry = this.#entries.get(secret);
    if (entry === undefined) return undefined;
    // A Map keeps insertion order: what is used moves to the end.
    this.#entries.delete(secret);
    this.#entries.set(secret, entry);
    return entry;
  }

  put(secret: string, grant: TokenGrant, readAt: number, generation: number): void {
    if (generation !== this.#generation) return;
    this.#entries.delete(secret);
    this.#entries.set(secret, { grant, readAt });
    if (this.#entries.size <= MAX_TOKENS) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as string);
  }

  forget(secret: string): void {
    this.#entries.delete(secret);
  }

  clear(): void {
    this.#entries.clear();
    this.#generation++;
  }
}
