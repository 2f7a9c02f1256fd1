import { EVENTS_KICK_SUBJECT, type Issue, LIMITS } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import { nameUuid } from "#domain";
import { bury, kick, type Stream } from "#nats";
import { isolateRefused, type Store, type Transaction } from "#postgres";
import { inSpan, type Log, type Span } from "#runtime";
import { type BatchContext, batchContext, type Decided } from "./decide-rewards.ts";
import type { HandlerMetrics } from "./metrics.ts";
import type { LoadedRewards } from "./rows/lock-for-outcomes.ts";
import { type MemberTransaction, withOpenTransactions } from "./rows/transactions.ts";
import { writeRewards } from "./rows/write-rewards.ts";

/** What the handlers of outcomes and of settlements need alike: both lock, load, decide and write. */
export interface HandlerParts<Label extends string> {
  readonly store: Store;
  readonly stream: Stream;
  readonly metrics: HandlerMetrics<Label>;
  /** The database's time. */
  readonly now: () => Date;
  readonly log: Log;
}

/** The two steps in which they differ. */
interface BatchSteps<Entry, Loaded extends LoadedRewards, Label extends string> {
  readonly lock: (
    sql: Transaction,
    entries: readonly Entry[],
    awaited: readonly MemberTransaction[],
  ) => Promise<Loaded>;
  readonly decide: (loaded: Loaded, entries: readonly Entry[], context: BatchContext) => Decided<Label>;
}

/**
 * Makes a function that applies entries in one database transaction: lock and load, decide, write together with the webhook
 * events, commit. It returns the entries that the database refuses.
 */
export function batchApplier<Entry, Loaded extends LoadedRewards, Label extends string>(
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
    metrics.committed(results, writes);
    if (writes.events.length > 0) kick(stream, EVENTS_KICK_SUBJECT);
  };
  return async (entries: readonly Entry[], span: Span | undefined) => {
    const { refused } = await isolateRefused(entries, (some) =>
      inSpan(span, "transaction", (own) => apply(some, own), "client", { "db.system.name": "postgresql" }),
    );
    return refused;
  };
}

/** One entry of a packed message that can never be handled. */
interface DeadEntry {
  readonly reason: "invalid_outcome" | "refused_by_database";
  /** The stream of its message. */
  readonly hop: string;
  readonly sequence: number;
  /** The field of the letter that keeps it. */
  readonly as: "outcome" | "settlement";
  readonly entry: unknown;
  /** The SQLSTATE, if the database refused it. */
  readonly error?: string;
  /** What the schema refuses in it; for the log. */
  readonly issues?: readonly Issue[];
}

/**
 * Buries one entry of a message as a dead letter, with its content, so that an operator can see it and put it back: neither
 * outcomes nor settlements hold card data. An entry too large for one message is left out of its letter, since the stream
 * would refuse the letter again and again.
 *
 * The letter's id is made of the entry's content: a stream that was wiped gives the same sequence to another message.
 */
export async function buryEntry(stream: Stream, log: Log, dead: DeadEntry): Promise<void> {
  const { as, entry, issues, ...head } = dead;
  log.error({ ...head, issues }, `${as} is dead`);
  const text = JSON.stringify(entry);
  const isKept = Buffer.byteLength(text) <= LIMITS.messageBytes;
  const letter: DeadLetter = { ...head, partition: 0, ...(isKept && { [as]: entry }) };
  await bury(stream, letter, nameUuid(text));
}
