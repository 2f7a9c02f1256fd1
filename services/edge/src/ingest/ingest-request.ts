import { LIMITS } from "#contract";
import type { IgnoredInPart, IngestPart, PartResult, RejectedInPart } from "#contract/ingest";
import { addTo } from "#domain";
import type { Place } from "./batch-places.ts";
import { EventResults } from "./event-results.ts";
import type { EventSlice } from "./slice-events.ts";

/** How an ingest request ended, as far as the edge knows. */
export type SubmissionResult =
  | {
      readonly kind: "processed";
      readonly created: number;
      readonly updated: number;
      readonly unchanged: number;
      /** In the order of the request. */
      readonly rejected: readonly RejectedInPart[];
      /**
       * Events with ignored fields, in the order of the request: the first `LIMITS.ignoredEvents`, or all if
       * the request is detailed.
       */
      readonly ignored: readonly IgnoredInPart[];
      /** The number of all such events. */
      readonly ignoredCount: number;
      /** A letter for each event, if the request asked for them (`EventResults`). */
      readonly outcomes: string | undefined;
    }
  /** All of it is stored, and its effect follows. For each partition, the place of its last event. */
  | { readonly kind: "accepted"; readonly places: readonly Place[] }
  /** Nothing of it is stored anywhere. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Some of it may be stored, and the stream does not answer: neither 200 nor 503 would be true. */
  | { readonly kind: "unknown" };

/** A slice on its way, with its request. */
export interface Slice extends EventSlice {
  readonly request: IngestRequest;
}

/**
 * One ingest request under way. Its events are spread over partitions, and so over several messages, but it
 * gets one answer: refused only if nothing was stored, accepted only if everything was.
 *
 * publishing → all slices stored → reported (processed), or asked for no report or too late (accepted)
 *            → all sent slices were refused → refused
 *            → some of each → the refused ones are published again, until all are stored
 *
 * The slices of one partition leave one after the other, each once the one before is stored: if a later one
 * were stored before an earlier one that was refused or unknown, the events of a transaction would be applied
 * out of order. So a refusal holds back all later slices, and an abandoned request has stored in each
 * partition its first events or none.
 */
export class IngestRequest {
  readonly batch: string;
  readonly organisation: string;
  readonly traceId: string;
  readonly traceparent: string | undefined;
  readonly #awaited: boolean;
  readonly #detailed: boolean;
  #outcomes: EventResults | undefined;
  readonly total: number;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly #settle: (outcome: SubmissionResult) => void;
  readonly #publish: (slice: Slice) => void;
  readonly #republish: (slice: Slice, refusals: number, reason: string) => void;
  /** By partition: the slices after the one that was sent to the stream. */
  readonly #behind = new Map<number, Slice[]>();
  /**
   * Partitions that must accept their first slice, one after the other, before anything is sent to the
   * others.
   */
  readonly #probes: number[] = [];
  #probing: number | undefined;
  /** The number of slices sent and not answered. */
  #out = 0;
  /** Slices that were refused before any of the request is known to be stored. */
  readonly #held: { slice: Slice; reason: string }[] = [];
  #left = 0;
  #refusals = 0;
  #anyStored = false;
  #impatient = false;
  #settled = false;
  #reported = 0;
  readonly #reportedParts = new Set<number>();
  #created = 0;
  #updated = 0;
  #unchanged = 0;
  readonly #rejected: RejectedInPart[] = [];
  readonly #ignored: IgnoredInPart[] = [];
  #ignoredCount = 0;
  /** By partition: the place of the last slice stored. */
  readonly #places = new Map<number, Place>();

  constructor(options: {
    batch: string;
    organisation: string;
    traceId: string;
    traceparent: string | undefined;
    awaited: boolean;
    /** Whether the caller wants the outcome of each event; has no effect if it does not wait. */
    detailed?: boolean;
    total: number;
    /** By `performance.now()`; tests pass their own. */
    startedAt?: number;
    settle: (outcome: SubmissionResult) => void;
    publish: (slice: Slice) => void;
    /** @param refusals the number of refusals of this request so far */
    republish: (slice: Slice, refusals: number, reason: string) => void;
  }) {
    this.batch = options.batch;
    this.organisation = options.organisation;
    this.traceId = options.traceId;
    this.traceparent = options.traceparent;
    this.#awaited = options.awaited;
    this.#detailed = options.awaited && options.detailed === true;
    this.total = options.total;
    this.startedAt = options.startedAt ?? performance.now();
    this.#settle = options.settle;
    this.#publish = options.publish;
    this.#republish = options.republish;
  }

  /** Whether its caller has been answered. */
  get isSettled(): boolean {
    return this.#settled;
  }

  part(events: number): IngestPart {
    return {
      batch: this.batch,
      organisation: this.organisation,
      awaited: this.#awaited,
      events,
      detailed: this.#detailed || undefined,
    };
  }

  /**
   * @param slices in the order of their events
   * @param probes partitions that may have no room (`ClosedPartitions`)
   */
  start(slices: readonly EventSlice[], probes: ReadonlySet<number>): void {
    this.#left = slices.length;
    if (this.#detailed) this.#outcomes = new EventResults(this.total, slices);
    for (const { partition, indexes, bytes } of slices) {
      addTo(this.#behind, partition, { request: this, partition, indexes, bytes });
    }
    this.#probes.push(...probes);
    this.#sendFirsts();
  }

  /** @param place where the slice is stored */
  stored(slice: Slice, place: Place): void {
    if (this.#settled) return;
    // Slices of a partition are stored one after the other. If the stream was recreated between two, the
    // first place stays: if that stream counts as lost, so does the batch.
    const before = this.#places.get(slice.partition);
    const isSame = before === undefined || before.streamCreated === place.streamCreated;
    if (isSame && (before?.sequence ?? 0) < place.sequence) this.#places.set(slice.partition, place);
    this.#out--;
    this.#left--;
    this.#storedSome();
    const hasNext = this.#sendNext(slice.partition);
    if (!hasNext && slice.partition === this.#probing) this.#sendFirsts();
    this.#advance();
  }

  refused(slice: Slice, reason: string): void {
    if (this.#settled) return;
    this.#out--;
    this.#refusals++;
    // Some of the request is stored, so the rest must follow.
    if (this.#anyStored) this.#sendAgain(slice, reason);
    else this.#held.push({ slice, reason });
    if (this.#out === 0) this.#finish({ kind: "refused", reason });
  }

  /**
   * Takes ingest's report on one slice. It may come before the stream's acknowledgement, and again from the
   * next owner of the partition: the second report on one slice must not count as the first on another.
   */
  report(outcome: PartResult): void {
    if (!this.#awaited || this.#reportedParts.has(outcome.first)) return;
    this.#reportedParts.add(outcome.first);
    this.#storedSome();
    this.#reported += outcome.created + outcome.updated + outcome.unchanged + outcome.rejected.length;
    this.#created += outcome.created;
    this.#updated += outcome.updated;
    this.#unchanged += outcome.unchanged;
    this.#rejected.push(...outcome.rejected);
    this.#ignored.push(...outcome.ignored);
    this.#ignoredCount += outcome.ignoredCount;
    this.#outcomes?.take(outcome);
    if (this.#reported < this.total) return;
    this.#finish({
      kind: "processed",
      created: this.#created,
      updated: this.#updated,
      unchanged: this.#unchanged,
      rejected: this.#rejected.sort((a, b) => a.index - b.index),
      ignored: this.#firstIgnored(),
      ignoredCount: this.#ignoredCount,
      outcomes: this.#outcomes?.letters,
    });
  }

  /** All of them if the caller asked for the outcome of each event. */
  #firstIgnored(): IgnoredInPart[] {
    const inOrder = this.#ignored.sort((a, b) => a.index - b.index);
    return this.#detailed ? inOrder : inOrder.slice(0, LIMITS.ignoredEvents);
  }

  /** The caller no longer waits for the outcome: from now on it is enough that everything is stored. */
  hurry(): void {
    this.#impatient = true;
    this.#advance();
  }

  /** The caller no longer waits at all. */
  giveUp(): void {
    this.#finish({ kind: "unknown" });
  }

  /**
   * Sends the first slice of the next partition to be tried; once none is left, the first slices of all other
   * partitions.
   */
  #sendFirsts(): void {
    this.#probing = this.#probes.shift();
    if (this.#probing !== undefined) this.#sendNext(this.#probing);
    else for (const partition of this.#behind.keys()) this.#sendNext(partition);
  }

  #sendNext(partition: number): boolean {
    const next = this.#behind.get(partition)?.shift();
    if (next === undefined) return false;
    this.#out++;
    this.#publish(next);
    return true;
  }

  #sendAgain(slice: Slice, reason: string): void {
    this.#out++;
    this.#republish(slice, this.#refusals, reason);
  }

  /** From now on the request cannot be refused. */
  #storedSome(): void {
    this.#anyStored = true;
    for (const { slice, reason } of this.#held.splice(0)) this.#sendAgain(slice, reason);
  }

  #advance(): void {
    if (this.#left > 0 || this.#settled) return;
    if (!this.#awaited || this.#impatient)
      this.#finish({ kind: "accepted", places: [...this.#places.values()] });
  }

  #finish(outcome: SubmissionResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(outcome);
  }
}
