import type { WireRequest } from "./head-case.ts";
import type { Wire, WireAnswer } from "./wire.ts";

export type Adapter = "node" | "uws";

/** The result of the requests of one connection. */
export interface Verdict {
  readonly faults: readonly string[];
  /** Names of memberbases that were made, by the answers. */
  readonly made: readonly string[];
  /** Requests that the adapter itself refused, in the ways that its reference documents. */
  readonly refused: number;
}

/** Statuses that uWebSockets.js answers by itself, without the envelope: nothing may have happened then. */
const RAW_STATUSES: ReadonlySet<number> = new Set([400, 431, 505]);

/**
 * Compares the answers of one connection with the requests sent on it. `node` answers each request, in order,
 * up to the first that ends the connection; `uws` may end it before, silently or with its own status, but
 * answers nothing out of order. `effectFaults` checks at the end of the run that nothing was created without
 * an answer.
 */
export function judgeHeads(adapter: Adapter, requests: readonly WireRequest[], wire: Wire): Verdict {
  const faults: string[] = [];
  const made: string[] = [];
  for (const [index, request] of requests.entries()) {
    const answer = wire.answers[index];
    if (adapter === "uws" && (answer === undefined || isRaw(answer))) {
      return { faults, made, refused: requests.length - index };
    }
    const fault = answer === undefined ? absence(wire) : wrongAnswer(adapter, request, answer);
    if (fault !== undefined) faults.push(`${request.what}: ${fault}`);
    if (answer === undefined) break;
    if (answer.status === 200 && request.makes !== undefined) made.push(request.makes);
    if (!request.isLast && answer.headers.get("connection") !== "close") continue;
    const behind = wire.answers.slice(index + 1).filter((other) => adapter === "node" || !isRaw(other));
    if (behind.length > 0) faults.push(`${request.what}: something is answered behind it`);
    break;
  }
  return { faults, made, refused: 0 };
}

function absence(wire: Wire): string {
  if (!wire.isClosed) return "no answer in time";
  return `the connection was closed without an answer; got ${JSON.stringify(wire.rest.slice(0, 100))}`;
}

function isRaw({ status, headers }: WireAnswer): boolean {
  return RAW_STATUSES.has(status) && !headers.has("x-trace-id");
}

function wrongAnswer(adapter: Adapter, request: WireRequest, answer: WireAnswer): string | undefined {
  const { status, headers, body } = answer;
  const isClosing = headers.get("connection") === "close";
  const isRefusal = isClosing && status === 400;
  const mayRefuse = request.mayBeRefused || adapter === "uws";
  if (status >= 500 && status !== 503) return `answered ${status}: ${body.slice(0, 200)}`;
  const isExpected = status === request.status || status === 503 || (mayRefuse && isRefusal);
  if (!isExpected) return `answered ${status}, not ${request.status}: ${body.slice(0, 200)}`;
  const traceId = headers.get("x-trace-id") ?? "none";
  if (!/^[0-9a-f]{32}$/.test(traceId)) return `x-trace-id is ${traceId}`;
  // A request that could not be parsed has a new trace.
  if (request.traceId !== undefined && !isRefusal && traceId !== request.traceId) {
    return `x-trace-id is ${traceId}, traceparent said ${request.traceId}`;
  }
  if (status < 400 || request.isHead) return undefined;
  if (headers.get("content-type") !== "application/json") return `the type is ${headers.get("content-type")}`;
  return wrongEnvelope(body, traceId);
}

function wrongEnvelope(body: string, traceId: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error: Record<string, unknown> };
    const isWhole =
      typeof error.code === "string" && typeof error.message === "string" && typeof error.data === "object";
    if (!isWhole) return `no envelope: ${body.slice(0, 200)}`;
    return error.trace_id === traceId ? undefined : "error.trace_id is not x-trace-id";
  } catch {
    return `no JSON: ${body.slice(0, 200)}`;
  }
}

/** Memberbases that were made and not answered, answered and not made, or made twice. */
export function effectFaults(answered: readonly string[], stored: readonly string[]): string[] {
  const told = new Set(answered);
  const there = new Set(stored);
  const silent = stored.filter((name) => !told.has(name));
  const lost = answered.filter((name) => !there.has(name));
  return [
    ...(silent.length > 0 ? [`${silent.length} made without an answer, such as ${silent[0]}`] : []),
    ...(lost.length > 0 ? [`${lost.length} answered and not made, such as ${lost[0]}`] : []),
    ...(stored.length > there.size ? [`${stored.length - there.size} made twice`] : []),
  ];
}
