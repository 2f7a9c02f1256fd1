import type { IngestResult } from "#client";
import { countOutcomes, isRefusal, type Outcome, type Outcomes } from "./model.ts";
import type { DemoRequest, IngestRequest } from "./plan-requests.ts";
import type { Pair, Section } from "./report.ts";

/** How one request ended. */
export type Ending =
  | { readonly kind: "result"; readonly result: IngestResult }
  /** Refused as a whole with 400; `path` is where the answer found the fault. */
  | { readonly kind: "bad_request"; readonly path: string };

type ResultOf<S extends IngestResult["status"]> = Extract<IngestResult, { status: S }>;

/** What is counted, with its name in the report and how far it is indented there. */
const ROWS = {
  sent: ["sent", 0],
  accepted: ["accepted", 0],
  created: ["created", 1],
  updated: ["updated", 1],
  unchanged: ["unchanged", 1],
  /** Accepted, but its answer is about a refused event of the request and does not say more of the others. */
  besideRefused: ["applied beside a rejected one", 1],
  /** Accepted with 202, or repeated after a lost connection: what it came to is seen in Postgres only. */
  later: ["outcome not in the answer, read back", 1],
  invalid_transition: ["rejected: invalid_transition", 0],
  identity_mismatch: ["rejected: identity_mismatch", 0],
  past_retention: ["rejected: past_retention", 0],
  not_found: ["rejected: not_found (no such member)", 0],
  malformed: ["rejected: bad_request (whole request)", 0],
} as const;
type Count = keyof typeof ROWS;
const COUNTS = Object.keys(ROWS) as Count[];
const APPLIED = ["created", "updated", "unchanged"] as const;

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
  readonly #outcomes: Outcomes;

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  /** What the answers said, beside the model. */
  get section(): Section {
    const rows = COUNTS.map((count) => {
      const [name, indent] = ROWS[count];
      return { name, indent, ...this.counts[count] };
    });
    return { title: "events", source: "answers", rows, examples: this.disagreements };
  }

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
      this.untold += length - this.#countAccepted(request);
    }
    const told = result.status === "rejected" ? result.accepted + result.rejected.length : result.accepted;
    this.#count("later", length, told);
    this.#count("accepted", length, told);
    if (told !== length) this.#disagree(request, `${length} events sent, ${told} taken`);
  }

  #addProcessed(request: IngestRequest, result: ResultOf<"processed">): void {
    const expected = countOutcomes(this.#outcomesOf(request));
    for (const outcome of APPLIED) this.#count(outcome, expected[outcome], result[outcome]);
    const accepted = this.#countAccepted(request);
    this.#count("accepted", accepted, result.accepted);
    const isAsExpected = APPLIED.every((outcome) => expected[outcome] === result[outcome]);
    if (isAsExpected && accepted === request.events.length) return;
    const told = APPLIED.map((outcome) => `${expected[outcome]} expected and ${result[outcome]} ${outcome}`);
    this.#disagree(request, `${told.join(", ")}, none refused`);
  }

  #addRejected(request: IngestRequest, result: ResultOf<"rejected">): void {
    const expected = new Set<string>();
    for (const [index, outcome] of this.#outcomesOf(request).entries()) {
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
    const accepted = this.#countAccepted(request);
    this.#count("besideRefused", accepted, result.accepted);
    this.#count("accepted", accepted, result.accepted);
  }

  #outcomesOf({ events }: IngestRequest): Outcome[] {
    return events.map((event) => this.#outcomes.get(event) as Outcome);
  }

  #countAccepted(request: IngestRequest): number {
    return this.#outcomesOf(request).filter((outcome) => !isRefusal(outcome)).length;
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
