import { LRUCache } from "lru-cache";
import { hashTokenSecret } from "#domain";
import type { TokenFault } from "#http";
import type { Store } from "#postgres";
import { findTokenByHash, type TokenGrant } from "#publisher-db";
import { type Log, type Repeated, repeat } from "#runtime";
import type { Caller } from "../endpoint.ts";
import { touchTokens } from "./api-tokens.ts";

const TOUCH_INTERVAL_MS = 10_000;
const NOT_RECORDED = "last use of tokens was not recorded";
/**
 * A grant of this age is read again in the background, so that the edge notices a change made directly in the
 * database.
 */
const REFRESH_MS = 4_000;
/**
 * A grant of this age counts only once it has been read again. An edge that is cut off from NATS cannot tell the others of
 * a revocation, and waits longer than this (`Revocations.announce`, 5 s): by then the others have read it.
 */
const COUNTS_MS = 4_500;
/**
 * If the database does not answer within this time, it counts as away, and requests do not wait for it again
 * for a while.
 */
const REREAD_MS = 1_000;
const AWAY_MS = 5_000;

/**
 * Finds the caller behind a token. Grants are kept in memory as long as `mayTrust` says that this process would hear of a
 * revocation; otherwise every request asks the database. Expiry is checked at every request.
 *
 * While the database does not answer, grants in memory keep counting: revoking needs the database too.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #log: Log;
  readonly #mayTrust: () => boolean;
  readonly #now: () => Date;
  readonly #monotonic: () => number;
  readonly #cache = new TokenCache();
  readonly #refreshing = new Map<string, Promise<TokenGrant | undefined>>();
  #awayUntil = Number.NEGATIVE_INFINITY;
  readonly #touching: Repeated;
  #used = new Map<string, Date>();

  /**
   * @param options.now the database's time, so that a token expires at the same moment in every process
   * @param options.monotonic milliseconds of a clock that only goes forward; it measures the age of grants in
   * memory
   */
  constructor(options: {
    store: Store;
    log: Log;
    mayTrust: () => boolean;
    now: () => Date;
    monotonic?: () => number;
  }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#mayTrust = options.mayTrust;
    this.#now = options.now;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#touching = repeat({
      name: "token use",
      everyMs: TOUCH_INTERVAL_MS,
      work: () => this.#touch(),
      failed: NOT_RECORDED,
      log: options.log,
    });
  }

  authenticate(secret: string): Caller | TokenFault | Promise<Caller | TokenFault> {
    const entry = this.#mayTrust() ? this.#cache.get(secret) : undefined;
    if (entry === undefined) return this.#read(secret).then((grant) => this.#toCaller(grant));
    const now = this.#monotonic();
    const age = now - entry.readAt;
    if (age <= REFRESH_MS) return this.#toCaller(entry.grant);
    const reading = this.#refresh(secret, entry.grant);
    if (age <= COUNTS_MS || now < this.#awayUntil) return this.#toCaller(entry.grant);
    return this.#orKnown(reading, entry.grant).then((grant) => this.#toCaller(grant));
  }

  /** Empties the cache: from now on every token is looked up again. */
  forgetAll(): void {
    this.#cache.clear();
  }

  async stop(): Promise<void> {
    await this.#touching.stop();
    await this.#touch().catch((error) => this.#log.warn({ err: error }, NOT_RECORDED));
  }

  async #read(secret: string): Promise<TokenGrant | undefined> {
    const { generation } = this.#cache;
    const readAt = this.#monotonic();
    const grant = await findTokenByHash(this.#store, hashTokenSecret(secret));
    if (grant === undefined || grant.revokedAt !== null) {
      this.#cache.forget(secret);
    } else {
      this.#cache.put(secret, grant, readAt, generation);
    }
    return grant;
  }

  /** Reads a grant again, one read of a token at a time. If the read fails, resolves to the known grant. */
  #refresh(secret: string, known: TokenGrant): Promise<TokenGrant | undefined> {
    const underWay = this.#refreshing.get(secret);
    if (underWay !== undefined) return underWay;
    const reading = this.#read(secret)
      .catch(() => this.#away(known))
      .finally(() => this.#refreshing.delete(secret));
    this.#refreshing.set(secret, reading);
    return reading;
  }

  async #orKnown(
    reading: Promise<TokenGrant | undefined>,
    known: TokenGrant,
  ): Promise<TokenGrant | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<TokenGrant>((resolve) => {
      timer = setTimeout(() => resolve(this.#away(known)), REREAD_MS);
    });
    const grant = await Promise.race([reading, late]);
    clearTimeout(timer);
    return grant;
  }

  #away(known: TokenGrant): TokenGrant {
    this.#awayUntil = this.#monotonic() + AWAY_MS;
    return known;
  }

  #toCaller(grant: TokenGrant | undefined): Caller | TokenFault {
    if (grant === undefined) return "unknown";
    if (grant.revokedAt !== null) return "revoked";
    const now = this.#now();
    if (grant.expiresAt !== null && grant.expiresAt <= now) return "expired";
    this.#used.set(grant.id, now);
    return { organisationId: grant.organisationId, tokenId: grant.id, access: grant.access };
  }

  async #touch(): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Map();
    await touchTokens(this.#store, used);
  }
}

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
