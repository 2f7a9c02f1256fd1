import { ApiError } from "#contract";
import { causeOf, StartError } from "#runtime";

/* The meanings of database errors, and what callers should do about each. */

/**
 * What a database error means for the code that ran the statement:
 *
 * - `retry`: neither statement nor server is at fault; the same work succeeds when it is run again soon.
 * - `unavailable`: the server cannot serve now, or was lost in the middle. It is then unknown whether the
 *   statement took effect, but every write can be repeated. Try again after a delay; a client gets 503.
 * - `refused`: a constraint or a type refuses the data of a row, and will refuse the same data again.
 * - `bug`: everything else. A client gets 500.
 */
export type DatabaseErrorMeaning = "retry" | "unavailable" | "refused" | "bug";

/** SQLSTATEs that differ from their class, or whose class has no meaning; errors of sockets and TLS. */
const MEANING_BY_CODE: ReadonlyMap<string, DatabaseErrorMeaning> = new Map([
  ["08P01", "bug"], // protocol violation
  ["25006", "unavailable"], // read only: a standby, before or after it was promoted
  ["25P03", "retry"], // idle in transaction for too long
  ["25P04", "retry"], // transaction ran for too long
  ["3D000", "unavailable"], // no such database: the operator has to act; nothing was accepted
  ["40001", "retry"], // serialization failure
  ["40P01", "retry"], // deadlock; the other transaction continued
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
  ["LINE_FULL", "unavailable"], // the caller has its share of the pool; nothing was sent
  ["NO_ANSWER", "unavailable"], // long past the statement timeout: the server, or the way to it, is gone

  ["TLS_REFUSED", "unavailable"], // nothing is sent in plain text: the operator has to act
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
  ["22", "refused"], // data exceptions: out of range, not of the type, not in the encoding
  ["23", "refused"], // not null, foreign key, unique, check, exclusion
  ["28", "unavailable"], // role or password refused: the operator has to act; nothing was accepted
  ["53", "unavailable"], // out of a resource: 53100 disk, 53200 memory, 53300 connections
  ["58", "unavailable"], // operating system: 58030 input or output
]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Gives every thrown value a meaning; an unlisted code is a bug. */
export function classifyDatabaseError(error: unknown): DatabaseErrorMeaning {
  const code = codeOf(error);
  if (code === undefined) return "bug";
  const ofClass = SQLSTATE.test(code) ? MEANING_BY_CLASS.get(code.slice(0, 2)) : undefined;
  const meaning = MEANING_BY_CODE.get(code) ?? ofClass;
  // A full disk has no code of its own everywhere.
  return meaning ?? (causeOf(error) === "disk" ? "unavailable" : "bug");
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether a statement or transaction gave up its wait for a lock (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** The SQLSTATE, if the database refused the data of a row; undefined otherwise. */
export function refusalOfData(error: unknown): string | undefined {
  return classifyDatabaseError(error) === "refused" ? codeOf(error) : undefined;
}

/** Why work on the database failed, as a label of metrics. unexpected: a fault of ours. */
export const DATABASE_FAULTS = [
  "database_unavailable",
  "database_conflict",
  "database_refused",
  "unexpected",
] as const;
type DatabaseFault = (typeof DATABASE_FAULTS)[number];

const FAULT_OF: Readonly<Record<DatabaseErrorMeaning, DatabaseFault>> = {
  unavailable: "database_unavailable",
  retry: "database_conflict",
  refused: "database_refused",
  bug: "unexpected",
};

/** Gives every thrown value a fault (see `classifyDatabaseError`). */
export function databaseFaultOf(error: unknown): DatabaseFault {
  return FAULT_OF[classifyDatabaseError(error)];
}

/** SQLSTATEs and codes about roles, a missing database and trust: these last until a person acts. */
const LASTING = /^(28|3D|TLS_)/;

/** Whether the database cannot serve now, but may soon: a starting process then waits for it. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof StartError) return error.passes;
  const meaning = classifyDatabaseError(error);
  if (meaning !== "retry" && meaning !== "unavailable") return false;
  return !LASTING.test((error as { code: string }).code);
}

const RETRY_AFTER_SECONDS = 1;

/** The connection was lost while it was in use: the statement under way may have been committed. */
const LOST = new Set([
  "57P01",
  "57P02",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "NO_ANSWER",
  "ECONNABORTED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
]);

/** The message and `data.reason` for callers. If nothing was accepted, a later conflict is another caller's. */
function explain(
  code: string | undefined,
  mayHaveChanged: boolean,
): readonly [message: string, reason: string] {
  if (code === "LINE_FULL")
    return ["too many of your requests wait for the database; send fewer at once", "too_many_waiting"];
  if (mayHaveChanged && code !== undefined && (LOST.has(code) || code.startsWith("08")))
    return [
      "the connection to the database was lost; it is not known whether this took effect: send it again",
      "outcome_unknown",
    ];
  return ["the database cannot answer now; nothing was accepted", "database_unavailable"];
}

/**
 * The refusal for an API's caller when a fault of the database is temporary: the caller should try again.
 * Undefined for every other fault, which must not be shown.
 * @param mayHaveChanged whether the operation may have changed something
 */
export function explainDatabaseFault(error: unknown, mayHaveChanged: boolean): ApiError | undefined {
  const meaning = classifyDatabaseError(error);
  if (meaning !== "retry" && meaning !== "unavailable") return undefined;
  const [message, reason] = explain(codeOf(error), mayHaveChanged);
  return new ApiError("unavailable", message, { reason }, RETRY_AFTER_SECONDS);
}

/** There is no connection (any more). The codes are those of postgres.js (see `classifyDatabaseError`). */
export class ConnectionError extends Error {
  readonly code:
    | "CONNECT_TIMEOUT"
    | "CONNECTION_CLOSED"
    | "CONNECTION_ENDED"
    | "LINE_FULL"
    | "NO_ANSWER"
    | "TLS_REFUSED"
    | "TLS_UNTRUSTED";

  constructor(code: ConnectionError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionError";
    this.code = code;
  }
}
