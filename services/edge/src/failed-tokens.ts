import { LRUCache } from "lru-cache";
import { ApiError } from "#contract";
import {
  type Bucket,
  type BucketRate,
  clientAddress,
  type TrustedProxies,
  takeToken,
  trustedProxies,
} from "#domain";
import type { FailureLimit, HttpRequest, TokenAttempt } from "#http";
import type { Settings } from "#runtime";

/** How many addresses' failures are kept. Beyond that, the address that failed longest ago is forgotten. */
const MAX_ADDRESSES = 10_000;
const SECONDS_PER_MINUTE = 60;

interface FailedTokensOptions {
  /** How many failures one address has at first, and how many it gets back in a minute. */
  readonly perMinute: number;
  readonly proxies: TrustedProxies;
  /** What trusted proxies write the client's address into. */
  readonly header: string;
  /** Whether a token was right a while ago: it is never slowed down, whatever else comes from its address. */
  readonly knows: (token: string) => boolean;
  readonly observe: () => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Slows down addresses that send wrong tokens, each of which costs a look-up in the database. An address that has used up
 * its failures is answered 429 for every token that this process does not know, before the body is read. Each process
 * counts by itself, as the rate limiter does.
 */
export class FailedTokens implements FailureLimit {
  readonly #options: FailedTokensOptions;
  readonly #rate: BucketRate;
  readonly #now: () => number;
  /** In the order of failures: looking at a bucket (`peek`) does not make it recently used. */
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });

  constructor(options: FailedTokensOptions) {
    this.#options = options;
    this.#rate = { perSecond: options.perMinute / SECONDS_PER_MINUTE, burst: options.perMinute };
    this.#now = options.now ?? (() => performance.now());
  }

  begin(request: Pick<HttpRequest, "remoteAddress" | "header">, token: string): TokenAttempt | undefined {
    const { knows, proxies, header } = this.#options;
    if (knows(token)) return undefined;
    const address = clientAddress(request.remoteAddress(), request.header(header), proxies);
    if (address === undefined) return undefined;
    return { refusal: this.#refusal(address), failed: () => this.#failed(address) };
  }

  #refusal(address: string): ApiError | undefined {
    const bucket = this.#buckets.peek(address);
    if (bucket === undefined) return undefined;
    const { allowed, retryAfterSeconds } = takeToken(bucket, this.#rate, this.#now());
    if (allowed) return undefined;
    this.#options.observe();
    const message = "too many wrong tokens came from this address; send the request again later";
    return new ApiError("rate_limited", message, {}, retryAfterSeconds);
  }

  #failed(address: string): void {
    const { bucket } = takeToken(this.#buckets.peek(address), this.#rate, this.#now());
    this.#buckets.set(address, bucket);
  }
}

/** As the settings say; undefined if they set no limit. */
export function createFailedTokens(
  settings: Pick<Settings, "authFailuresPerMinute" | "trustedProxies" | "clientAddressHeader">,
  { knows, observe }: Pick<FailedTokensOptions, "knows" | "observe">,
): FailedTokens | undefined {
  const { authFailuresPerMinute: perMinute, clientAddressHeader: header } = settings;
  if (perMinute === 0) return undefined;
  return new FailedTokens({
    perMinute,
    proxies: trustedProxies(settings.trustedProxies),
    header,
    knows,
    observe,
  });
}
