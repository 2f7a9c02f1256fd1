import {
  type BatchEvent,
  type EventOutcome,
  type FoldedBatch,
  foldEvents,
  keyOf,
  UNKNOWN_MEMBER,
} from "#domain";
import type { Sql } from "#postgres";
import { type EventBatch, eventAt, hasMember, isForgotten, keyAt } from "./event-batch.ts";
import { type LoadedForEvents, loadForEvents } from "./load-for-events.ts";

/** The decisions about a batch, before any of it is written. */
export interface DecidedBatch extends Pick<FoldedBatch, "created" | "updated"> {
  /** By `ord`; undefined: not one of the events that were decided. */
  readonly outcomes: readonly (EventOutcome | undefined)[];
  /** Events whose row is new, and is just what the event says. */
  readonly plain: readonly number[];
}

const CREATED: EventOutcome = { kind: "created", ignored: [] };

/** The first event of each key among these events, in their order. */
export function keysAmong({ count, firstOf }: EventBatch, ords: readonly number[]): number[] {
  const seen = new Uint8Array(count);
  return ords.filter((ord) => {
    const first = firstOf[ord] as number;
    if (seen[first] === 1) return false;
    seen[first] = 1;
    return true;
  });
}

/**
 * Decides events of a batch upon what is stored. Pure.
 * @param ords which of them, in their order
 * @param looked the events whose keys were looked up; nothing is stored of the others
 * @param loaded undefined where nothing was looked up: then the members are taken to be there
 */
export function decideEvents(
  batch: EventBatch,
  ords: readonly number[],
  looked: readonly number[] = [],
  loaded?: LoadedForEvents | undefined,
): DecidedBatch {
  const outcomes = new Array<EventOutcome | undefined>(batch.count);
  const stored = loaded?.stored ?? new Map();
  const forgottenBefore = loaded?.forgottenBefore ?? null;
  const known = new Set(looked.filter((ord) => stored.has(keyOf(keyAt(batch, ord)))));
  const occurrences = countKeys(batch, ords);
  const plain: number[] = [];
  const decided: BatchEvent[] = [];
  for (const ord of ords) {
    const isAlone = occurrences[batch.firstOf[ord] as number] === 1 && !known.has(ord);
    if (isAlone && !isOfMember(batch, ord, loaded)) outcomes[ord] = UNKNOWN_MEMBER;
    // It needs no object: its tuple is written as it came.
    else if (isAlone && !isForgotten(batch, ord, forgottenBefore)) {
      outcomes[ord] = CREATED;
      plain.push(ord);
    } else decided.push(eventAt(batch, ord));
  }
  const hasMember = ({ ord }: BatchEvent) => isOfMember(batch, ord, loaded);
  const folded = foldEvents(decided, stored, forgottenBefore, hasMember);
  for (const [i, { ord }] of decided.entries()) outcomes[ord] = folded.outcomes[i];
  return { outcomes, plain, created: folded.created, updated: folded.updated };
}

/** How many of these events are of the transaction of each, by the first event of the transaction. */
function countKeys({ count, firstOf }: EventBatch, ords: readonly number[]): Uint32Array {
  const counts = new Uint32Array(count);
  for (const ord of ords) {
    const first = firstOf[ord] as number;
    counts[first] = (counts[first] as number) + 1;
  }
  return counts;
}

/** Whether an event names an existing member of the event's organisation. */
function isOfMember(batch: EventBatch, ord: number, loaded: LoadedForEvents | undefined): boolean {
  if (!hasMember(batch, ord)) return false;
  return loaded === undefined || !loaded.missing.has(batch.memberOf[ord] as number);
}

/**
 * Decides events of a batch upon what is stored of these keys; of the others nothing is, as far as the partition's owner knows.
 * Where such a key turns out to be stored, the statement that writes its row finds out. But an event whose member is unknown
 * writes no row, and is refused only if its transaction is not stored: of these the keys are looked up, too.
 * @param ords which of them, in their order
 * @param looked the events whose keys are looked up
 */
export async function decideByLooking(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
  looked: readonly number[],
  mode: "locked" | "looked at",
): Promise<{ readonly decided: DecidedBatch; readonly loaded: LoadedForEvents }> {
  const loaded = await loadForEvents(sql, batch, looked, mode);
  const decided = decideEvents(batch, ords, looked, loaded);
  const seen = new Set(looked.map((ord) => batch.firstOf[ord]));
  const unknown = ords.filter(
    (ord) => decided.outcomes[ord] === UNKNOWN_MEMBER && !seen.has(batch.firstOf[ord]),
  );
  if (unknown.length === 0) return { decided, loaded };
  const more = keysAmong(batch, unknown);
  const { stored, places } = await loadForEvents(sql, batch, more, mode);
  if (stored.size === 0) return { decided, loaded };
  const all = {
    ...loaded,
    stored: new Map([...loaded.stored, ...stored]),
    places: new Map([...loaded.places, ...places]),
  };
  return { decided: decideEvents(batch, ords, [...looked, ...more], all), loaded: all };
}
