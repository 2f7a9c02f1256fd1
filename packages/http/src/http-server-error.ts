/** Why a server could not be made or started. */
export class HttpServerError extends Error {
  readonly code: "uws_unavailable" | "listen_failed";

  constructor(code: HttpServerError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HttpServerError";
    this.code = code;
  }
}
