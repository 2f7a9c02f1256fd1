import {
  completeRow,
  EventReader,
  INGEST_LAYOUTS,
  INGEST_VERSION,
  type IngestHead,
  type Packed,
  placeOf,
  RecordPacker,
} from "#contract/codec";
import type { IngestPart, RedriveMessage } from "#contract/ingest";
import { isUuid, type Network, transactionId, transactionIdentifiers } from "#domain";
import { type EventBatch, EventBatchBuilder } from "./event-batch.ts";

/** One stream message, copied, so that its bytes can be moved to a worker thread. */
export type RawMessage = Uint8Array;

export interface PrepareTask {
  readonly messages: readonly RawMessage[];
  /** The installation's key, for `transactionId`. */
  readonly key: string;
}

/** The head of a message: which callers wait for which of its events. */
export interface Head {
  readonly reply: string;
  /** In the order of the message's events. Empty if its events were put back from the dead letters. */
  readonly parts: readonly IngestPart[];
  readonly events: number;
}

/**
 * All of it crosses from the worker in a few large pieces: an object per event would cost more than the hash.
 */
export interface PreparedBatch {
  /**
   * One for each message; undefined: the message could not be read. `ord` counts the events of all messages
   * in this order.
   */
  readonly heads: readonly (Head | undefined)[];
  /** The place of each event in its request, by `ord`. */
  readonly indexes: Uint32Array;
  readonly events: EventBatch;
  /**
   * The platform's record of each event, in case it creates its row, for a member without links (see
   * `addLinks`).
   */
  readonly records: Packed;
}

/**
 * Turns messages into rows for Postgres: parsed, identifiers hashed, timestamps normalised. Card data goes no
 * further than this function. Pure.
 * @throws OtherVersionError
 */
export function prepareBatch({ messages, key }: PrepareTask): PreparedBatch {
  const opened = messages.map(openMessage);
  for (;;) {
    const prepared = tryPrepare(opened, key);
    if (typeof prepared !== "number") return prepared;
    // A message that cannot be read whole must not be applied in part. So the batch is prepared again without
    // it.
    opened[prepared] = undefined;
  }
}

/** The place of a message that turned out to be unreadable, if there is one. */
function tryPrepare(opened: readonly (OpenedMessage | undefined)[], key: string): PreparedBatch | number {
  const count = opened.reduce((sum, message) => sum + (message?.head.events ?? 0), 0);
  const builder = new EventBatchBuilder(count);
  const indexes = new Uint32Array(count);
  const records = new RecordPacker(count);
  for (const [at, message] of opened.entries()) {
    try {
      message?.addTo(builder, indexes, records, key);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return at;
    }
  }
  return {
    heads: opened.map((message) => message?.head),
    indexes,
    events: builder.built(),
    records: records.packed(),
  };
}

/** The result of a worker thread. */
export interface TimedBatch {
  readonly prepared: PreparedBatch;
  /** How long the thread worked. */
  readonly runMs: number;
}

export function prepareTimed(task: PrepareTask): TimedBatch {
  const started = performance.now();
  const prepared = prepareBatch(task);
  return { prepared, runMs: performance.now() - started };
}

/** The `ord` of the first event of each message. */
export function firstOrds(heads: PreparedBatch["heads"]): number[] {
  let next = 0;
  return heads.map((head) => {
    const first = next;
    next += head?.events ?? 0;
    return first;
  });
}

/** A message with its events still to be read. */
interface OpenedMessage {
  readonly head: Head;
  /** @throws RangeError if one of its events cannot be read */
  addTo(builder: EventBatchBuilder, indexes: Uint32Array, records: RecordPacker, key: string): void;
}

/**
 * A message that this version of the service cannot read, from an edge of another version. It waits in the
 * stream, and so do all messages after it, until an ingest of a fitting version reads it. As a dead letter it
 * would be lost.
 */
export class OtherVersionError extends Error {
  override readonly name = "OtherVersionError";

  constructor(version: number) {
    super(
      `an ingest message of version ${version}, and this process reads version ${INGEST_VERSION}: ` +
        "start ingest of the version of the edge that wrote it",
    );
  }
}

/** The first byte of events that were put back: JSON that already holds rows. */
const BRACE = "{".charCodeAt(0);
/** Bytes below this one begin no text: they are version numbers, current or later ones. */
const FIRST_PRINTABLE = 32;

function openMessage(raw: RawMessage): OpenedMessage | undefined {
  const [first] = raw;
  if (first === undefined) return undefined;
  const isKnown = INGEST_LAYOUTS.has(first);
  if (!isKnown && first !== BRACE && first < FIRST_PRINTABLE) throw new OtherVersionError(first);
  try {
    if (isKnown) return openEvents(new EventReader(raw));
    return first === BRACE ? openRedriven(JSON.parse(UTF8.decode(raw))) : undefined;
  } catch (error) {
    if (error instanceof OtherVersionError) throw error;
    return undefined;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Otherwise a damaged head would stop its batch, and every attempt at it, instead of this message. */
function isHead({ reply, parts }: Partial<IngestHead>): boolean {
  return typeof reply === "string" && !/\s/.test(reply) && Array.isArray(parts) && parts.every(isPart);
}

function isPart({ batch, organisation, events }: IngestPart): boolean {
  return isUuid(batch) && isUuid(organisation) && Number.isInteger(events) && events >= 0;
}

function openEvents(reader: EventReader): OpenedMessage {
  if (!isHead(reader.head)) throw new RangeError("a head that an edge does not write");
  const { reply, parts } = reader.head;
  const events = parts.reduce((sum, part) => sum + part.events, 0);
  if (!(events <= reader.bytes.length)) throw new RangeError("more events than bytes");
  const begin = reader.position;
  return {
    head: { reply, parts, events },
    addTo(builder, indexes, records, key) {
      reader.position = begin;
      for (const { organisation, events } of parts) {
        for (let i = 0; i < events; i++) {
          reader.next();
          indexes[records.count] = reader.index;
          addEvent(builder, records, reader, organisation, key);
        }
      }
      if (!reader.isAtEnd) throw new RangeError("more events than the parts of the message say");
    },
  };
}

const EXTERNAL_ID = placeOf("externalId");
const NETWORK = placeOf("network");
const MERCHANT_ID = placeOf("merchantId");
const AUTHED_AT = placeOf("authedAt");

function addEvent(
  builder: EventBatchBuilder,
  records: RecordPacker,
  reader: EventReader,
  organisationId: string,
  key: string,
): void {
  const externalId = reader.text(EXTERNAL_ID);
  const { six, eight } = transactionIdentifiers({
    authCode: reader.authCode(),
    network: reader.text(NETWORK) as Network,
    bin: reader.bin(),
    merchantId: reader.text(MERCHANT_ID),
  });
  const id = transactionId(key, organisationId, externalId, reader.milliseconds(AUTHED_AT));
  const made = { id, organisationId, identifier6: six, identifier8: eight, firstDescriptor: null };
  builder.addSent(reader, externalId, made);
  records.sent(made, reader);
}

/** Dead events that were put back. They are rows already, and no caller waits for them. */
function openRedriven(message: Partial<RedriveMessage>): OpenedMessage | undefined {
  const { v, rows } = message;
  if (typeof v !== "number") return undefined;
  // In version 1, events were JSON, too.
  if (v !== 1 || rows === undefined) throw new OtherVersionError(v);
  const complete = rows.map(completeRow);
  return {
    head: { reply: "", parts: [], events: rows.length },
    addTo(builder, indexes, records) {
      for (const [index, row] of complete.entries()) {
        indexes[records.count] = index;
        builder.addRow({ ...row, ord: records.count });
        records.row(row);
      }
    },
  };
}
