/** A request that carries an idempotency key. */
export interface KeyedRequest {
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
  /** SHA-256 of what must be equal in a repetition, 32 bytes. */
  readonly requestHash: Uint8Array;
  /** Where it is kept: the platform, another system, has a table of its own. Absent: the publisher's. */
  readonly table?: string;
}

/** The publisher's. */
export const IDEMPOTENCY_KEYS = "idempotency_keys";

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  /** The encryption key that sealed `bytes`; null when they are as they were. */
  readonly keyId: string | null;
  readonly bytes: Uint8Array;
}

/** What became of the first request with a key. */
export interface KeptRequest {
  readonly requestHash: Uint8Array;
  readonly answer: KeptAnswer;
}
