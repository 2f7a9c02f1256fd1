import { microsecondsOf } from "./timestamp.ts";

/**
 * The lifecycle of a transaction (contract, section 6). This pure function is the specification. Ingest
 * applies every event of a known transaction by it. Only new rows are written without it, and a property test
 * compares what becomes of them with it.
 */
export const STATES = ["authorized", "cleared", "reverted"] as const;
/**
 * authorized: only `authed_at` is known; cleared: settled; reverted: refunded or cancelled. The last two are
 * final.
 */
export type TransactionState = (typeof STATES)[number];

/** What one event says, card data already turned into identifiers. Timestamps are normalised UTC texts. */
export interface TransactionEvent {
  /** UUID; null if the id in the event has not the form of a member id. */
  readonly memberId: string | null;
  readonly network: string;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: string;
  readonly clearedAt: string | null;
  readonly revertedAt: string | null;
  readonly identifier6: string;
  readonly identifier8: string | null;
}

/** What the lifecycle decides about. `memberId` is null if the member was deleted. */
export interface Transaction extends TransactionEvent {
  readonly state: TransactionState;
  /**
   * The first that it had, where the clearing or reversal replaced it: the platform routes by it (`writeRecords`). Null: it is
   * `statementDescriptor`, or is not known of one that settled before this was kept.
   */
  readonly firstDescriptor: string | null;
}

/** A transaction as it is stored, with its ids: UUIDs, except the caller's `externalId`. */
export interface StoredTransaction extends Transaction {
  readonly id: string;
  readonly organisationId: string;
  readonly externalId: string;
}

export type Rejection =
  | {
      readonly code: "not_found";
      /** member_not_restored: a restored database lacks the member; the event is kept until it has been made again. */
      readonly reason: "not_found" | "member_not_restored";
    }
  | { readonly code: "conflict"; readonly reason: "identity_mismatch"; readonly field: "member_id" | "card" }
  | {
      readonly code: "conflict";
      readonly reason: "invalid_transition";
      readonly from: TransactionState;
      readonly to: TransactionState;
    }
  | { readonly code: "conflict"; readonly reason: "past_retention" };

/** Fields that an event of a known transaction gave and that were ignored, by their names in the API. */
export type IgnoredField =
  | "bin"
  | "merchant_id"
  | "statement_descriptor"
  | "amount"
  | "currency"
  | "authed_at"
  | "cleared_at"
  | "reverted_at";

export type Decision =
  | {
      readonly outcome: "created" | "updated" | "unchanged";
      readonly transaction: Transaction;
      readonly ignored: readonly IgnoredField[];
    }
  | { readonly outcome: "rejected"; readonly rejection: Rejection };

/** The state that an event asks for. An event with both dates is malformed and does not get here. */
export function stateOf(event: Pick<TransactionEvent, "clearedAt" | "revertedAt">): TransactionState {
  if (event.revertedAt !== null) return "reverted";
  return event.clearedAt !== null ? "cleared" : "authorized";
}

/**
 * Applies one event to what is stored under its `external_id`. Of a new transaction the caller checks first whether the
 * member exists, because an unknown member is the first reason to reject its event.
 * @param stored its `memberId` is null if its member was deleted, or cannot be reached any more
 * @param forgottenBefore microseconds since 1970; null: never. A transaction authorized before it, of which
 * nothing is stored, may have left, with all that it earned. As a new one it would earn that again, so it is
 * refused. Nothing is lost by that: only settled transactions leave, and nothing more can happen to those
 */
export function applyEvent(
  stored: Transaction | undefined,
  event: TransactionEvent,
  forgottenBefore: number | null = null,
): Decision {
  if (stored === undefined) {
    if (forgottenBefore !== null && microsecondsOf(event.authedAt) < forgottenBefore) {
      return { outcome: "rejected", rejection: { code: "conflict", reason: "past_retention" } };
    }
    return { outcome: "created", transaction: begin(event), ignored: [] };
  }
  const wanted = stateOf(event);
  const mismatch = identityMismatch(stored, event);
  if (mismatch !== undefined) {
    return {
      outcome: "rejected",
      rejection: { code: "conflict", reason: "identity_mismatch", field: mismatch },
    };
  }
  if (stored.state !== "authorized" && wanted !== "authorized" && wanted !== stored.state) {
    return {
      outcome: "rejected",
      rejection: { code: "conflict", reason: "invalid_transition", from: stored.state, to: wanted },
    };
  }
  const settles = stored.state === "authorized" && wanted !== "authorized";
  const transaction = merge(stored, event, settles);
  const outcome = settles || differs(stored, transaction) ? "updated" : "unchanged";
  return { outcome, transaction, ignored: ignoredFields(transaction, event) };
}

/** Field by field: an event may carry more than a transaction has. */
function begin(event: TransactionEvent): Transaction {
  return {
    memberId: event.memberId,
    state: stateOf(event),
    network: event.network,
    merchantId: event.merchantId,
    statementDescriptor: event.statementDescriptor,
    amount: event.amount,
    currency: event.currency,
    authedAt: event.authedAt,
    clearedAt: event.clearedAt,
    revertedAt: event.revertedAt,
    identifier6: event.identifier6,
    identifier8: event.identifier8,
    firstDescriptor: null,
  };
}

interface FieldRule {
  /**
   * What an event of a known transaction may do to the field:
   * - `identity`: it names the same, or is rejected;
   * - `fixed`: nothing;
   * - `missing`: supply it;
   * - `final`: supply it, and clearing or reversal replaces it: tips and exchange rates are known only then;
   * - `settling`: clearing or reversal sets it.
   */
  readonly rule: "identity" | "fixed" | "missing" | "final" | "settling";
  /** In the API, where another value is ignored and told. */
  readonly name?: IgnoredField;
}

/** Does not compile while it lacks a field. In the order in which answers name them. */
const FIELDS = {
  memberId: { rule: "identity" },
  identifier6: { rule: "identity" },
  /** Part of what `identifier6` is a hash of. */
  network: { rule: "fixed" },
  identifier8: { rule: "missing", name: "bin" },
  merchantId: { rule: "fixed", name: "merchant_id" },
  statementDescriptor: { rule: "final", name: "statement_descriptor" },
  amount: { rule: "final", name: "amount" },
  currency: { rule: "final", name: "currency" },
  authedAt: { rule: "fixed", name: "authed_at" },
  clearedAt: { rule: "settling", name: "cleared_at" },
  revertedAt: { rule: "settling", name: "reverted_at" },
} as const satisfies Record<keyof TransactionEvent, FieldRule>;

type Fields = typeof FIELDS;
/** The fields of a transaction that a later event may change. */
export type ChangingField =
  | "state"
  | "firstDescriptor"
  | { [F in keyof Fields]: Fields[F]["rule"] extends "identity" | "fixed" ? never : F }[keyof Fields];

const RULES = Object.entries(FIELDS) as [keyof Fields, FieldRule][];
const COMPARED = RULES.flatMap(([key, { name }]) => (name === undefined ? [] : [{ key, name }]));
/** Fields that change without clearing or reversal. */
const SUPPLIED = RULES.filter(([, { rule }]) => rule === "missing" || rule === "final").map(([key]) => key);

/**
 * The fields in which the event differs from the transaction as it is now (contract, section 6): they are
 * ignored, and the answer names them. An absent value says nothing. Six digits of the BIN are identity, so a
 * `bin` that differs does so in its last two digits.
 */
function ignoredFields(transaction: Transaction, event: TransactionEvent): readonly IgnoredField[] {
  const ignored: IgnoredField[] = [];
  for (const { key, name } of COMPARED) {
    const given = event[key];
    if (given !== null && given !== transaction[key]) ignored.push(name);
  }
  return ignored;
}

/**
 * A transaction belongs to one member and one card for good: the card by the identifier over six BIN digits. Once the member is
 * gone it is the card alone: what is bought has to end, and the caller knows the member by another id, or by none.
 */
function identityMismatch(stored: Transaction, event: TransactionEvent): "member_id" | "card" | undefined {
  if (stored.memberId !== null && stored.memberId !== event.memberId) return "member_id";
  return stored.identifier6 === event.identifier6 ? undefined : "card";
}

/**
 * What the event makes of the transaction, by `FIELDS`. Every field is written out, in the order of `begin`: objects of one
 * shape are read faster.
 * @param settles whether it clears or reverts; any other event only supplies what was missing
 */
function merge(stored: Transaction, event: TransactionEvent, settles: boolean): Transaction {
  const first = settles ? event : stored;
  const second = settles ? stored : event;
  const statementDescriptor = first.statementDescriptor ?? second.statementDescriptor;
  const firstDescriptor = stored.firstDescriptor ?? stored.statementDescriptor;
  return {
    memberId: stored.memberId,
    state: settles ? stateOf(event) : stored.state,
    network: stored.network,
    merchantId: stored.merchantId,
    statementDescriptor,
    amount: first.amount ?? second.amount,
    currency: first.currency ?? second.currency,
    authedAt: stored.authedAt,
    clearedAt: first.clearedAt,
    revertedAt: first.revertedAt,
    identifier6: stored.identifier6,
    identifier8: stored.identifier8 ?? event.identifier8,
    firstDescriptor: firstDescriptor === statementDescriptor ? null : firstDescriptor,
  };
}

function differs(a: Transaction, b: Transaction): boolean {
  for (const key of SUPPLIED) if (a[key] !== b[key]) return true;
  return false;
}

/** An event of a batch, as the row that it would make; `state` is the state that it asks for. */
export interface BatchEvent extends StoredTransaction {
  /** Its place in the batch. */
  readonly ord: number;
}

/** What became of one event. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged"; readonly ignored: readonly IgnoredField[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** A transaction as it is after the batch. */
export interface FoldedTransaction {
  /** `ord` of the last event that changed it. */
  readonly ord: number;
  readonly transaction: StoredTransaction;
}

export interface FoldedBatch {
  /** One for each event, in the order of the events. */
  readonly outcomes: readonly EventOutcome[];
  /** Transactions that were not there, and those that were there and are changed. */
  readonly created: readonly FoldedTransaction[];
  readonly updated: readonly FoldedTransaction[];
}

export const UNKNOWN_MEMBER: EventOutcome = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "not_found" },
};

export const MEMBER_NOT_RESTORED: EventOutcome = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "member_not_restored" },
};

/**
 * Names the transaction that an event belongs to. An organisation id has a fixed length, so two transactions
 * never have the same key.
 */
export function keyOf({
  organisationId,
  externalId,
}: Pick<StoredTransaction, "organisationId" | "externalId">): string {
  return `${organisationId} ${externalId}`;
}

/**
 * Folds a batch into stored transactions: event by event, each applied to what the one before it left
 * (`applyEvent`).
 * @param events in their order
 * @param stored what is stored of their keys, by `keyOf`
 * @param forgottenBefore as of `applyEvent`
 * @param hasMember whether the member of an event is there: one that is not begins no transaction
 */
export function foldEvents(
  events: readonly BatchEvent[],
  stored: ReadonlyMap<string, StoredTransaction>,
  forgottenBefore: number | null = null,
  hasMember: (event: BatchEvent) => boolean = () => true,
): FoldedBatch {
  const created = new Map<string, FoldedTransaction>();
  const updated = new Map<string, FoldedTransaction>();
  const outcomes = events.map((event): EventOutcome => {
    const key = keyOf(event);
    const isNew = !stored.has(key);
    const known = (isNew ? created : updated).get(key)?.transaction ?? stored.get(key);
    if (known === undefined && !hasMember(event)) return UNKNOWN_MEMBER;
    const decision = applyEvent(known, event, forgottenBefore);
    if (decision.outcome === "created" || decision.outcome === "updated") {
      const transaction = identified(decision.transaction, known ?? event);
      (isNew ? created : updated).set(key, { ord: event.ord, transaction });
    }
    return toOutcome(decision);
  });
  return { outcomes, created: [...created.values()], updated: [...updated.values()] };
}

function toOutcome(decision: Decision): EventOutcome {
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  return { kind: decision.outcome, ignored: decision.ignored };
}

function identified(
  transaction: Transaction,
  { id, organisationId, externalId }: StoredTransaction,
): StoredTransaction {
  return { ...transaction, id, organisationId, externalId };
}
