import { LRUCache } from "lru-cache";
import { ApiError, LIMITS } from "#contract";
import {
  type Bucket,
  type BucketRate,
  clientAddress,
  type TrustedProxies,
  takeToken,
  trustedProxies,
} from "#domain";
import type { Settings } from "#runtime";
import type { FailureLimit, TokenAttempt } from "./api.ts";
import type { HttpRequest } from "./server.ts";

/** How many addresses' failures are kept. Beyond that, the address whose failure is oldest is forgotten. */
const MAX_ADDRESSES = 10_000;
/** How many valid tokens are remembered. */
const RIGHT_KEPT = 10_000;
const SECONDS_PER_MINUTE = 60;

interface FailedTokensOptions {
  /** How many failures an address has at first, and regains in a minute; 0: no limit. */
  readonly perMinute: number;
  readonly proxies: TrustedProxies;
  /** The header in which trusted proxies write the client's address. */
  readonly header: string;
  /** Called for each request answered 429. */
  readonly observe: () => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Slows down addresses that send wrong tokens, each of which costs a look-up in the database. If an address
 * has used up its failures, a token that this process does not know still gets its look-up, because it may be
 * valid: after a restart every token is new, and many callers may share an address. But these look-ups are
 * sent together, every `slowedLookUpMs`, so that they cost few statements, and a wrong token is then answered
 * 429. Only if more of them come than are sent are they refused without one. Each process counts separately,
 * like the rate limiter.
 */
export class FailedTokens implements FailureLimit {
  readonly #options: FailedTokensOptions;
  readonly #rate: BucketRate;
  readonly #now: () => number;
  /** In the order of failures: reading a bucket (`peek`) does not make it recently used. */
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  readonly #right = new RecentSet(RIGHT_KEPT);
  readonly #turns = new SharedTurns();

  constructor(options: FailedTokensOptions) {
    this.#options = options;
    this.#rate = { perSecond: options.perMinute / SECONDS_PER_MINUTE, burst: options.perMinute };
    this.#now = options.now ?? (() => performance.now());
  }

  begin(request: Pick<HttpRequest, "remoteAddress" | "header">, token: string): TokenAttempt | undefined {
    if (this.#right.has(token)) return undefined;
    const address = this.#addressOf(request);
    if (address !== undefined && this.#retryAfterSeconds(address) > 0)
      return this.#beginSlowed(token, address);
    return {
      end: (outcome) => {
        if (outcome === "right") this.#right.add(token);
        else if (outcome === "wrong" && address !== undefined) this.#failed(address);
        return undefined;
      },
    };
  }

  forget(token: string): void {
    this.#right.delete(token);
  }

  /** Undefined if failures are not counted. */
  #addressOf(request: Pick<HttpRequest, "remoteAddress" | "header">): string | undefined {
    const { perMinute, proxies, header } = this.#options;
    if (perMinute === 0) return undefined;
    return clientAddress(request.remoteAddress(), request.header(header), proxies);
  }

  #beginSlowed(token: string, address: string): TokenAttempt {
    const turn = this.#turns.take();
    // The token may be valid, so it may come again soon.
    if (turn === undefined) return { refusal: this.#refusal(1), end: () => undefined };
    return {
      turn,
      end: (outcome) => {
        this.#turns.release();
        if (outcome === "right") this.#right.add(token);
        if (outcome !== "wrong") return undefined;
        this.#buckets.get(address); // It has failed again: others are forgotten before it.
        return this.#refusal(this.#retryAfterSeconds(address));
      },
    };
  }

  #refusal(retryAfterSeconds: number): ApiError {
    this.#options.observe();
    const message = "too many wrong tokens came from this address; send the request again later";
    return new ApiError("rate_limited", message, {}, retryAfterSeconds);
  }

  /** 0 if another token may be wrong. */
  #retryAfterSeconds(address: string): number {
    const bucket = this.#buckets.peek(address);
    if (bucket === undefined) return 0;
    const { allowed, retryAfterSeconds } = takeToken(bucket, this.#rate, this.#now());
    return allowed ? 0 : retryAfterSeconds;
  }

  #failed(address: string): void {
    const { bucket } = takeToken(this.#buckets.peek(address), this.#rate, this.#now());
    this.#buckets.set(address, bucket);
  }
}

/**
 * Look-ups for slowed addresses: waiting ones are sent together, `slowedLookUpMs` after the first of them
 * came. At most `slowedLookUps` wait or are under way.
 */
class SharedTurns {
  #taken = 0;
  #next: Promise<void> | undefined;

  /** Resolves when the look-up may be made; undefined if too many wait. */
  take(): Promise<void> | undefined {
    if (this.#taken >= LIMITS.slowedLookUps) return undefined;
    this.#taken++;
    this.#next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#next = undefined;
        resolve();
      }, LIMITS.slowedLookUpMs);
    });
    return this.#next;
  }

  /** Call it once for each turn that `take` gave. */
  release(): void {
    this.#taken--;
  }
}

/** Configured by the settings. */
export function createFailedTokens(
  settings: Pick<Settings, "authFailuresPerMinute" | "trustedProxies" | "clientAddressHeader">,
  observe: () => void = () => undefined,
): FailedTokens {
  const { authFailuresPerMinute: perMinute, clientAddressHeader: header } = settings;
  return new FailedTokens({ perMinute, proxies: trustedProxies(settings.trustedProxies), header, observe });
}

/**
 * Remembers the last texts added: at least the last `size`, at most twice as many. Two sets instead of an LRU
 * cache, because every request asks it and it does not matter which of the older texts are forgotten.
 */
class RecentSet {
  readonly #size: number;
  #now = new Set<string>();
  #before = new Set<string>();

  constructor(size: number) {
    this.#size = size;
  }

  add(text: string): void {
    this.#now.add(text);
    if (this.#now.size < this.#size) return;
    this.#before = this.#now;
    this.#now = new Set();
  }

  delete(text: string): void {
    this.#now.delete(text);
    this.#before.delete(text);
  }

  has(text: string): boolean {
    return this.#now.has(text) || this.#before.has(text);
  }
}
