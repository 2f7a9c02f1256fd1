import { uuidv7 } from "uuidv7";
import { ApiError, LIMITS, REPLY_SUBJECT, type TransactionEvent } from "#contract";
import type { IngestReply, PartKey } from "#contract/ingest";
import { partitionOf } from "#domain";
import { type Stream, subscribeReplies } from "#nats";
import { Deadlines, type Log, type Tracing } from "#runtime";
import type { EdgeMetrics } from "../metrics.ts";
import type { BatchIds } from "./batch-ids.ts";
import { ClosedPartitions } from "./closed-partitions.ts";
import { IngestRequest, type Slice, type SubmissionResult } from "./ingest-request.ts";
import { type PackedMessage, Packer } from "./packer.ts";
import { publishRetryMs, publishUntilKnown } from "./publish-until-known.ts";
import { type EventSlice, sliceEvents } from "./slice-events.ts";
import { StreamAges } from "./stream-ages.ts";
import { StreamTurns } from "./stream-turns.ts";
import { type NoRoom, UnansweredEvents } from "./unanswered-events.ts";

const RETRY_AFTER_SECONDS = 1;
/**
 * How long a request with an unknown outcome is kept. By then the client has given up or will send it again.
 */
const GIVE_UP_MS = 30_000;

export interface Submission {
  readonly organisation: string;
  readonly traceId: string;
  /** Undefined: the request is not traced. */
  readonly traceparent: string | undefined;
  readonly events: readonly TransactionEvent[];
  /** Whether the caller waits for the outcome (200) or only until the events are stored (202). */
  readonly awaited: boolean;
  /** Whether a waiting caller wants the outcome of each event. */
  readonly detailed: boolean;
}

/**
 * Publishes validated events and collects their outcome. Everything here is bounded: beyond the limits a
 * request is refused before anything of it is published.
 *
 * Crashes considered:
 *
 * - This process dies after publishing: the caller, who got no answer, sends the request again.
 * - Ingest dies before it reports: the next owner reports only that the events are committed, and the caller
 *   gets 202 when its time is up.
 * - The stream dies between storing and confirming: the message is published again under the same id, which
 *   settles it.
 */
export class IngestGateway {
  readonly #stream: Stream;
  readonly #partitions: number;
  readonly #metrics: EdgeMetrics;
  readonly #publishing: Parameters<typeof publishUntilKnown>[0];
  readonly #batchIds: BatchIds;
  readonly #packer: Packer;
  readonly #turns: StreamTurns;
  readonly #ages: StreamAges;
  readonly #closed = new ClosedPartitions(RETRY_AFTER_SECONDS * 1000);
  readonly #requests = new Map<string, IngestRequest>();
  readonly #hurrying = new Deadlines<IngestRequest>(LIMITS.outcomeWaitMs, (request) => {
    this.#givingUp.begin(request);
    request.hurry();
  });
  /** Requests that have hurried. */
  readonly #givingUp = new Deadlines<IngestRequest>(GIVE_UP_MS - LIMITS.outcomeWaitMs, (request) =>
    request.giveUp(),
  );
  readonly #unsubscribe: () => void;
  readonly #unanswered = new UnansweredEvents();
  #publishesInFlight = 0;

  constructor(options: {
    stream: Stream;
    partitions: number;
    metrics: EdgeMetrics;
    log: Log;
    batchIds: BatchIds;
    tracing?: Tracing | undefined;
  }) {
    this.#stream = options.stream;
    this.#partitions = options.partitions;
    this.#metrics = options.metrics;
    this.#batchIds = options.batchIds;
    this.#ages = new StreamAges(options.stream);
    const reply = `${options.stream.prefix}${REPLY_SUBJECT}.${uuidv7()}`;
    this.#packer = new Packer({
      stream: options.stream,
      reply,
      tracing: options.tracing,
      publish: (message) => this.#publish(message),
    });
    this.#publishing = {
      stream: options.stream,
      ages: this.#ages,
      packer: this.#packer,
      closed: this.#closed,
      log: options.log,
    };
    this.#turns = new StreamTurns((slice) => this.#packer.add(slice));
    const unsubscribe = subscribeReplies(options.stream, reply, (data) => this.#receive(data));
    const unlisten = options.stream.onConnection((connected) => {
      // A message that has not been sent is certainly not stored, so its caller need not wait until the
      // stream is back.
      if (connected) return;
      for (const slice of [...this.#packer.takeOpen(), ...this.#turns.takeHeld()]) {
        this.#refused(slice, "stream_gone");
      }
    });
    this.#unsubscribe = () => {
      unsubscribe();
      unlisten();
    };
  }

  get unansweredEvents(): number {
    return this.#unanswered.total;
  }

  get publishesInFlight(): number {
    return this.#publishesInFlight;
  }

  /**
   * Resolves once the request has an outcome.
   * @throws ApiError `unavailable`; nothing was published then
   */
  submit(submission: Submission): Promise<{ batch: string; outcome: SubmissionResult }> {
    const { events, ...request } = submission;
    const refusal = this.#refuse(this.#unanswered.refuse(request.organisation, events.length));
    if (refusal !== undefined) throw refusal;
    const admission = this.#closed.admit(this.#partitionsOf(events));
    if ("refusal" in admission) throw this.#unavailable(admission.refusal);
    const slices = sliceEvents(events, this.#partitions);
    return this.#send({ ...request, total: events.length }, slices, admission.probes);
  }

  /** Keeps the slices until the request has an outcome, and not the events they were packed from. */
  #send(
    { organisation, total, ...submission }: Omit<Submission, "events"> & { readonly total: number },
    slices: readonly EventSlice[],
    probes: ReadonlySet<number>,
  ): Promise<{ batch: string; outcome: SubmissionResult }> {
    const batch = this.#batchIds.create();
    return new Promise((resolve) => {
      const request = new IngestRequest({
        ...submission,
        batch,
        organisation,
        total,
        publish: (slice) => this.#turns.add(slice),
        republish: (slice, refusals, reason) => {
          this.#closed.waitFor(slice, reason);
          this.#packLater(slice, refusals);
        },
        settle: (outcome) => {
          this.#hurrying.end(request);
          this.#givingUp.end(request);
          this.#requests.delete(batch);
          this.#unanswered.remove(organisation, total);
          if (outcome.kind !== "accepted") return resolve({ batch, outcome });
          void this.#ages
            .confirmed(outcome.places)
            .then((places) => resolve({ batch, outcome: { ...outcome, places } }));
        },
      });
      this.#hurrying.begin(request);
      this.#requests.set(batch, request);
      this.#unanswered.add(organisation, total);
      request.start(slices, probes);
    });
  }

  /**
   * Ends the subscription. Call it once the server in front of this gateway has answered its last request.
   */
  close(): void {
    this.#unsubscribe();
    this.#ages.close();
    this.#turns.takeHeld();
  }

  /** A refusal before the caller is known: only if no request of any caller would be accepted. */
  refuseAtDoor(): ApiError | undefined {
    return this.#refuse(this.#unanswered.isFull ? "too_many_unanswered" : undefined);
  }

  /**
   * A refusal before the body is parsed. Parsing a request only to refuse it costs more than accepting it: at
   * ten times its capacity, this process would do nothing else. The number of events in the body is an
   * estimate; a body that may hold only a few is always parsed.
   */
  refuseUnparsed(organisation: string, bodyBytes: number): ApiError | undefined {
    const guess = Math.min(Math.ceil(bodyBytes / LIMITS.eventBytesAtDoor), LIMITS.eventsPerRequest);
    return this.#refuse(this.#unanswered.refuse(organisation, guess));
  }

  #refuse(noRoom: NoRoom | undefined): ApiError | undefined {
    const reason = this.#pressure() ?? noRoom ?? this.#closed.allClosed(this.#partitions);
    return reason === undefined ? undefined : this.#unavailable(reason);
  }

  #unavailable(reason: string): ApiError {
    this.#metrics.backpressure(reason);
    return new ApiError(
      "unavailable",
      "the service cannot take these events now; nothing was accepted, send them again",
      { reason },
      RETRY_AFTER_SECONDS,
    );
  }

  #pressure(): "stream_gone" | "too_many_publishes" | undefined {
    if (!this.#stream.connected()) return "stream_gone";
    if (this.#publishesInFlight >= LIMITS.publishesInFlight) return "too_many_publishes";
    return undefined;
  }

  /** Costs a hash for each event, so it is computed only while a partition is closed. */
  #partitionsOf(events: readonly TransactionEvent[]): Iterable<number> {
    if (this.#closed.size === 0) return [];
    return new Set(events.map(({ external_id }) => partitionOf(external_id, this.#partitions)));
  }

  #packLater(slice: Slice, refusals: number): void {
    setTimeout(() => this.#packer.add(slice), publishRetryMs(refusals));
  }

  async #publish(message: PackedMessage): Promise<void> {
    this.#publishesInFlight++;
    const started = performance.now();
    const result = await publishUntilKnown(this.#publishing, message);
    this.#publishesInFlight--;
    message.span?.end(undefined, result.kind === "stored" ? undefined : result.reason);
    this.#metrics.published(result, (performance.now() - started) / 1000, message.events);
    if (result.kind === "refused" && result.reason !== "stream_gone") {
      this.#closed.refused(message.partition, result.reason);
    }
    if (result.kind !== "stored") {
      for (const slice of message.slices) this.#refused(slice, result.reason);
      return;
    }
    const { sequence, streamCreated } = result;
    const place = { partition: message.partition, sequence, streamCreated };
    for (const slice of message.slices) {
      this.#closed.stored(slice);
      slice.request.stored(slice, place);
    }
  }

  #refused(slice: Slice, reason: string): void {
    this.#turns.refused(slice);
    slice.request.refused(slice, reason);
  }

  #receive(data: Uint8Array): void {
    const reply = JSON.parse(Buffer.from(data).toString("utf8")) as IngestReply;
    this.#turns.reported(reply.parts.map(({ batch, first }): PartKey => [batch, first]));
    this.#turns.reported(reply.committed ?? []);
    for (const part of reply.parts) this.#requests.get(part.batch)?.report(part);
  }
}
