import type { IngestResult } from "#client";
import { isRefusal, type Outcome } from "./model.ts";
import type { DemoRequest, IngestRequest } from "./plan-requests.ts";

/** How one request ended. */
export type Ending =
  | { readonly kind: "result"; readonly result: IngestResult }
  /** Refused as a whole with 400; `path` is where the answer found the fault. */
  | { readonly kind: "bad_request"; readonly path: string };

/** Of one number what the model says and what the service says. */
export interface Pair {
  expected: number;
  actual: number;
}

const COUNTS = [
  "sent",
  "accepted",
  "created",
  "updated",
  "unchanged",
  /** Accepted, but its answer is about a refused event of the request and does not say more of the others. */
  "besideRefused",
  /** Accepted with 202, or repeated after a lost connection: what it came to is seen in Postgres only. */
  "later",
  "invalid_transition",
  "identity_mismatch",
  "not_found",
  "malformed",
] as const;
type Count = (typeof COUNTS)[number];

const EXAMPLES = 5;

/** Adds up the answers beside what the model expects of them, and keeps examples of where they part. */
export class Tally {
  readonly counts = Object.fromEntries(COUNTS.map((name) => [name, { expected: 0, actual: 0 }])) as Record<
    Count,
    Pair
  >;
  readonly disagreements: string[] = [];
  /** Requests that asked for the outcome and were answered 202: it took longer than the service waits. */
  late = 0;
  /** Rejections of requests that were answered 202: webhooks are told of them. */
  untold = 0;

  /** @param repeated the request was sent again after a connection failed, so its first sending may have counted */
  add(request: DemoRequest, ending: Ending, repeated: boolean): void {
    this.#count("sent", request.events.length, request.events.length);
    if (request.kind === "malformed" || ending.kind === "bad_request") {
      this.#addRefused(request, ending);
    } else if (ending.result.status === "accepted" || repeated) {
      this.#addLater(request, ending.result);
    } else if (ending.result.status === "processed") {
      this.#addProcessed(request, ending.result);
    } else {
      this.#addRejected(request, ending.result);
    }
  }

  #addRefused(request: DemoRequest, ending: Ending): void {
    const expected = request.kind === "malformed" ? `400 at ${request.path}` : "no 400";
    const actual = ending.kind === "bad_request" ? `400 at ${ending.path}` : ending.result.status;
    const { length } = request.events;
    this.#count("malformed", request.kind === "malformed" ? length : 0, actual === expected ? length : 0);
    const what = request.kind === "malformed" ? request.malformed : "a request";
    if (actual !== expected) this.#disagree(request, `${what}: expected ${expected}, got ${actual}`);
  }

  #addLater(request: IngestRequest, result: IngestResult): void {
    const { length } = request.events;
    if (result.status === "accepted") {
      if (!request.respondAsync) this.late++;
      this.untold += request.outcomes.filter(isRefusal).length;
    }
    const told = result.status === "rejected" ? result.accepted + result.rejected.length : result.accepted;
    this.#count("later", length, told);
    this.#count("accepted", length, told);
    if (told !== length) this.#disagree(request, `${length} events sent, ${told} taken`);
  }

  #addProcessed(request: IngestRequest, result: Extract<IngestResult, { status: "processed" }>): void {
    const expected = countOutcomes(request.outcomes);
    const applied = ["created", "updated", "unchanged"] as const;
    for (const outcome of applied) this.#count(outcome, expected[outcome], result[outcome]);
    this.#count(
      "accepted",
      request.outcomes.filter((outcome) => !isRefusal(outcome)).length,
      result.accepted,
    );
    const parted = applied.filter((outcome) => expected[outcome] !== result[outcome]);
    if (parted.length === 0 && !request.outcomes.some(isRefusal)) return;
    const told = applied.map((outcome) => `${expected[outcome]} expected and ${result[outcome]} ${outcome}`);
    this.#disagree(request, `${told.join(", ")}, none refused`);
  }

  #addRejected(request: IngestRequest, result: Extract<IngestResult, { status: "rejected" }>): void {
    const expected = new Set<string>();
    for (const [index, outcome] of request.outcomes.entries()) {
      if (!isRefusal(outcome)) continue;
      this.counts[outcome].expected++;
      expected.add(`${index} ${request.events[index]?.external_id} ${outcome}`);
    }
    for (const { index, external_id, reason } of result.rejected) {
      const count = this.counts[reason as Outcome];
      if (count !== undefined) count.actual++;
      if (!expected.delete(`${index} ${external_id} ${reason}`)) {
        this.#disagree(request, `event ${index} (${external_id}) was refused, ${reason}, and should not be`);
      }
    }
    for (const missed of expected) this.#disagree(request, `event ${missed} was expected and is not told`);
    const accepted = request.outcomes.filter((outcome) => !isRefusal(outcome)).length;
    this.#count("besideRefused", accepted, result.accepted);
    this.#count("accepted", accepted, result.accepted);
  }

  #count(name: Count, expected: number, actual: number): void {
    this.counts[name].expected += expected;
    this.counts[name].actual += actual;
  }

  #disagree(request: DemoRequest, what: string): void {
    if (this.disagreements.length >= EXAMPLES) return;
    this.disagreements.push(`request from ${request.events[0]?.external_id} on: ${what}`);
  }
}

export function countOutcomes(outcomes: readonly Outcome[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = {
    created: 0,
    updated: 0,
    unchanged: 0,
    not_found: 0,
    identity_mismatch: 0,
    invalid_transition: 0,
  };
  for (const outcome of outcomes) counts[outcome]++;
  return counts;
}
