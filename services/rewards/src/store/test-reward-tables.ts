import assert from "node:assert/strict";
import type {
  Cashback,
  Program,
  Redemption,
  RewardChange,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "#domain/rewards";
import { type Sql, utc } from "#postgres";
import type { StoredEvent } from "#publisher-db";
import type { TestMember } from "#test-support";
import type { LoadedTarget } from "./collections.ts";
import type { OwnedChange } from "./fold-reward-changes.ts";
import type { LoadedSettlements } from "./lock-for-settlements.ts";
import type { RewardWrites } from "./write-rewards.ts";

/*
 * The reward tables as maps, written one change at a time and loaded whole.
 */

interface CollectionRow {
  readonly organisationId: string;
  readonly memberId: string;
  readonly loyaltyProgramId: string;
  counter: number;
  threshold: number | null;
  pending: readonly string[];
  nextPosition: number;
}
interface ClipRow {
  readonly organisationId: string;
  readonly memberId: string;
  readonly dealId: string;
  redeemedAt: string | null;
}
interface StampRow {
  readonly stampCollectionId: string;
  stamp: Stamp;
  voidedAt: string | null;
}
interface RedemptionRow {
  readonly stampCollectionId: string;
  readonly transactionId: string;
  readonly stampIds: readonly string[];
  readonly createdAt: string;
  undoneAt: string | null;
}
interface CashbackRow {
  readonly organisationId: string;
  memberId: string | null;
  cashback: Cashback;
  readonly createdAt: string;
  settledAt: string | null;
}

/** All stored rows, in a comparable form; rows by id, events in their order. */
export interface RewardRows {
  readonly collections: readonly object[];
  readonly clips: readonly object[];
  readonly stamps: readonly object[];
  readonly redemptions: readonly object[];
  readonly cashbacks: readonly object[];
  readonly events: readonly StoredEvent[];
}

export class RewardTables {
  readonly programs = new Map<string, Program>();
  readonly #transactions = new Map<string, RewardTransaction>();
  readonly #members = new Map<string, string | null>();
  readonly #collections = new Map<string, CollectionRow>();
  readonly #clips = new Map<string, ClipRow>();
  readonly #stamps = new Map<string, StampRow>();
  readonly #redemptions = new Map<string, RedemptionRow>();
  readonly #cashbacks = new Map<string, CashbackRow>();
  readonly #events: StoredEvent[] = [];

  enrol({ organisationId, memberId }: TestMember, id: string, loyaltyProgramId: string): void {
    const fresh = { counter: 0, threshold: null, pending: [], nextPosition: 1 };
    this.#collections.set(id, { organisationId, memberId, loyaltyProgramId, ...fresh });
  }

  clip({ organisationId, memberId }: TestMember, id: string, dealId: string): void {
    this.#clips.set(id, { organisationId, memberId, dealId, redeemedAt: null });
  }

  store(transaction: RewardTransaction, memberId: string | null): void {
    this.#transactions.set(transaction.id, transaction);
    this.#members.set(transaction.id, memberId);
  }

  /** Deletes a member; the earnings stay. */
  forget(memberId: string): void {
    for (const [id, row] of this.#clips) if (row.memberId === memberId) this.#clips.delete(id);
    for (const [id, row] of this.#collections) if (row.memberId === memberId) this.#collections.delete(id);
    for (const [id, row] of this.#stamps) {
      if (!this.#collections.has(row.stampCollectionId)) this.#stamps.delete(id);
    }
    for (const [id, row] of this.#redemptions) {
      if (!this.#collections.has(row.stampCollectionId)) this.#redemptions.delete(id);
    }
  }

  unlink(memberId: string): void {
    for (const row of this.#cashbacks.values()) if (row.memberId === memberId) row.memberId = null;
    for (const [id, member] of this.#members) if (member === memberId) this.#members.set(id, null);
  }

  /** Loads everything, whatever entries a batch has. */
  loadAll(): LoadedSettlements {
    const targets = new Map<string, LoadedTarget>();
    for (const [id, row] of this.#collections) {
      const { organisationId, memberId } = row;
      targets.set(id, { organisationId, memberId, times: null, state: this.#load(id, row) });
    }
    for (const [id, { organisationId, memberId, dealId, redeemedAt }] of this.#clips) {
      const redeemed = redeemedAt !== null;
      const cashback = redeemed ? this.#cashbackOf(id) : null;
      // No deal is saved twice here.
      const state = { kind: "clip", id, dealId, redeemed, reopens: true, cashback } as const;
      targets.set(id, { organisationId, memberId, times: null, state });
    }
    for (const { organisationId, cashback } of this.#cashbacks.values()) {
      const { source } = cashback;
      const id = source.type === "clip" ? source.clipId : source.stampCollectionId;
      if (targets.has(id)) continue;
      const dealId = "none";
      const alone = source.type === "clip" ? source.clipId : cashback.id;
      const state = { kind: "clip", id: alone, dealId, redeemed: true, cashback } as const;
      targets.set(alone, { organisationId, memberId: null, times: null, state });
    }
    return {
      transactions: this.#transactions,
      members: this.#members,
      authedAt: new Map(),
      targets,
      touched: new Map(Array.from(this.#transactions.keys(), (id) => [id, touchedBy(id, targets)])),
    };
  }

  #load(id: string, row: CollectionRow): StampCollection {
    const stamps = [...this.#stamps.values()]
      .filter(({ stampCollectionId, voidedAt }) => stampCollectionId === id && voidedAt === null)
      .map(({ stamp }) => ({ ...stamp, transaction: must(this.#transactions.get(stamp.transaction.id)) }));
    const redemptions: Redemption[] = [...this.#redemptions]
      .filter(([, one]) => one.stampCollectionId === id && one.undoneAt === null)
      .map(([redemptionId, { transactionId }]) => ({
        id: redemptionId,
        transactionId,
        isPending: row.pending.includes(redemptionId),
        cashback: this.#cashbackOf(redemptionId),
      }));
    return {
      kind: "collection",
      id,
      loyaltyProgramId: row.loyaltyProgramId,
      program: this.programs.get(row.loyaltyProgramId) ?? null,
      stamps: stamps.sort((a, b) => a.position - b.position),
      redemptions,
      unredeemedPurchases: row.counter,
      nextPosition: row.nextPosition,
      threshold: row.threshold,
    };
  }

  #cashbackOf(sourceId: string): Cashback | null {
    // The newest: a clip that was opened again may have several.
    for (const { cashback } of [...this.#cashbacks.values()].reverse()) {
      const { source } = cashback;
      if ((source.type === "clip" ? source.clipId : source.redemptionId) === sourceId) return cashback;
    }
    return null;
  }

  write({ changes, events }: RewardWrites): void {
    for (const change of changes) this.#write(change);
    this.#events.push(...events);
  }

  #write({ organisationId, memberId, change }: OwnedChange): void {
    if (change.type === "stamp_made") {
      const { stamp, stampCollectionId } = change;
      this.#stamps.set(stamp.id, { stampCollectionId, stamp, voidedAt: null });
      must(this.#collections.get(stampCollectionId)).nextPosition = stamp.position + 1;
    } else if (change.type === "stamp_voided") {
      must(this.#stamps.get(change.stampId)).voidedAt = change.at;
    } else if (change.type === "redemption_made") {
      this.#redeem(change);
    } else if (change.type === "redemption_undone") {
      must(this.#redemptions.get(change.redemptionId)).undoneAt = change.at;
      this.#hold(change.unredeemedStampIds, null);
    } else if (change.type === "cashback_made") {
      const { cashback, at } = change;
      this.#cashbacks.set(cashback.id, {
        organisationId,
        memberId,
        cashback,
        createdAt: at,
        settledAt: null,
      });
    } else if (change.type === "clip_redeemed") {
      must(this.#clips.get(change.clipId)).redeemedAt = change.at;
    } else if (change.type === "clip_reopened") {
      must(this.#clips.get(change.clipId)).redeemedAt = null;
    } else if (change.type === "counter_set") {
      const row = must(this.#collections.get(change.stampCollectionId));
      row.counter = change.unredeemedPurchases;
      row.threshold = change.threshold;
      const { nowPending, noLongerPending } = change;
      row.pending = [...row.pending.filter((id) => !noLongerPending.includes(id)), ...nowPending];
    } else {
      const row = must(this.#cashbacks.get(change.cashbackId));
      const state = change.type === "cashback_cleared" ? "cleared" : "reverted";
      const worth = change.type === "cashback_cleared" ? change.worth : null;
      row.cashback = { ...row.cashback, ...worth, state };
      row.settledAt = change.at;
    }
  }

  #redeem(change: RewardChange & { type: "redemption_made" }): void {
    const { redemptionId, stampCollectionId, transactionId, stampIds, at } = change;
    this.#redemptions.set(redemptionId, {
      stampCollectionId,
      transactionId,
      stampIds,
      createdAt: at,
      undoneAt: null,
    });
    this.#hold(stampIds, redemptionId);
  }

  #hold(stampIds: readonly string[], redemptionId: string | null): void {
    for (const id of stampIds) {
      const row = must(this.#stamps.get(id));
      row.stamp = { ...row.stamp, redemptionId };
    }
  }

  rows(): RewardRows {
    const collections = Array.from(
      this.#collections,
      ([id, { counter, threshold, pending, nextPosition }]) => ({
        id,
        counter,
        threshold,
        pending: [...pending].sort(),
        nextPosition,
      }),
    );
    const clips = Array.from(this.#clips, ([id, { redeemedAt }]) => ({ id, redeemedAt }));
    const stamps = Array.from(this.#stamps, ([id, { stampCollectionId, stamp, voidedAt }]) => ({
      id,
      stampCollectionId,
      transactionId: stamp.transaction.id,
      ref: stamp.transaction.ref,
      position: stamp.position,
      createdAt: stamp.createdAt,
      purchaseAmount: stamp.purchaseAmount,
      currency: stamp.currency,
      voidedAt,
      redemptionId: stamp.redemptionId,
    }));
    const redemptions = Array.from(this.#redemptions, ([id, row]) => ({ id, ...row }));
    const cashbacks = Array.from(this.#cashbacks.values(), ({ memberId, cashback, createdAt, settledAt }) => {
      const { source, ...rest } = cashback;
      return { ...rest, source: sourceIds(source), memberId, createdAt, settledAt };
    });
    return {
      collections: byId(collections),
      clips: byId(clips),
      stamps: byId(stamps),
      redemptions: byId(redemptions),
      cashbacks: byId(cashbacks),
      events: [...this.#events],
    };
  }

  /** The same rows, read from a database. */
  static async read(sql: Sql, organisationId: string): Promise<RewardRows> {
    const of = sql`where organisation_id = ${organisationId} order by id`;
    return {
      collections: await sql`
        select id, unredeemed_purchases as counter, threshold,
               array(select unnest(pending_redemptions) as id order by id) as pending,
               next_position as "nextPosition"
        from stamp_collections ${of}`,
      clips: await sql`select id, ${utc(sql, "redeemed_at")} as "redeemedAt" from clips ${of}`,
      stamps: await sql`
        select id, stamp_collection_id as "stampCollectionId", transaction_id as "transactionId",
               transaction_ref as ref, position, ${utc(sql, "created_at")} as "createdAt",
               purchase_amount as "purchaseAmount", currency, ${utc(sql, "voided_at")} as "voidedAt",
               redemption_id as "redemptionId"
        from qualifying_purchases ${of}`,
      redemptions: await sql`
        select id, stamp_collection_id as "stampCollectionId", transaction_id as "transactionId",
               stamp_ids as "stampIds", ${utc(sql, "created_at")} as "createdAt", ${utc(sql, "undone_at")} as "undoneAt"
        from redemptions ${of}`,
      cashbacks: await sql`
        select id, transaction_id as "transactionId", transaction_ref as "transactionRef", amount, currency, state,
               json_build_array(clip_id, deal_id, loyalty_program_id, stamp_collection_id, redemption_id) as source,
               member_id as "memberId", ${utc(sql, "created_at")} as "createdAt",
               coalesce(${utc(sql, "cleared_at")}, ${utc(sql, "reverted_at")}) as "settledAt"
        from cashbacks ${of}`,
      events: await sql<StoredEvent[]>`
        select id, organisation_id as "organisationId", type, ${utc(sql, "at")} as at,
               transaction_id as "transactionId", body
        from events where organisation_id = ${organisationId} order by sequence`,
    };
  }
}

function touchedBy(transactionId: string, targets: ReadonlyMap<string, LoadedTarget>): string[] {
  const ids = Array.from(targets).flatMap(([id, { state }]) => {
    const touches =
      state.kind === "clip"
        ? state.cashback?.state === "pending" && state.cashback.transactionId === transactionId
        : state.stamps.some(({ transaction }) => transaction.id === transactionId);
    return touches ? [id] : [];
  });
  return ids.sort();
}

function sourceIds(source: Cashback["source"]): (string | null)[] {
  return source.type === "clip"
    ? [source.clipId, source.dealId, null, null, null]
    : [null, null, source.loyaltyProgramId, source.stampCollectionId, source.redemptionId];
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function must<T>(value: T | undefined | null): T {
  assert.ok(value !== undefined && value !== null);
  return value;
}
