import { applyEvent, type Decision, type Rejection, type Transaction } from "#domain";
import type { Sql, Store } from "../connect.ts";
import { type EventRow, toEvent } from "./event-row.ts";
import { type LoadedEvent, loadTransactions } from "./load-transactions.ts";
import { upsertTransactions } from "./upsert-transactions.ts";
import { ConcurrentWriteError, writeTransactions } from "./write-transactions.ts";

/** What became of one event; index in the result is its `ord`. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged" }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** The events of one batch, as the worker prepares them. Every `ord` from 0 to `count - 1` occurs once. */
export interface EventBatch {
  readonly count: number;
  /** JSON array of `EventRow`: events whose key occurs once in the batch. */
  readonly singles: string;
  /** JSON array of `EventRow`: the others, in the order given. */
  readonly repeated: string;
  readonly repeatedOrds: readonly number[];
}

const CREATED: EventOutcome = { kind: "created" };
const UPDATED: EventOutcome = { kind: "updated" };
const UNCHANGED: EventOutcome = { kind: "unchanged" };

/**
 * Applies a batch. Every key stands for itself: a crash anywhere in between leaves some applied, and the same batch
 * again finishes the rest and reports the same.
 */
export async function applyEvents(store: Store, batch: EventBatch): Promise<EventOutcome[]> {
  const outcomes = new Array<EventOutcome>(batch.count);
  const repeated = new Set(batch.repeatedOrds);
  if (batch.count > repeated.size) {
    for (const { ord, created } of await upsertTransactions(store, batch.singles)) {
      outcomes[ord] = created ? CREATED : UPDATED;
    }
    const open: number[] = [];
    for (let ord = 0; ord < batch.count; ord++) {
      if (outcomes[ord] === undefined && !repeated.has(ord)) open.push(ord);
    }
    if (open.length > 0) await judge(store, batch.singles, open, outcomes);
  }
  if (repeated.size > 0) await store.begin((sql) => fold(sql, batch, outcomes));
  return outcomes;
}

/** Events that the bulk statement did not apply: asks why. */
async function judge(sql: Sql, json: string, ords: number[], outcomes: EventOutcome[]): Promise<void> {
  for (const loaded of await loadTransactions(sql, json, ords, "read")) {
    const decision = decide(loaded, loaded.stored?.transaction);
    if (decision.outcome === "created" || decision.outcome === "updated") {
      // Between the two statements somebody changed what the first one saw; the whole batch is safe to repeat.
      throw new ConcurrentWriteError("a row changed between the upsert and the look at it");
    }
    outcomes[loaded.row.ord] = report(loaded, decision);
  }
}

/** Keys with several events: locks what is stored, lets the pure function decide in order, writes the results. */
async function fold(sql: Sql, batch: EventBatch, outcomes: EventOutcome[]): Promise<void> {
  const current = new Map<string, Transaction>();
  const created = new Map<string, EventRow>();
  const updated = new Map<string, EventRow>();
  for (const loaded of await loadTransactions(sql, batch.repeated, batch.repeatedOrds, "lock")) {
    const { row, stored } = loaded;
    const key = `${row.organisation_id} ${row.external_id}`;
    const decision = decide(loaded, current.get(key) ?? stored?.transaction);
    outcomes[row.ord] = report(loaded, decision);
    if (decision.outcome === "rejected") continue;
    current.set(key, decision.transaction);
    if (decision.outcome === "unchanged") continue;
    const first = created.get(key);
    const target = stored === undefined ? created : updated;
    target.set(key, toRow(decision.transaction, first ?? row, row.written_by));
  }
  const json = (rows: Map<string, EventRow>) => JSON.stringify([...rows.values()]);
  await writeTransactions(sql, json(created), json(updated));
}

function decide(loaded: LoadedEvent, stored: Transaction | undefined): Decision {
  if (!loaded.memberExists) {
    return { outcome: "rejected", rejection: { code: "not_found", reason: "not_found" } };
  }
  return applyEvent(stored, toEvent(loaded.row));
}

/**
 * An event that changes nothing because this very message changed it before (a crash came between commit and
 * acknowledgement) is reported as it was the first time.
 */
function report({ row, stored }: LoadedEvent, decision: Decision): EventOutcome {
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  if (decision.outcome === "created") return CREATED;
  if (decision.outcome === "updated") return UPDATED;
  if (stored === undefined || stored.writtenBy !== row.written_by) return UNCHANGED;
  return stored.asCreated ? CREATED : UPDATED;
}

function toRow(transaction: Transaction, base: EventRow, writtenBy: number): EventRow {
  return {
    ord: base.ord,
    id: base.id,
    organisation_id: base.organisation_id,
    member_id: transaction.memberId,
    external_id: base.external_id,
    state: transaction.state,
    network: transaction.network,
    merchant_id: transaction.merchantId,
    statement_descriptor: transaction.statementDescriptor,
    amount: transaction.amount,
    currency: transaction.currency,
    authed_at: transaction.authedAt,
    cleared_at: transaction.clearedAt,
    reverted_at: transaction.revertedAt,
    identifier_6: transaction.identifier6,
    identifier_8: transaction.identifier8,
    written_by: writtenBy,
  };
}
