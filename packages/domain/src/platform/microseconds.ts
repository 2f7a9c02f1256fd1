const MICROSECONDS_PER_MILLISECOND = 1000;

/**
 * Microseconds since 1970 of a timestamp as `toUtcMicroseconds` writes it. Up to the year 2100 they are below 2^53, so
 * differences are exact.
 */
export function microsecondsOf(timestamp: string): number {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`);
  return milliseconds * MICROSECONDS_PER_MILLISECOND + Number(timestamp.slice(23, 26));
}
