import { LIMITS } from "../limits.ts";
import type { ApiDescription } from "./api-description.ts";

const seconds = { type: "integer", minimum: 0 } as const;
const reference = (kind: "headers" | "parameters", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Headers of answers, by name. */
export const HEADER_COMPONENTS = {
  "x-trace-id": {
    description:
      "The trace-id of a valid `traceparent` in the request, else a new one. The same value is `error.trace_id`.",
    required: true,
    schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
  },
  "retry-after": {
    description: "Seconds to wait before the request is sent again.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  "www-authenticate": { required: true, schema: { type: "string", const: "Bearer" } },
  "preference-applied": {
    description: "Where the request asked for it.",
    schema: { type: "string", enum: ["respond-async", "return=representation"] },
  },
  "ratelimit-limit": {
    description:
      "Requests that the token may send at once. Only where a limit is configured, as the two below.",
    schema: seconds,
  },
  "ratelimit-remaining": { description: "Requests, or events, that it may still send now.", schema: seconds },
  "ratelimit-reset": { description: "Seconds until it may send `ratelimit-limit` again.", schema: seconds },
};

/** Headers of requests, by name. */
export const PARAMETER_COMPONENTS = {
  "idempotency-key": {
    name: "idempotency-key",
    in: "header",
    description: "The same key and body give the first answer again, for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: "^[ -~]+$" },
  },
  prefer: {
    name: "prefer",
    in: "header",
    description:
      "`respond-async`: answer 202 as soon as the events are on disk. `return=representation`: say in `outcomes` what " +
      "became of each event. With both the first one counts.",
    schema: { type: "string" },
    example: "return=representation",
  },
};

export const parameter = (name: keyof typeof PARAMETER_COMPONENTS) => reference("parameters", name);

type HeaderName = keyof typeof HEADER_COMPONENTS;
const RATE_HEADERS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] as const;

const references = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, reference("headers", name)]));

/** The headers of an answer to a known token, with additional ones. */
export function answerHeaders({ hasRateLimit }: ApiDescription, ...further: readonly HeaderName[]) {
  return references(["x-trace-id", ...further, ...(hasRateLimit ? RATE_HEADERS : [])]);
}

/** The headers of an answer that is given before the token's owner is known. */
export function earlyHeaders(...further: readonly HeaderName[]) {
  return references(["x-trace-id", ...further]);
}
