import { encodeId, type Transaction, type TransactionState } from "#domain";
import type { Store } from "#postgres";
import { type TransactionRecord, transactionColumns } from "#publisher-db";

/**
 * The transactions of a run by `external_id`, as the lifecycle sees them; times in milliseconds. The key has collation
 * "C", so the condition is a range of its index.
 */
export async function readRun(
  store: Store,
  organisationId: string,
  prefix: string,
): Promise<Map<string, Transaction>> {
  const records = await store<StoredRecord[]>`
    select ${transactionColumns(store)}, t.first_descriptor as "firstDescriptor"
    from transactions t
    left join members m on m.id = t.member_id
    where t.organisation_id = ${organisationId} and t.external_id ^@ ${prefix}
    order by t.external_id`;
  return new Map(records.map((record) => [record.externalId, toTransaction(record)]));
}

/** In no answer is the first descriptor. */
type StoredRecord = TransactionRecord & Pick<Transaction, "firstDescriptor">;

function toTransaction(record: StoredRecord): Transaction {
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
    firstDescriptor: record.firstDescriptor,
  };
}

/** What is read from Postgres comes as a Date, and the API shows no more either. */
export function inMilliseconds(transaction: Transaction): Transaction {
  const { authedAt, clearedAt, revertedAt } = transaction;
  const cut = (time: string): string => new Date(time).toISOString();
  return {
    ...transaction,
    authedAt: cut(authedAt),
    clearedAt: clearedAt && cut(clearedAt),
    revertedAt: revertedAt && cut(revertedAt),
  };
}

/** One line for each transaction that is missing, should not be there, or differs in a field. */
export function findDifferences(
  stored: ReadonlyMap<string, Transaction>,
  expected: ReadonlyMap<string, Transaction>,
): string[] {
  const differences = [...expected].flatMap(([id, wanted]) => {
    const found = stored.get(id);
    if (found === undefined) return [`${id} is missing`];
    const fields = differingFields(found, wanted);
    return fields.length === 0 ? [] : [`${id} differs in ${fields.join(", ")}`];
  });
  const strays = [...stored.keys()].filter((id) => !expected.has(id));
  return [...differences, ...strays.map((id) => `${id} should not be stored`)];
}

/** Fields of either; one that is left out equals one that is null. */
export function differingFields(actual: object, expected: object): string[] {
  const valueIn = (object: object, field: string): string =>
    JSON.stringify((object as Record<string, unknown>)[field] ?? null);
  const fields = Object.keys({ ...expected, ...actual });
  return fields.filter((field) => valueIn(actual, field) !== valueIn(expected, field));
}

/** Counts what is stored of a run in each state. `amount`, over all currencies, is a checksum and no sum of money. */
export async function summariseRun(store: Store, organisationId: string, prefix: string) {
  return store<{ state: TransactionState; transactions: number; amount: number }[]>`
    select state, count(*) as transactions, coalesce(sum(amount), 0)::bigint as amount
    from transactions
    where organisation_id = ${organisationId} and external_id ^@ ${prefix}
    group by state`;
}
