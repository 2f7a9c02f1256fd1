import { uuidv7 } from "uuidv7";
import type { IngestMessage, IngestPart, PackedEvent } from "#contract";
import { decodeId, type Network, stateOf, toUtcMicroseconds, transactionIdentifiers } from "#domain";
import type { EventRow } from "#store";

/** One stream message, copied, so that its bytes can be moved to a worker thread. */
export interface RawMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** Where an event came from; index in the list is its `ord`. */
export interface Origin {
  readonly message: number;
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
  readonly count: number;
  readonly singles: string;
  readonly repeated: string;
  readonly repeatedOrds: readonly number[];
}

/**
 * Turns messages into what Postgres takes: parsed, identifiers hashed, timestamps normalised, events whose key occurs
 * once apart from those that must be folded. Card data goes no further than this function. Pure but for new row ids.
 */
export function prepareBatch(messages: readonly RawMessage[]): PreparedBatch {
  const heads: (Head | undefined)[] = [];
  const origins: Origin[] = [];
  const rows: EventRow[] = [];
  const seen = new Map<string, number>();
  const repeatedKeys = new Set<string>();
  for (const [at, { bytes, sequence }] of messages.entries()) {
    const message = parse(bytes);
    heads.push(message && { reply: message.reply, parts: message.parts });
    for (const event of message?.events ?? []) {
      const ord = rows.length;
      const organisation = (message?.parts[event[0]] as IngestPart).organisation;
      const key = `${organisation} ${event[3]}`;
      if (seen.has(key)) repeatedKeys.add(key);
      seen.set(key, ord);
      origins.push({ message: at, part: event[0], index: event[1], externalId: event[3] });
      rows.push(toRow(ord, organisation, event, sequence));
    }
  }
  const isRepeated = (row: EventRow) => repeatedKeys.has(`${row.organisation_id} ${row.external_id}`);
  const repeated = repeatedKeys.size === 0 ? [] : rows.filter(isRepeated);
  const singles = repeatedKeys.size === 0 ? rows : rows.filter((row) => !isRepeated(row));
  return {
    heads,
    origins,
    count: rows.length,
    singles: JSON.stringify(singles),
    repeated: JSON.stringify(repeated),
    repeatedOrds: repeated.map((row) => row.ord),
  };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function parse(bytes: Uint8Array): IngestMessage | undefined {
  try {
    const message = JSON.parse(UTF8.decode(bytes)) as IngestMessage;
    return message.v === 1 && Array.isArray(message.events) && Array.isArray(message.parts)
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}

function toRow(ord: number, organisation: string, event: PackedEvent, sequence: number): EventRow {
  const [, , memberId, externalId, authCode, network, bin, merchantId, descriptor, amount, currency] = event;
  const authedAt = event[11];
  const clearedAt = event[12];
  const revertedAt = event[13];
  const { six, eight } = transactionIdentifiers({ authCode, network: network as Network, bin, merchantId });
  return {
    ord,
    id: uuidv7(),
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
