import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** The addresses of a name. Rejects with the resolver's error. */
export type Resolve = (host: string) => Promise<ReadonlyArray<{ address: string; family: number }>>;

interface Found {
  readonly urls: readonly string[];
  /** Names without an address now, and the reasons. */
  readonly unresolved: ReadonlyArray<{ readonly url: string; readonly reason: string }>;
}

/** How soon names are looked up again: a new process is seen within this time. */
const FRESH_MS = 10_000;

const resolveAll: Resolve = (host) => lookup(host, { all: true });

/**
 * The processes to ask. A name stands for all its addresses, each a process: a headless service in
 * Kubernetes, a service of Compose. A process with addresses of both families is asked at the older one.
 */
export class Targets {
  readonly #settings: readonly string[];
  readonly #resolve: Resolve;
  /** The result of each setting when its name last had addresses. */
  readonly #known = new Map<string, readonly string[]>();
  #found: Found | undefined;
  #foundAt = Number.NEGATIVE_INFINITY;

  /** @param settings URLs of operations endpoints */
  constructor(settings: readonly string[], resolve = resolveAll) {
    this.#settings = settings;
    this.#resolve = resolve;
  }

  /** @param now milliseconds of a clock that only goes forward */
  async find(now: number): Promise<Found> {
    if (this.#found !== undefined && now - this.#foundAt < FRESH_MS) return this.#found;
    this.#foundAt = now;
    const unresolved: Array<{ url: string; reason: string }> = [];
    await Promise.all(
      this.#settings.map(async (url) => {
        try {
          this.#known.set(url, await this.#addressesOf(url));
        } catch (error) {
          // The previous ones are still asked: a resolver that is away must not make everything disappear.
          const { code, message } = error as NodeJS.ErrnoException;
          unresolved.push({ url, reason: code ?? message });
        }
      }),
    );
    const urls = this.#settings.flatMap((url) => this.#known.get(url) ?? []);
    this.#found = { urls: [...new Set(urls)], unresolved };
    return this.#found;
  }

  async #addressesOf(text: string): Promise<string[]> {
    const url = new URL(text);
    const isOne = url.hostname === "localhost" || isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0;
    if (isOne) return [url.origin];
    const all = await this.#resolve(url.hostname);
    const older = all.filter(({ family }) => family === 4);
    return (older.length > 0 ? older : all)
      .map(({ address, family }) => {
        url.hostname = family === 6 ? `[${address}]` : address;
        return url.origin;
      })
      .sort();
  }
}
