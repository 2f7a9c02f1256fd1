import { hashTokenSecret } from "#domain";
import type { Caller } from "#http";
import type { Log } from "#runtime";
import { findTokenByHash, type Store, touchTokens } from "#store";

const TOUCH_INTERVAL_MS = 10_000;

/**
 * Finds the caller behind a token by the hash of its secret. Every request asks the database, so a revocation holds
 * for the very next one. `last_used_at` is written in bulk, at intervals: it is for people, not for decisions.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #used = new Map<string, Date>();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => void this.#touch(), TOUCH_INTERVAL_MS);
  }

  async authenticate(secret: string): Promise<Caller | undefined> {
    const grant = await findTokenByHash(this.#store, hashTokenSecret(secret));
    const now = new Date();
    if (grant === undefined || grant.revokedAt !== null) return undefined;
    if (grant.expiresAt !== null && grant.expiresAt <= now) return undefined;
    this.#used.set(grant.id, now);
    return { organisationId: grant.organisationId, tokenId: grant.id, access: grant.access };
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#touch();
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
