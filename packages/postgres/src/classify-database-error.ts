/**
 * What a database error means for whoever ran the statement:
 *
 * - `retry`: neither statement nor server is at fault; the same work succeeds when run again soon.
 * - `unavailable`: the server cannot serve now, or was lost in the middle (whether the statement took effect
 *   is then unknown: every write is idempotent by key). Again after a delay; towards a client 503.
 * - `refused`: a constraint of the schema says no, and will say it again for the same data.
 * - `bug`: everything else. Towards a client 500.
 */
export type DatabaseErrorMeaning = "retry" | "unavailable" | "refused" | "bug";

/** SQLSTATEs that mean something else than their class, or whose class says nothing; sockets; TLS. */
const MEANING_BY_CODE: ReadonlyMap<string, DatabaseErrorMeaning> = new Map([
  ["08P01", "bug"], // protocol violation
  ["25006", "unavailable"], // read only: a standby, before or after it was promoted
  ["25P03", "retry"], // idle in transaction for too long
  ["25P04", "retry"], // transaction ran for too long
  ["3D000", "unavailable"], // no such database: the operator's to mend, nothing was accepted
  ["40001", "retry"], // serialization failure
  ["40P01", "retry"], // deadlock; the other one went on
  ["55P03", "retry"], // lock timeout
  ["57014", "retry"], // cancelled, by the statement timeout or by hand
  ["57P01", "unavailable"], // stopped by an administrator
  ["57P02", "unavailable"], // another backend crashed
  ["57P03", "unavailable"], // starting up, or recovering
  ["57P04", "unavailable"], // database dropped
  ["57P05", "unavailable"], // idle for too long

  ["CONNECT_TIMEOUT", "unavailable"],
  ["CONNECTION_CLOSED", "unavailable"],
  ["CONNECTION_DESTROYED", "unavailable"], // closing the store cut the statement
  ["CONNECTION_ENDED", "unavailable"], // the store is closed: this process drains
  ["NO_ANSWER", "unavailable"], // long past the statement timeout: the server or the way to it is gone

  ["TLS_REFUSED", "unavailable"], // and nothing is sent in plain text: the operator's to mend
  ["TLS_UNTRUSTED", "unavailable"],

  ["EAI_AGAIN", "unavailable"],
  ["ENOTFOUND", "unavailable"],
  ["ECONNREFUSED", "unavailable"],
  ["ECONNRESET", "unavailable"],
  ["ECONNABORTED", "unavailable"],
  ["EHOSTDOWN", "unavailable"],
  ["EHOSTUNREACH", "unavailable"],
  ["ENETDOWN", "unavailable"],
  ["ENETUNREACH", "unavailable"],
  ["ENOENT", "unavailable"], // Unix socket of a stopped server
  ["EPIPE", "unavailable"],
  ["ETIMEDOUT", "unavailable"],

  ["CERT_HAS_EXPIRED", "unavailable"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "unavailable"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "unavailable"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "unavailable"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unavailable"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unavailable"],
]);

/** The first two characters of an SQLSTATE. */
const MEANING_BY_CLASS: ReadonlyMap<string, DatabaseErrorMeaning> = new Map([
  ["08", "unavailable"], // connection exceptions
  ["23", "refused"], // not null, foreign key, unique, check, exclusion
  ["28", "unavailable"], // role or password refused: the operator's to mend, nothing was accepted
  ["53", "unavailable"], // out of a resource: 53100 disk, 53200 memory, 53300 connections
  ["58", "unavailable"], // operating system: 58030 input or output
]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Total: whatever was thrown gets an answer, and what nobody listed is a bug. */
export function classifyDatabaseError(error: unknown): DatabaseErrorMeaning {
  const code = codeOf(error);
  if (code === undefined) return "bug";
  const ofClass = SQLSTATE.test(code) ? MEANING_BY_CLASS.get(code.slice(0, 2)) : undefined;
  return MEANING_BY_CODE.get(code) ?? ofClass ?? "bug";
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
