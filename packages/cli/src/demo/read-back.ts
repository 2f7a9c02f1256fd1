import { setTimeout as delay } from "node:timers/promises";
import { encodeId, type Transaction } from "#domain";
import type { Store } from "#postgres";
import type { TransactionRecord } from "#publisher-db";
import { listTransactionsWithPrefix } from "../transactions-with-prefix.ts";

const PAGE_ROWS = 2000;
const POLL_MS = 200;

/** Everything that is stored of a run, by `external_id`. */
export async function readRun(
  store: Store,
  organisationId: string,
  prefix: string,
): Promise<Map<string, TransactionRecord>> {
  const records = new Map<string, TransactionRecord>();
  let after: string | undefined;
  for (;;) {
    const page = await listTransactionsWithPrefix(store, organisationId, prefix, { after, limit: PAGE_ROWS });
    for (const record of page) records.set(record.externalId, record);
    if (page.length < PAGE_ROWS) return records;
    after = page.at(-1)?.externalId;
  }
}

/** Reads until everything is as expected, which events answered 202 take a moment for, or until the deadline. */
export async function readUntilEqual(
  read: () => Promise<Map<string, TransactionRecord>>,
  expected: ReadonlyMap<string, Transaction>,
  deadlineMs: number,
): Promise<{ records: Map<string, TransactionRecord>; differences: string[] }> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const records = await read();
    const differences = findDifferences(records, expected);
    if (differences.length === 0 || performance.now() > deadline) return { records, differences };
    await delay(POLL_MS);
  }
}

/** One line for each transaction that is missing, should not be there, or differs in a field. */
function findDifferences(
  records: ReadonlyMap<string, TransactionRecord>,
  expected: ReadonlyMap<string, Transaction>,
): string[] {
  const differences: string[] = [];
  for (const [id, transaction] of expected) {
    const record = records.get(id);
    if (record === undefined) differences.push(`${id} is missing`);
    else {
      const fields = differingFields(toTransaction(record), transaction);
      if (fields.length > 0) differences.push(`${id} differs in ${fields.join(", ")}`);
    }
  }
  for (const id of records.keys()) if (!expected.has(id)) differences.push(`${id} should not be stored`);
  return differences;
}

/** A row as the lifecycle sees it. */
export function toTransaction(record: TransactionRecord): Transaction {
  return {
    memberId: record.memberId === null ? null : encodeId("m", record.memberId),
    state: record.state,
    network: record.network,
    merchantId: record.merchantId,
    statementDescriptor: record.statementDescriptor,
    amount: record.amount,
    currency: record.currency,
    authedAt: record.authedAt.toISOString(),
    clearedAt: record.clearedAt?.toISOString() ?? null,
    revertedAt: record.revertedAt?.toISOString() ?? null,
    identifier6: record.identifiers[0] ?? "",
    identifier8: record.identifiers[1] ?? null,
  };
}

const TIMES: ReadonlySet<string> = new Set(["authedAt", "clearedAt", "revertedAt"]);

function differingFields(actual: Transaction, expected: Transaction): string[] {
  const fields = Object.keys(expected) as (keyof Transaction)[];
  return fields.filter((field) => comparable(field, actual) !== comparable(field, expected));
}

/** Times in milliseconds: what is read from Postgres comes as a Date, and the API shows no more either. */
function comparable(field: keyof Transaction, transaction: Transaction): string | number | null {
  const value = transaction[field];
  return typeof value === "string" && TIMES.has(field) ? Date.parse(value) : value;
}
