import type { RequestRecord } from "./api.ts";

/** A request as a line of the log tells it; who called is the service's to add. */
export function describeRequest(record: Omit<RequestRecord<never>, "caller">) {
  return {
    traceId: record.traceId,
    route: record.route,
    status: record.status,
    code: record.code,
    ms: Math.round(record.durationMs * 100) / 100,
    bytes: record.bodyBytes,
    ...(record.authenticationFault !== undefined && { fault: record.authenticationFault }),
  };
}
