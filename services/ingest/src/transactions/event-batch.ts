import { joinTexts, type PackedRows, packRows, rowAt, type Texts, textAt } from "#contract/codec";
import type { BatchEvent } from "#domain";

/**
 * Events on their way from a worker thread to the database, by `ord`: their places in the batch. Nothing in it is an
 * object for each event: making those anew in another thread would cost more than hashing them.
 */
export interface EventBatch {
  readonly count: number;
  /** Each event as the row that it would make. */
  readonly rows: PackedRows;
  readonly externalIds: Texts;
  /** Distinct UUIDs, and which of them each event names. */
  readonly organisations: readonly string[];
  readonly organisationOf: Uint32Array;
  readonly members: readonly string[];
  /** `NO_MEMBER`, a place that is never there: its id is none of ours. */
  readonly memberOf: Uint32Array;
  /** The first event of the same transaction, itself as a rule. */
  readonly firstOf: Uint32Array;
}

const NO_MEMBER = 0xffff_ffff;

/** @param events their `ord`s are their places */
export function toEventBatch(events: readonly BatchEvent[]): EventBatch {
  const organisations = new Numbered();
  const members = new Numbered();
  const organisationOf = new Uint32Array(events.length);
  const memberOf = new Uint32Array(events.length);
  const firstOf = new Uint32Array(events.length);
  // A map for each organisation: keys made of both would have to be built for every event.
  const firsts: Map<string, number>[] = [];
  for (let ord = 0; ord < events.length; ord++) {
    const { organisationId, memberId, externalId } = events[ord] as BatchEvent;
    const organisation = organisations.of(organisationId);
    organisationOf[ord] = organisation;
    memberOf[ord] = memberId === null ? NO_MEMBER : members.of(memberId);
    let firstOfKey = firsts[organisation];
    if (firstOfKey === undefined) {
      firstOfKey = new Map();
      firsts[organisation] = firstOfKey;
    }
    const first = firstOfKey.get(externalId);
    if (first === undefined) firstOfKey.set(externalId, ord);
    firstOf[ord] = first ?? ord;
  }
  return {
    count: events.length,
    rows: packRows(events),
    externalIds: joinTexts(events.map(({ externalId }) => externalId)),
    organisations: organisations.texts,
    organisationOf,
    members: members.texts,
    memberOf,
    firstOf,
  };
}

/** What an event is about. */
export function keyAt(
  batch: EventBatch,
  ord: number,
): { readonly organisationId: string; readonly externalId: string } {
  return {
    organisationId: batch.organisations[batch.organisationOf[ord] as number] as string,
    externalId: textAt(batch.externalIds, ord),
  };
}

/** Whether an event names a member that can be one of ours. */
export function hasMember({ memberOf }: EventBatch, ord: number): boolean {
  return memberOf[ord] !== NO_MEMBER;
}

/** One of its events, as an object. */
export function eventAt({ rows }: EventBatch, ord: number): BatchEvent {
  return { ...rowAt(rows, ord), ord };
}

/** Texts by the order of their first coming. */
class Numbered {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
