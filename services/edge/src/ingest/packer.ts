import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { packMessage } from "#contract/codec";
import type { IngestPart } from "#contract/ingest";
import { messagingAttributes, type Publication, type Stream, subjectName } from "#nats";
import type { Span, Tracing } from "#runtime";
import type { Slice } from "./ingest-request.ts";

/** A packed message and the slices that it carries. */
export interface PackedMessage {
  readonly partition: number;
  readonly publication: Publication;
  readonly slices: readonly Slice[];
  readonly events: number;
  /** The span of its publication; undefined: no request in it is traced. */
  readonly span: Span | undefined;
}

/** One partition: the message being filled, and the number of unanswered ones. */
interface Outgoing {
  open: OpenMessage | undefined;
  unanswered: number;
}

interface OpenMessage {
  readonly slices: Slice[];
  events: number;
  bytes: number;
}

/**
 * The most bytes that a slice adds to a message in addition to its events: the part, its trace id,
 * punctuation.
 */
const BYTES_PER_SLICE = 192;

/**
 * Packs slices of many requests into one message for each partition: publishing a single 300-byte request
 * costs as much as publishing 500 events, and every message is synced to disk.
 *
 * While no message of its partition is under way, a message is sent immediately. Otherwise it waits until the
 * one before is answered, or until it is full. So a single request never waits for others, and under load
 * messages grow without tuning.
 */
export class Packer {
  readonly #stream: Stream;
  readonly #reply: string;
  readonly #tracing: Tracing | undefined;
  readonly #publish: (message: PackedMessage) => Promise<void>;
  readonly #outgoing = new Map<number, Outgoing>();
  /** Partitions whose messages are sent in this turn of the event loop. */
  readonly #due: number[] = [];

  /** @param options.publish resolves once the message is stored or refused */
  constructor(options: {
    stream: Stream;
    reply: string;
    tracing?: Tracing | undefined;
    publish: (message: PackedMessage) => Promise<void>;
  }) {
    this.#stream = options.stream;
    this.#reply = options.reply;
    this.#tracing = options.tracing;
    this.#publish = options.publish;
  }

  /** @param slice of at most `LIMITS.eventsPerMessage` events and `LIMITS.messageBytes` (see `sliceEvents`) */
  add(slice: Slice): void {
    const { partition } = slice;
    const outgoing = this.#outgoingOf(partition);
    const bytes = slice.bytes.byteLength + BYTES_PER_SLICE;
    if (outgoing.open && !fits(outgoing.open, slice.indexes.length, bytes)) this.#send(partition, outgoing);
    if (outgoing.open === undefined) {
      outgoing.open = { slices: [], events: 0, bytes: 0 };
      if (outgoing.unanswered === 0) this.#sendSoon(partition);
    }
    outgoing.open.slices.push(slice);
    outgoing.open.events += slice.indexes.length;
    outgoing.open.bytes += bytes;
  }

  /**
   * Sends after the other requests of this turn of the event loop. The messages of all partitions are sent
   * together: the client writes to its socket at the end of the callback that sends them.
   */
  #sendSoon(partition: number): void {
    this.#due.push(partition);
    if (this.#due.length > 1) return;
    setImmediate(() => {
      for (const one of this.#due.splice(0)) this.#sendIfIdle(one, this.#outgoingOf(one));
    });
  }

  /** Removes and returns the slices that have not been sent. */
  takeOpen(): Slice[] {
    const slices: Slice[] = [];
    for (const outgoing of this.#outgoing.values()) {
      slices.push(...(outgoing.open?.slices ?? []));
      outgoing.open = undefined;
    }
    return slices;
  }

  /**
   * The same message, under the same id, with only the slices of unanswered callers; undefined if there are
   * none.
   */
  withoutSettled(message: PackedMessage): PackedMessage | undefined {
    const slices = unsettled(message.slices);
    if (slices.length === message.slices.length) return message;
    if (slices.length === 0) return undefined;
    return this.#pack(message.partition, slices, message.span, message.publication.id);
  }

  #outgoingOf(partition: number): Outgoing {
    const known = this.#outgoing.get(partition);
    if (known !== undefined) return known;
    const outgoing: Outgoing = { open: undefined, unanswered: 0 };
    this.#outgoing.set(partition, outgoing);
    return outgoing;
  }

  #sendIfIdle(partition: number, outgoing: Outgoing): void {
    if (outgoing.unanswered === 0) this.#send(partition, outgoing);
  }

  #send(partition: number, outgoing: Outgoing): void {
    const slices = unsettled(outgoing.open?.slices ?? []);
    outgoing.open = undefined;
    if (slices.length === 0) return;
    outgoing.unanswered++;
    const span = this.#tracing && beginSend(this.#tracing, partition, slices);
    void this.#publish(this.#pack(partition, slices, span, uuidv7())).then(() => {
      outgoing.unanswered--;
      this.#sendIfIdle(partition, outgoing);
    });
  }

  #pack(partition: number, slices: readonly Slice[], span: Span | undefined, id: string): PackedMessage {
    const parts: IngestPart[] = [];
    const traceIds: string[] = [];
    let events = 0;
    for (const { request, indexes } of slices) {
      parts.push(request.part(indexes.length));
      traceIds.push(request.traceId);
      events += indexes.length;
    }
    const publication = {
      subject: subjectName(this.#stream, FLOW.ingest, partition),
      payload: packMessage(
        { reply: this.#reply, parts },
        slices.map(({ bytes }) => bytes),
      ),
      id,
      headers: {
        [HEADERS.traceIds]: traceIds.join(","),
        [HEADERS.rows]: String(events),
        ...(span !== undefined && { [HEADERS.traceparent]: span.traceparent }),
      },
    };
    return { partition, publication, slices, events, span };
  }
}

/**
 * The slices with waiting callers. The other callers have their outcome, or an answer that it is unknown, and
 * may send again.
 */
function unsettled(slices: readonly Slice[]): readonly Slice[] {
  return slices.some(({ request }) => request.isSettled)
    ? slices.filter(({ request }) => !request.isSettled)
    : slices;
}

/**
 * One span and one `traceparent` for a message, however many requests are in it: the span links to theirs.
 */
function beginSend(tracing: Tracing, partition: number, slices: readonly Slice[]): Span | undefined {
  return tracing.follow({
    name: `send ${FLOW.ingest.stream}`,
    kind: "producer",
    from: slices.map(({ request }) => request.traceparent),
    attributes: {
      ...messagingAttributes("send", FLOW.ingest),
      "messaging.destination.partition.id": String(partition),
      "stampede.events": slices.reduce((sum, { indexes }) => sum + indexes.length, 0),
    },
  });
}

function fits(message: OpenMessage, events: number, bytes: number): boolean {
  return message.events + events <= LIMITS.eventsPerMessage && message.bytes + bytes <= LIMITS.messageBytes;
}
