/** The state of a pool at this moment. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  readonly limit: number;
}

/** Observes a store. Called for every statement: must be quick, and must not throw. */
export interface StoreObserver {
  /** Called once, first. `state` reads memory only. */
  opened(state: () => PoolState): void;
  /** A caller has got a connection after so many seconds; 0 if one was free. */
  waited(seconds: number): void;
  /**
   * The server has answered, or never will.
   * @param operation of a closed set (see `operationOf`)
   * @param error undefined if it succeeded; otherwise an error of the statement or of the connection
   */
  settled(operation: string, seconds: number, error: unknown): void;
}
