import { EVENTS_KICK_SUBJECT, FLOW, type Issue, LANES, LIMITS } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import { nameUuid } from "#domain";
import type { RewardContext } from "#domain/rewards";
import { type BatchHandler, bury, kick, type Stream, type StreamMessage, toMessageResult } from "#nats";
import { isolateRefused, type Store, type Transaction } from "#postgres";
import { inSpan, type Log, type Span } from "#runtime";
import { batchContext, type Decided, decideOutcomes, decideSettlements } from "./decide-rewards.ts";
import { InOrder } from "./in-order.ts";
import type { HandlerMetrics, OutcomeLabel, SettlementLabel } from "./metrics.ts";
import {
  type Placed,
  type PlacedOutcome,
  type PlacedSettlement,
  readOutcomes,
  readSettlements,
} from "./read-entries.ts";
import type { DealCandidate } from "./store/deal-candidates.ts";
import type { EarlyOutcome } from "./store/early-outcomes.ts";
import { type LoadedRewards, lockForOutcomes, spentKey } from "./store/lock-for-outcomes.ts";
import { type LoadedSettlements, lockForSettlements } from "./store/lock-for-settlements.ts";
import type { OutcomeSubject } from "./store/outcome-subject.ts";
import { type MemberTransaction, withOpenTransactions } from "./store/transactions.ts";
import { writeRewards } from "./store/write-rewards.ts";

interface HandlerParts<Label extends string> {
  readonly store: Store;
  readonly stream: Stream;
  readonly metrics: HandlerMetrics<Label>;
  /** The database's time. */
  readonly now: () => Date;
  /**
   * Notes the server in which the messages' partitions were taken over. The result, called in the
   * transaction, throws unless its server is the same: a restored one may lack reversals that ingest has
   * still to apply again, and decides replayed messages differently (`isReplayed`). Optional: without it
   * nothing is asserted.
   */
  readonly noteServer?: (messages: readonly StreamMessage[]) => (sql: Transaction) => Promise<void>;
  readonly log: Log;
}

/**
 * Handles outcomes of the platform, a batch at a time: reads, locks and loads, decides, writes them together
 * with the webhook events, and commits, in parallel parts (`LANES.rewardParts`); then it buries outcomes that
 * cannot be applied. A message with an invalid outcome is still done: that outcome gets its own dead letter.
 *
 * A crash before the commit leaves nothing. After a later crash the whole batch comes again: applied outcomes
 * are recognised (the transaction has its stamp, the clip is redeemed), and a stored letter gets the same id.
 *
 * The oldest stamps are redeemed first. So if batches overlap, outcomes of one card or clip are applied in
 * the order of the batches, which is that of their stream. A message that failed comes again later, alone,
 * and nothing waits for it.
 */
export function createOutcomeHandler(
  parts: HandlerParts<OutcomeLabel> & {
    /** Whether outcomes of a message are decided as of the time at which the stream stored it (`RewardContext.moment`). */
    readonly isReplayed?: (message: StreamMessage) => boolean;
    /** As of `lockForOutcomes`. */
    readonly pendingMax?: number;
  },
): BatchHandler {
  const { metrics, isReplayed = () => false, pendingMax } = parts;
  const order = new InOrder();
  const begin = batchApplier<PlacedOutcome, LoadedRewards, OutcomeLabel>(parts, {
    lock: (sql, outcomes, awaited) => lockForOutcomes(sql, outcomes, awaited, pendingMax),
    decide: (loaded, outcomes, context) => {
      const { results, writes } = decideOutcomes(loaded, outcomes, context);
      const candidates = candidatesAmong(loaded, outcomes, results);
      return { results, writes: { ...writes, candidates, early: earlyAmong(loaded, outcomes, results) } };
    },
  });
  return async (messages, span) => {
    const apply = begin(messages, span);
    const moments = messages.map((message) => (isReplayed(message) ? message.storedAtMs * 1_000 : undefined));
    const { faults, outcomes, unknown, invalid } = readOutcomes(
      messages.map(({ data }) => data),
      moments,
    );
    const applied = splitByTarget(outcomes, partsOf(outcomes.length)).map((part) =>
      order.run(new Set(part.map(({ target }) => target.id)), () => apply(part)),
    );
    const refused = (await Promise.all(applied)).flat();
    const buryOne = burier(parts, messages, FLOW.outcomes.stream, "outcome");
    for (const one of invalid) await buryOne("invalid_outcome", one, { issues: one.issues });
    for (const { item, error } of refused) await buryOne("refused_by_database", item, { error });
    metrics.decided(unknown);
    metrics.decided(invalid.map(() => "invalid"));
    metrics.decided(refused.map(() => "refused"));
    return { results: faults.map(toMessageResult) };
  };
}

/**
 * Purchases that found their clip redeemed by another purchase: if that one is reverted, they may have the clip
 * (`startRetrying`). Left out are purchases that have redeemed the deal themselves.
 */
function candidatesAmong(
  loaded: LoadedRewards,
  outcomes: readonly PlacedOutcome[],
  results: readonly OutcomeLabel[],
): DealCandidate[] {
  return outcomes.flatMap(({ transactionId, target, said }, i) => {
    const authedAt = loaded.authedAt.get(transactionId);
    const state = loaded.targets.get(target.id)?.state;
    if (results[i] !== "already_redeemed" || authedAt === undefined || state?.kind !== "clip") return [];
    if (loaded.spent?.has(spentKey(transactionId, state.dealId))) return [];
    return { clipId: target.id, transactionId, authedAt, outcome: JSON.stringify(said) };
  });
}

/**
 * Outcomes that are applied later (`startRetrying`): their card is full, or their purchase is missing, but not their card or clip: a
 * restored database may get the purchase again.
 */
function earlyAmong(
  { targets }: LoadedRewards,
  outcomes: readonly PlacedOutcome[],
  results: readonly OutcomeLabel[],
): EarlyOutcome[] {
  return outcomes.flatMap(({ transactionId, target, said }, i) => {
    const isMissing = results[i] === "unknown_transaction" && targets.has(target.id);
    if (!isMissing && results[i] !== "card_full") return [];
    return { transactionId, targetId: target.id, outcome: JSON.stringify(said) };
  });
}

/**
 * Handles settlements: transactions that cleared, were reverted or learned an amount. It applies them to what the transactions have
 * earned, in the same steps as `createOutcomeHandler`. A settlement that comes again finds its stamp voided or its cashback
 * settled, and changes nothing. Most transactions have earned nothing, so most batches write nothing.
 */
export function createSettlementHandler(parts: HandlerParts<SettlementLabel>): BatchHandler {
  const { metrics } = parts;
  const begin = batchApplier<PlacedSettlement, LoadedSettlements, SettlementLabel>(parts, {
    lock: lockForSettlements,
    decide: (loaded, settlements, context) => {
      const ids = settlements.map(({ transactionId }) => transactionId);
      return decideSettlements(loaded, ids, context);
    },
  });
  return async (messages, span) => {
    const apply = begin(messages, span);
    const { faults, settlements, invalid } = readSettlements(messages.map(({ data }) => data));
    const refused = await apply(settlements);
    const buryOne = burier(parts, messages, FLOW.settlement.stream, "settlement");
    for (const one of invalid) await buryOne("invalid_settlement", one, {});
    for (const { item, error } of refused) await buryOne("refused_by_database", item, { error });
    metrics.decided(invalid.map(() => "invalid"));
    metrics.decided(refused.map(() => "refused"));
    return { results: faults.map(toMessageResult) };
  };
}

/** The two steps that differ for outcomes and settlements. */
interface BatchSteps<Entry, Loaded extends LoadedRewards, Label extends string> {
  readonly lock: (
    sql: Transaction,
    entries: readonly Entry[],
    awaited: readonly MemberTransaction[],
  ) => Promise<Loaded>;
  readonly decide: (loaded: Loaded, entries: readonly Entry[], context: RewardContext) => Decided<Label>;
}

/**
 * Makes a function to call when a batch begins. It notes the server, and returns a function that applies
 * entries of the batch in one database transaction, and returns those that the database refuses.
 */
function batchApplier<Entry, Loaded extends LoadedRewards, Label extends string>(
  { store, stream, metrics, now, noteServer = () => async () => {} }: HandlerParts<Label>,
  { lock, decide }: BatchSteps<Entry, Loaded, Label>,
) {
  return (messages: readonly StreamMessage[], span: Span | undefined) => {
    const assertSameServer = noteServer(messages);
    const apply = async (entries: readonly Entry[], own: Span | undefined) => {
      const { results, writes } = await metrics.timed("transaction", () =>
        withOpenTransactions(store, async (sql, awaited) => {
          await assertSameServer(sql);
          const loaded = await metrics.timed("load", () => lock(sql, entries, awaited));
          const decided = decide(loaded, entries, batchContext(now()));
          await metrics.timed("write", () => writeRewards(sql, decided.writes, own?.traceparent));
          return decided;
        }),
      );
      metrics.decided(results);
      if (writes.events.length > 0) kick(stream, EVENTS_KICK_SUBJECT);
    };
    return async (entries: readonly Entry[]) => {
      const { refused } = await isolateRefused(entries, (some) =>
        inSpan(span, "transaction", (own) => apply(some, own), "client", { "db.system.name": "postgresql" }),
      );
      return refused;
    };
  };
}

/**
 * Cuts a batch into parts that share no collection and no clip, so that they can be applied in parallel; each part keeps its
 * order. Whole batches in parallel would not do: members come again so soon that nearly every batch would wait for the one
 * before it. A transaction may be in several parts, because its lock is shared.
 */
export function splitByTarget<T extends Pick<OutcomeSubject, "target">>(
  outcomes: readonly T[],
  parts: number,
): T[][] {
  const split = Array.from({ length: parts }, (): T[] => []);
  for (const outcome of outcomes) split[partOf(outcome.target.id, parts)]?.push(outcome);
  return split;
}

/** A small batch stays whole: the statements of a part cost as much as some thirty outcomes. */
function partsOf(outcomes: number): number {
  return Math.min(LANES.rewardParts, Math.ceil(outcomes / LIMITS.outcomesPerMessage));
}

/** @param id a UUID, whose last digits are random */
function partOf(id: string, parts: number): number {
  return Number.parseInt(id.slice(-4), 16) % parts;
}

/**
 * Makes a function that buries one entry of these messages as a dead letter, with its content, so that an operator can see it
 * and put it back: neither outcomes nor settlements hold card data. The content of an entry too large for a message is left out,
 * because the stream would refuse the letter again and again.
 *
 * The letter's id is computed from the content: a stream that was wiped gives the same sequence to another message.
 * @param as the letter's field for the entry
 */
function burier(
  { stream, log }: Pick<HandlerParts<string>, "stream" | "log">,
  messages: readonly StreamMessage[],
  hop: string,
  as: "outcome" | "settlement",
) {
  return async (
    reason: "invalid_outcome" | "invalid_settlement" | "refused_by_database",
    { message, said }: Placed<unknown>,
    /** The SQLSTATE of a refusal by the database; the faults that the schema found go to the log only. */
    { issues, ...why }: { readonly error?: string; readonly issues?: readonly Issue[] },
  ): Promise<void> => {
    const { partition, sequence } = messages[message] as StreamMessage;
    log.error({ reason, hop, partition, sequence, ...why, issues }, `${as} is dead`);
    const text = JSON.stringify(said);
    const isKept = Buffer.byteLength(text) <= LIMITS.messageBytes;
    const letter: DeadLetter = { reason, hop, partition, sequence, ...why, ...(isKept && { [as]: said }) };
    await bury(stream, letter, nameUuid(text));
  };
}
