import {
  type BatchEvent,
  type EventResult,
  type FoldedBatch,
  foldEvents,
  keyOf,
  UNKNOWN_MEMBER,
} from "#domain";
import type { Sql } from "#postgres";
import { type EventBatch, eventAt, hasMember, isForgotten, keyAt } from "./event-batch.ts";
import { type LoadedForEvents, loadForEvents } from "./load-for-events.ts";

/** The decisions about a batch, before anything is written. */
export interface DecidedBatch extends Pick<FoldedBatch, "created" | "updated"> {
  /** By `ord`; undefined: the event was not among those to decide. */
  readonly outcomes: readonly (EventResult | undefined)[];
  /** Events whose row is new and equals the event. */
  readonly plain: readonly number[];
}

const CREATED: EventResult = { kind: "created", ignored: [] };

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
 * Decides events of a batch on the stored state. Pure.
 * @param ords the events to decide, in their order
 * @param looked the events whose keys were looked up; nothing is stored of the others
 * @param loaded undefined if nothing was looked up: the members are then assumed to exist
 */
export function decideEvents(
  batch: EventBatch,
  ords: readonly number[],
  looked: readonly number[] = [],
  loaded?: LoadedForEvents | undefined,
): DecidedBatch {
  const outcomes = new Array<EventResult | undefined>(batch.count);
  const stored = loaded?.stored ?? new Map();
  const forgottenBefore = loaded?.forgottenBefore ?? null;
  const known = new Set(looked.filter((ord) => stored.has(keyOf(keyAt(batch, ord)))));
  const occurrences = countKeys(batch, ords);
  const plain: number[] = [];
  const decided: BatchEvent[] = [];
  for (const ord of ords) {
    const isAlone = occurrences[batch.firstOf[ord] as number] === 1 && !known.has(ord);
    if (isAlone && !isOfMember(batch, ord, loaded)) outcomes[ord] = UNKNOWN_MEMBER;
    // Needs no object: its tuple is written unchanged.
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

/** The number of these events in each transaction, at the first event of the transaction. */
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
 * Looks keys up and decides events of a batch on the result. The owner of the partition knows that the other
 * keys are new; if it is wrong, the statement that writes the row fails. An event of an unknown member writes
 * no row, so that nothing would find the mistake. It must be refused only if its transaction is not stored;
 * therefore its key is looked up, too.
 * @param ords the events to decide, in their order
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
