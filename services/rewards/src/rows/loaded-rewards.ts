import type { LinkTimes } from "#domain";
import type {
  Cashback,
  CashbackSource,
  CashbackState,
  Clip,
  RewardChange,
  RewardTransaction,
  StampCollection,
} from "#domain/rewards";
import type { Fragment, Sql } from "#postgres";
import { microsecondsSince1970, type StoredEvent } from "#publisher-db";

/*
 * What the reward engine takes from the database and gives back, a batch at a time. All ids are UUIDs.
 */

export interface RewardTarget {
  readonly kind: "collection" | "clip";
  readonly id: string;
}

/** What an outcome is about. */
export interface OutcomeSubject {
  readonly transactionId: string;
  readonly target: RewardTarget;
}

/** A collection or a clip, locked until the database transaction that loaded it ends. */
export interface LoadedTarget {
  readonly organisationId: string;
  /** Null once the member is deleted: what was earned stays. Also null where a settlement loaded a single cashback. */
  readonly memberId: string | null;
  /** The times that decide whether it counts for a purchase. Null where a settlement loaded a single cashback. */
  readonly times: LinkTimes | null;
  readonly state: StampCollection | Clip;
}

export interface LoadedRewards {
  /**
   * By id, as stored under the locks. A transaction that is missing is unknown, or belongs to another member than the
   * outcome's target: the outcome is then refused.
   */
  readonly transactions: ReadonlyMap<string, RewardTransaction>;
  /**
   * The member of each of these transactions, null once deleted. A batch is about many members: an outcome counts only if
   * its target and its transaction belong to the same one.
   */
  readonly members: ReadonlyMap<string, string | null>;
  /** When each of these transactions was authorized, in microseconds since 1970. */
  readonly authedAt: ReadonlyMap<string, number>;
  /** By id. A target that is absent was deleted, or never there. */
  readonly targets: ReadonlyMap<string, LoadedTarget>;
}

export interface LoadedSettlements extends LoadedRewards {
  /** For each transaction the ids of the targets in which it has a live stamp or a pending cashback, in a stable order. */
  readonly touched: ReadonlyMap<string, readonly string[]>;
}

/** What one batch writes, in the order in which it was decided. */
export interface RewardWrites {
  readonly changes: readonly OwnedChange[];
  readonly events: readonly StoredEvent[];
}

export interface OwnedChange {
  readonly organisationId: string;
  readonly memberId: string | null;
  readonly change: RewardChange;
}

/** For each transaction the ids of the targets in which it has a live stamp or a pending cashback, in the order of ids. */
export function touchedTargets(
  transactionIds: Iterable<string>,
  targets: ReadonlyMap<string, LoadedTarget>,
): Map<string, readonly string[]> {
  const touched = new Map<string, string[]>(Array.from(transactionIds, (id) => [id, []]));
  for (const id of [...targets.keys()].sort()) {
    for (const transactionId of transactionsIn((targets.get(id) as LoadedTarget).state)) {
      touched.get(transactionId)?.push(id);
    }
  }
  return touched;
}

/** Stamps are enough for a collection: its pending cashbacks wait for transactions that have a stamp in it. */
function transactionsIn(state: LoadedTarget["state"]): string[] {
  if (state.kind === "collection") return state.stamps.map(({ transaction }) => transaction.id);
  return state.cashback?.state === "pending" ? [state.cashback.transactionId] : [];
}

export interface LoadedTransaction extends RewardTransaction {
  readonly memberId: string | null;
  /** Microseconds since 1970. */
  readonly authedAt: number;
}

/** The columns of a `LoadedTransaction`, of `transactions t`. */
export function loadedTransactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as ref, t.state, t.settled_order as "settledOrder", t.amount, t.currency,
    t.member_id as "memberId", ${microsecondsSince1970(sql, "t.authed_at")} as "authedAt"`;
}

/** The three maps of `LoadedRewards` that are about transactions. */
export function indexTransactions(rows: readonly LoadedTransaction[]) {
  const transactions = new Map<string, RewardTransaction>();
  const members = new Map<string, string | null>();
  const authedAt = new Map<string, number>();
  for (const { id, ref, state, settledOrder, amount, currency, memberId, authedAt: at } of rows) {
    transactions.set(id, { id, ref, state, settledOrder, amount, currency });
    members.set(id, memberId);
    authedAt.set(id, at);
  }
  return { transactions, members, authedAt };
}

/** A cashback as the reward rules see it, with its source spread out. */
export interface LoadedCashback {
  readonly id: string;
  readonly organisationId: string;
  readonly transactionId: string;
  readonly transactionRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: CashbackState;
  readonly clipId: string | null;
  readonly dealId: string | null;
  readonly loyaltyProgramId: string | null;
  readonly stampCollectionId: string | null;
  readonly redemptionId: string | null;
}

/** The columns of a `LoadedCashback`, of `cashbacks c`. */
export function loadedCashbackColumns(sql: Sql): Fragment {
  return sql`
    c.id, c.organisation_id as "organisationId", c.transaction_id as "transactionId",
    c.transaction_ref as "transactionRef", c.amount, c.currency, c.state, c.clip_id as "clipId",
    c.deal_id as "dealId", c.loyalty_program_id as "loyaltyProgramId",
    c.stamp_collection_id as "stampCollectionId", c.redemption_id as "redemptionId"`;
}

export function toRewardCashback(row: LoadedCashback): Cashback {
  return {
    id: row.id,
    transactionId: row.transactionId,
    transactionRef: row.transactionRef,
    amount: row.amount,
    currency: row.currency,
    state: row.state,
    source: toSource(row),
  };
}

/** A check constraint holds each row to one of the two forms. */
function toSource(row: LoadedCashback): CashbackSource {
  if (row.clipId !== null) return { type: "clip", clipId: row.clipId, dealId: row.dealId as string };
  return {
    type: "loyalty-program-redemption",
    loyaltyProgramId: row.loyaltyProgramId as string,
    stampCollectionId: row.stampCollectionId as string,
    redemptionId: row.redemptionId as string,
  };
}
