/** Contract, section 10: a `retry-after` of more than an hour is not honoured. */
const LONGEST_MS = 60 * 60 * 1000;
/** Dates as HTTP writes them today, and its two older forms (RFC 9110, section 5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * How long a target asks to be left alone by its `retry-after` header: seconds, or a date.
 * @returns milliseconds from 0 to an hour; null if there is no header, it is malformed, or it asks for more
 */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const asked = readRetryAfterMs(header, now);
  return asked === undefined || asked > LONGEST_MS ? null : asked;
}

/**
 * What a `retry-after` header says: seconds, or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds, at least 0; undefined if there is no header or it is malformed
 */
export function readRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  // The oldest form names no zone, but means GMT too.
  const date = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
