import { PermissionViolationError } from "@nats-io/transport-node";

/** Whether the server said that this user may not do what was asked, which only an operator can change. */
export function isRefused(error: unknown): boolean {
  return violationIn(error) !== undefined;
}

/**
 * Whether the server said that it did not take a message on this subject. A user who may not listen for the
 * acknowledgement may have published all the same: the client fails all requests under way with that error.
 */
export function isPublishRefused(error: unknown, subject: string): boolean {
  const violation = violationIn(error);
  return violation?.operation === "publish" && violation.subject === subject;
}

/** What the server did not let us do, such as "publish to ingest.0"; undefined for another error. */
export function describeRefusal(error: unknown): string | undefined {
  const violation = violationIn(error);
  if (violation === undefined) return undefined;
  return `${violation.operation === "publish" ? "publish" : "subscribe"} to ${violation.subject}`;
}

function violationIn(error: unknown): PermissionViolationError | undefined {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault instanceof PermissionViolationError) return fault;
  }
  return undefined;
}
