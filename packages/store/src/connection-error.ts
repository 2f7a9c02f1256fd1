/**
 * A connection that is not there, or no more: named as postgres.js names its own (see
 * `classifyDatabaseError`).
 */
export class ConnectionError extends Error {
  readonly code: "CONNECT_TIMEOUT" | "CONNECTION_CLOSED" | "CONNECTION_ENDED" | "NO_ANSWER";

  constructor(code: ConnectionError["code"], message: string) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}
