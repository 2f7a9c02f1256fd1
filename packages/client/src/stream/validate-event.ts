import { findIssues, VALIDATORS } from "#contract/validation";
import type { RejectedOutcome } from "./event-outcome.ts";

const validate = VALIDATORS["transaction/ingest"];
/** Where the service finds the fault of a request's only event. */
const IN_EVENT = /^\/events\/\d+/;

/**
 * An event's fault in the service's words; undefined if the event is well-formed. The client finds malformed
 * events before it sends them, because the service refuses the whole request of such an event.
 */
export function findFault(event: unknown): RejectedOutcome | undefined {
  const body = { events: [event] };
  if (validate(body)) return undefined;
  const { issues } = findIssues(validate, body, 0);
  return malformed(issues[0]);
}

/** The rejection of the event that an issue of the service is about. */
export function malformed(issue: { readonly path: string; readonly message: string }): RejectedOutcome {
  const path = issue.path.replace(IN_EVENT, "");
  return { outcome: "rejected", code: "bad_request", reason: issue.message, path };
}
