import type { Sql } from "postgres";
import { uuidv7 } from "uuidv7";
import { ApiError, type TransactionEvent } from "#contract";
import {
  applyEvent,
  type Decision,
  decodeId,
  type Rejection,
  stateOf,
  type Transaction,
  toUtcMicroseconds,
  transactionIdentifiers,
} from "#domain";
import type { Outbox } from "./outbox.ts";
import { loadStored, type PeerRow, upsert } from "./upsert.ts";

export interface IngestBody {
  readonly events: readonly TransactionEvent[];
}

interface Processed {
  readonly status: "processed";
  readonly accepted: number;
  created: number;
  updated: number;
  unchanged: number;
}

type Refused = Rejection & { readonly index: number; readonly external_id: string };

/**
 * Does all the work of an ingest request within the request: identifiers, one upsert that decides the
 * lifecycle, a query for the rows that it did not apply, the answer after the commit.
 */
export function createIngest(
  sql: Sql,
  outbox?: Outbox,
): (organisation: string, events: IngestBody["events"]) => Promise<Processed> {
  return async (organisation, events) => {
    const result = {
      status: "processed" as const,
      accepted: events.length,
      created: 0,
      updated: 0,
      unchanged: 0,
    };
    const refused: Refused[] = [];
    for (const round of splitRounds(events.map(toRow))) {
      const open = new Map(round.map((row) => [row.ord, row]));
      for (const { ord, created } of await upsert(sql, organisation, round, outbox !== undefined)) {
        open.delete(ord);
        result[created ? "created" : "updated"]++;
      }
      const rejected = open.size === 0 ? [] : await findRejected(sql, organisation, [...open.values()]);
      result.unchanged += open.size - rejected.length;
      refused.push(...rejected);
    }
    outbox?.kick();
    if (refused.length > 0) throw rejectedError(events.length, refused);
    return result;
  };
}

/** From the rows that the upsert did not apply: those that are more than unchanged. */
async function findRejected(sql: Sql, organisation: string, rows: readonly PeerRow[]): Promise<Refused[]> {
  const { transactions, members } = await loadStored(sql, organisation, rows);
  return rows.flatMap((row) => {
    const decision = judge(row, transactions.get(row.external_id), members.has(row.member_id));
    if (decision.outcome !== "rejected") return [];
    return [{ ...decision.rejection, index: row.ord, external_id: row.external_id }];
  });
}

function toRow(event: TransactionEvent, ord: number): PeerRow {
  const { six, eight } = transactionIdentifiers({
    authCode: event.auth_code,
    network: event.network,
    bin: event.bin,
    merchantId: event.merchant_id,
  });
  const clearedAt = event.cleared_at ?? null;
  const revertedAt = event.reverted_at ?? null;
  return {
    ord,
    id: uuidv7(),
    member_id: decodeId("m", event.member_id) ?? null,
    external_id: event.external_id,
    state: stateOf({ clearedAt, revertedAt }),
    network: event.network,
    merchant_id: event.merchant_id,
    statement_descriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authed_at: toUtcMicroseconds(event.authed_at),
    cleared_at: clearedAt === null ? null : toUtcMicroseconds(clearedAt),
    reverted_at: revertedAt === null ? null : toUtcMicroseconds(revertedAt),
    identifier_6: `\\x${six}`,
    identifier_8: eight === null ? null : `\\x${eight}`,
  };
}

/** A statement can touch a row once: the second event about a transaction goes into a second round, and so on. */
function splitRounds(rows: readonly PeerRow[]): PeerRow[][] {
  const rounds: PeerRow[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const round = seen.get(row.external_id) ?? 0;
    seen.set(row.external_id, round + 1);
    rounds[round] ??= [];
    rounds[round].push(row);
  }
  return rounds;
}

function judge(row: PeerRow, stored: Transaction | undefined, memberExists: boolean): Decision {
  if (!memberExists) {
    return { outcome: "rejected", rejection: { code: "not_found", reason: "not_found" } };
  }
  return applyEvent(stored, {
    memberId: row.member_id ?? "",
    network: row.network,
    merchantId: row.merchant_id,
    statementDescriptor: row.statement_descriptor,
    amount: row.amount,
    currency: row.currency,
    authedAt: row.authed_at,
    clearedAt: row.cleared_at,
    revertedAt: row.reverted_at,
    identifier6: row.identifier_6,
    identifier8: row.identifier_8,
  });
}

function rejectedError(total: number, refused: readonly Refused[]): ApiError {
  const rejected = refused.toSorted((a, b) => a.index - b.index);
  const first = rejected[0] as Refused;
  return new ApiError(first.code, `event ${first.index}: ${first.reason}`, {
    reason: first.reason,
    external_id: first.external_id,
    accepted: total - rejected.length,
    rejected,
  });
}
