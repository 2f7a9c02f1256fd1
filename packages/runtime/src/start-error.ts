/** A process cannot start, for a reason that an operator can remove: `message`, one line, says how. */
export class StartError extends Error {
  readonly code: string;
  /**
   * Whether the reason may disappear without help, like a server's absence: then the start waits
   * (`untilServed`).
   */
  readonly passes: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; passes?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "StartError";
    this.code = code;
    this.passes = options.passes ?? false;
  }
}

/**
 * Turns a failed `listen` into a StartError that names the setting to change; other faults pass through. A
 * server of ours throws `listen_failed`, with Node's error as its cause; uWebSockets.js gives no reason.
 */
export function explainListenError(
  error: unknown,
  what: string,
  host: string,
  port: number,
  key: string,
): unknown {
  const { code: said, cause } = error as NodeJS.ErrnoException;
  const code = said === "listen_failed" ? (cause as NodeJS.ErrnoException | undefined)?.code : said;
  const address = `${host}:${port}`;
  if (code === "EADDRINUSE") {
    return new StartError(
      "port_taken",
      `${address} is taken: stop what listens there, or set ${key} for the ${what}`,
    );
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL") {
    return new StartError(
      "port_refused",
      `cannot listen on ${address} (${code}): set ${key} for the ${what}`,
    );
  }
  if (said === "listen_failed") {
    return new StartError(
      "port_refused",
      `cannot listen on ${address}: stop what listens there, or set ${key} for the ${what}`,
      { cause },
    );
  }
  return error;
}

/** Error codes of Node for a server's certificate that no known authority signed. */
const UNKNOWN_AUTHORITY = new Set([
  "CERT_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Why a TLS connection failed, and what to do, in words that complete "the server at … cannot be trusted: ".
 * Undefined for faults that have nothing to do with certificates.
 * @param caSetting the setting that names the authority's file
 */
export function explainTlsFault(error: unknown, caSetting: string): string | undefined {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    const { code = "" } = fault as NodeJS.ErrnoException;
    if (UNKNOWN_AUTHORITY.has(code)) {
      return `its certificate is not of a known authority (${code}): set ${caSetting} to the file of the one that signed it`;
    }
    if (code === "CERT_HAS_EXPIRED") return "its certificate has expired: renew it on the server";
    if (code === "CERT_NOT_YET_VALID") return "its certificate is not valid yet: compare the clocks";
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
      return "its certificate is for another host: connect by a name that is in it";
    }
  }
  return undefined;
}
