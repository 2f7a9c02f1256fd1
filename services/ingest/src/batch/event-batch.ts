import {
  authedAtOf,
  type EventReader,
  joinTexts,
  type MadeFields,
  type Packed,
  placeOf,
  RowPacker,
  rowAt,
  type Texts,
  textAt,
} from "#contract/codec";
import type { BatchEvent } from "#domain";

/**
 * Events on their way from a worker thread to the database, by `ord`: their places in the batch. It holds no
 * object per event: copying such objects to another thread would cost more than hashing the events.
 */
export interface EventBatch {
  readonly count: number;
  /** Each event as the row that it would create. */
  readonly rows: Packed;
  readonly externalIds: Texts;
  /** Distinct UUIDs; `organisationOf` says which of them each event names. */
  readonly organisations: readonly string[];
  readonly organisationOf: Uint32Array;
  /** Distinct UUIDs of one organisation each: a member that two organisations name is here twice. */
  readonly members: readonly string[];
  /** For each of `members`, the place of its organisation in `organisations`. */
  readonly organisationOfMember: readonly number[];
  /**
   * For each event, its place in `members`. `NO_MEMBER`, a place that never exists: its id is not one of
   * ours.
   */
  readonly memberOf: Uint32Array;
  /** The first event of the same transaction, usually the event itself. */
  readonly firstOf: Uint32Array;
}

const NO_MEMBER = 0xffff_ffff;
/** The contract allows 128 characters, of two units at most. PostgreSQL takes no key of some 2,700 bytes. */
const EXTERNAL_ID_UNITS = 256;
const MEMBER_ID = placeOf("memberId");

/** @param events their `ord`s are their places */
export function toEventBatch(events: readonly BatchEvent[]): EventBatch {
  const builder = new EventBatchBuilder(events.length);
  for (const event of events) builder.addRow(event);
  return builder.built();
}

/** Builds a batch, event by event. */
export class EventBatchBuilder {
  readonly #rows: RowPacker;
  readonly #externalIds: string[] = [];
  readonly #organisations = new Interner();
  readonly #members: string[] = [];
  readonly #organisationOfMember: number[] = [];
  readonly #organisationOf: Uint32Array;
  readonly #memberOf: Uint32Array;
  readonly #firstOf: Uint32Array;
  /** By organisation: a key of both would have to be built for every event. */
  readonly #firsts: Map<string, number>[] = [];
  readonly #memberNumbers: Map<string, number>[] = [];

  constructor(count: number) {
    this.#rows = new RowPacker(count);
    this.#organisationOf = new Uint32Array(count);
    this.#memberOf = new Uint32Array(count).fill(NO_MEMBER);
    this.#firstOf = new Uint32Array(count);
  }

  addRow(event: BatchEvent): void {
    const { memberId } = event;
    const ord = this.#add(event.organisationId, event.externalId);
    if (memberId !== null) this.#setMember(ord, memberId, () => memberId);
    this.#rows.row(event);
  }

  /** @param reader stands at the event */
  addSent(reader: EventReader, externalId: string, made: MadeFields): void {
    const ord = this.#add(made.organisationId, externalId);
    if (!reader.isNull(MEMBER_ID)) {
      this.#setMember(ord, reader.key(MEMBER_ID), () => reader.uuid(MEMBER_ID));
    }
    this.#rows.sent(made, reader.bytes, reader.sentStart, reader.sentEnd);
  }

  built(): EventBatch {
    return {
      count: this.#externalIds.length,
      rows: this.#rows.packed(),
      externalIds: joinTexts(this.#externalIds),
      organisations: this.#organisations.texts,
      organisationOf: this.#organisationOf,
      members: this.#members,
      organisationOfMember: this.#organisationOfMember,
      memberOf: this.#memberOf,
      firstOf: this.#firstOf,
    };
  }

  /**
   * @throws RangeError if no edge takes the `external_id`. As one event alone it could not be dead: the database
   * would refuse each look for it, also when the batch is recalled or read again
   */
  #add(organisationId: string, externalId: string): number {
    if (externalId.length > EXTERNAL_ID_UNITS) throw new RangeError("an external_id is too long");
    if (externalId.includes("\0")) throw new RangeError("an external_id holds a NUL");
    const ord = this.#externalIds.push(externalId) - 1;
    const organisation = this.#organisations.of(organisationId);
    this.#organisationOf[ord] = organisation;
    this.#firsts[organisation] ??= new Map();
    const firstOfKey = this.#firsts[organisation];
    const first = firstOfKey.get(externalId);
    if (first === undefined) firstOfKey.set(externalId, ord);
    this.#firstOf[ord] = first ?? ord;
    return ord;
  }

  /** @param key distinguishes members, because making the UUID itself takes time */
  #setMember(ord: number, key: string, uuid: () => string): void {
    const organisation = this.#organisationOf[ord] as number;
    this.#memberNumbers[organisation] ??= new Map();
    const numbers = this.#memberNumbers[organisation];
    let number = numbers.get(key);
    if (number === undefined) {
      number = this.#members.push(uuid()) - 1;
      this.#organisationOfMember.push(organisation);
      numbers.set(key, number);
    }
    this.#memberOf[ord] = number;
  }
}

/** The transaction that an event reports on. */
export function keyAt(
  batch: EventBatch,
  ord: number,
): { readonly organisationId: string; readonly externalId: string } {
  return {
    organisationId: batch.organisations[batch.organisationOf[ord] as number] as string,
    externalId: textAt(batch.externalIds, ord),
  };
}

/** Whether an event's member id can be one of ours. */
export function hasMember({ memberOf }: EventBatch, ord: number): boolean {
  return memberOf[ord] !== NO_MEMBER;
}

/**
 * Whether the transaction of an event is so old that, if it is not stored, retention may have removed it
 * (`applyEvent`).
 * @param forgottenBefore microseconds since 1970; null: none has ever been removed
 */
export function isForgotten(batch: EventBatch, ord: number, forgottenBefore: number | null): boolean {
  return forgottenBefore !== null && authedAt(batch, ord) < forgottenBefore;
}

/** The member that an event names; null: its id cannot be one of ours. */
export function memberAt({ members, memberOf }: EventBatch, ord: number): string | null {
  return members[memberOf[ord] as number] ?? null;
}

/** The time of authorization in an event, in microseconds since 1970. */
export function authedAt({ rows }: EventBatch, ord: number): number {
  return authedAtOf(rows, ord);
}

/** An event of the batch, as an object. */
export function eventAt({ rows }: EventBatch, ord: number): BatchEvent {
  return { ...rowAt(rows, ord), ord };
}

/** Distinct texts, in the order in which they first came. */
class Interner {
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
