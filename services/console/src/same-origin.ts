import { ApiError } from "#contract";
import type { HttpRequest } from "#http";

/** Sent by the page with every request. No other site can send it without asking first, and nobody is told yes. */
const OWN_HEADER = "stampede-console";

export const ORIGIN_HEADERS = [OWN_HEADER, "origin", "host"] as const;

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses what another site makes a browser send.
 * @param origin where browsers see the console; undefined where they reach it by loopback. Then the host must be a name of
 * this machine: a name of somebody else's that leads here (DNS rebinding) would have that one's origin.
 */
export function refuseForeign(request: HttpRequest, origin: string | undefined): ApiError | undefined {
  if (request.header(OWN_HEADER) !== "1") {
    return new ApiError("authorization_error", `send ${OWN_HEADER}: 1`, { reason: "own_header" });
  }
  const expected = origin ?? loopbackOrigin(request.header("host"));
  if (expected !== undefined && request.header("origin") === expected) return undefined;
  return new ApiError("authorization_error", "this is answered to the console's own page only", {
    reason: "origin",
  });
}

/** The port may be another one than ours, as through a tunnel. */
function loopbackOrigin(host: string | undefined): string | undefined {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  return url !== undefined && LOOPBACK_NAME.test(url.hostname) ? url.origin : undefined;
}
