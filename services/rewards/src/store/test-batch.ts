import { uuidv7 } from "uuidv7";
import { type BatchEvent, nameUuid, type TransactionState } from "#domain";
import {
  applyDeal,
  applyPurchase,
  type Clip,
  type DealOutcome,
  type PurchaseOutcome,
  type RewardContext,
  type RewardEvent,
  type RewardStep,
  type StampCollection,
  settleClip,
  settleCollection,
} from "#domain/rewards";
import type { Store, Transaction } from "#postgres";
import type { StoredEvent } from "#publisher-db";
import { programRecord, type TestMember, testMemberbase } from "#test-support";
import { upsertMembers } from "../../../edge/src/members/upsert-members.ts";
import { createStampCollection } from "../../../edge/src/wallet/stamp-collections.ts";
import { applyEvents } from "../../../ingest/src/batch/apply-events.ts";
import { toEventBatch } from "../../../ingest/src/batch/event-batch.ts";
import { applyProgramConfig } from "../handle-config.ts";
import type { LoadedTarget } from "./collections.ts";
import type { OwnedChange } from "./fold-reward-changes.ts";
import type { LoadedRewards } from "./lock-for-outcomes.ts";
import { lockForOutcomes } from "./lock-for-outcomes.ts";
import { lockForSettlements } from "./lock-for-settlements.ts";
import type { OutcomeSubject } from "./outcome-subject.ts";
import type { MemberTransaction } from "./transactions.ts";
import { writeRewards } from "./write-rewards.ts";

/* A short form of rewards' work between loading and writing, with its surroundings. */

export type TestOutcome = OutcomeSubject;

/**
 * The context of a batch this many microseconds after 10:00:00 of 2026-05-01. Ids follow from names, so that
 * a model knows them.
 */
export function contextAt(microsecond: number): RewardContext {
  return { at: `2026-05-01T10:00:00.${String(microsecond).padStart(6, "0")}Z`, idOf: nameUuid };
}

/** The steps of one batch; each sees the result of those before it. */
export class TestBatch {
  readonly changes: OwnedChange[] = [];
  readonly events: StoredEvent[] = [];
  readonly #targets: Map<string, LoadedTarget>;
  readonly #loaded: LoadedRewards;
  readonly #context: RewardContext;

  constructor(loaded: LoadedRewards, context: RewardContext) {
    this.#loaded = loaded;
    this.#context = context;
    this.#targets = new Map(loaded.targets);
  }

  outcome({ transactionId, target: { id }, finding }: TestOutcome): void {
    const target = this.#targets.get(id);
    const transaction = this.#loaded.transactions.get(transactionId);
    if (target === undefined || transaction === undefined) return;
    if (this.#loaded.members.get(transactionId) !== target.memberId) return;
    const { state } = target;
    if (state.kind === "clip") {
      this.#take(id, target, applyDeal(state, transaction, finding as DealOutcome, this.#context));
    } else {
      this.#take(id, target, applyPurchase(state, transaction, finding as PurchaseOutcome, this.#context));
    }
  }

  /** @param touched the targets in which the transaction has earned something */
  settlement(transactionId: string, touched: readonly string[] | undefined): void {
    const transaction = this.#loaded.transactions.get(transactionId);
    if (transaction === undefined) return;
    for (const id of touched ?? []) {
      const target = this.#targets.get(id) as LoadedTarget;
      const { state } = target;
      const step =
        state.kind === "clip"
          ? settleClip(state, transaction, this.#context)
          : settleCollection(state, transaction, this.#context);
      this.#take(id, target, step);
    }
  }

  #take(id: string, target: LoadedTarget, step: RewardStep<StampCollection | Clip>): void {
    this.#targets.set(id, { ...target, state: step.state });
    const { organisationId, memberId } = target;
    for (const change of step.changes) this.changes.push({ organisationId, memberId, change });
    for (const event of step.events) this.events.push(this.#store(organisationId, event));
  }

  #store(organisationId: string, event: RewardEvent): StoredEvent {
    const id = nameUuid(`event ${organisationId} ${this.#context.at} ${this.events.length}`);
    const { type, at, transactionId } = event;
    return { id, organisationId, type, at, transactionId, body: JSON.stringify(event) };
  }
}

export async function writeOutcomes(
  sql: Transaction,
  outcomes: readonly TestOutcome[],
  context: RewardContext,
  awaited: readonly MemberTransaction[] = [],
): Promise<void> {
  const batch = new TestBatch(await lockForOutcomes(sql, outcomes, awaited), context);
  for (const outcome of outcomes) batch.outcome(outcome);
  await writeRewards(sql, batch);
}

export async function writeSettlements(
  sql: Transaction,
  organisationId: string,
  transactionIds: readonly string[],
  context: RewardContext,
  awaited: readonly MemberTransaction[] = [],
): Promise<void> {
  const settled = transactionIds.map((transactionId) => ({ organisationId, transactionId }));
  const loaded = await lockForSettlements(sql, settled, awaited);
  const batch = new TestBatch(loaded, context);
  for (const id of transactionIds) batch.settlement(id, loaded.touched.get(id));
  await writeRewards(sql, batch);
}

export function purchase(
  transactionId: string,
  stampCollectionId: string,
  said: Partial<Omit<PurchaseOutcome, "type">> = {},
): TestOutcome {
  const { purchaseAmount = null, currency = null, threshold = null, reward = null } = said;
  const finding = { type: "qualifying_purchase", purchaseAmount, currency, threshold, reward } as const;
  return { transactionId, target: { kind: "collection", id: stampCollectionId }, finding };
}

export function dealOf(transactionId: string, clipId: string, amount = 100): TestOutcome {
  return {
    transactionId,
    target: { kind: "clip", id: clipId },
    finding: { type: "deal", amount, currency: "EUR" },
  };
}

/** New members of one new organisation. */
export async function testMembers(store: Store, count: number): Promise<TestMember[]> {
  const base = await testMemberbase(store);
  const members = Array.from({ length: count }, (_, at) => ({ ref: `member ${at}` }));
  const ids = await upsertMembers(store, { ...base, members, ids: members.map(() => uuidv7()) });
  return (ids as string[]).map((memberId) => ({ ...base, memberId }));
}

/** Makes a program with this threshold that gives `amount`, or refunds the purchase if there is none; returns its id. */
export async function testProgramOf(store: Store, threshold: number, amount?: number): Promise<string> {
  const id = uuidv7();
  const rewardConfig =
    amount === undefined ? ({ type: "refund" } as const) : ({ type: "fixed-reward", amount } as const);
  const record = programRecord({ qualifyingThreshold: threshold, rewardConfig, currency: "EUR" });
  await applyProgramConfig(store, { id, revision: 1, record });
  return id;
}

/** Makes an enrolment; returns its id. */
export async function testCollection(
  store: Store,
  { organisationId, memberId }: TestMember,
  loyaltyProgramId: string,
): Promise<string> {
  const id = uuidv7();
  await createStampCollection(store, { id, organisationId, memberId, loyaltyProgramId });
  return id;
}

/** Makes an open clip of a deal that does not exist; returns its id. */
export async function testClip(store: Store, { organisationId, memberId }: TestMember): Promise<string> {
  const id = uuidv7();
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    values (${id}, ${organisationId}, ${memberId}, ${uuidv7()})`;
  return id;
}

export interface TestEvent {
  /** The id of the row, if the event creates it. */
  readonly id: string;
  readonly ref: string;
  readonly state?: TransactionState;
  readonly amount?: number | null;
  readonly currency?: string | null;
}

const MOMENT = "2026-04-01T10:00:00.000000Z";

/** Stores events of a member's transactions as ingest does. */
export async function ingest(store: Store, member: TestMember, events: readonly TestEvent[]): Promise<void> {
  const rows = events.map(
    ({ id, ref, state = "authorized", amount = null, currency = null }, ord): BatchEvent => ({
      ord,
      id,
      organisationId: member.organisationId,
      memberId: member.memberId,
      externalId: ref,
      state,
      network: "visa",
      merchantId: "m",
      statementDescriptor: null,
      amount,
      currency,
      authedAt: MOMENT,
      clearedAt: state === "cleared" ? MOMENT : null,
      revertedAt: state === "reverted" ? MOMENT : null,
      identifier6: "06".repeat(32),
      identifier8: null,
      firstDescriptor: null,
    }),
  );
  await store.begin((sql) => applyEvents(sql, toEventBatch(rows)));
}

/** Makes authorized transactions of a member; returns their ids. */
export async function testTransactions(store: Store, member: TestMember, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => {
    const id = uuidv7();
    return { id, ref: `ref ${id}`, amount: 1000, currency: "EUR" };
  });
  await ingest(store, member, events);
  return events.map(({ id }) => id);
}

/** Settles a transaction that `testTransactions` made. */
export function settle(store: Store, member: TestMember, id: string, state: TransactionState): Promise<void> {
  return ingest(store, member, [{ id, ref: `ref ${id}`, state }]);
}
