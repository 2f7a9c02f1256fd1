/** What a pool holds at this moment. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  readonly limit: number;
}

/** Whom a store tells of its work. Called on the way of every statement: must be quick, and must not throw. */
export interface StoreObserver {
  /** Once, before all else. `state` is a look at memory. */
  opened(state: () => PoolState): void;
  /** Somebody has got a connection; 0 if one was free. */
  waited(seconds: number): void;
  /**
   * The server has answered, or will not any more.
   * @param operation of a closed set (see `operationOf`)
   * @param error undefined when it succeeded; an error of the statement or of the connection
   */
  settled(operation: string, seconds: number, error: unknown): void;
}
