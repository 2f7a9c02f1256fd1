/**
 * The lifecycle of a transaction (interface.md, "Transaction lifecycle"; contract, section 6). This pure function is
 * the specification: the bulk statement in `#store` is held to it by a property test.
 */
export const STATES = ["authorized", "cleared", "reverted"] as const;
/** authorized: only `authed_at` is known; cleared: settled; reverted: refunded. The last two are final. */
export type TransactionState = (typeof STATES)[number];

/** What one event says, card data already turned into identifiers. Timestamps are normalised UTC texts. */
export interface TransactionEvent {
  readonly memberId: string;
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

/** A transaction as it is stored. It lost its member if that was deleted. */
export interface Transaction extends Omit<TransactionEvent, "memberId"> {
  readonly memberId: string | null;
  readonly state: TransactionState;
}

export type Rejection =
  | { readonly code: "not_found"; readonly reason: "not_found" }
  | { readonly code: "conflict"; readonly reason: "identity_mismatch"; readonly field: "member_id" | "card" }
  | {
      readonly code: "conflict";
      readonly reason: "invalid_transition";
      readonly from: TransactionState;
      readonly to: TransactionState;
    };

export type Decision =
  | { readonly outcome: "created" | "updated"; readonly transaction: Transaction }
  | { readonly outcome: "unchanged"; readonly transaction: Transaction }
  | { readonly outcome: "rejected"; readonly rejection: Rejection };

/** The state that an event asks for. An event with both dates is malformed and does not get here. */
export function stateOf(event: Pick<TransactionEvent, "clearedAt" | "revertedAt">): TransactionState {
  if (event.revertedAt !== null) return "reverted";
  return event.clearedAt !== null ? "cleared" : "authorized";
}

/**
 * Applies one event to what is stored under its `external_id`. Whether the member exists is asked by the caller
 * first, because an unknown member is the first thing that is wrong with an event.
 */
export function applyEvent(stored: Transaction | undefined, event: TransactionEvent): Decision {
  if (stored === undefined) return { outcome: "created", transaction: { ...event, state: stateOf(event) } };
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
  const transaction = settles ? settle(stored, event) : fillIn(stored, event);
  return { outcome: settles || differs(stored, transaction) ? "updated" : "unchanged", transaction };
}

/** A transaction belongs to one member and one card for good: the card by the identifier over six BIN digits. */
function identityMismatch(stored: Transaction, event: TransactionEvent): "member_id" | "card" | undefined {
  if (stored.memberId !== event.memberId) return "member_id";
  return stored.identifier6 === event.identifier6 ? undefined : "card";
}

/** Clearing and reversal fix the final values: tips and exchange rates are known only then. */
function settle(stored: Transaction, event: TransactionEvent): Transaction {
  return {
    ...stored,
    state: stateOf(event),
    statementDescriptor: event.statementDescriptor ?? stored.statementDescriptor,
    amount: event.amount ?? stored.amount,
    currency: event.currency ?? stored.currency,
    clearedAt: event.clearedAt,
    revertedAt: event.revertedAt,
    identifier8: stored.identifier8 ?? event.identifier8,
  };
}

/** Any other event only supplies what was missing. */
function fillIn(stored: Transaction, event: TransactionEvent): Transaction {
  return {
    ...stored,
    statementDescriptor: stored.statementDescriptor ?? event.statementDescriptor,
    amount: stored.amount ?? event.amount,
    currency: stored.currency ?? event.currency,
    identifier8: stored.identifier8 ?? event.identifier8,
  };
}

function differs(a: Transaction, b: Transaction): boolean {
  return (
    a.statementDescriptor !== b.statementDescriptor ||
    a.amount !== b.amount ||
    a.currency !== b.currency ||
    a.identifier8 !== b.identifier8
  );
}
