import { LRUCache } from "lru-cache";
import { ApiError } from "#contract";
import { type Bucket, type BucketRate, takeToken } from "#domain";
import type { RateVerdict } from "#http";
import type { Caller } from "../endpoint.ts";

/**
 * The number of buckets to keep. Beyond that, the bucket unused for longest is forgotten, and that token
 * begins again with a full one. It would mostly be full by then anyway.
 */
const MAX_BUCKETS = 10_000;

/**
 * Limits the rate of requests or events of each API token, in this process alone: n edge processes allow n
 * times as much. The header fields are those of draft-ietf-httpapi-ratelimit-headers-06; the quota is the
 * size of the bucket.
 */
export class RateLimiter {
  readonly #rate: BucketRate;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  /** @param now milliseconds of a clock that only goes forward */
  constructor(rate: BucketRate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /**
   * Counts a request of this caller, or its events. A full bucket lets through more events than the burst;
   * the next request then waits until they are paid off.
   */
  take({ tokenId }: Pick<Caller, "tokenId">, amount = 1): RateVerdict {
    const taken = takeToken(this.#buckets.get(tokenId), this.#rate, this.#now(), amount);
    this.#buckets.set(tokenId, taken.bucket);
    const headers = {
      "ratelimit-limit": String(this.#rate.burst),
      "ratelimit-remaining": String(taken.remaining),
      "ratelimit-reset": String(taken.resetSeconds),
    };
    if (taken.allowed) return { headers, refusal: undefined };
    const message = "the token's rate is exceeded; nothing was done, send the request again later";
    return { headers, refusal: new ApiError("rate_limited", message, {}, taken.retryAfterSeconds) };
  }

  /** Nothing of what was counted was accepted: it does not count. */
  refund(caller: Pick<Caller, "tokenId">, amount: number): RateVerdict {
    const bucket = this.#buckets.get(caller.tokenId);
    if (bucket !== undefined) {
      this.#buckets.set(caller.tokenId, { ...bucket, tokens: bucket.tokens + amount });
    }
    return { ...this.take(caller, 0), refusal: undefined };
  }
}

/**
 * undefined: no limit.
 * @param perSecond requests, or events; 0 sets no limit
 * @param burst the size of the bucket; 0: as many as a second allows, at least one
 */
export function createRateLimiter(perSecond: number, burst: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined;
  return new RateLimiter({ perSecond, burst: burst || Math.max(1, Math.ceil(perSecond)) });
}
