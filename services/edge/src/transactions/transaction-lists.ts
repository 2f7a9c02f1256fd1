import type { TransactionState } from "#domain";
import type { TimeSpan } from "#http";
import { type Fragment, type MeasuredRow, type PageRequest, type Sql, withinBytes } from "#postgres";
import {
  type RewardedRow,
  type RewardedTransaction,
  reachableMember,
  rewardedColumns,
  toRewarded,
} from "#publisher-db";
import {
  pageKeys,
  rowsLookedAt,
  type Scanned,
  type ScannedPage,
  scanPlace,
  toScannedPage,
} from "../lists/bounded-scan.ts";
import { hasMember } from "../wallet/wallet-members.ts";

/*
 * Both lists follow the order of an index that lacks the columns of their conditions: an index on the state,
 * which the lifecycle changes, or another one on `authed_at` would cost every incoming transaction. So they
 * are bounded scans.
 */

type TransactionPage = ScannedPage<RewardedTransaction>;

type ScannedRow = RewardedRow & MeasuredRow & Scanned;

interface MemberListing {
  readonly organisationId: string;
  readonly memberId: string;
  readonly state?: TransactionState | undefined;
  /** By `authed_at`. */
  readonly authed?: TimeSpan;
}

/** A member's transactions, newest first. Undefined if the organisation has no such member. */
export async function listTransactions(
  sql: Sql,
  { organisationId, memberId, state, authed }: MemberListing,
  page: PageRequest,
): Promise<TransactionPage | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const { after } = scanPlace(page);
  const behind = after === undefined ? sql`` : sql`and id < ${after}`;
  const condition = conditionOf(sql, authed, state);
  const rows = sql`
    select id ${judgedColumns(sql, condition)} from transactions
    where member_id = ${memberId} ${behind}
    order by id desc
    limit ${rowsLookedAt(page)}`;
  // `offset 0`: a look-up by member and id for each transaction. With the organisation in the join, a server
  // without statistics preferred the organisation's key and read all its transactions for each.
  const listed = sql`
    select ${rewardedColumns(sql)}, key."isFound", key.place, key."foundUpTo", key.id as key
    from ${pageKeys(sql, { rows, order: sql`id desc`, condition }, page)} as key
    cross join lateral (
      select * from (select * from transactions where member_id = ${memberId} and id = key.id offset 0) as own
      where organisation_id = ${organisationId} limit 1
    ) as t
    left join members m on m.id = ${memberId}
    order by key.id desc`;
  const found = await sql<ScannedRow[]>`
    ${withinBytes(sql, { rows: listed, order: sql`key desc`, long: [sql`cashbacks`] })}`;
  return toTransactionPage(found, page, (row) => row.id);
}

interface Export {
  readonly organisationId: string;
  /** By `authed_at`. */
  readonly authed?: TimeSpan;
}

/** An organisation's transactions in the order of `external_id`. */
export async function exportTransactions(
  sql: Sql,
  { organisationId, authed }: Export,
  page: PageRequest,
): Promise<TransactionPage> {
  const { after } = scanPlace(page);
  const behind = after === undefined ? sql`` : sql`and external_id > ${after}`;
  const condition = conditionOf(sql, authed);
  const rows = sql`
    select external_id ${judgedColumns(sql, condition)} from transactions
    where organisation_id = ${organisationId} ${behind}
    order by external_id
    limit ${rowsLookedAt(page)}`;
  const listed = sql`
    select ${rewardedColumns(sql)}, key."isFound", key.place, key."foundUpTo", key.external_id as key
    from ${pageKeys(sql, { rows, order: sql`external_id`, condition }, page)} as key
    cross join lateral (
      select * from transactions
      where organisation_id = ${organisationId} and external_id = key.external_id limit 1
    ) as t
    left join lateral (
      select id from members m where m.id = t.member_id and ${reachableMember(sql)} limit 1
    ) as m on true
    order by key.external_id`;
  const found = await sql<ScannedRow[]>`
    ${withinBytes(sql, { rows: listed, order: sql`key`, long: [sql`cashbacks`] })}`;
  return toTransactionPage(found, page, (row) => row.externalId);
}

/**
 * The list's condition, if it has one. Times are texts, because a JavaScript Date would lose microseconds.
 */
function conditionOf(
  sql: Sql,
  { since, until }: Partial<TimeSpan> = {},
  state?: TransactionState,
): Fragment | undefined {
  if (since === undefined && until === undefined && state === undefined) return undefined;
  const from = since === undefined ? sql`true` : sql`authed_at >= ${since}::text::timestamptz`;
  const to = until === undefined ? sql`` : sql`and authed_at < ${until}::text::timestamptz`;
  return sql`${from} ${to} ${state === undefined ? sql`` : sql`and state = ${state}`}`;
}

/** The columns that `conditionOf` reads. Without a condition only the index is read. */
function judgedColumns(sql: Sql, condition: Fragment | undefined): Fragment {
  return condition === undefined ? sql`` : sql`, authed_at, state`;
}

function toTransactionPage(
  rows: readonly ScannedRow[],
  page: PageRequest,
  keyOf: (row: Pick<RewardedRow, "id" | "externalId">) => string,
): TransactionPage {
  const { placeOf: _, ...scannedPage } = toScannedPage(rows, page, keyOf);
  const records = scannedPage.records.map(toRewarded);
  return { ...scannedPage, records, placeOf: (transaction) => `0 ${keyOf(transaction)}` };
}
