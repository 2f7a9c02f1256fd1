import { type EventOutcome, type FoldedTransaction, microsecondsOf, purchaseLinks } from "#domain";
import type { Sql } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type DecidedBatch, decideByLooking, keysAmong } from "./decide-events.ts";
import { authedAt, type EventBatch, memberAt } from "./event-batch.ts";
import { copyTransactions, updateTransactions } from "./write-transactions.ts";

/** The current state of a row that differs from its event. */
export interface ChangedTransaction extends FoldedTransaction {
  /**
   * Whether it may have earned something, so that rewards has to be told that it changed: it was there before, or became final by a
   * later event of this batch, and its member has or had an enrolment or a clip, or is gone.
   */
  readonly mayHaveEarned: boolean;
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

/**
 * Applies events of a batch, however many: reads what is stored of them and locks it, decides, copies what is new and updates
 * the rest. A batch of a few events takes `writeAtOnce` instead.
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
  const looked = keysAmong(batch, ords).filter((ord) => !isNew(ord));
  const { decided, loaded } = await decideByLooking(sql, batch, ords, looked, "locked");
  await copyTransactions(sql, batch, decided.plain, decided.created);
  await updateTransactions(sql, decided.updated, loaded.places);
  return withLinks(sql, batch, decided, (ord) => loaded.linked.has(batch.memberOf[ord] as number));
}

/**
 * What was written, with the links of its members. To be called behind the write: a link that is not there yet by then finds
 * the purchase itself.
 *
 * The race thought of: a member's first link is made after `isLinked` was read, and before this batch commits. Nothing can
 * have been earned by then, because the platform hears of such a link, for this purchase, only when this transaction is over
 * (`noteNewLinks`). Its outcome then finds the row as it is written here.
 * @param isLinked whether the member of an event has or had an enrolment or a clip
 */
export async function withLinks(
  sql: Sql,
  batch: EventBatch,
  { outcomes, plain, created, updated }: DecidedBatch,
  isLinked: (ord: number) => boolean,
): Promise<AppliedBatch> {
  const changed = [
    ...created.map((one) => ({
      ...one,
      // Folded of several events, of which there were several messages the first time, perhaps: outcomes that come again after a restore see
      // the purchase as it was between them, and leave its settling to its settlement.
      mayHaveEarned: one.transaction.state !== "authorized" && isLinked(one.ord),
    })),
    ...updated.map((one) => ({
      ...one,
      mayHaveEarned: one.transaction.memberId === null || isLinked(one.ord),
    })),
  ];
  const linked = plain.filter(isLinked).map((ord) => plainToLinked(batch, ord));
  const wereThere = new Set(updated.map(({ ord }) => ord));
  const alsoLinked = changed
    .filter(({ ord }) => isLinked(ord))
    .map((one) => ({ ...changedToLinked(one), wasThere: wereThere.has(one.ord) }));
  return { outcomes, created: plain, changed, links: await loadLinks(sql, [...linked, ...alsoLinked]) };
}

export function everyOrd({ count }: EventBatch): number[] {
  return Array.from({ length: count }, (_, ord) => ord);
}

/** A row whose record needs the links of its member. `authedAt`: microseconds since 1970. */
export interface LinkedRow {
  readonly ord: number;
  readonly memberId: string | null;
  readonly authedAt: number;
  /** Whether it was stored before the batch: a link that is new finds it, and tells of it together with the others. */
  readonly wasThere?: boolean;
}

/** Nearly every event of a batch may be one: its object, of which two fields are needed, would cost more than all the rest. */
function plainToLinked(batch: EventBatch, ord: number): LinkedRow {
  return { ord, memberId: memberAt(batch, ord), authedAt: authedAt(batch, ord) };
}

export function changedToLinked({ ord, transaction: { memberId, authedAt } }: ChangedTransaction): LinkedRow {
  return { ord, memberId, authedAt: microsecondsOf(authedAt) };
}

/**
 * Enrolments and open clips that count for purchases, by `ord`. A purchase that was there is not told of a link ahead of the
 * others that the link makes count (`startRelinking`): the newest of them is to redeem a clip.
 */
export async function loadLinks(
  sql: Sql,
  linked: readonly LinkedRow[],
): Promise<ReadonlyMap<number, MemberLinks>> {
  const memberIds = linked.flatMap(({ memberId }) => memberId ?? []);
  const byMember = await loadMemberLinks(sql, [...new Set(memberIds)]);
  const byOrd = new Map<number, MemberLinks>();
  for (const { ord, memberId, authedAt, wasThere = false } of linked) {
    const links = memberId === null ? undefined : byMember.get(memberId);
    if (links !== undefined) byOrd.set(ord, purchaseLinks(wasThere ? withoutNew(links) : links, authedAt));
  }
  return byOrd;
}

function withoutNew(links: MemberLinks): MemberLinks {
  const { clips, enrolments } = links;
  if (clips.every(({ isTold }) => isTold) && enrolments.every(({ isTold }) => isTold)) return links;
  return {
    clips: clips.filter(({ isTold }) => isTold),
    enrolments: enrolments.filter(({ isTold }) => isTold),
  };
}
