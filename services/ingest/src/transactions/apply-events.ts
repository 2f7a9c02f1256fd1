import {
  type BatchEvent,
  type EventOutcome,
  type FoldedTransaction,
  foldEvents,
  keyOf,
  microsecondsOf,
  purchaseLinks,
  UNKNOWN_MEMBER,
} from "#domain";
import type { Sql } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type EventBatch, eventAt, keyAt } from "./event-batch.ts";
import { type FoundMember, type LoadedForEvents, loadForEvents } from "./load-for-events.ts";
import { copyTransactions, updateTransactions } from "./write-transactions.ts";

/** A row that is not just what its event says: as it is now. */
export interface ChangedTransaction extends FoldedTransaction {
  /** Whether it was there before, so that somebody may have to be told that it settled. */
  readonly wasThere: boolean;
}

export interface AppliedBatch {
  /** By `ord`; undefined: not of this batch, or refused by the database. */
  readonly outcomes: readonly (EventOutcome | undefined)[];
  /** Events whose row is new, and is what the event says. */
  readonly created: readonly number[];
  /** All other rows that this batch made or changed. */
  readonly changed: readonly ChangedTransaction[];
  /** Enrolments and open clips that count for created and changed rows, by `ord`, where their members have any. */
  readonly links: ReadonlyMap<number, MemberLinks>;
}

const CREATED: EventOutcome = { kind: "created", ignored: [] };

/**
 * Applies events of a batch: reads what is stored of them, lets `#domain` decide, copies what is new and updates the rest.
 * @param sql a transaction: of events that fail nothing is left
 * @param ords which of them, in their order
 * @param isNew whether nothing is stored of an event's key for certain. Should something be, the primary key refuses the batch
 */
export async function applyEvents(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[] = everyOrd(batch),
  isNew: (ord: number) => boolean = () => false,
): Promise<AppliedBatch> {
  const outcomes = new Array<EventOutcome | undefined>(batch.count);
  const { once, keys } = countKeys(batch, ords);
  const looked = keys.filter((ord) => !isNew(ord));
  const loaded = await loadForEvents(sql, batch, looked);
  const known = new Set(looked.filter((ord) => loaded.stored.has(keyOf(keyAt(batch, ord)))));
  const isPlain = (ord: number) => once(ord) && !known.has(ord);
  const { plain, decided } = split(batch, ords, isPlain, loaded, outcomes);
  const folded = foldEvents(decided, loaded.stored);
  for (const [i, { ord }] of decided.entries()) outcomes[ord] = folded.outcomes[i];
  await copyTransactions(sql, batch, plain, folded.created);
  await updateTransactions(sql, folded.updated);
  const changed = [
    ...folded.created.map((one) => ({ ...one, wasThere: false })),
    ...folded.updated.map((one) => ({ ...one, wasThere: true })),
  ];
  const linked = plain
    .filter((ord) => memberAt(batch, ord, loaded)?.linked)
    .map((ord) => eventAt(batch, ord));
  return {
    outcomes,
    created: plain,
    changed,
    links: await loadLinks(sql, [...linked.map(toLinked), ...changed.map(changedToLinked)]),
  };
}

export function everyOrd({ count }: EventBatch): number[] {
  return Array.from({ length: count }, (_, ord) => ord);
}

/** Which keys occur once, and for each the event that stands for it. */
function countKeys({ firstOf }: EventBatch, ords: readonly number[]) {
  const counts = new Map<number, number>();
  const keys: number[] = [];
  for (const ord of ords) {
    const key = firstOf[ord] as number;
    const count = counts.get(key) ?? 0;
    if (count === 0) keys.push(ord);
    counts.set(key, count + 1);
  }
  return { once: (ord: number) => counts.get(firstOf[ord] as number) === 1, keys };
}

/** Events whose row is new and is what they say need no object: their tuples are copied as they came. */
function split(
  batch: EventBatch,
  ords: readonly number[],
  isPlain: (ord: number) => boolean,
  loaded: LoadedForEvents,
  outcomes: (EventOutcome | undefined)[],
): { readonly plain: number[]; readonly decided: BatchEvent[] } {
  const plain: number[] = [];
  const decided: BatchEvent[] = [];
  for (const ord of ords) {
    if (memberAt(batch, ord, loaded) === undefined) outcomes[ord] = UNKNOWN_MEMBER;
    else if (isPlain(ord)) {
      outcomes[ord] = CREATED;
      plain.push(ord);
    } else decided.push(eventAt(batch, ord));
  }
  return { plain, decided };
}

/** An event's member, if it is there and of the event's organisation. */
function memberAt(
  { organisations, organisationOf, memberOf }: EventBatch,
  ord: number,
  { members }: LoadedForEvents,
): FoundMember | undefined {
  const member = members[memberOf[ord] as number];
  return member?.organisationId === organisations[organisationOf[ord] as number] ? member : undefined;
}

/** A row whose record needs the links of its member. `authedAt`: microseconds since 1970. */
export interface LinkedRow {
  readonly ord: number;
  readonly memberId: string | null;
  readonly authedAt: number;
}

function toLinked({ ord, memberId, authedAt }: BatchEvent): LinkedRow {
  return { ord, memberId, authedAt: microsecondsOf(authedAt) };
}

export function changedToLinked({ ord, transaction: { memberId, authedAt } }: ChangedTransaction): LinkedRow {
  return { ord, memberId, authedAt: microsecondsOf(authedAt) };
}

/** Enrolments and open clips that count for purchases, by `ord`. */
export async function loadLinks(
  sql: Sql,
  linked: readonly LinkedRow[],
): Promise<ReadonlyMap<number, MemberLinks>> {
  const memberIds = linked.flatMap(({ memberId }) => memberId ?? []);
  const byMember = await loadMemberLinks(sql, [...new Set(memberIds)]);
  const byOrd = new Map<number, MemberLinks>();
  for (const { ord, memberId, authedAt } of linked) {
    const links = memberId === null ? undefined : byMember.get(memberId);
    if (links !== undefined) byOrd.set(ord, purchaseLinks(links, authedAt));
  }
  return byOrd;
}
