import { isUtf8 } from "node:buffer";
import { isUtc, stateOf, toUtcMicroseconds } from "#domain";
import type { IngestPart } from "../ingest-message.ts";
import type { TransactionEvent } from "../schemas/transaction.ts";
import { FieldWriter, isInstantAt, millisecondsAt, NULL, timestampAt, uuidAt } from "./fields.ts";
import { INGEST_LAYOUTS, relay } from "./ingest-layouts.ts";
import { SENT_COLUMNS } from "./row-codec.ts";
import type { ColumnType, TransactionColumn } from "./transaction-columns.ts";

/*
 * The packed ingest message: validated events of many requests on their way to one partition. Until it is
 * purged, it is the only place where `auth_code` and `bin` are stored.
 *
 *   message version (1 byte), length of the head (4 bytes), head: JSON in UTF-8, events
 *   event place in its request (4 bytes), auth_code, bin, and the fields of `SENT_COLUMNS`
 *   field its length (4 bytes, -1 for null), its bytes
 *
 * Numbers are big-endian. The fields have the form of PostgreSQL's binary copy, so ingest copies them
 * unchanged, and neither side makes texts or objects only for this. As JSON, an event cost 3 µs more.
 */

/** The first byte of a message. Raise it with every change of the layout after it (`INGEST_LAYOUTS`). */
export const INGEST_VERSION = 2;

/** The head of a message, before its events. */
export interface IngestHead {
  /** Subject that gets the outcome, as an `IngestReply`. */
  readonly reply: string;
  /** The requests that have events in this message, in the order of their events. */
  readonly parts: readonly IngestPart[];
}

/** Events of one request, one after the other. */
export interface PackedEvents {
  readonly bytes: Uint8Array;
  /** The end of each event in `bytes`. */
  readonly ends: readonly number[];
}

const VERSION_BYTES = 1;
const LENGTH_BYTES = 4;
/** Enough for most events, so that the buffer need not grow. */
const EVENT_BYTES = 256;

/** @param indexes the events to pack, by their places in the request, in order */
export function packEvents(events: readonly TransactionEvent[], indexes: readonly number[]): PackedEvents {
  const writer = new FieldWriter(Buffer.allocUnsafe(indexes.length * EVENT_BYTES));
  const ends = indexes.map((index) => {
    const event = events[index] as TransactionEvent;
    writer.int4(index);
    writer.text(event.auth_code);
    writer.text(event.bin);
    for (const column of SENT_COLUMNS) writeSent(writer, event, column);
    return writer.length;
  });
  return { bytes: writer.written(), ends };
}

/** Writes a field of an event in the form of its column. A member's id of another form is unknown: null. */
function writeSent(writer: FieldWriter, event: TransactionEvent, { name, type }: TransactionColumn): void {
  if (name === "state") {
    writer.text(stateOf({ clearedAt: event.cleared_at ?? null, revertedAt: event.reverted_at ?? null }));
    return;
  }
  const value = event[name as keyof TransactionEvent] ?? null;
  if (value === null) writer.int4(NULL);
  else if (type === "uuid") writer.id("m", value as string);
  else if (type === "timestamptz") writer.timestamptz(toUtc(value as string));
  else writer.field(type, value);
}

/** Nearly all timestamps are in UTC already. */
function toUtc(timestamp: string): string {
  return isUtc(timestamp) ? timestamp : toUtcMicroseconds(timestamp);
}

/** @param events in the order of the head's parts */
export function packMessage(head: IngestHead, events: readonly Uint8Array[]): Uint8Array {
  const text = JSON.stringify(head);
  const length = Buffer.byteLength(text);
  const message = Buffer.allocUnsafe(
    events.reduce((sum, { byteLength }) => sum + byteLength, VERSION_BYTES + LENGTH_BYTES + length),
  );
  message.writeUInt8(INGEST_VERSION, 0);
  message.writeUInt32BE(length, VERSION_BYTES);
  let at = VERSION_BYTES + LENGTH_BYTES;
  at += message.write(text, at);
  for (const bytes of events) {
    message.set(bytes, at);
    at += bytes.byteLength;
  }
  return message;
}

/** The width of each type's values; undefined for texts, whose width varies. */
const WIDTHS: Readonly<Record<ColumnType, number | undefined>> = {
  uuid: 16,
  int8: 8,
  timestamptz: 8,
  bytea: undefined,
  text: undefined,
};

const INSTANT_PLACES = SENT_COLUMNS.flatMap(({ type }, place) => (type === "timestamptz" ? place : []));

/** In place of the end of a null field. */
const NO_END = -1;
/* After the places of the columns. */
const AUTH_CODE = SENT_COLUMNS.length;
const BIN = AUTH_CODE + 1;

type SentField = (typeof SENT_COLUMNS)[number]["field"];

/** The place of a field among those of an event, for `EventReader`. */
export function placeOf(field: SentField): number {
  const place = SENT_COLUMNS.findIndex((column) => column.field === field);
  if (place < 0) throw new Error(`no field of an event: ${field}`);
  return place;
}

/**
 * Reads the events of a message one after the other, in place. `next` checks the lengths of an event's
 * fields, its texts and its instants, so that later reads stay within the message and give values of the right
 * type.
 */
export class EventReader {
  readonly head: IngestHead;
  /** The message, for copying from `sentStart` to `sentEnd`. */
  readonly bytes: Buffer;
  /** The message as one text of Latin-1: cutting it is cheaper than making a text of each field. */
  readonly #latin1: string;
  readonly #starts = new Int32Array(SENT_COLUMNS.length + 2);
  readonly #ends = new Int32Array(SENT_COLUMNS.length + 2);
  /** 1 for a text of ASCII. */
  readonly #ascii = new Uint8Array(SENT_COLUMNS.length + 2);
  /** The position of the next event in `bytes`. */
  position: number;
  /** Place of the event in its request. */
  index = 0;
  sentStart = 0;
  sentEnd = 0;

  /** @throws RangeError or SyntaxError if it is no such message */
  constructor(message: Uint8Array) {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    this.position = VERSION_BYTES + LENGTH_BYTES + bytes.readUInt32BE(VERSION_BYTES);
    if (this.position > message.byteLength) throw new RangeError("the head is cut off");
    const version = bytes.readUInt8(0);
    const layout = INGEST_LAYOUTS.get(version);
    if (layout === undefined) throw new RangeError(`a message of version ${version}`);
    this.bytes = version === INGEST_VERSION ? bytes : relay(bytes, this.position, layout);
    this.head = JSON.parse(this.bytes.toString("utf8", VERSION_BYTES + LENGTH_BYTES, this.position));
    this.#latin1 = this.bytes.toString("latin1");
  }

  /** Whether the whole message is read. */
  get isAtEnd(): boolean {
    return this.position === this.bytes.length;
  }

  /** @throws RangeError if no whole event follows */
  next(): void {
    this.index = this.bytes.readInt32BE(this.position);
    // The database keeps the place of an event that it rejects.
    if (this.index < 0) throw new RangeError("a place that no request has");
    this.position += LENGTH_BYTES;
    this.#field(AUTH_CODE, undefined);
    this.#field(BIN, undefined);
    this.sentStart = this.position;
    for (let place = 0; place < SENT_COLUMNS.length; place++) {
      this.#field(place, WIDTHS[(SENT_COLUMNS[place] as TransactionColumn).type]);
    }
    this.sentEnd = this.position;
    for (const place of INSTANT_PLACES) {
      if (!this.isNull(place) && !isInstantAt(this.bytes, this.#starts[place] as number)) {
        throw new RangeError("an instant is not of the years 2000 to 2100");
      }
    }
  }

  authCode(): string {
    return this.text(AUTH_CODE);
  }

  bin(): string {
    return this.text(BIN);
  }

  isNull(place: number): boolean {
    return this.#ends[place] === NO_END;
  }

  /** @throws RangeError if it is null */
  text(place: number): string {
    const start = this.startOf(place);
    const end = this.#ends[place];
    return this.#ascii[place] === 1
      ? this.#latin1.slice(start, end)
      : this.bytes.toString("utf8", start, end);
  }

  /** The position of its first byte. @throws RangeError if it is null */
  startOf(place: number): number {
    if (this.isNull(place)) throw new RangeError("a field that every event has is null");
    return this.#starts[place] as number;
  }

  /** The position after its last byte. @param place of a field that is not null */
  endOf(place: number): number {
    return this.#ends[place] as number;
  }

  textOrNull(place: number): string | null {
    return this.isNull(place) ? null : this.text(place);
  }

  /** @throws RangeError if it is null */
  uuid(place: number): string {
    return uuidAt(this.bytes, this.startOf(place));
  }

  /**
   * The bytes of a field as Latin-1, to compare values without decoding them. @throws RangeError if it is
   * null
   */
  key(place: number): string {
    return this.#latin1.slice(this.startOf(place), this.#ends[place]);
  }

  /** UTC with microseconds. @throws RangeError if it is null */
  timestamp(place: number): string {
    return timestampAt(this.bytes, this.startOf(place));
  }

  /** Since 1970. @throws RangeError if it is null */
  milliseconds(place: number): number {
    return millisecondsAt(this.bytes, this.startOf(place));
  }

  timestampOrNull(place: number): string | null {
    return this.isNull(place) ? null : this.timestamp(place);
  }

  #field(place: number, width: number | undefined): void {
    const length = this.bytes.readInt32BE(this.position);
    this.position += LENGTH_BYTES;
    if (length === NULL) {
      this.#ends[place] = NO_END;
      return;
    }
    const end = this.position + length;
    if (length < 0 || end > this.bytes.length || (width !== undefined && width !== length)) {
      throw new RangeError("a field has a length that it cannot have");
    }
    this.#starts[place] = this.position;
    this.#ends[place] = end;
    if (width === undefined) this.#ascii[place] = this.#isAscii(this.position, end) ? 1 : 0;
    this.position = end;
  }

  /** @throws RangeError if it is no UTF-8 either: PostgreSQL would refuse it, or store something else */
  #isAscii(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      if ((this.bytes[at] as number) <= 127) continue;
      if (isUtf8(this.bytes.subarray(at, end))) return false;
      throw new RangeError("a text is not UTF-8");
    }
    return true;
  }
}
