import {
  applyEvent,
  type Decision,
  type IgnoredField,
  microsecondsOf,
  purchaseLinks,
  type Rejection,
  type Transaction,
} from "#domain";
import type { Fragment, Sql } from "#postgres";
import {
  type EventRow,
  eventTable,
  loadMemberLinks,
  type MemberLinks,
  toEvent,
  writeEventRows,
} from "#publisher-db";
import { type EventBatch, keyOf } from "./event-batch.ts";
import { insertTransactions, type LinkedRow } from "./insert-transactions.ts";
import { type LoadedEvent, loadTransactions } from "./load-transactions.ts";
import { stagedTable, stageEvents } from "./staged-events.ts";
import { writeTransactions } from "./write-transactions.ts";

/** What became of one event; index in the result is its `ord`. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged"; readonly ignored: readonly IgnoredField[] }
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
  /** All other rows that this batch made or changed. */
  readonly changed: readonly ChangedTransaction[];
  /** Enrolments and open clips that count for created and changed rows, by `ord`, where their members have any. */
  readonly links: ReadonlyMap<number, MemberLinks>;
}

const CREATED: EventOutcome = { kind: "created", ignored: [] };
const NO_MEMBER: Rejection = { code: "not_found", reason: "not_found" };
const MEMBERLESS: EventOutcome = { kind: "rejected", rejection: NO_MEMBER };
const MEMBERLESS_DECISION: Decision = { outcome: "rejected", rejection: NO_MEMBER };

/**
 * Applies a batch: makes the rows that are new, then lets the pure function of `#domain` decide, event by event, about all
 * keys that were there or that occur again.
 * @param sql a transaction: of a batch that fails nothing is left
 */
export async function applyEvents(sql: Sql, batch: EventBatch): Promise<AppliedBatch> {
  const outcomes = new Array<EventOutcome | undefined>(batch.count);
  // Staged rows live as long as their transaction; as text they need no table.
  if (typeof batch.firsts !== "string") await stageEvents(sql, batch.firsts);
  const firsts = typeof batch.firsts === "string" ? eventTable(sql, batch.firsts) : stagedTable(sql);
  const inserted = await insertTransactions(sql, firsts);
  for (const ord of inserted.created) outcomes[ord] = CREATED;
  for (const ord of inserted.memberless) outcomes[ord] = MEMBERLESS;
  const known = Array.from(batch.firstOrds).filter((ord) => outcomes[ord] === undefined);
  const { created, updated, changed } = fold(await loadOpen(sql, batch, firsts, known), outcomes);
  await writeTransactions(sql, writeEventRows(created), writeEventRows(updated));
  const linked = [...inserted.linked];
  for (const { ord, transaction } of changed) {
    const { memberId, authedAt } = transaction;
    if (memberId !== null) linked.push({ ord, memberId, authedAt: microsecondsOf(authedAt) });
  }
  return {
    outcomes,
    created: withoutChanged(inserted.created, batch, new Set(changed.map(({ ord }) => ord))),
    changed,
    links: await loadLinks(sql, linked),
  };
}

/** The events that are to be decided about, in the order of the batch. */
async function loadOpen(
  sql: Sql,
  batch: EventBatch,
  firsts: Fragment,
  known: readonly number[],
): Promise<LoadedEvent[]> {
  const loaded = known.length > 0 ? await loadTransactions(sql, firsts, known) : [];
  if (batch.laterOrds.length === 0) return loaded;
  const later = eventTable(sql, batch.later);
  loaded.push(...(await loadTransactions(sql, later, Array.from(batch.laterOrds))));
  return loaded.sort((a, b) => a.row.ord - b.row.ord);
}

/** Decides about events in their order, each upon what the one before it left. */
function fold(loaded: readonly LoadedEvent[], outcomes: (EventOutcome | undefined)[]) {
  const current = new Map<string, Transaction>();
  const created = new Map<string, EventRow>();
  const updated = new Map<string, EventRow>();
  const changed = new Map<string, ChangedTransaction>();
  for (const one of loaded) {
    const { row, stored } = one;
    const key = keyOf(row);
    const decision = decide(one, current.get(key) ?? stored?.transaction);
    outcomes[row.ord] = toOutcome(decision);
    if (decision.outcome === "rejected" || decision.outcome === "unchanged") continue;
    const { transaction } = decision;
    const id = stored?.id ?? created.get(key)?.id ?? row.id;
    current.set(key, transaction);
    changed.set(key, { ord: row.ord, id, organisationId: row.organisation_id, transaction });
    const target = stored === undefined ? created : updated;
    target.set(key, toRow(transaction, created.get(key) ?? row));
  }
  return { created: [...created.values()], updated: [...updated.values()], changed: [...changed.values()] };
}

function decide({ memberExists, row }: LoadedEvent, stored: Transaction | undefined): Decision {
  if (!memberExists) return MEMBERLESS_DECISION;
  return applyEvent(stored, toEvent(row));
}

function toOutcome(decision: Decision): EventOutcome {
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  return { kind: decision.outcome, ignored: decision.ignored };
}

/** A row that a later event of the same batch changed is no longer what its first event says. */
function withoutChanged(
  created: readonly number[],
  { laterOrds, laterFirsts }: EventBatch,
  changed: ReadonlySet<number>,
): readonly number[] {
  const outdated = new Set<number>();
  for (const [i, first] of laterFirsts.entries())
    if (changed.has(laterOrds[i] as number)) outdated.add(first);
  return outdated.size === 0 ? created : created.filter((ord) => !outdated.has(ord));
}

/** Enrolments and open clips that count for purchases, by `ord`. */
export async function loadLinks(
  sql: Sql,
  linked: readonly LinkedRow[],
): Promise<ReadonlyMap<number, MemberLinks>> {
  const byMember = await loadMemberLinks(sql, [...new Set(linked.map(({ memberId }) => memberId))]);
  const byOrd = new Map<number, MemberLinks>();
  for (const { ord, memberId, authedAt } of linked) {
    const links = byMember.get(memberId);
    if (links !== undefined) byOrd.set(ord, purchaseLinks(links, authedAt));
  }
  return byOrd;
}

function toRow(transaction: Transaction, base: EventRow): EventRow {
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
  };
}
