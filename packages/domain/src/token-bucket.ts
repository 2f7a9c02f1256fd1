/** How much may be taken: at most `burst` at once, and `perSecond` in the long run. */
export interface BucketRate {
  /** Above 0; may be a fraction. */
  readonly perSecond: number;
  /** At least 1. */
  readonly burst: number;
}

/**
 * How many tokens were in a bucket, and when. Only a token that is taken changes it: what time adds is
 * computed at each look.
 */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** What became of one attempt to take a token. */
interface Taken {
  readonly bucket: Bucket;
  readonly allowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until a token is there, rounded up; 0 when there is one. */
  readonly retryAfterSeconds: number;
}

/**
 * Far below a token, and far above the error of adding fractions: a caller who waits for as long as it was
 * told must get a token.
 */
const ROUNDING = 1e-6;

/**
 * Takes a token if there is one.
 * @param bucket undefined at first, which means a full one
 * @param nowMs of a clock that only goes forward; a time before the bucket's counts as the bucket's
 */
export function takeToken(bucket: Bucket | undefined, rate: BucketRate, nowMs: number): Taken {
  const tokens = tokensAt(bucket, rate, nowMs);
  const allowed = tokens + ROUNDING >= 1;
  // A refusal leaves the bucket as it was, so that many of them do not add up to a rounding error.
  const after = allowed || bucket === undefined ? { tokens: Math.max(0, tokens - 1), atMs: nowMs } : bucket;
  const left = allowed ? after.tokens : tokens;
  return {
    bucket: after,
    allowed,
    remaining: Math.floor(left + ROUNDING),
    resetSeconds: secondsFor(rate.burst - left, rate),
    retryAfterSeconds: secondsFor(1 - left, rate),
  };
}

function tokensAt(bucket: Bucket | undefined, rate: BucketRate, nowMs: number): number {
  if (bucket === undefined) return rate.burst;
  const seconds = Math.max(0, nowMs - bucket.atMs) / 1000;
  return Math.min(rate.burst, bucket.tokens + seconds * rate.perSecond);
}

function secondsFor(missing: number, rate: BucketRate): number {
  return missing <= ROUNDING ? 0 : Math.ceil(missing / rate.perSecond);
}
