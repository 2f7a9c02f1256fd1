import type { ApiError } from "#contract";

/** What was looked for. @throws what `unknown` makes, where it was not found */
export function found<T>(record: T | undefined, unknown: () => ApiError): T {
  if (record === undefined) throw unknown();
  return record;
}
