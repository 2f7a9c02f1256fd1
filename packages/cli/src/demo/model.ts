import type { TransactionEvent } from "#contract";
import {
  applyEvent,
  type Rejection,
  type Transaction,
  toUtcMicroseconds,
  transactionIdentifiers,
} from "#domain";

/** What becomes of one event: it is applied, or refused for this reason. */
export type Outcome = "created" | "updated" | "unchanged" | Rejection["reason"];

/** What becomes of each event; the object itself is the key, for an event may be sent several times. */
export type Outcomes = ReadonlyMap<TransactionEvent, Outcome>;

export interface Modelled {
  readonly outcomes: Outcomes;
  /** What is stored afterwards, by `external_id`. */
  readonly transactions: ReadonlyMap<string, Transaction>;
}

/**
 * What the service has to make of these events, worked out in memory by the pure lifecycle alone. Transactions do not
 * touch each other, so this holds for every order in which those of one `external_id` stay in line.
 * @param stored what is there before; a resend is judged by it
 */
export function modelEvents(
  events: readonly TransactionEvent[],
  memberIds: ReadonlySet<string>,
  stored: ReadonlyMap<string, Transaction> = new Map(),
): Modelled {
  const transactions = new Map(stored);
  const judge = (event: TransactionEvent): Outcome => {
    if (!memberIds.has(event.member_id)) {
      return transactions.has(event.external_id) ? "identity_mismatch" : "not_found";
    }
    const decision = applyEvent(transactions.get(event.external_id), toDomain(event));
    if (decision.outcome === "rejected") return decision.rejection.reason;
    transactions.set(event.external_id, decision.transaction);
    return decision.outcome;
  };
  return { outcomes: new Map(events.map((event) => [event, judge(event)])), transactions };
}

function toDomain(event: TransactionEvent) {
  const { six, eight } = transactionIdentifiers({
    authCode: event.auth_code,
    network: event.network,
    bin: event.bin,
    merchantId: event.merchant_id,
  });
  return {
    memberId: event.member_id,
    network: event.network,
    merchantId: event.merchant_id,
    statementDescriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: toUtcMicroseconds(event.authed_at),
    clearedAt: event.cleared_at === undefined ? null : toUtcMicroseconds(event.cleared_at),
    revertedAt: event.reverted_at === undefined ? null : toUtcMicroseconds(event.reverted_at),
    identifier6: six,
    identifier8: eight,
  };
}

export type Refusal = Rejection["reason"];
const REFUSALS: ReadonlySet<Outcome> = new Set([
  "not_found",
  "identity_mismatch",
  "invalid_transition",
  "past_retention",
]);

export function isRefusal(outcome: Outcome): outcome is Refusal {
  return REFUSALS.has(outcome);
}

export function countOutcomes(outcomes: Iterable<Outcome>): Record<Outcome, number> {
  const counts = {
    created: 0,
    updated: 0,
    unchanged: 0,
    not_found: 0,
    identity_mismatch: 0,
    invalid_transition: 0,
    past_retention: 0,
  };
  for (const outcome of outcomes) counts[outcome]++;
  return counts;
}
