import { findIssues, VALIDATORS } from "#contract/validation";
import type { RejectedOutcome } from "./event-outcome.ts";

const validate = VALIDATORS["transaction/ingest"];
/** Where the service finds the fault of a request's only event. */
const IN_EVENT = /^\/events\/\d+/;

/**
 * What is wrong with an event, as the service would say it; undefined if it is well-formed. Malformed events are
 * found before they are sent, because the service refuses the whole request of such an event.
 */
export function findFault(event: unknown): RejectedOutcome | undefined {
  const body = { events: [event] };
  if (validate(body)) return undefined;
  const { issues } = findIssues(validate, body, 0);
  return malformed(issues[0]);
}

/** The outcome of an event that the service's own issue is about. */
export function malformed(issue: { readonly path: string; readonly message: string }): RejectedOutcome {
  const path = issue.path.replace(IN_EVENT, "");
  return { outcome: "rejected", code: "bad_request", reason: issue.message, path };
}
