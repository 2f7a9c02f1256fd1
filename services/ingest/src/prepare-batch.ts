import { randomBytes } from "node:crypto";
import type { IngestMessage, IngestPart, PackedEvent, RedriveMessage, Settlement } from "#contract";
import {
  decodeId,
  type Network,
  RANDOM_BYTES_PER_UUID,
  stateOf,
  toUtcMicroseconds,
  transactionIdentifiers,
  uuidBatch,
} from "#domain";
import { type BatchForm, type EventBatch, type EventRow, toEvent, toEventBatch } from "#store";
import { openRecord } from "./platform-record.ts";

/** One stream message, copied, so that its bytes can be moved to a worker thread. */
export interface RawMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

export interface PrepareTask {
  readonly messages: readonly RawMessage[];
  readonly form: BatchForm;
}

/** Where an event came from; index in the list is its `ord`. */
export interface Origin {
  readonly message: number;
  /** -1 for an event that was put back from the dead letters: nobody waits for it. */
  readonly part: number;
  readonly index: number;
  readonly externalId: string;
}

/** What is left of a message when its events are gone: who waits for what. Undefined if it could not be read. */
export interface Head {
  readonly reply: string;
  readonly parts: readonly IngestPart[];
}

export interface PreparedBatch {
  readonly heads: readonly (Head | undefined)[];
  readonly origins: readonly Origin[];
  readonly events: EventBatch;
  /** The platform's record of each event, should it create its row, still open at the end (see `closeRecord`). */
  readonly records: readonly string[];
  /** UUID of each event's organisation. */
  readonly organisations: readonly string[];
  /** What each event settles, should it create its row; only for clearings and reversals, by `ord`. */
  readonly settlements: ReadonlyMap<number, Settlement>;
}

/**
 * Turns messages into what Postgres takes: parsed, identifiers hashed, timestamps normalised, events whose key occurs
 * once apart from those that must be folded. Card data goes no further than this function. Pure but for new row ids.
 */
export function prepareBatch({ messages, form }: PrepareTask): PreparedBatch {
  const heads: (Head | undefined)[] = [];
  const origins: Origin[] = [];
  const rows: EventRow[] = [];
  for (const [at, raw] of messages.entries()) {
    const read = readMessage(raw, at, rows.length);
    heads.push(read?.head);
    if (read === undefined) continue;
    for (const origin of read.origins) origins.push(origin);
    for (const row of read.rows) rows.push(row);
  }
  const settlements = new Map<number, Settlement>();
  for (const { ord, id, organisation_id, state } of rows) {
    if (state !== "authorized")
      settlements.set(ord, { transaction: id, organisation: organisation_id, state });
  }
  return {
    heads,
    origins,
    events: toEventBatch(rows, rows.length, form),
    records: rows.map((row) => openRecord(row.id, toEvent(row))),
    organisations: rows.map((row) => row.organisation_id),
    settlements,
  };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** All of a message or nothing: one that cannot be read whole must not be applied in part. */
function readMessage(raw: RawMessage, at: number, firstOrd: number) {
  try {
    const message = JSON.parse(UTF8.decode(raw.bytes)) as IngestMessage | RedriveMessage;
    if (message.v !== 1) return undefined;
    if ("rows" in message) return readRedriven(message, raw.sequence, at, firstOrd);
    const origins: Origin[] = [];
    const rows: EventRow[] = [];
    const count = message.events.length;
    const ids = uuidBatch(count, Date.now(), randomBytes(count * RANDOM_BYTES_PER_UUID));
    let next = 0;
    for (const [part, { organisation, events }] of message.parts.entries()) {
      for (const end = next + events; next < end; next++) {
        const event = message.events[next] as PackedEvent;
        if (!hasTypes(event)) return undefined;
        rows.push(toRow(ids[next] as string, firstOrd + next, organisation, event, raw.sequence));
        origins.push({ message: at, part, index: event[0], externalId: event[2] });
      }
    }
    if (next !== count) return undefined;
    return { head: { reply: message.reply, parts: message.parts } satisfies Head, origins, rows };
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
function readRedriven(message: RedriveMessage, sequence: number, at: number, firstOrd: number) {
  const rows = message.rows.map((row, i) => ({
    ...(row as unknown as EventRow),
    ord: firstOrd + i,
    written_by: sequence,
  }));
  const origins = rows.map((row, index) => ({ message: at, part: -1, index, externalId: row.external_id }));
  return { head: { reply: "", parts: [] } satisfies Head, origins, rows };
}

function toRow(
  id: string,
  ord: number,
  organisation: string,
  event: PackedEvent,
  sequence: number,
): EventRow {
  const [, memberId, externalId, authCode, network, bin, merchantId, descriptor, amount, currency] = event;
  const [, , , , , , , , , , authedAt, clearedAt, revertedAt] = event;
  const { six, eight } = transactionIdentifiers({ authCode, network: network as Network, bin, merchantId });
  return {
    ord,
    id,
    organisation_id: organisation,
    member_id: decodeId("m", memberId) ?? null,
    external_id: externalId,
    state: stateOf({ clearedAt, revertedAt }),
    network,
    merchant_id: merchantId,
    statement_descriptor: descriptor,
    amount,
    currency,
    authed_at: toUtcMicroseconds(authedAt),
    cleared_at: clearedAt === null ? null : toUtcMicroseconds(clearedAt),
    reverted_at: revertedAt === null ? null : toUtcMicroseconds(revertedAt),
    identifier_6: `\\x${six}`,
    identifier_8: eight === null ? null : `\\x${eight}`,
    written_by: sequence,
  };
}
