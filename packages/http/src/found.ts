import type { ApiError } from "#contract";

/**
 * Returns the record that was looked for.
 * @throws what `unknown` makes, if there is none
 */
export function found<T>(record: T | undefined, unknown: () => ApiError): T {
  if (record === undefined) throw unknown();
  return record;
}
