/** How members are looked up by ref. */
export interface MemberOptions {
  /** The memberbase that the refs are of. */
  readonly memberBaseId: string;
  /** How many ids are remembered at most; the one that was asked for longest ago leaves. Default 100,000. */
  readonly maxCached?: number;
  /** How long a look-up waits for others to share a request with, in milliseconds. Default 5. */
  readonly maxWaitMs?: number;
  /** Refs of one request at most, 1 to 5000. Default 1000. */
  readonly maxRefs?: number;
}

/** Finds the member ids that events carry by the refs that a bank knows. Made by `client.members()`. */
export interface MemberResolver {
  /**
   * The id of the member with this ref. A member that does not exist is made.
   * @throws StampedeError if the ref is malformed, or the request failed; that is not remembered
   */
  resolve(ref: string): Promise<string>;
  /** The ids of many, in the order of the refs. Fails as a whole. */
  resolveAll(refs: readonly string[]): Promise<string[]>;
  /** Forgets what is remembered of a ref: its member was deleted. */
  forget(ref: string): void;
}
