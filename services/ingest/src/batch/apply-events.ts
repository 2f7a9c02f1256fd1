import { type EventResult, type FoldedTransaction, microsecondsOf, purchaseLinks } from "#domain";
import type { Sql } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type DecidedBatch, decideByLooking, keysAmong } from "./decide-events.ts";
import { authedAt, type EventBatch, memberAt } from "./event-batch.ts";
import { copyTransactions, updateTransactions } from "./write-transactions.ts";

/** The current state of a row that differs from its event. */
export interface ChangedTransaction extends FoldedTransaction {
  /**
   * Whether the row may have earned something, so that rewards has to hear of the change. It may if both
   * hold: it existed before, or a later event of this batch made it final; and its member has or had an
   * enrolment or a clip, or is gone.
   */
  readonly mayHaveEarned: boolean;
}

export interface AppliedBatch {
  /** By `ord`; undefined: the event is not part of this batch, or the database refused it. */
  readonly outcomes: readonly (EventResult | undefined)[];
  /** Events whose row is new and equals the event. */
  readonly created: readonly number[];
  /** All other rows that this batch made or changed. */
  readonly changed: readonly ChangedTransaction[];
  /**
   * By `ord`: the enrolments and open clips that count for created and changed rows. Rows without any are
   * absent.
   */
  readonly links: ReadonlyMap<number, MemberLinks>;
}

/**
 * Applies any number of a batch's events: reads and locks their stored rows, decides, copies the new rows and
 * updates the others. Small batches use `writeAtOnce` instead.
 * @param sql a transaction: if it fails, nothing of the events remains
 * @param ords the events to apply, in their order
 * @param isNew whether the caller is certain that nothing is stored under an event's key. If it is wrong, the
 * primary key refuses the batch
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
 * Adds the links of the members to the rows that were written. Call it after the write: a link that does not
 * exist yet by then finds the purchase itself.
 *
 * Race considered: a member's first link is made after `isLinked` was read, and before this batch commits.
 * The purchase cannot have earned anything through it by then, because `noteNewLinks` tells the platform of
 * the link only when this transaction is over. Its outcome then finds the row that was written here.
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
      // The batch may fold events that came in several messages the first time. Outcomes that come again
      // after a restore then see the purchase in a state between them, and leave its settling to its
      // settlement.
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
  /**
   * Whether the row was stored before the batch. If it was, relinking finds it for a new link and reports it
   * together with the member's other purchases.
   */
  readonly wasThere?: boolean;
}

/**
 * Avoids `eventAt`: nearly every event of a batch may come here, and only two fields of its object are
 * needed.
 */
function plainToLinked(batch: EventBatch, ord: number): LinkedRow {
  return { ord, memberId: memberAt(batch, ord), authedAt: authedAt(batch, ord) };
}

export function changedToLinked({ ord, transaction: { memberId, authedAt } }: ChangedTransaction): LinkedRow {
  return { ord, memberId, authedAt: microsecondsOf(authedAt) };
}

/**
 * Enrolments and open clips that count for purchases, by `ord`. Leaves out the new links of a purchase that
 * was stored before. Relinking (`startRelinking`) publishes it together with the other purchases that the
 * link makes count, so that the newest of them redeems the clip.
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
