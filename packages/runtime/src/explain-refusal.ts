export interface Refusal {
  readonly cause: RefusalCause;
  /** The server's message in one line, without values of rows. */
  readonly said: string;
  /** What to do, with the command if there is one. */
  readonly mend: string;
}

/** A session of PostgreSQL that holds a lock which one of ours waits for. */
export interface LockHolder {
  readonly pid: number;
  /** As far as our role may see it. */
  readonly application: string;
  readonly role: string;
  readonly since: string | undefined;
  /** The first words of its statement; undefined if our role may not see it. */
  readonly statement: string | undefined;
}

const LONGEST_SAID = 160;
/** nats-server 2.14 writes nothing more to a stream after a failed write. */
const MEND_NATS_DISK = "free space on NATS' disk, then restart it: it stores nothing before";

const MENDS = {
  disk: "free space on that server's disk, and start the server if it has ended; then `stampede status`",
  right:
    "run `stampede migrate` as the owner, which gives the rights of this release; `stampede doctor` lists what is missing",
  timeout: "look for what is slow: `select * from pg_stat_activity where state <> 'idle'`",
  connection: "start the server, or mend the way to it: `stampede doctor` says what answers",
  quota: "raise the server's limit, or end what takes it up: `stampede doctor` counts connections",
  stream_full: "look at who reads that stream: `stampede status` shows its lag",
  stream: "look at NATS' own view: curl http://<nats>:8222/healthz",
  fence: "nothing, if it ends within seconds; otherwise look for two installations on one database",
  data: "look for the event in the log, and then in `stampede dead-letter list`",
  schema: "run `stampede migrate` of this release",
  fault: "look at the log for `batch failed`",
  none_told:
    "look for what it waits for: `stampede doctor`, and `select * from pg_stat_activity where state <> 'idle'`",
};

/**
 * Why work is refused, in classes for people.
 *
 * - disk: a server's disk is full. - right: a role or user lacks a right. - lock: another session holds a
 *   lock.
 * - timeout: a statement or transaction took too long, and no blocking session was found.
 * - connection: the server cannot be reached, or does not serve now. - quota: connections, memory or an
 *   account's limit.
 * - stream_full: a stream has no room. - stream: NATS does not store it. - fence: another process owns it by
 *   now.
 * - data: a row is refused. - schema: the database has another version. - fault: anything else.
 * - none_told: it was not refused, it is only not done.
 */
export type RefusalCause = keyof typeof MENDS | "lock";

/** By code: SQLSTATEs, codes of sockets, and our own. A class of SQLSTATEs by its first two characters. */
const CAUSE_BY_CODE: Readonly<Record<string, RefusalCause>> = {
  "25006": "connection", // read only: a standby
  "25P03": "timeout",
  "25P04": "timeout",
  "28": "right",
  "3D000": "connection",
  "42501": "right",
  "42P01": "schema", // no such table
  "42703": "schema", // no such column
  "40P01": "lock",
  "40001": "lock",
  "53100": "disk",
  "53": "quota",
  "55P03": "lock",
  "57014": "timeout",
  "57": "connection",
  "58": "disk",
  "08": "connection",
  "22": "data",
  "23": "data",
  ENOSPC: "disk",
  EACCES: "right",
  nats_rights: "right",
  publish_failed: "stream",
};
const CONNECTION_CODE =
  /^(E[A-Z]+|EAI_[A-Z]+|CONNECT|CONNECTION_\w+|NO_ANSWER|TLS_\w+|UNABLE_TO_\w+|CONNECT_TIMEOUT|\w*CERT\w*)$/;
/** Causes for which the server's message contains no values of rows. */
const QUOTED: ReadonlySet<RefusalCause> = new Set([
  "disk",
  "right",
  "lock",
  "timeout",
  "connection",
  "quota",
  "stream_full",
  "stream",
  "schema",
]);

/**
 * @param error the last refusal; undefined: there was none
 * @param holder the session that holds the lock which our sessions wait for, if known
 * @param complaint NATS' report of its own health: a server with a full disk tells its callers nothing
 */
export function explainRefusal(
  error: unknown,
  holder: LockHolder | undefined,
  complaint?: string | undefined,
): Refusal {
  if (holder !== undefined && (error === undefined || isHeldUp(error))) return explainLock(holder);
  if (error === undefined) {
    const said = "nothing was refused, it is only not done";
    return { cause: "none_told", said, mend: MENDS.none_told };
  }
  const cause = causeOf(error);
  if (cause === "stream" && complaint !== undefined) {
    // Paths are long, and the words after them matter.
    const short = complaint.split(" ").map((word) => (word.startsWith("/") ? "…" : word));
    const words = oneLine(`NATS: ${short.join(" ")}`);
    return DISK_FULL.test(complaint)
      ? { cause: "disk", said: words, mend: MEND_NATS_DISK }
      : { cause, said: words, mend: MENDS.stream };
  }
  const said = sayOf(error, cause);
  if (cause === "lock") return { cause, said, mend: MENDS.timeout };
  return { cause, said, mend: MENDS[cause] };
}

function isHeldUp(error: unknown): boolean {
  const cause = causeOf(error);
  return cause === "lock" || cause === "timeout";
}

function explainLock({ pid, application, role, since, statement }: LockHolder): Refusal {
  const who = application === "" ? `role ${role}` : `${application}, role ${role}`;
  const when = since === undefined ? "" : `, since ${since}`;
  const what = statement === undefined ? "" : `, "${statement}"`;
  return {
    cause: "lock",
    said: oneLine(`session ${pid} (${who}${when}${what}) holds what it needs`),
    mend: `end that session if it may be ended: select pg_terminate_backend(${pid})`,
  };
}

/**
 * Messages about a full disk. A PostgreSQL that started while its disk was full answers each connection with
 * the last of them, under a general code (XX000).
 */
const DISK_FULL = /No space left on device|insufficient (storage )?resources|could not write init file/i;

export function causeOf(error: unknown): RefusalCause {
  const { code, name, message = "" } = (error ?? {}) as { code?: unknown; name?: unknown; message?: string };
  if (DISK_FULL.test(message)) return "disk";
  if (name === "LostPartitions") return "fence";
  if (name === "PermissionViolationError") return "right";
  if (name === "JetStreamApiError" || name === "TimeoutError" || name === "RequestError") return "stream";
  if (code === "publish_failed" && /stream_full/.test(message)) return "stream_full";
  if (typeof code !== "string") return "fault";
  const known =
    CAUSE_BY_CODE[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? CAUSE_BY_CODE[code.slice(0, 2)] : undefined);
  return known ?? (CONNECTION_CODE.test(code) ? "connection" : "fault");
}

/** Whether the error comes from PostgreSQL: its codes have five characters. */
export function isDatabaseDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && causeOf(error) === "disk";
}

function sayOf(error: unknown, cause: RefusalCause): string {
  const { code, name, message = "" } = error as { code?: unknown; name?: unknown; message?: string };
  if (QUOTED.has(cause) && message !== "") return oneLine(message);
  return oneLine(
    [name, code].filter((part) => typeof part === "string" && part !== "").join(" ") || "a fault",
  );
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST_SAID ? line : `${line.slice(0, LONGEST_SAID - 1)}…`;
}
