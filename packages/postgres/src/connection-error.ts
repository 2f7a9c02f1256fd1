/**
 * There is no connection, or not any more. The codes are those that postgres.js uses (see
 * `classifyDatabaseError`).
 */
export class ConnectionError extends Error {
  readonly code:
    | "CONNECT_TIMEOUT"
    | "CONNECTION_CLOSED"
    | "CONNECTION_ENDED"
    | "NO_ANSWER"
    | "TLS_REFUSED"
    | "TLS_UNTRUSTED";

  constructor(code: ConnectionError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionError";
    this.code = code;
  }
}
