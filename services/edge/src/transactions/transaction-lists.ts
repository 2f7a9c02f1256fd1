import type { TransactionState } from "#domain";
import type { Fragment, Page, PageRequest, Sql } from "#postgres";
import {
  type RewardedRow,
  type RewardedTransaction,
  reachableMember,
  rewardedColumns,
  toRewarded,
} from "#publisher-db";
import { ofScannedPage, rowsLookedAt, scanned, scanPlace, toScannedPage } from "../bounded-scan.ts";
import type { TimeSpan } from "../time-span.ts";
import { hasMember } from "../wallet/wallet-members.ts";

/*
 * Both lists are in the order of an index, and what they are narrowed by is not in it: an index on the state, which the
 * lifecycle changes, or one more on `authed_at` would cost every transaction that comes in. So they are bounded scans.
 */

type ScannedPage = Page<RewardedTransaction> & { readonly next?: string };

type ScannedRow = RewardedRow & {
  readonly isFound: boolean;
  readonly place: number;
  readonly foundUpTo: number;
};

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
): Promise<ScannedPage | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const { after } = scanPlace(page);
  const behind = after === undefined ? sql`` : sql`and id < ${after}`;
  const rows = sql`
    select * from transactions
    where member_id = ${memberId} and organisation_id = ${organisationId} ${behind}
    order by id desc
    limit ${rowsLookedAt(page)}`;
  const inState = state === undefined ? sql`` : sql`and state = ${state}`;
  const condition = sql`${authedIn(sql, authed)} ${inState}`;
  const found = await sql<ScannedRow[]>`
    select ${rewardedColumns(sql)}, t."isFound", t.place, t."foundUpTo"
    from ${scanned(sql, { rows, order: sql`id desc`, condition })} as t
    left join members m on m.id = ${memberId}
    where ${ofScannedPage(sql, page)}
    order by t.id desc
    limit ${page.limit + 1}`;
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
): Promise<ScannedPage> {
  const { after } = scanPlace(page);
  const behind = after === undefined ? sql`` : sql`and external_id > ${after}`;
  const rows = sql`
    select * from transactions
    where organisation_id = ${organisationId} ${behind}
    order by external_id
    limit ${rowsLookedAt(page)}`;
  // `limit 1` as in `getMember`: a look-up for each transaction.
  const found = await sql<ScannedRow[]>`
    select ${rewardedColumns(sql)}, t."isFound", t.place, t."foundUpTo"
    from ${scanned(sql, { rows, order: sql`external_id`, condition: authedIn(sql, authed) })} as t
    left join lateral (
      select id from members m where m.id = t.member_id and ${reachableMember(sql)} limit 1
    ) as m on true
    where ${ofScannedPage(sql, page)}
    order by t.external_id
    limit ${page.limit + 1}`;
  return toTransactionPage(found, page, (row) => row.externalId);
}

/** As texts, because a JavaScript Date would lose microseconds. */
function authedIn(sql: Sql, { since, until }: Partial<TimeSpan> = {}): Fragment {
  const from = since === undefined ? sql`true` : sql`authed_at >= ${since}::text::timestamptz`;
  return until === undefined ? from : sql`${from} and authed_at < ${until}::text::timestamptz`;
}

function toTransactionPage(
  rows: readonly ScannedRow[],
  page: PageRequest,
  keyOf: (row: ScannedRow) => string,
): ScannedPage {
  const scannedPage = toScannedPage(rows, page, keyOf);
  return { ...scannedPage, records: scannedPage.records.map(toRewarded) };
}
