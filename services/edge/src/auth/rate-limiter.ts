import { LRUCache } from "lru-cache";
import { ApiError } from "#contract";
import { type Bucket, type BucketRate, takeToken } from "#domain";
import type { RateVerdict } from "#http";
import type { Caller } from "../endpoint.ts";

/**
 * How many tokens' buckets are kept. Beyond that, the one unused longest is forgotten. It begins again with a full bucket;
 * it would mostly be full by then anyway.
 */
const MAX_BUCKETS = 10_000;

/**
 * Holds each API token to a rate, of requests or of events, in this process alone: n edge processes allow n times as much. The header fields are those
 * of draft-ietf-httpapi-ratelimit-headers-06; the quota is the size of the bucket.
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
   * Counts one request of this caller, or its events. More events than the burst are taken when the bucket is full, and are
   * paid off before the next.
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
}

/**
 * undefined: no limit.
 * @param perSecond requests, or events; 0 sets no limit
 * @param burst how many at once; 0 stands for what a second allows, at least one
 */
export function createRateLimiter(perSecond: number, burst: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined;
  return new RateLimiter({ perSecond, burst: burst || Math.max(1, Math.ceil(perSecond)) });
}
