import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, type IngestPart, LIMITS, packMessage } from "#contract";
import { type Publication, type Stream, subjectName } from "#stream";
import type { Slice } from "./ingest-request.ts";

/** A packed message and the slices that it carries. */
export interface PackedMessage {
  readonly publication: Publication;
  readonly slices: readonly Slice[];
}

interface OpenMessage {
  readonly slices: Slice[];
  events: number;
  bytes: number;
  timer: NodeJS.Timeout;
}

/** What a message weighs beside its events: the part, its trace id, the punctuation. */
const BYTES_PER_SLICE = 192;

/**
 * Gathers slices of many requests into one message for each partition. A message closes at a number of events, at a
 * size, or after `LIMITS.messageLingerMs`: one publish of a lone 300-byte request costs as much as one of 500 events.
 */
export class Packer {
  readonly #stream: Stream;
  readonly #reply: string;
  readonly #emit: (message: PackedMessage) => void;
  readonly #open = new Map<number, OpenMessage>();

  constructor(options: { stream: Stream; reply: string; emit: (message: PackedMessage) => void }) {
    this.#stream = options.stream;
    this.#reply = options.reply;
    this.#emit = options.emit;
  }

  /** @param slice of at most `LIMITS.eventsPerMessage` events and `LIMITS.messageBytes` (see `sliceEvents`) */
  add(slice: Slice): void {
    const bytes = slice.events.reduce((sum, event) => sum + Buffer.byteLength(event) + 1, BYTES_PER_SLICE);
    const before = this.#open.get(slice.partition);
    if (
      before &&
      (before.events + slice.events.length > LIMITS.eventsPerMessage ||
        before.bytes + bytes > LIMITS.messageBytes)
    ) {
      this.#close(slice.partition);
    }
    const message = this.#open.get(slice.partition) ?? this.#start(slice.partition);
    message.slices.push(slice);
    message.events += slice.events.length;
    message.bytes += bytes;
    if (message.events >= LIMITS.eventsPerMessage || message.bytes >= LIMITS.messageBytes)
      this.#close(slice.partition);
  }

  flush(): void {
    for (const partition of [...this.#open.keys()]) this.#close(partition);
  }

  #start(partition: number): OpenMessage {
    const timer = setTimeout(() => this.#close(partition), LIMITS.messageLingerMs);
    const message: OpenMessage = { slices: [], events: 0, bytes: 0, timer };
    this.#open.set(partition, message);
    return message;
  }

  #close(partition: number): void {
    const message = this.#open.get(partition);
    if (message === undefined) return;
    this.#open.delete(partition);
    clearTimeout(message.timer);
    this.#emit({ slices: message.slices, publication: this.#pack(partition, message) });
  }

  #pack(partition: number, message: OpenMessage): Publication {
    const parts: IngestPart[] = [];
    const traceIds: string[] = [];
    const events: string[] = [];
    for (const slice of message.slices) {
      parts.push(slice.request.part(slice.events.length));
      traceIds.push(slice.request.traceId);
      for (const event of slice.events) events.push(event);
    }
    return {
      subject: subjectName(this.#stream, FLOW.ingest, partition),
      payload: packMessage(this.#reply, parts, events),
      id: uuidv7(),
      headers: { [HEADERS.traceIds]: traceIds.join(","), [HEADERS.rows]: String(message.events) },
    };
  }
}
