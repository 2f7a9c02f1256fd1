import {
  applyEvent,
  type Decision,
  microsecondsOf,
  purchaseLinks,
  type Rejection,
  type Transaction,
} from "#domain";
import { loadMemberLinks, type MemberLinks } from "../links/load-member-links.ts";
import type { Fragment, Sql, Store } from "../store.ts";
import { type EventBatch, keyOf } from "./event-batch.ts";
import { type EventRow, eventTable, toEvent, writeEventRows } from "./event-row.ts";
import { type LoadedEvent, loadTransactions } from "./load-transactions.ts";
import { stagedTable, stageEvents } from "./staged-events.ts";
import { type LinkedRow, upsertTransactions } from "./upsert-transactions.ts";
import { ConcurrentWriteError, writeTransactions } from "./write-transactions.ts";

/** What became of one event; index in the result is its `ord`. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged" }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** A row that is not just what its event says: as it is now. */
export interface ChangedTransaction {
  /** Of the last event that changed it. */
  readonly ord: number;
  /** UUIDs. */
  readonly id: string;
  readonly organisationId: string;
  readonly transaction: Transaction;
}

export interface AppliedBatch {
  /** By `ord`. */
  readonly outcomes: readonly (EventOutcome | undefined)[];
  /** Events whose row is new, and is what the event says. */
  readonly created: readonly number[];
  /** All other rows that this message changed, now or before it was redelivered. */
  readonly changed: readonly ChangedTransaction[];
  /** Enrolments and open clips that count for created and changed rows, by `ord`, where their members have any. */
  readonly links: ReadonlyMap<number, MemberLinks>;
}

const CREATED: EventOutcome = { kind: "created" };
const UPDATED: EventOutcome = { kind: "updated" };
const UNCHANGED: EventOutcome = { kind: "unchanged" };
const MEMBERLESS: EventOutcome = { kind: "rejected", rejection: { code: "not_found", reason: "not_found" } };

/** What is being found out about a batch. */
interface Findings {
  readonly outcomes: (EventOutcome | undefined)[];
  created: readonly number[];
  readonly changed: ChangedTransaction[];
  /** Members of rows that need their links. */
  readonly linked: LinkedRow[];
}

/**
 * Applies a batch. Every key stands for itself: a crash anywhere in between leaves some applied, and the same batch
 * again finishes the rest and reports the same.
 */
export async function applyEvents(store: Store, batch: EventBatch): Promise<AppliedBatch> {
  const findings: Findings = { outcomes: new Array(batch.count), created: [], changed: [], linked: [] };
  if (batch.singleOrds.length > 0) await applySingles(store, batch, findings);
  if (batch.repeatedOrds.length > 0) {
    // Only a committed fold counts: one that fails leaves the findings as they were.
    const folded = await store.begin((sql) => fold(sql, batch));
    for (const [ord, outcome] of folded.outcomes) findings.outcomes[ord] = outcome;
    for (const changed of folded.changed) note(findings, changed);
  }
  const { outcomes, created, changed } = findings;
  return { outcomes, created, changed, links: await loadLinks(store, findings.linked) };
}

/** Copied events live as long as their transaction; as text they need none. */
async function applySingles(store: Store, batch: EventBatch, findings: Findings): Promise<void> {
  const { singles } = batch;
  if (typeof singles === "string") {
    await upsertAndJudge(store, eventTable(store, singles), batch, findings);
  } else {
    await store.begin(async (sql) => {
      await stageEvents(sql, singles);
      await upsertAndJudge(sql, stagedTable(sql), batch, findings);
    });
  }
}

async function upsertAndJudge(
  sql: Sql,
  events: Fragment,
  batch: EventBatch,
  findings: Findings,
): Promise<void> {
  await upsert(sql, events, findings);
  const open = Array.from(batch.singleOrds).filter((ord) => findings.outcomes[ord] === undefined);
  if (open.length > 0) await judge(sql, events, open, findings);
}

async function upsert(sql: Sql, events: Fragment, findings: Findings): Promise<void> {
  const result = await upsertTransactions(sql, events);
  for (const ord of result.created) findings.outcomes[ord] = CREATED;
  for (const ord of result.memberless) findings.outcomes[ord] = MEMBERLESS;
  for (const row of result.updated) {
    findings.outcomes[row.ord] = UPDATED;
    findings.changed.push(row);
  }
  findings.created = result.created;
  findings.linked.push(...result.linked);
}

/** Events that the bulk statement did not apply: asks why. */
async function judge(sql: Sql, events: Fragment, ords: number[], findings: Findings): Promise<void> {
  for (const loaded of await loadTransactions(sql, events, ords, "read")) {
    const { row, stored } = loaded;
    const decision = decide(loaded, stored?.transaction);
    if (decision.outcome === "created" || decision.outcome === "updated") {
      // Between the two statements somebody changed what the first one saw; the whole batch is safe to repeat.
      throw new ConcurrentWriteError("a row changed between the upsert and the look at it");
    }
    findings.outcomes[row.ord] = report(loaded, decision);
    if (stored && isOwn(loaded))
      note(findings, {
        ord: row.ord,
        id: stored.id,
        organisationId: row.organisation_id,
        transaction: stored.transaction,
      });
  }
}

function note(findings: Findings, changed: ChangedTransaction): void {
  findings.changed.push(changed);
  const { memberId, authedAt } = changed.transaction;
  if (memberId !== null) {
    findings.linked.push({ ord: changed.ord, memberId, authedAt: microsecondsOf(authedAt) });
  }
}

async function loadLinks(sql: Sql, linked: Findings["linked"]): Promise<ReadonlyMap<number, MemberLinks>> {
  const byMember = await loadMemberLinks(sql, [...new Set(linked.map(({ memberId }) => memberId))]);
  const byOrd = new Map<number, MemberLinks>();
  for (const { ord, memberId, authedAt } of linked) {
    const links = byMember.get(memberId);
    if (links !== undefined) byOrd.set(ord, purchaseLinks(links, authedAt));
  }
  return byOrd;
}

/** Keys with several events: locks what is stored, lets the pure function decide in order, writes the results. */
async function fold(sql: Sql, batch: EventBatch) {
  const outcomes = new Map<number, EventOutcome>();
  const current = new Map<string, Transaction>();
  /** For keys that this message wrote before it was redelivered: what was there then, as told again step by step. */
  const told = new Map<string, Transaction | undefined>();
  const changed = new Map<string, ChangedTransaction>();
  const created = new Map<string, EventRow>();
  const updated = new Map<string, EventRow>();
  for (const loaded of await loadTransactions(
    sql,
    eventTable(sql, batch.repeated),
    Array.from(batch.repeatedOrds),
    "lock",
  )) {
    const { row, stored } = loaded;
    const key = keyOf(row);
    const decision = decide(loaded, current.get(key) ?? stored?.transaction);
    outcomes.set(row.ord, isOwn(loaded) ? retell(loaded, decision, told) : report(loaded, decision));
    if (decision.outcome === "rejected") continue;
    const { transaction } = decision;
    const id = stored?.id ?? created.get(key)?.id ?? row.id;
    current.set(key, transaction);
    if (decision.outcome !== "unchanged" || isOwn(loaded))
      changed.set(key, { ord: row.ord, id, organisationId: row.organisation_id, transaction });
    if (decision.outcome === "unchanged") continue;
    const target = stored === undefined ? created : updated;
    target.set(key, toRow(transaction, created.get(key) ?? row, row.written_by));
  }
  const json = (rows: Map<string, EventRow>) => writeEventRows([...rows.values()]);
  await writeTransactions(sql, json(created), json(updated));
  return { outcomes, changed: [...changed.values()] };
}

function decide(loaded: LoadedEvent, stored: Transaction | undefined): Decision {
  if (!loaded.memberExists) {
    return { outcome: "rejected", rejection: { code: "not_found", reason: "not_found" } };
  }
  return applyEvent(stored, toEvent(loaded.row));
}

/** The row was last written by this very message: a crash came between its commit and its acknowledgement. */
function isOwn({ row, stored }: LoadedEvent): boolean {
  return stored !== undefined && stored.writtenBy === row.written_by;
}

/** A single event that changes nothing because this very message changed the row before is reported as it was then. */
function report(loaded: LoadedEvent, decision: Decision): EventOutcome {
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  if (decision.outcome === "created") return CREATED;
  if (decision.outcome === "updated") return UPDATED;
  if (!isOwn(loaded)) return UNCHANGED;
  return loaded.stored?.asCreated ? CREATED : UPDATED;
}

/**
 * The outcome of one of several events of a key when all of them were committed before, and the message comes again: they
 * are decided once more from where they began. A row that is as it was created began with nothing, and a final state with
 * an authorization. What is written does not follow this, only what is told.
 */
function retell(
  loaded: LoadedEvent,
  decision: Decision,
  told: Map<string, Transaction | undefined>,
): EventOutcome {
  const key = keyOf(loaded.row);
  const again = decide(loaded, told.has(key) ? told.get(key) : before(loaded));
  if (again.outcome === "rejected") {
    told.set(key, told.has(key) ? told.get(key) : before(loaded));
    return { kind: "rejected", rejection: again.rejection };
  }
  told.set(key, again.transaction);
  // Refused now, though it was not then: somebody else's event came in between. What holds now is the truth.
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  return { kind: again.outcome };
}

function before({ stored }: LoadedEvent): Transaction | undefined {
  if (stored === undefined || stored.asCreated) return undefined;
  const { transaction } = stored;
  if (transaction.state === "authorized") return transaction;
  return { ...transaction, state: "authorized", clearedAt: null, revertedAt: null };
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
