import { TRANSACTION_COLUMNS } from "#contract/codec";
import { keyOf, type StoredTransaction } from "#domain";
import { constantText, type Fragment, microsecondsSince1970, type Sql } from "#postgres";
import { reachableMember, type StoredRow, storedColumns, toStored } from "#publisher-db";
import { type EventBatch, keyAt, memberAt } from "./event-batch.ts";

/** The stored state on which a batch is decided. */
export interface LoadedForEvents {
  /** By `keyOf`. Without its member where the member is gone: deleted, or not reachable any more. */
  readonly stored: ReadonlyMap<string, StoredTransaction>;
  /** The places (ctid) of their rows, by `keyOf`. A place is valid while its row is locked. */
  readonly places: ReadonlyMap<string, string>;
  /** Places in `EventBatch.members`: those that do not exist … */
  readonly missing: ReadonlySet<number>;
  /** … and those that have or had an enrolment or a clip. */
  readonly linked: ReadonlySet<number>;
  /**
   * Microseconds since 1970; null: never. Transactions that were authorized before this and are not in
   * `stored` may have been removed (`applyEvent`). One statement reads both: it cannot miss a removed
   * transaction and see an older value.
   */
  readonly forgottenBefore: number | null;
}

interface Others {
  readonly missing: readonly number[];
  readonly linked: readonly number[];
  readonly forgottenBefore: number | null;
}

/** One row for each transaction, and one for everything else. */
type LoadedRow = (StoredRow & { readonly tid: string }) | (Others & { readonly id: null });

const NO_COLUMNS = constantText(TRANSACTION_COLUMNS.map(() => "null").join(", "));

const LOCKED = constantText("for update of t");
const NOT_LOCKED = constantText("");

/**
 * Reads stored transactions and the members of a batch in one round trip. Returns only missing and linked
 * members, and transactions as plain rows: arrays of all members and JSON cost the server twice the CPU.
 *
 * `offset 0` keeps each look-up one by the primary key. A join would be planned once; if it is planned while
 * the tables are new, it reads them from end to end, batch after batch, until they are analysed.
 * @param ords events whose keys are looked up
 * @param mode locked: locks the rows in the order of their keys, until the database transaction ends
 */
export async function loadForEvents(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
  mode: "locked" | "looked at",
): Promise<LoadedForEvents> {
  const keys = ords.map((ord) => keyAt(batch, ord));
  const { organisations, members, organisationOfMember } = batch;
  const rows = await sql<LoadedRow[]>`
    with known as materialized (
      select t.*
      from (
        select * from unnest(
          ${keys.map(({ organisationId }) => organisationId)}::uuid[], ${keys.map(({ externalId }) => externalId)}::text[]
        ) as key (organisation_id, external_id)
        order by organisation_id, external_id collate "C"
      ) as key
      cross join lateral (
        select t.ctid as tid, t.* from transactions t
        where t.organisation_id = key.organisation_id and t.external_id = key.external_id
        offset 0 ${(mode === "locked" ? LOCKED : NOT_LOCKED)(sql)}
      ) as t
    ),
    wanted as (
      select array_agg(place::int - 1) filter (where m.id is null) as missing,
             array_agg(place::int - 1) filter (where m.linked) as linked
      from unnest(${members}::uuid[], ${organisationOfMember}::int[]) with ordinality as wanted (id, organisation, place)
      left join lateral (
        select m.id, m.linked from members m
        where m.id = wanted.id and m.organisation_id = (${organisations}::uuid[])[wanted.organisation + 1]
          and ${reachableMember(sql)}
        offset 0
      ) as m on true
    )
    select null::int[] as missing, null::int[] as linked, null::bigint as "forgottenBefore", t.tid::text as tid,
           ${storedColumns(sql)}
    from known t
    union all
    select coalesce(missing, '{}'), coalesce(linked, '{}'), ${forgottenBefore(sql)}, null, ${NO_COLUMNS(sql)}
    from wanted
  `;
  const stored = new Map<string, StoredTransaction>();
  const places = new Map<string, string>();
  let others: Others | undefined;
  for (const row of rows) {
    if (row.id === null) {
      others = row;
      continue;
    }
    const key = keyOf(row);
    stored.set(key, toStored(row));
    places.set(key, row.tid);
  }
  if (others === undefined) throw new Error("nothing was said of the members of a batch");
  const { linked, forgottenBefore: before } = others;
  const missing = new Set(others.missing);
  await leaveGoneMembers(sql, batch, ords, { stored, missing });
  return { stored, places, missing, linked: new Set(linked), forgottenBefore: before };
}

/**
 * Removes the members that are gone from stored transactions. The member of nearly every event is the one of
 * its transaction and is known to exist; only the others cost one more query.
 *
 * For each member that is gone it notes that their purchases change: to find that among all their purchases
 * would have no bound (`forgetMembers`). The note is exact to an hour, so that the rows are rarely written or
 * waited for. It locks them by id, because several batches may note the same members.
 */
async function leaveGoneMembers(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
  { stored, missing }: { readonly stored: Map<string, StoredTransaction>; readonly missing: Set<number> },
): Promise<void> {
  const doubtful = new Map<string, StoredTransaction>();
  for (const ord of ords) {
    const transaction = stored.get(keyOf(keyAt(batch, ord)));
    if (transaction === undefined || transaction.memberId === null) continue;
    const isThere =
      memberAt(batch, ord) === transaction.memberId && !missing.has(batch.memberOf[ord] as number);
    if (!isThere) doubtful.set(keyOf(transaction), transaction);
  }
  if (doubtful.size === 0) return;
  const memberIds = [...new Set([...doubtful.values()].map(({ memberId }) => memberId as string))];
  const there = await sql<{ id: string }[]>`
    select m.id from unnest(${memberIds}::uuid[]) as wanted (id)
    cross join lateral (
      select m.id from members m where m.id = wanted.id and ${reachableMember(sql)} offset 0
    ) as m`;
  const reached = new Set(there.map(({ id }) => id));
  for (const [key, transaction] of doubtful) {
    if (!reached.has(transaction.memberId as string)) stored.set(key, { ...transaction, memberId: null });
  }
  const gone = memberIds.filter((id) => !reached.has(id));
  if (gone.length === 0) return;
  await sql`
    with noted as materialized (
      select member_id from deleted_members
      where member_id = any(${gone}::uuid[]) and changed_at < now() - interval '1 hour'
      order by member_id
      for update
    )
    update deleted_members set changed_at = now() where member_id in (select member_id from noted)`;
}

function forgottenBefore(sql: Sql): Fragment {
  return sql`(select ${microsecondsSince1970(sql, "forgotten_before")} from transaction_retention)`;
}

/** The part of the stored state that tells which keys are new. */
export interface HighestKeys {
  /** For each organisation asked for, in byte order; null: it has no key. */
  readonly highest: ReadonlyMap<string, string | null>;
  /** As in `LoadedForEvents`. */
  readonly forgottenBefore: number | null;
}

/** Finds the highest stored key of each of these organisations. @param organisations at least one */
export async function findHighestKeys(sql: Sql, organisations: readonly string[]): Promise<HighestKeys> {
  const rows = await sql<{ organisation: string; highest: string | null; forgottenBefore: number | null }[]>`
    select wanted.id as organisation,
           (select max(t.external_id) from transactions t where t.organisation_id = wanted.id) as highest,
           ${forgottenBefore(sql)} as "forgottenBefore"
    from unnest(${organisations}::uuid[]) as wanted (id)`;
  return {
    highest: new Map(rows.map(({ organisation, highest }) => [organisation, highest])),
    forgottenBefore: rows[0]?.forgottenBefore ?? null,
  };
}

export type TransactionKey = Pick<StoredTransaction, "organisationId" | "externalId">;

/** Stored transactions in the order of the keys; undefined if nothing is stored. */
export async function findTransactions(
  sql: Sql,
  keys: readonly TransactionKey[],
): Promise<(StoredTransaction | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await sql<(StoredRow | { readonly id: null })[]>`
    select ${storedColumns(sql)}
    from unnest(
      ${keys.map((key) => key.organisationId)}::uuid[], ${keys.map((key) => key.externalId)}::text[]
    ) with ordinality as key (organisation_id, external_id, nth)
    -- One look-up by the primary key each, however new the table is (see loadForEvents).
    left join lateral (
      select * from transactions t
      where t.organisation_id = key.organisation_id and t.external_id = key.external_id offset 0
    ) as t on true
    order by key.nth`;
  return rows.map((row) => (row.id === null ? undefined : toStored(row)));
}
