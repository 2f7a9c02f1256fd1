/** The content of a `traceparent`. */
interface Traceparent {
  /** 32 lower-case hex characters. */
  readonly traceId: string;
  /** 16 lower-case hex characters. */
  readonly parentId: string;
  /** Whether the sender records this trace. */
  readonly isSampled: boolean;
}

/** version "-" trace-id "-" parent-id "-" flags, and what a later version may append after another "-". */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO_TRACE = "0".repeat(32);
const ZERO_PARENT = "0".repeat(16);
const SAMPLED = 1;

/**
 * Reads a `traceparent` by W3C Trace Context, sections 3.2 and 4.3; another system may have written it.
 * Version ff and all-zero ids are invalid, version 00 ends with the flags, and later versions are read by
 * their known prefix. Undefined if it is not valid.
 */
export function readTraceparent(text: string): Traceparent | undefined {
  const match = TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, version, traceId = "", parentId = "", flags = "", rest] = match;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || parentId === ZERO_PARENT) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function writeTraceparent({ traceId, parentId, isSampled }: Traceparent): string {
  return `00-${traceId}-${parentId}-0${isSampled ? SAMPLED : 0}`;
}
