import { microsecondsOf } from "./timestamp.ts";

/**
 * The lifecycle of a transaction (contract, section 6); `applyEvent` is its specification. Ingest applies every event of a known
 * transaction by it. New rows are written without it, and a property test compares their results with it.
 */
export const STATES = ["authorized", "cleared", "reverted"] as const;
/** authorized: only `authed_at` is known; cleared: settled; reverted: refunded or cancelled. The last two are final. */
export type TransactionState = (typeof STATES)[number];

/** An event whose card data is replaced by identifiers. Timestamps are normalised UTC texts. */
export interface TransactionEvent {
  /** UUID; null: the id in the event does not have the form of a member id. */
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

/**
 * The fields of a transaction that the lifecycle decides on. `memberId` is null if the member was deleted.
 */
export interface Transaction extends TransactionEvent {
  readonly state: TransactionState;
  /**
   * The first descriptor, if the clearing or reversal replaced it: the platform routes by it (`writeRecords`). Null: it is
   * `statementDescriptor`, or is unknown because the transaction settled before this was stored.
   */
  readonly firstDescriptor: string | null;
}

/** A stored transaction, with its ids: UUIDs, except the caller's `externalId`. */
export interface StoredTransaction extends Transaction {
  readonly id: string;
  readonly organisationId: string;
  readonly externalId: string;
}

export type Rejection =
  | {
      readonly code: "not_found";
      /** member_not_restored: a restored database lacks the member; the event is kept until the member exists again. */
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

/** Fields of an event of a known transaction that were ignored, by their names in the API. */
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
 * Applies one event to the stored transaction of its `external_id`. For a new transaction the caller first checks whether the member
 * exists, because an unknown member is the first reason to reject the event.
 * @param stored its `memberId` is null if its member was deleted, or cannot be reached any more
 * @param forgottenBefore microseconds since 1970; null: never. A transaction authorized before it that is not stored may have been
 * removed with all that it earned. As a new one it would earn that again, so it is refused. Nothing is lost: only settled
 * transactions are removed, and nothing can change them any more
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

/** Field by field: an event may have more fields than a transaction. */
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
   * The effect of an event of a known transaction on the field:
   * - `identity`: it names the same, or is rejected;
   * - `fixed`: nothing;
   * - `missing`: supply it;
   * - `final`: supply it, and clearing or reversal replaces it: tips and exchange rates are known only then;
   * - `settling`: clearing or reversal sets it.
   */
  readonly rule: "identity" | "fixed" | "missing" | "final" | "settling";
  /** The name in the API, if another value is ignored and the answer names it. */
  readonly name?: IgnoredField;
}

/** In the order in which answers name the fields. A missing field does not compile. */
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
 * The fields in which the event differs from the transaction after it (contract, section 6): they are ignored, and the answer names
 * them. An absent value does not differ. Six digits of the BIN are identity, so a different `bin` differs in its last two digits.
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
 * A transaction belongs to one member and one card for good; the identifier over six BIN digits stands for the card. Once the member
 * is deleted, the card alone counts: the purchase must still end, and the caller knows the member by another id, or by none.
 */
function identityMismatch(stored: Transaction, event: TransactionEvent): "member_id" | "card" | undefined {
  if (stored.memberId !== null && stored.memberId !== event.memberId) return "member_id";
  return stored.identifier6 === event.identifier6 ? undefined : "card";
}

/**
 * Merges the event into the transaction, by `FIELDS`. Every field is written out, in the order of `begin`: objects of one shape are
 * read faster.
 * @param settles whether it clears or reverts; any other event only supplies missing values
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
