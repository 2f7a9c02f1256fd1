/** A request that carries an idempotency key. */
export interface KeyedRequest {
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
  /** SHA-256 (32 bytes) of what must be the same when the request is repeated. */
  readonly requestHash: Uint8Array;
  /** The table that keeps it: the platform, another system, has its own. Absent: the publisher's. */
  readonly table?: string;
}

/** The publisher's table. */
export const IDEMPOTENCY_KEYS = "idempotency_keys";

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  /** The encryption key that sealed `bytes`; null if they are not sealed. */
  readonly keyId: string | null;
  readonly bytes: Uint8Array;
}

/** What became of the first request with a key. */
export interface KeptRequest {
  readonly requestHash: Uint8Array;
  readonly answer: KeptAnswer;
}
