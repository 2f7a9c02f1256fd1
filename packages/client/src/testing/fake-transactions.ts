import { toUtcMicroseconds } from "#domain/formats";
import { transactionIdentifiers } from "#domain/identifiers";
import {
  applyEvent,
  type TransactionEvent as EventFields,
  type Transaction as StoredFields,
} from "#domain/lifecycle";
import type {
  IgnoredEvent,
  RejectedEvent,
  Transaction,
  TransactionEvent,
} from "../generated/publisher-api.ts";
import { recordId } from "./builders.ts";

/** What became of the events of one request. */
export interface AppliedEvents {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: readonly RejectedEvent[];
  readonly ignored: readonly IgnoredEvent[];
  /** One letter an event: created, updated, unchanged, rejected. */
  readonly outcomes: string;
}

interface FakeTransaction {
  readonly id: string;
  readonly fields: StoredFields;
}

const LETTERS = { created: "c", updated: "u", unchanged: "n", rejected: "r" } as const;

/** Transactions in memory, by the service's own rules of what an event may change. */
export class FakeTransactions {
  readonly #byExternalId = new Map<string, FakeTransaction>();

  /** @param isMember whether an event's member exists */
  apply(events: readonly TransactionEvent[], isMember: (id: string) => boolean): AppliedEvents {
    const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
    const rejected: RejectedEvent[] = [];
    const ignored: IgnoredEvent[] = [];
    let outcomes = "";
    for (const [index, event] of events.entries()) {
      const { external_id } = event;
      const decision = this.#decide(event, isMember);
      counts[decision.outcome] += 1;
      outcomes += LETTERS[decision.outcome];
      if (decision.outcome === "rejected") rejected.push({ index, external_id, ...decision.rejection });
      else if (decision.ignored.length > 0)
        ignored.push({ index, external_id, fields: [...decision.ignored] });
    }
    return { ...counts, rejected, ignored, outcomes };
  }

  get(externalId: string): Transaction | undefined {
    const found = this.#byExternalId.get(externalId);
    return found && show(externalId, found);
  }

  /** Of one member, the newest first. */
  ofMember(memberId: string): Transaction[] {
    return [...this.#byExternalId]
      .filter(([, { fields }]) => fields.memberId === memberId)
      .map(([externalId, found]) => show(externalId, found))
      .reverse();
  }

  #decide(event: TransactionEvent, isMember: (id: string) => boolean) {
    if (!isMember(event.member_id)) {
      const rejection = { code: "not_found", reason: "not_found" } as const;
      return { outcome: "rejected", rejection } as const;
    }
    const stored = this.#byExternalId.get(event.external_id);
    const decision = applyEvent(stored?.fields, fieldsOf(event));
    if (decision.outcome === "created" || decision.outcome === "updated") {
      const id = stored?.id ?? recordId("tx");
      this.#byExternalId.set(event.external_id, { id, fields: decision.transaction });
    }
    return decision;
  }
}

function fieldsOf(event: TransactionEvent): EventFields {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = event;
  const { six, eight } = transactionIdentifiers({ authCode, network, bin, merchantId });
  const instant = (text: string | undefined) => (text === undefined ? null : toUtcMicroseconds(text));
  return {
    memberId: event.member_id,
    network,
    merchantId,
    statementDescriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: toUtcMicroseconds(event.authed_at),
    clearedAt: instant(event.cleared_at),
    revertedAt: instant(event.reverted_at),
    identifier6: six,
    identifier8: eight,
  };
}

/** As the API shows it; nothing earns a reward here. */
function show(externalId: string, { id, fields }: FakeTransaction): Transaction {
  return {
    id,
    external_id: externalId,
    member_id: fields.memberId,
    state: fields.state,
    network: fields.network as Transaction["network"],
    merchant_id: fields.merchantId,
    ...(fields.statementDescriptor !== null && { statement_descriptor: fields.statementDescriptor }),
    ...(fields.amount !== null && { amount: fields.amount }),
    ...(fields.currency !== null && { currency: fields.currency }),
    authed_at: toMilliseconds(fields.authedAt),
    ...(fields.clearedAt !== null && { cleared_at: toMilliseconds(fields.clearedAt) }),
    ...(fields.revertedAt !== null && { reverted_at: toMilliseconds(fields.revertedAt) }),
    identifiers:
      fields.identifier8 === null ? [fields.identifier6] : [fields.identifier6, fields.identifier8],
    rewards: [],
  };
}

/** `…00.123456Z` → `…00.123Z` */
function toMilliseconds(text: string): string {
  return `${text.slice(0, 23)}Z`;
}
