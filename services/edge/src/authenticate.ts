import { hashTokenSecret } from "#domain";
import type { TokenFault } from "#http";
import type { Log } from "#runtime";
import { findTokenByHash, type Store, type TokenGrant, touchTokens } from "#store";
import type { Caller } from "./caller.ts";
import { TokenCache } from "./token-cache.ts";

const TOUCH_INTERVAL_MS = 10_000;
/** A grant is read again in the background after this long: a change past the API, in the database itself, shows. */
const REFRESH_MS = 4_000;

/**
 * Finds the caller behind a token. Grants are kept in memory as long as `mayTrust` says that a revocation would be heard
 * of; without that every request asks the database. Expiry is looked at for every request.
 *
 * When the database does not answer, what is in memory keeps counting: revoking needs the database too.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #log: Log;
  readonly #mayTrust: () => boolean;
  readonly #now: () => Date;
  readonly #cache = new TokenCache();
  readonly #refreshing = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #used = new Map<string, Date>();

  /** @param options.now the database's time: a token ends at one moment, whichever process is asked */
  constructor(options: { store: Store; log: Log; mayTrust: () => boolean; now: () => Date }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#mayTrust = options.mayTrust;
    this.#now = options.now;
    this.#timer = setInterval(() => void this.#touch(), TOUCH_INTERVAL_MS);
  }

  authenticate(secret: string): Caller | TokenFault | Promise<Caller | TokenFault> {
    const entry = this.#mayTrust() ? this.#cache.get(secret) : undefined;
    if (entry === undefined) return this.#read(secret).then((grant) => this.#toCaller(grant));
    if (performance.now() - entry.readAt > REFRESH_MS) void this.#refresh(secret);
    return this.#toCaller(entry.grant);
  }

  /** From now on every token is asked for again. */
  forgetAll(): void {
    this.#cache.clear();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#touch();
  }

  async #read(secret: string): Promise<TokenGrant | undefined> {
    const { generation } = this.#cache;
    const readAt = performance.now();
    const grant = await findTokenByHash(this.#store, hashTokenSecret(secret));
    if (grant === undefined || grant.revokedAt !== null) this.#cache.forget(secret);
    else this.#cache.put(secret, grant, readAt, generation);
    return grant;
  }

  async #refresh(secret: string): Promise<void> {
    if (this.#refreshing.has(secret)) return;
    this.#refreshing.add(secret);
    await this.#read(secret).catch(() => {});
    this.#refreshing.delete(secret);
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
    await touchTokens(this.#store, used).catch((error) => {
      this.#log.warn({ err: error }, "last use of tokens was not recorded");
    });
  }
}
