import { EVENTS_KICK_SUBJECT, FLOW, type Issue, LANES, LIMITS } from "#contract";
import type { DeadLetter, Settlement } from "#contract/ingest";
import type { Outcome as WireOutcome } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, nameUuid } from "#domain";
import type { DealOutcome, PurchaseOutcome, RewardContext } from "#domain/rewards";
import {
  type BatchHandler,
  bury,
  kick,
  readPacked,
  type Stream,
  type StreamMessage,
  toMessageResult,
  type UnreadReason,
} from "#nats";
import { isolateRefused, type Store, type Transaction } from "#postgres";
import { inSpan, type Log, type Span } from "#runtime";
import {
  batchContext,
  type Decided,
  decideOutcomes,
  decideSettlements,
  type OutcomeToApply,
} from "./decide-rewards.ts";
import { InOrder } from "./in-order.ts";
import type { HandlerMetrics, OutcomeLabel, SettlementLabel } from "./metrics.ts";
import type { DealCandidate } from "./rows/deal-candidates.ts";
import type { EarlyOutcome } from "./rows/early-outcomes.ts";
import { type LoadedRewards, lockForOutcomes, spentKey } from "./rows/lock-for-outcomes.ts";
import {
  type LoadedSettlements,
  lockForSettlements,
  type SettledTransaction,
} from "./rows/lock-for-settlements.ts";
import type { OutcomeSubject, RewardTarget } from "./rows/outcome-subject.ts";
import { type MemberTransaction, withOpenTransactions } from "./rows/transactions.ts";
import { writeRewards } from "./rows/write-rewards.ts";

/** What both handlers need. */
interface HandlerParts<Label extends string> {
  readonly store: Store;
  readonly stream: Stream;
  readonly metrics: HandlerMetrics<Label>;
  /** The database's time. */
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Handles outcomes of the platform, a batch at a time: read, lock and load, decide, write together with the webhook events,
 * commit, in parts side by side (`LANES.rewardParts`); then bury what cannot be applied. A message with an invalid outcome in
 * it is done even so: that outcome has a dead letter of its own.
 *
 * A crash before the commit leaves nothing. After a later crash the whole batch comes again: outcomes that were applied are
 * recognised (the transaction has its stamp, the clip is redeemed), and a letter that was stored gets the same id.
 *
 * Which stamp is older decides what is redeemed. So where batches overlap, outcomes of one card or clip are applied in the order of
 * the batches, which is that of their stream. A message that failed comes again later, alone, and nothing waits for it.
 */
export function createOutcomeHandler(
  parts: HandlerParts<OutcomeLabel> & {
    /** Whether outcomes are decided as of the time at which the stream stored their message (`RewardContext.moment`). */
    readonly isReplayed?: (message: StreamMessage) => boolean;
  },
): BatchHandler {
  const { metrics, isReplayed = () => false } = parts;
  const order = new InOrder();
  const apply = batchApplier<PlacedOutcome, LoadedRewards, OutcomeLabel>(parts, {
    lock: lockForOutcomes,
    decide: (loaded, outcomes, context) => {
      const { results, writes } = decideOutcomes(loaded, outcomes, context);
      const candidates = candidatesAmong(loaded, outcomes, results);
      return { results, writes: { ...writes, candidates, early: earlyAmong(loaded, outcomes, results) } };
    },
  });
  return async (messages, span) => {
    const moments = messages.map((message) => (isReplayed(message) ? message.storedAtMs * 1_000 : undefined));
    const { faults, outcomes, unknown, invalid } = readOutcomes(
      messages.map(({ data }) => data),
      moments,
    );
    const applied = splitByTarget(outcomes, partsOf(outcomes.length)).map((part) =>
      order.run(new Set(part.map(({ target }) => target.id)), () => apply(part, span)),
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
 * Purchases that would have redeemed a clip which another purchase holds: if that one is reverted, they may have it
 * (`startRetrying`). Not one that has redeemed the deal itself.
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

/** Outcomes of a purchase that is not there, though its card or clip is: a restored database may get it again (`startRetrying`). */
function earlyAmong(
  { targets }: LoadedRewards,
  outcomes: readonly PlacedOutcome[],
  results: readonly OutcomeLabel[],
): EarlyOutcome[] {
  return outcomes.flatMap(({ transactionId, target, said }, i) => {
    if (results[i] !== "unknown_transaction" || !targets.has(target.id)) return [];
    return { transactionId, targetId: target.id, outcome: JSON.stringify(said) };
  });
}

/**
 * Handles what ingest says of transactions that cleared, were reverted or learned an amount, and applies it to what they have
 * earned, as `createOutcomeHandler` applies outcomes, with the same crashes in mind. A settlement that comes again finds its
 * stamp voided or its cashback settled, and changes nothing. Most transactions have earned nothing, so most batches write
 * nothing.
 */
export function createSettlementHandler(parts: HandlerParts<SettlementLabel>): BatchHandler {
  const { metrics } = parts;
  const apply = batchApplier<PlacedSettlement, LoadedSettlements, SettlementLabel>(parts, {
    lock: lockForSettlements,
    decide: (loaded, settlements, context) => {
      const ids = settlements.map(({ transactionId }) => transactionId);
      return decideSettlements(loaded, ids, context);
    },
  });
  return async (messages, span) => {
    const { faults, settlements } = readSettlements(messages.map(({ data }) => data));
    const refused = await apply(settlements, span);
    const buryOne = burier(parts, messages, FLOW.settlement.stream, "settlement");
    for (const { item, error } of refused) await buryOne("refused_by_database", item, { error });
    metrics.decided(refused.map(() => "refused"));
    return { results: faults.map(toMessageResult) };
  };
}

/** The two steps in which outcomes and settlements differ. */
interface BatchSteps<Entry, Loaded extends LoadedRewards, Label extends string> {
  readonly lock: (
    sql: Transaction,
    entries: readonly Entry[],
    awaited: readonly MemberTransaction[],
  ) => Promise<Loaded>;
  readonly decide: (loaded: Loaded, entries: readonly Entry[], context: RewardContext) => Decided<Label>;
}

/**
 * Makes a function that applies entries in one database transaction: lock and load, decide, write together with the webhook
 * events, commit. It returns the entries that the database refuses.
 */
function batchApplier<Entry, Loaded extends LoadedRewards, Label extends string>(
  { store, stream, metrics, now }: HandlerParts<Label>,
  { lock, decide }: BatchSteps<Entry, Loaded, Label>,
) {
  const apply = async (entries: readonly Entry[], span: Span | undefined) => {
    const { results, writes } = await metrics.timed("transaction", () =>
      withOpenTransactions(store, async (sql, awaited) => {
        const loaded = await metrics.timed("load", () => lock(sql, entries, awaited));
        const decided = decide(loaded, entries, batchContext(now()));
        await metrics.timed("write", () => writeRewards(sql, decided.writes, span?.traceparent));
        return decided;
      }),
    );
    metrics.decided(results);
    if (writes.events.length > 0) kick(stream, EVENTS_KICK_SUBJECT);
  };
  return async (entries: readonly Entry[], span: Span | undefined) => {
    const { refused } = await isolateRefused(entries, (some) =>
      inSpan(span, "transaction", (own) => apply(some, own), "client", { "db.system.name": "postgresql" }),
    );
    return refused;
  };
}

/**
 * Cuts a batch into parts that lock no collection and no clip in common, so that they can be applied side by side; each part
 * keeps its order. Whole batches side by side would not do: members come again so soon that nearly every batch would wait for
 * the one before it. A transaction may be in several parts, since its lock is shared.
 */
export function splitByTarget<T extends Pick<OutcomeSubject, "target">>(
  outcomes: readonly T[],
  parts: number,
): T[][] {
  const split = Array.from({ length: parts }, (): T[] => []);
  for (const outcome of outcomes) split[partOf(outcome.target.id, parts)]?.push(outcome);
  return split;
}

/** A small batch stays whole: the statements of a part cost as much as some thirty outcomes, and nothing is waiting. */
function partsOf(outcomes: number): number {
  return Math.min(LANES.rewardParts, Math.ceil(outcomes / LIMITS.outcomesPerMessage));
}

/** @param id a UUID, whose last digits are random */
function partOf(id: string, parts: number): number {
  return Number.parseInt(id.slice(-4), 16) % parts;
}

/** Where an entry came from, in case it has to be buried. */
interface Placed<Said> {
  /** Index of its message in the batch. */
  readonly message: number;
  /** As it came. */
  readonly said: Said;
}

interface PlacedOutcome extends OutcomeToApply, Placed<WireOutcome> {}

/** An entry that the schema refuses. */
interface InvalidOutcome extends Placed<unknown> {
  readonly issues: readonly Issue[];
}

/** An outcome about an id of another form: it can name nothing stored, so the database is not asked. */
type UnknownOutcome = "unknown_target" | "unknown_transaction";

/**
 * Takes the messages of a batch apart, and validates each outcome by itself. `faults` has for each message why nothing of it
 * can be read; undefined if it can.
 * @param moments of each message, as `OutcomeSubject.moment`
 */
export function readOutcomes(messages: readonly Uint8Array[], moments: readonly (number | undefined)[] = []) {
  const outcomes: PlacedOutcome[] = [];
  const unknown: UnknownOutcome[] = [];
  const invalid: InvalidOutcome[] = [];
  const validate = MESSAGE_VALIDATORS.outcome;
  const faults = messages.map((data, message): UnreadReason | undefined => {
    const entries = readPacked(data, "outcomes");
    if (typeof entries === "string") return entries;
    for (const said of entries) {
      if (!validate(said)) {
        invalid.push({ message, said, issues: (validate.errors ?? []).map(describeViolation) });
        continue;
      }
      const outcome = decode(said as WireOutcome);
      if (typeof outcome === "string") unknown.push(outcome);
      else outcomes.push({ ...outcome, moment: moments[message], message, said: said as WireOutcome });
    }
    return undefined;
  });
  return { faults, outcomes, unknown, invalid };
}

function decode(said: WireOutcome): OutcomeToApply | UnknownOutcome {
  const target = decodeTarget(said);
  if (target === undefined) return "unknown_target";
  const transactionId = decodeId("tx", said.transaction_id);
  if (transactionId === undefined) return "unknown_transaction";
  return { transactionId, target, finding: toFinding(said), retroactive: said.retroactive };
}

function decodeTarget(said: WireOutcome): RewardTarget | undefined {
  const isDeal = said.type === "deal";
  const id = isDeal ? decodeId("clip", said.clip_id) : decodeId("sc", said.stamp_collection_id);
  return id === undefined ? undefined : { kind: isDeal ? "clip" : "collection", id };
}

function toFinding(said: WireOutcome): PurchaseOutcome | DealOutcome {
  if (said.type === "deal") return { type: said.type, amount: said.amount, currency: said.currency };
  return {
    type: said.type,
    purchaseAmount: said.purchase_amount ?? null,
    currency: said.currency ?? null,
    threshold: said.qualifying_threshold ?? null,
    reward: said.reward_config ?? null,
  };
}

interface PlacedSettlement extends SettledTransaction, Placed<Settlement> {}

/**
 * Takes the messages of a batch apart, as `readOutcomes` does. Ingest made them, so their entries are not validated. Each
 * transaction is there once: any number of settlements of it mean the same.
 */
export function readSettlements(messages: readonly Uint8Array[]) {
  const settlements = new Map<string, PlacedSettlement>();
  const faults = messages.map((data, message): UnreadReason | undefined => {
    const entries = readPacked(data, "settlements");
    if (typeof entries === "string") return entries;
    for (const said of entries as readonly Settlement[]) {
      const { organisation: organisationId, transaction: transactionId } = said;
      settlements.set(transactionId, { organisationId, transactionId, message, said });
    }
    return undefined;
  });
  return { faults, settlements: [...settlements.values()] };
}

/**
 * Makes a function that buries one entry of these messages as a dead letter, with its content, so that an operator can see it
 * and put it back: neither outcomes nor settlements hold card data. An entry too large for one message is left out of its
 * letter, since the stream would refuse the letter again and again.
 *
 * The letter's id is made of the entry's content: a stream that was wiped gives the same sequence to another message.
 * @param as the field of the letter that keeps the entry
 */
function burier(
  { stream, log }: Pick<HandlerParts<string>, "stream" | "log">,
  messages: readonly StreamMessage[],
  hop: string,
  as: "outcome" | "settlement",
) {
  return async (
    reason: "invalid_outcome" | "refused_by_database",
    { message, said }: Placed<unknown>,
    /** The SQLSTATE of a refusal by the database; for the log, what the schema refuses. */
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
