/** What Node says about a server's certificate, and what it means to whoever set the connection up. */
const UNKNOWN_AUTHORITY = new Set([
  "CERT_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Why a TLS connection was not made, to stand after "the server at … cannot be trusted: ", with what to do. undefined for
 * faults that have nothing to do with certificates.
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
      return "its certificate is for another host: connect by a name that stands in it";
    }
  }
  return undefined;
}
