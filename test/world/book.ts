import type { TransactionEvent } from "#contract";
import { OUTCOME_LETTERS } from "#contract/ingest";
import type { RawAnswer } from "#test-support";
import { type Expected, fold } from "./lifecycle.ts";

/** One try at a request. Times are of `Date.now`. */
export interface Attempt {
  readonly from: number;
  readonly until: number;
  readonly url: string;
  /** Undefined: no answer came. */
  readonly status: number | undefined;
  /** The reason why no answer came, or the text of an unsuccessful answer. */
  readonly note: string;
}

export interface Rejected {
  readonly index: number;
  readonly externalId: string;
  readonly code: string;
  /** As `comparableReason` returns it. */
  readonly reason: string;
}

/**
 * PostgreSQL may end before a partition has applied anything. After that the service cannot tell a member
 * that never existed from one that a restore has lost, and says so instead of `not_found`.
 */
export function comparableReason(reason: string): string {
  return reason === "member_not_restored" ? "not_found" : reason;
}

/** A request of the integrator, with all its attempts and its outcome. */
export interface SentRequest {
  readonly number: number;
  readonly events: readonly TransactionEvent[];
  readonly isAsync: boolean;
  readonly attempts: Attempt[];
  /** The rejections that the service must report. */
  rejected: readonly Rejected[];
  batchId: string | undefined;
  verdict: "open" | "told" | "accepted" | "refused" | "malformed";
}

/** When the database can have taken an event, by request and answer; `until`: infinite if no answer came. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Everything about one `external_id`. */
export interface Entry {
  readonly requests: SentRequest[];
  /** Undefined: the event must not be stored. */
  expected: Expected | undefined;
  /** When it was cleared or reverted. */
  settled: Span | undefined;
}

/**
 * The integrator's record of every answer, and the state that must be stored by it. Its writers keep two
 * rules, so that one history has one result: they send requests about one transaction one after the other,
 * and repeat a request whose fate is unknown until it has an answer.
 */
export class Book {
  readonly entries = new Map<string, Entry>();
  /** The requests answered with 202. */
  readonly batches: SentRequest[] = [];
  readonly requests: SentRequest[] = [];
  readonly problems: string[] = [];
  /** How many requests have an answer that counts, and how many had the result of each event. */
  answers = 0;
  detailed = 0;
  readonly #isKnownMember: (id: string) => boolean;
  readonly #isGone: (id: string) => boolean;

  /** @param isGone whether the deletion of a member was answered */
  constructor(isKnownMember: (id: string) => boolean, isGone: (id: string) => boolean = () => false) {
    this.#isKnownMember = isKnownMember;
    this.#isGone = isGone;
  }

  open(events: readonly TransactionEvent[], isAsync: boolean): SentRequest {
    const request: SentRequest = {
      number: this.requests.length,
      events,
      isAsync,
      attempts: [],
      rejected: [],
      batchId: undefined,
      verdict: "open",
    };
    this.requests.push(request);
    for (const { external_id } of events) {
      const entry = this.#entryOf(external_id);
      if (entry.requests.at(-1) !== request) entry.requests.push(request);
    }
    return request;
  }

  /** @param exact whether only this attempt can have applied the events: then its counts are certain */
  answered(request: SentRequest, answer: RawAnswer, exact: boolean): void {
    const last = request.attempts.at(-1) as Attempt;
    const from = (request.attempts[0] as Attempt).from;
    const until = answer.status === 202 ? Number.POSITIVE_INFINITY : last.until;
    const { rejected, ...expected } = this.#apply(request.events, { from, until });
    request.rejected = rejected;
    this.answers++;
    if (answer.status === 202) this.#accept(request, answer);
    else this.#compare(request, answer, { ...expected, exact });
  }

  /** All attempts so far, in the order of their ends. */
  attempts(): Attempt[] {
    return this.requests.flatMap(({ attempts }) => attempts).sort((a, b) => a.until - b.until);
  }

  /**
   * Books events that a test has sent by itself, perhaps several times. @param answer undefined: every attempt was
   * refused
   */
  sentElsewhere(events: readonly TransactionEvent[], answer?: RawAnswer): void {
    const request = this.open(events, false);
    const now = Date.now();
    request.attempts.push({ from: 0, until: now, url: "http://elsewhere", status: answer?.status, note: "" });
    if (answer === undefined) this.refused(request, "refused");
    else this.answered(request, answer, false);
  }

  /** Every attempt was refused, and the request is not repeated. */
  refused(request: SentRequest, verdict: "refused" | "malformed"): void {
    request.verdict = verdict;
  }

  #entryOf(externalId: string): Entry {
    let entry = this.entries.get(externalId);
    if (entry === undefined) {
      entry = { requests: [], expected: undefined, settled: undefined };
      this.entries.set(externalId, entry);
    }
    return entry;
  }

  #apply(events: readonly TransactionEvent[], span: Span) {
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const rejected: Rejected[] = [];
    const ignored: number[] = [];
    let letters = "";
    for (const [index, event] of events.entries()) {
      const externalId = event.external_id;
      const entry = this.#entryOf(externalId);
      // When a later message is finished, so are the earlier ones.
      if (entry.settled !== undefined && entry.settled.until > span.until) {
        entry.settled = { from: entry.settled.from, until: span.until };
      }
      const { expected } = entry;
      const isThere = this.#isKnownMember(event.member_id) && !this.#isGone(event.member_id);
      const isMemberGone = expected !== undefined && this.#isGone(expected.memberId);
      if (!isThere && expected === undefined) {
        rejected.push({ index, externalId, code: "not_found", reason: "not_found" });
        letters += OUTCOME_LETTERS.rejected;
        continue;
      }
      const folded = fold(expected, event, isMemberGone);
      letters += OUTCOME_LETTERS[folded.outcome];
      if (folded.outcome === "rejected") {
        rejected.push({ index, externalId, code: folded.code, reason: folded.reason });
        continue;
      }
      counts[folded.outcome]++;
      if (folded.ignored.length > 0) ignored.push(index);
      if (folded.next.state !== "authorized") entry.settled ??= span;
      entry.expected = folded.next;
    }
    return { counts, rejected, ignored, letters };
  }

  #accept(request: SentRequest, answer: RawAnswer): void {
    request.verdict = "accepted";
    request.batchId = answer.body?.batch_id;
    this.batches.push(request);
    const { status, accepted } = answer.body ?? {};
    const isPreferred = answer.headers["preference-applied"] === "respond-async";
    if (status !== "accepted" || accepted !== request.events.length || request.batchId === undefined) {
      this.#fault(request, `answered 202 ${JSON.stringify(answer.body)}`);
    }
    if (request.isAsync !== isPreferred) this.#fault(request, `preference-applied: ${isPreferred}`);
  }

  #compare(request: SentRequest, answer: RawAnswer, expected: ExpectedAnswer): void {
    request.verdict = "told";
    const { rejected, events } = request;
    const told = answer.status === 200 ? answer.body : answer.body?.error?.data;
    const accepted = events.length - rejected.length;
    const wrong = rejected.length > 0 ? rejectionFaults(rejected, answer) : statusFaults(answer);
    wrong.push(...countFaults(told, expected));
    if (told?.accepted !== accepted) wrong.push(`accepted ${told?.accepted}, not ${accepted}`);
    wrong.push(...this.#letterFaults(told, expected), ...this.#ignoredFaults(told, expected));
    if (wrong.length > 0) this.#fault(request, wrong.join("; "));
  }

  /** The letters of an answer that has them: as many of each kind as it counts; if that is certain, the right ones. */
  #letterFaults(
    told: Readonly<Record<string, unknown>> | undefined,
    { letters, exact }: ExpectedAnswer,
  ): string[] {
    const said = told?.outcomes;
    if (typeof said !== "string") return [];
    this.detailed++;
    const count = (letter: string) => said.split(letter).length - 1;
    const areCounted = (["created", "updated", "unchanged"] as const).every(
      (kind) => count(OUTCOME_LETTERS[kind]) === told?.[kind],
    );
    const areRejections = [...letters].every(
      (letter, i) => (letter === OUTCOME_LETTERS.rejected) === (said[i] === OUTCOME_LETTERS.rejected),
    );
    const areRight = said.length === letters.length && areCounted && areRejections;
    return areRight && (!exact || said === letters) ? [] : [`outcomes ${said}, not ${letters}`];
  }

  #ignoredFaults(told: { ignored?: unknown } | undefined, { ignored, exact }: ExpectedAnswer): string[] {
    if (!exact) return [];
    const list = Array.isArray(told?.ignored) ? (told.ignored as { index: number }[]) : [];
    const said = list.map(({ index }) => index).join(" ");
    const wanted = ignored.slice(0, 100).join(" ");
    return said === wanted ? [] : [`ignored events ${said || "none"}, not ${wanted || "none"}`];
  }

  #fault(request: SentRequest, text: string): void {
    this.problems.push(`request ${request.number} (${request.events.length} events): ${text}`);
  }
}

interface ExpectedAnswer {
  readonly counts: { readonly created: number; readonly updated: number; readonly unchanged: number };
  /** Indexes of events with fields that the service ignores. */
  readonly ignored: readonly number[];
  /** The outcomes as `prefer: return=representation` gives them. */
  readonly letters: string;
  readonly exact: boolean;
}

function rejectionFaults(rejected: readonly Rejected[], answer: RawAnswer): string[] {
  const first = rejected[0] as Rejected;
  const status = first.code === "not_found" ? 404 : 409;
  if (answer.status !== status) return [`status ${answer.status}, not ${status}`];
  const wrong: string[] = [];
  const told = answer.body?.error?.data;
  const toldReason = comparableReason(String(told?.reason));
  if (toldReason !== first.reason || told?.external_id !== first.externalId) {
    const wanted = `${first.externalId} ${first.reason}`;
    wrong.push(`tells of ${told?.external_id} ${told?.reason} first, not ${wanted}`);
  }
  const lines = showRejected(fromAnswer(told?.rejected ?? []));
  if (lines !== showRejected(rejected)) wrong.push(`rejected ${lines}, not ${showRejected(rejected)}`);
  return wrong;
}

function statusFaults({ status }: RawAnswer): string[] {
  return status === 200 ? [] : [`status ${status}, not 200`];
}

/** @param told the counts of a 200, or those of a 404 or 409: the other events of its request were applied */
function countFaults(told: RawAnswer["body"], { counts, exact }: ExpectedAnswer): string[] {
  const { accepted, created, updated, unchanged } = told ?? {};
  const said = `created ${created} updated ${updated} unchanged ${unchanged}`;
  const wrong: string[] = [];
  if (created + updated + unchanged !== accepted) wrong.push(`${said} of ${accepted}`);
  if (created > counts.created) wrong.push(`${said}, and only ${counts.created} were new`);
  if (exact && (created !== counts.created || updated !== counts.updated)) {
    wrong.push(`${said}, not ${JSON.stringify(counts)}, at its first attempt`);
  }
  return wrong;
}

/** Rejections as answers and `transaction.batch/get` list them. */
export function fromAnswer(
  list: readonly { index: number; external_id: string; code: string; reason: string }[],
): Rejected[] {
  return list.map(({ index, external_id, code, reason }) => ({
    index,
    externalId: external_id,
    code,
    reason: comparableReason(reason),
  }));
}

export function showRejected(list: readonly Rejected[]): string {
  return [...list]
    .sort((a, b) => a.index - b.index)
    .map(({ index, externalId, code, reason }) => `${index} ${externalId} ${code} ${reason}`)
    .join(", ");
}
