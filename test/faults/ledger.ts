import type { TransactionEvent } from "#contract";
import { OUTCOME_LETTERS } from "#contract/ingest";
import {
  applyEvent,
  type Decision,
  type TransactionEvent as DomainEvent,
  encodeId,
  type Transaction,
  type TransactionState,
  transactionIdentifiers,
} from "#domain";
import type { Store } from "#postgres";
import type { RawAnswer } from "#test-support";

/** An answer, and what is known about its circumstances. */
export interface Answered {
  readonly events: readonly TransactionEvent[];
  readonly answer: RawAnswer;
  /**
   * Nothing else can have applied these events, so the answer's counts are certain: no earlier attempt has an
   * unknown fate, and NATS was up all the time (it forgets the ids of messages that it delivered and lost).
   */
  readonly exact: boolean;
}

type Row = Omit<Transaction, "authedAt" | "clearedAt" | "revertedAt"> & {
  readonly externalId: string;
  readonly authedAt: Date;
  readonly clearedAt: Date | null;
  readonly revertedAt: Date | null;
};

const SHOWN = 10;

/**
 * The client's own record of every answer, which shares nothing with the system under test but the pure
 * rules: events that were answered 200, 202 or 409 must be stored once, as `applyEvent` says; refused ones
 * must not be.
 *
 * Its writers keep two rules, so that the result is certain whichever process is killed: they send a
 * transaction's requests one after the other, and repeat a request until it has an answer.
 */
export class Ledger {
  readonly #transactions = new Map<string, Transaction>();
  readonly #refused = new Set<string>();
  /** Outcomes by batch id, of requests that asked not to wait for them. */
  readonly #batches = new Map<string, Expected>();
  readonly #problems: string[] = [];
  #created = 0;
  /** `rejected` counts events, the others requests; `detailed`: requests with an outcome for each event. */
  readonly counts = { answered: 0, exact: 0, late: 0, refused: 0, rejected: 0, detailed: 0 };

  /** Where the transaction stands by the answers so far. */
  stateOf(externalId: string): TransactionState | undefined {
    return this.#transactions.get(externalId)?.state;
  }

  /** A request was answered with a status that makes its events count. */
  answered({ events, answer, exact }: Answered): void {
    const expected = this.#apply(events);
    this.counts.answered++;
    if (exact) this.counts.exact++;
    this.counts.rejected += expected.rejected.length;
    if (answer.status === 202) this.#late(answer, expected);
    else this.#compare(answer, expected, exact);
  }

  /** All attempts at a request were refused, and its client gives it up. */
  refused(events: readonly TransactionEvent[]): void {
    this.counts.refused++;
    for (const { external_id } of events) this.#refused.add(external_id);
  }

  /** An answer that no client may get. */
  unexpected(answer: RawAnswer): void {
    this.#problems.push(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /**
   * Compares the table of an organisation with the record. @returns the disagreements, at most `SHOWN` lines
   */
  async audit(store: Store, organisationId: string): Promise<string[]> {
    const problems = [...this.#problems];
    const rows = await store<Row[]>`
      select
        external_id as "externalId", member_id as "memberId", state, network, merchant_id as "merchantId",
        statement_descriptor as "statementDescriptor", amount, currency, authed_at as "authedAt",
        cleared_at as "clearedAt", reverted_at as "revertedAt", encode(identifier_6, 'hex') as identifier6,
        encode(identifier_8, 'hex') as identifier8
      from transactions where organisation_id = ${organisationId}`;
    const missing = new Set(this.#transactions.keys());
    for (const row of rows) {
      missing.delete(row.externalId);
      const expected = this.#transactions.get(row.externalId);
      if (this.#refused.has(row.externalId)) problems.push(`${row.externalId} was refused, and is stored`);
      else if (expected === undefined) problems.push(`${row.externalId} was never answered, and is stored`);
      else if (describe(fromRow(row)) !== describe(expected)) {
        problems.push(`${row.externalId} is ${describe(fromRow(row))}, not ${describe(expected)}`);
      }
    }
    for (const externalId of missing) problems.push(`${externalId} was answered, and is not stored`);
    if (this.#created > rows.length) {
      problems.push(`answers tell of ${this.#created} creations, ${rows.length} rows are stored`);
    }
    const more = problems.length - SHOWN;
    return more > 0 ? [...problems.slice(0, SHOWN), `and ${more} more`] : problems;
  }

  /** Transactions by state, as the record has them. */
  totals(): Record<string, number> {
    const totals: Record<string, number> = {};
    for (const { state } of this.#transactions.values()) totals[state] = (totals[state] ?? 0) + 1;
    return totals;
  }

  /** The batches whose outcome the API must tell, and what it must be. */
  get batches(): ReadonlyMap<string, Expected> {
    return this.#batches;
  }

  #apply(events: readonly TransactionEvent[]): Expected {
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const expected: Expected = { total: events.length, ...counts, rejected: [], letters: "" };
    for (const [index, event] of events.entries()) {
      const decision = applyEvent(this.#transactions.get(event.external_id), toDomain(event));
      expected.letters += OUTCOME_LETTERS[decision.outcome];
      if (decision.outcome === "rejected") {
        expected.rejected.push({ index, reason: decision.rejection.reason });
      } else {
        expected[decision.outcome]++;
        this.#transactions.set(event.external_id, decision.transaction);
      }
    }
    return expected;
  }

  #late(answer: RawAnswer, expected: Expected): void {
    this.counts.late++;
    const { accepted, batch_id } = answer.body;
    if (accepted !== expected.total) this.unexpected(answer);
    if (answer.headers["preference-applied"] !== undefined) this.#batches.set(batch_id, expected);
  }

  /**
   * The letters of requests that asked for them: as many as the counts say; if the counts are certain, the
   * right ones.
   */
  #agreesInDetail(counts: Record<string, unknown>, { letters, rejected }: Expected, exact: boolean): boolean {
    const { outcomes } = counts;
    if (typeof outcomes !== "string") return true;
    this.counts.detailed++;
    const count = (letter: string) => outcomes.split(letter).length - 1;
    return (
      (["created", "updated", "unchanged"] as const).every(
        (kind) => count(OUTCOME_LETTERS[kind]) === counts[kind],
      ) &&
      rejected.every(({ index }) => outcomes[index] === OUTCOME_LETTERS.rejected) &&
      outcomes.length === letters.length &&
      (!exact || outcomes === letters)
    );
  }

  #compare(answer: RawAnswer, expected: Expected, exact: boolean): void {
    const counts = answer.status === 200 ? answer.body : answer.body.error.data;
    const { accepted, created, updated, unchanged } = counts;
    const rejected = (counts.rejected ?? []) as Expected["rejected"];
    this.#created += created;
    const agrees =
      accepted === expected.total - expected.rejected.length &&
      created + updated + unchanged === accepted &&
      describeRejected(rejected) === describeRejected(expected.rejected) &&
      created <= expected.created &&
      (!exact || (created === expected.created && updated === expected.updated));
    if (agrees && this.#agreesInDetail(counts, expected, exact)) return;
    const { outcomes } = counts;
    const told = { accepted, created, updated, unchanged, rejected: describeRejected(rejected), outcomes };
    this.#problems.push(`answer ${JSON.stringify(told)} for ${JSON.stringify(expected)}, exact: ${exact}`);
  }
}

/** The right outcome of one request's events. */
export type Expected = Record<Exclude<Decision["outcome"], "rejected">, number> & {
  total: number;
  rejected: { index: number; reason: string }[];
  /** The outcomes as `prefer: return=representation` gives them. */
  letters: string;
};

export function describeRejected(rejected: Expected["rejected"]): string {
  return rejected.map(({ index, reason }) => `${index} ${reason}`).join(", ");
}

function toDomain(event: TransactionEvent): DomainEvent {
  const { auth_code, network, bin, merchant_id } = event;
  const identifiers = transactionIdentifiers({ authCode: auth_code, network, bin, merchantId: merchant_id });
  return {
    memberId: event.member_id,
    network,
    merchantId: merchant_id,
    statementDescriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: toIso(event.authed_at),
    clearedAt: event.cleared_at === undefined ? null : toIso(event.cleared_at),
    revertedAt: event.reverted_at === undefined ? null : toIso(event.reverted_at),
    identifier6: identifiers.six,
    identifier8: identifiers.eight,
  };
}

function fromRow(row: Row): Transaction {
  return {
    ...row,
    memberId: row.memberId === null ? null : encodeId("m", row.memberId),
    authedAt: row.authedAt.toISOString(),
    clearedAt: row.clearedAt?.toISOString() ?? null,
    revertedAt: row.revertedAt?.toISOString() ?? null,
  };
}

const toIso = (timestamp: string): string => new Date(timestamp).toISOString();

/** One text for one value, in any order of its fields. */
function describe(transaction: Transaction): string {
  const { state, memberId, network, merchantId, statementDescriptor, amount, currency } = transaction;
  const { authedAt, clearedAt, revertedAt, identifier6, identifier8 } = transaction;
  const texts = [state, memberId, network, merchantId, statementDescriptor, amount, currency];
  return [...texts, authedAt, clearedAt, revertedAt, identifier6, identifier8].join(" ");
}
