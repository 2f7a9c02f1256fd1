import { joinTexts, type Texts } from "#contract/codec";
import type { IngestMessage, IngestPart, PackedEvent, RedriveMessage } from "#contract/ingest";
import {
  type BatchEvent,
  decodeId,
  type Network,
  stateOf,
  toUtcMicroseconds,
  transactionId,
  transactionIdentifiers,
} from "#domain";
import { type EventBatch, toEventBatch } from "./transactions/event-batch.ts";
import { writeRecord } from "./write-record.ts";

/** One stream message, copied, so that its bytes can be moved to a worker thread. */
export type RawMessage = Uint8Array;

export interface PrepareTask {
  readonly messages: readonly RawMessage[];
  /** The installation's, for `transactionId`. */
  readonly key: string;
}

/** What is left of a message when its events are gone: who waits for what. */
export interface Head {
  readonly reply: string;
  /** In the order of its events. None in a message of events that were put back from the dead letters. */
  readonly parts: readonly IngestPart[];
  readonly events: number;
}

/** Everything in it crosses from the worker in few large pieces: an object for each event would cost more than its hash. */
export interface PreparedBatch {
  /** One for each message, undefined if it could not be read. Their events' `ord`s count through in this order. */
  readonly heads: readonly (Head | undefined)[];
  /** The place of each event in its request, by `ord`. */
  readonly indexes: Uint32Array;
  readonly events: EventBatch;
  /** The platform's record of each event, should it create its row, for a member without links (see `addLinks`). */
  readonly records: Texts;
}

/**
 * Turns messages into what Postgres takes: parsed, identifiers hashed, timestamps normalised. Card data goes no further than
 * this function. Pure.
 */
export function prepareBatch({ messages, key }: PrepareTask): PreparedBatch {
  const heads: (Head | undefined)[] = [];
  const rows: BatchEvent[] = [];
  const indexes: number[] = [];
  for (const raw of messages) {
    const read = readMessage(raw, rows.length, key);
    heads.push(read?.head);
    if (read === undefined) continue;
    for (const row of read.rows) rows.push(row);
    for (const index of read.indexes) indexes.push(index);
  }
  return {
    heads,
    indexes: Uint32Array.from(indexes),
    events: toEventBatch(rows),
    records: joinTexts(rows.map(writeRecord)),
  };
}

/** What a thread gives back. */
export interface TimedBatch {
  readonly prepared: PreparedBatch;
  /** How long the thread was at it. */
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

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** All of a message or nothing: one that cannot be read whole must not be applied in part. */
function readMessage(raw: RawMessage, firstOrd: number, key: string) {
  try {
    const message = JSON.parse(UTF8.decode(raw)) as IngestMessage | RedriveMessage;
    if (message.v !== 1) return undefined;
    if ("rows" in message) return readRedriven(message, firstOrd);
    const indexes: number[] = [];
    const rows: BatchEvent[] = [];
    const count = message.events.length;
    let next = 0;
    for (const { organisation, events } of message.parts) {
      for (const end = next + events; next < end; next++) {
        const event = message.events[next] as PackedEvent;
        if (!hasTypes(event)) return undefined;
        rows.push(toEvent(key, firstOrd + next, organisation, event));
        indexes.push(event[0]);
      }
    }
    if (next !== count) return undefined;
    const head: Head = { reply: message.reply, parts: message.parts, events: count };
    return { head, indexes, rows };
  } catch {
    return undefined;
  }
}

/** What the edge has validated came through whole: the encoders below rely on it. */
function hasTypes(event: PackedEvent): boolean {
  const amount = event[8];
  return (
    typeof event[0] === "number" &&
    typeof event[2] === "string" &&
    typeof event[6] === "string" &&
    (event[7] === null || typeof event[7] === "string") &&
    (amount === null || (Number.isInteger(amount) && Math.abs(amount) < 2 ** 63)) &&
    (event[9] === null || typeof event[9] === "string")
  );
}

/** Dead events put back: already rows, and nobody waits for them. */
function readRedriven(message: RedriveMessage, firstOrd: number) {
  const rows = message.rows.map((row, i) => ({ ...row, ord: firstOrd + i }));
  const head: Head = { reply: "", parts: [], events: rows.length };
  return { head, indexes: rows.keys(), rows };
}

function toEvent(key: string, ord: number, organisation: string, event: PackedEvent): BatchEvent {
  const [, memberId, externalId, authCode, network, bin, merchantId, descriptor, amount, currency] = event;
  const [, , , , , , , , , , authedAt, clearedAt, revertedAt] = event;
  const { six, eight } = transactionIdentifiers({ authCode, network: network as Network, bin, merchantId });
  return {
    ord,
    id: transactionId(key, organisation, externalId, Date.parse(authedAt)),
    organisationId: organisation,
    memberId: decodeId("m", memberId) ?? null,
    externalId,
    state: stateOf({ clearedAt, revertedAt }),
    network,
    merchantId,
    statementDescriptor: descriptor,
    amount,
    currency,
    authedAt: toUtcMicroseconds(authedAt),
    clearedAt: clearedAt === null ? null : toUtcMicroseconds(clearedAt),
    revertedAt: revertedAt === null ? null : toUtcMicroseconds(revertedAt),
    identifier6: six,
    identifier8: eight,
  };
}
