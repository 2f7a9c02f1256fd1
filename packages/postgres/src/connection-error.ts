/** There is no connection (any more). The codes are those of postgres.js (see `classifyDatabaseError`). */
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
