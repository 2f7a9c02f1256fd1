import { InvalidArgumentError } from "commander";

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration as a person writes it: `250ms`, `10s`, `5m`, `1h`, `7d`. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined) {
    throw new InvalidArgumentError("It is a duration such as 500ms, 10s, 5m, 1h or 7d.");
  }
  return Math.round(Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]);
}

/** For options that may be repeated: adds a value to the earlier ones. */
export function collect(text: string, given: readonly string[]): string[] {
  return [...given, text];
}

/** A moment as a person writes it: how long ago (`1h`), or an RFC 3339 timestamp with an offset. */
export function readMoment(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/i.test(text) && !Number.isNaN(Date.parse(text))) {
    return new Date(text);
  }
  try {
    return new Date(Date.now() - readDuration(text));
  } catch {
    throw new InvalidArgumentError(
      "It is how long ago (90s, 5m, 1h, 7d) or a time such as 2026-05-01T08:00:00Z.",
    );
  }
}
