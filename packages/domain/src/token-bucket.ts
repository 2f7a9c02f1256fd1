/** How much may be taken: at most `burst` together, and `perSecond` in the long run. */
export interface BucketRate {
  /** Above 0; may be a fraction. */
  readonly perSecond: number;
  /** At least 1. */
  readonly burst: number;
}

/**
 * How many tokens a bucket had, and when. Only taking changes it: tokens gained over time are computed at
 * each look.
 */
export interface Bucket {
  /** Below 0 after more were taken than the bucket holds. */
  readonly tokens: number;
  readonly atMs: number;
}

/** The result of one attempt to take tokens. */
interface Taken {
  readonly bucket: Bucket;
  readonly allowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until as many could be taken (again), rounded up; 0: now. */
  readonly retryAfterSeconds: number;
}

/**
 * Far below a token, and far above the error of adding fractions: a caller who waits as long as the answer
 * says must get a token.
 */
const ROUNDING = 1e-6;

/**
 * Takes this many tokens if they are there. More than the bucket holds are taken when it is full: it then
 * owes the rest, and gives nothing before that is paid off. Otherwise such an amount could never be taken.
 * @param bucket undefined: a full one, as at first
 * @param nowMs of a clock that only goes forward; a time before the bucket's counts as the bucket's
 */
export function takeToken(bucket: Bucket | undefined, rate: BucketRate, nowMs: number, wanted = 1): Taken {
  const tokens = tokensAt(bucket, rate, nowMs);
  const needed = Math.min(wanted, rate.burst);
  const allowed = tokens + ROUNDING >= needed;
  // A refusal leaves the bucket unchanged, so that many of them do not add up to a rounding error. No bucket
  // means a full one, from which any amount can be taken.
  const after =
    allowed || bucket === undefined
      ? { tokens: Math.max(needed - wanted, tokens - wanted), atMs: nowMs }
      : bucket;
  const left = allowed ? after.tokens : tokens;
  return {
    bucket: after,
    allowed,
    remaining: Math.max(0, Math.floor(left + ROUNDING)),
    resetSeconds: secondsFor(rate.burst - left, rate),
    retryAfterSeconds: secondsFor(needed - left, rate),
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
