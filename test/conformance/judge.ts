import type { Case } from "./make-case.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Envelope {
  readonly error?: {
    readonly trace_id?: string;
    readonly code?: string;
    readonly data?: { readonly issues?: ReadonlyArray<{ readonly path?: string }> };
  };
}

/**
 * Rules that a schema cannot express, by the field whose value breaks them (`*`: any entry): the service
 * refuses such a request although it is valid.
 */
const BEYOND_THE_SCHEMA: Readonly<Record<string, string>> = {
  "/pagination/cursor": "a cursor of another list",
  "/after": "a cursor of another list",
  "/expires_at": "in the past",
  "/url": "not an address to deliver to",
  "/until": "not after since",
  "/ends_at": "not after starts_at",
  "/rules/paid_before": "not after paid_after",
  "/rules/min_amount": "with confirmation none",
  "/reward_config/type": "percent with confirmation none",
  "/retailer_id": "not given, with the platform's token",
  "/payments/*/bin_digits": "not one for each identifier",
  "/merchant_id": "not given, without a transaction_id or beside other fields of a record",
  "/authed_at": "the same",
};

/** JSON.stringify escapes lone surrogates; strict readers of JSON refuse them. */
const HALF_PAIR = /\\ud[89a-f]/i;

/**
 * A kept rejection names the member as the event did, which an earlier request of the same organisation sent:
 * that member may be why it was rejected.
 */
const TELLS_WHAT_WAS_SENT = "transaction.rejection/list";
const NAMED_MEMBER = /"member_id":"[^"]*"/g;

/**
 * The fault of an answer; undefined if it is right. It must not contain any of `secrets` unless the request
 * did.
 */
export function judge(made: Case, answer: Answer, secrets: readonly string[]): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500) return `answered ${status}: ${text}`;
  const sent = Buffer.from(made.bytes).toString();
  const shown = made.operation.route === TELLS_WHAT_WAS_SENT ? text.replaceAll(NAMED_MEMBER, "") : text;
  const leaked = secrets.find((secret) => shown.includes(secret) && !sent.includes(secret));
  if (leaked !== undefined) return `another organisation's ${leaked} is in the answer: ${text}`;
  const body = parse(text);
  if (body === undefined) return `the answer is not JSON: ${text}`;
  if (HALF_PAIR.test(text)) return `half of a surrogate pair is in the answer: ${text}`;
  const undocumented = made.operation.explain(status, body);
  if (undocumented !== undefined) return `${undocumented}; ${text.slice(0, 500)}`;
  return (
    wrongTrace(made, headers["x-trace-id"], status, body as Envelope) ??
    (made.expected.kind === "valid"
      ? wrongForValid(status, body as Envelope)
      : wrongForRefused(made, status, body as Envelope))
  );
}

function wrongTrace(
  { headers }: Case,
  traceId: string | string[] | undefined,
  status: number,
  body: Envelope,
): string | undefined {
  if (typeof traceId !== "string" || !/^[0-9a-f]{32}$/.test(traceId)) return `x-trace-id is ${traceId}`;
  const given = headers.traceparent?.split("-")[1];
  if (given !== undefined && given !== traceId) return `x-trace-id is ${traceId}, traceparent said ${given}`;
  if (status < 400) return undefined;
  return body.error?.trace_id === traceId ? undefined : "error.trace_id is not x-trace-id";
}

function wrongForValid(status: number, body: Envelope): string | undefined {
  if (status < 400 || status === 404 || status === 409) return undefined;
  const path = (body.error?.data?.issues?.[0]?.path ?? "").replaceAll(/\/\d+(?=\/)/g, "/*");
  if (status === 400 && BEYOND_THE_SCHEMA[path] !== undefined) return undefined;
  return `a valid request was refused with ${status}: ${JSON.stringify(body)}`;
}

function wrongForRefused({ expected }: Case, status: number, body: Envelope): string | undefined {
  if (expected.kind !== "refused") return undefined;
  if (status !== expected.status)
    return `answered ${status}, not ${expected.status}: ${JSON.stringify(body)}`;
  if (status !== 400) return undefined;
  const path = body.error?.data?.issues?.[0]?.path;
  const right = expected.exact ? path === expected.path : path?.startsWith(expected.path);
  return right ? undefined : `the issue points at ${path}, not at ${expected.path}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
