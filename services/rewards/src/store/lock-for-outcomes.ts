import { LIMITS } from "#contract";
import { addTo, type RetroactiveHistory } from "#domain";
import type { RewardTransaction } from "#domain/rewards";
import { microsecondsSince1970, type Transaction } from "#postgres";
import { createRetroactiveReader, retroactiveText } from "#publisher-db";
import { type AsOf, findVoided, findWaiting, lockHeldClips, settledUpTo } from "./as-of.ts";
import {
  type ComingStamp,
  type LoadedTarget,
  type LockedCollection,
  loadCollections,
  lockCollections,
} from "./collections.ts";
import type { OutcomeSubject } from "./outcome-subject.ts";
import {
  indexTransactions,
  type LoadedTransaction,
  loadedTransactionColumns,
  type MemberTransaction,
} from "./transactions.ts";

export interface LoadedRewards {
  /**
   * By id, as stored under the locks. A missing transaction is unknown, or belongs to another member than the outcome's target: then
   * the outcome is refused.
   */
  readonly transactions: ReadonlyMap<string, RewardTransaction>;
  /**
   * The member of each of these transactions, null once deleted. A batch has many members: an outcome counts only if its target and
   * its transaction belong to the same one.
   */
  readonly members: ReadonlyMap<string, string | null>;
  /** When each of these transactions was authorized, in microseconds since 1970. */
  readonly authedAt: ReadonlyMap<string, number>;
  /** Purchases that have redeemed a deal, by `spentKey`; another clip of it does not count for them. */
  readonly spent?: ReadonlySet<string>;
  /** Undefined: all outcomes are decided on the present state, and not as of their moments. */
  readonly asOf?: AsOf | undefined;
  /** By id. An absent target was deleted, never existed, or is a full card. */
  readonly targets: ReadonlyMap<string, LoadedTarget>;
  /** Cards with so many pending redemptions that they are not loaded: their outcomes wait (`early-outcomes.ts`). */
  readonly full?: ReadonlySet<string>;
}

/**
 * Locks and reads the rows that outcomes need. Call it once, first, in a read committed database transaction:
 * statements after a lock must see the changes that the lock waited for.
 *
 * The transactions' rows are locked because of this race: an outcome reads "authorized" and makes a pending
 * cashback; meanwhile a clearing is stored, and its settlement looks for cashbacks before this one commits.
 * The cashback would stay pending for ever. `for share` makes the clearing wait: either it is stored first
 * and seen here, or it is stored after this database transaction has ended, and then its settlement, which is
 * published later, sees the cashback.
 *
 * All code takes locks in one order: transactions by key, as ingest writes them, then collections by id, then
 * clips by id. Members and memberbases are never locked here, so code that holds one may wait for these locks
 * (`saveClip`, `deleteMembers`).
 * @param awaited more transactions to lock (`withOpenTransactions`)
 * @param pendingMax a card with this many pending redemptions is full. It may get more of them by one batch,
 * at most as many as the batch has outcomes
 */
export async function lockForOutcomes(
  sql: Transaction,
  subjects: readonly OutcomeSubject[],
  awaited: readonly MemberTransaction[] = [],
  pendingMax: number = LIMITS.pendingRedemptionsPerCard,
): Promise<LoadedRewards> {
  const ofCollections = subjects.filter(({ target }) => target.kind === "collection");
  const ofClips = subjects.filter(({ target }) => target.kind === "clip");
  const comeAgain = subjects.some(({ moment }) => moment !== undefined);
  const notBefore = comeAgain ? await settledUpTo(sql) : undefined;
  const isAsOf = notBefore !== undefined;
  const waiting = isAsOf ? await findWaiting(sql, targetIds(ofClips)) : new Map();
  const besides = [...awaited, ...[...waiting.values()].flat()];
  // Sent together; the server locks in the order of sending.
  const [locked, collections, clips] = await Promise.all([
    lockTransactions(sql, ofCollections, ofClips, besides),
    lockCollections(sql, targetIds(ofCollections)),
    lockClips(sql, targetIds(ofClips)),
  ]);
  const { transactions, members, authedAt } = indexTransactions(locked);
  const coming = new Map<string, ComingStamp[]>();
  for (const { target, transactionId, finding } of ofCollections) {
    const threshold = finding.type === "deal" ? null : finding.threshold;
    addTo(coming, target.id, { transactionId, threshold });
  }
  const isFull = ({ pendingRedemptions }: LockedCollection) => pendingRedemptions >= pendingMax;
  const full = new Set(collections.filter(isFull).map(({ id }) => id));
  const withRoom = collections.filter(({ id }) => !full.has(id));
  const targets = await loadCollections(sql, withRoom, transactions, coming);
  const toRetroactive = createRetroactiveReader();
  for (const clip of clips) targets.set(clip.id, toClipTarget(clip, toRetroactive(clip.retroactive)));
  // After the locks: only their holder makes a cashback of this member and deal.
  const wanted = [...transactionIds(ofClips), ...besides.map(({ transactionId }) => transactionId)];
  const spent = clips.length > 0 ? await findSpent(sql, wanted) : new Set<string>();
  const holders = isAsOf ? await completeTargets(sql, targets, transactions) : new Map();
  return {
    transactions,
    members,
    authedAt,
    spent,
    asOf: isAsOf ? { notBefore, holders, waiting } : undefined,
    targets,
    full,
  };
}

/** Completes targets for decisions as of a moment. @returns the purchases that hold clips */
async function completeTargets(
  sql: Transaction,
  targets: Map<string, LoadedTarget>,
  transactions: ReadonlyMap<string, RewardTransaction>,
): Promise<ReadonlyMap<string, RewardTransaction>> {
  const clipIds = [...targets].flatMap(([id, { state }]) => (state.kind === "clip" ? id : []));
  const { clips, holders } = await lockHeldClips(sql, clipIds);
  const allVoided = await findVoided(sql, transactions);
  for (const [id, target] of targets) {
    const [clip, voided] = [clips.get(id), allVoided.get(id)];
    const state =
      target.state.kind === "clip"
        ? { ...target.state, ...clip }
        : { ...target.state, ...(voided && { voided }) };
    targets.set(id, { ...target, state });
  }
  return holders;
}

/** Names a purchase and a deal. */
export function spentKey(transactionId: string, dealId: string): string {
  return `${transactionId} ${dealId}`;
}

async function findSpent(sql: Transaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ transactionId: string; dealId: string }[]>`
    select transaction_id as "transactionId", deal_id as "dealId" from cashbacks
    where transaction_id = any(${ids}::uuid[]) and deal_id is not null`;
  return new Set(rows.map(({ transactionId, dealId }) => spentKey(transactionId, dealId)));
}

/**
 * Transactions are found through their targets' members, because they have no index on their id alone. A transaction that belongs to the
 * member of none of its targets is not found.
 */
function lockTransactions(
  sql: Transaction,
  ofCollections: readonly OutcomeSubject[],
  ofClips: readonly OutcomeSubject[],
  awaited: readonly MemberTransaction[],
): Promise<LoadedTransaction[]> {
  return sql<LoadedTransaction[]>`
    with wanted as materialized (
      select stamp_collections.member_id, subject.transaction_id
      from unnest(${transactionIds(ofCollections)}::uuid[], ${ofCollections.map(targetId)}::uuid[])
        as subject (transaction_id, target_id)
      join stamp_collections on stamp_collections.id = subject.target_id
      union all
      select clips.member_id, subject.transaction_id
      from unnest(${transactionIds(ofClips)}::uuid[], ${ofClips.map(targetId)}::uuid[])
        as subject (transaction_id, target_id)
      join clips on clips.id = subject.target_id
      union all
      select * from unnest(
        ${awaited.map(({ memberId }) => memberId)}::uuid[], ${awaited.map(({ transactionId }) => transactionId)}::uuid[]
      )
    )
    select ${loadedTransactionColumns(sql)}
    from transactions t
    where (t.member_id, t.id) in (select member_id, transaction_id from wanted)
    order by t.organisation_id, t.external_id
    for share of t`.send();
}

interface ClipRow {
  readonly id: string;
  readonly organisationId: string;
  readonly memberId: string;
  readonly dealId: string;
  readonly redeemed: boolean;
  readonly madeAt: number;
  /** In the form of `createRetroactiveReader`. */
  readonly retroactive: string;
}

/**
 * Locks clips, and with each the first clip that its member had of the deal, by the database's times: a later clip never becomes the
 * first one, whatever its id. So the holder of that one is alone with all of them. The cashback of a redeemed clip is not loaded: only
 * settlements need it, and they find it by its transaction.
 */
function lockClips(sql: Transaction, ids: readonly string[]): Promise<ClipRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return sql<ClipRow[]>`
    select c.id, c.organisation_id as "organisationId", c.member_id as "memberId", c.deal_id as "dealId",
           c.redeemed_at is not null as redeemed, ${microsecondsSince1970(sql, "c.created_at")} as "madeAt",
           ${retroactiveText(sql, "d")} as retroactive
    from clips c left join deals d on d.id = c.deal_id
    where c.id = any(array(
      select unnest(${ids}::uuid[])
      union
      select first.id
      from clips own
      cross join lateral (
        select id from clips
        where member_id = own.member_id and deal_id = own.deal_id order by created_at, id limit 1
      ) first
      where own.id = any(${ids}::uuid[])
    ))
    order by c.id
    for no key update of c`.send();
}

function toClipTarget(
  { id, organisationId, memberId, dealId, redeemed, madeAt }: ClipRow,
  retroactive: RetroactiveHistory,
): LoadedTarget {
  const state = { kind: "clip", id, dealId, redeemed, cashback: null } as const;
  return { organisationId, memberId, times: { madeAt, retroactive }, state };
}

const targetId = ({ target }: OutcomeSubject) => target.id;
const targetIds = (subjects: readonly OutcomeSubject[]) => [...new Set(subjects.map(targetId))];
const transactionIds = (subjects: readonly OutcomeSubject[]) =>
  subjects.map(({ transactionId }) => transactionId);
