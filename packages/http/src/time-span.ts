import { toUtcMicroseconds } from "#domain";
import { badRequest } from "./read-body.ts";

/** Moments from `since` on and before `until`, as `toUtcMicroseconds` writes them; undefined: without that bound. */
export interface TimeSpan {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * Reads the span that a request names.
 * @throws ApiError `bad_request` when it is empty: nothing could ever be in it
 */
export function readTimeSpan({ since, until }: { since?: string; until?: string }): TimeSpan {
  const span = { since: since && toUtcMicroseconds(since), until: until && toUtcMicroseconds(until) };
  // In this form texts sort as the times do.
  if (span.since !== undefined && span.until !== undefined && span.until <= span.since) {
    throw badRequest("/until must be after since", { path: "/until", message: "must be after since" });
  }
  return span;
}
