import { TRANSACTION_COLUMNS } from "#contract/codec";
import { keyOf, type StoredTransaction } from "#domain";
import { constantText, type Fragment, microsecondsSince1970, type Sql } from "#postgres";
import { reachableMember, type StoredRow, storedColumns, toStored } from "#publisher-db";
import { type EventBatch, keyAt, memberAt } from "./event-batch.ts";

/** The stored state by which a batch is decided. */
export interface LoadedForEvents {
  /** By `keyOf`, without their members where those are gone: deleted, or not to be reached any more. */
  readonly stored: ReadonlyMap<string, StoredTransaction>;
  /** Where their rows are, by `keyOf`. It holds while they are locked. */
  readonly places: ReadonlyMap<string, string>;
  /** Of `EventBatch.members`, those that are not there … */
  readonly missing: ReadonlySet<number>;
  /** … and those that have or had an enrolment or a clip. */
  readonly linked: ReadonlySet<number>;
  /**
   * Microseconds since 1970; null: never. Transactions authorized before it that are not in `stored` may have left
   * (`applyEvent`). Read by the statement that looks them up: it cannot miss one that has left and see an older value.
   */
  readonly forgottenBefore: number | null;
}

interface Others {
  readonly missing: readonly number[];
  readonly linked: readonly number[];
  readonly forgottenBefore: number | null;
}

/** One row for each transaction, and one of everything else. */
type LoadedRow = (StoredRow & { readonly tid: string }) | (Others & { readonly id: null });

const NO_COLUMNS = constantText(TRANSACTION_COLUMNS.map(() => "null").join(", "));

const LOCKED = constantText("for update of t");
const NOT_LOCKED = constantText("");

/**
 * Reads stored transactions and the members of a batch in one round trip. Returns only missing and linked members, and
 * transactions as plain rows: arrays of all members and JSON cost the server twice the CPU.
 *
 * `offset 0` keeps each look-up one by the primary key. As joins they would be planned once, and one that is planned while
 * the tables are new reads them from end to end, batch after batch, until they are analysed.
 * @param ords events whose keys are looked up
 * @param mode locked: until the database transaction ends, in the order of their keys
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
 * Takes the members that are gone out of stored transactions. Of nearly every event the member is the one of
 * its transaction, and is known to be there; one more look at the database is for the others alone. Of those
 * that are gone it is noted that their purchases change: finding that among all their purchases would have no
 * bound (`forgetMembers`). To an hour, so that their rows are rarely written or waited for, and by id, as
 * several batches may note the same ones.
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

/** The part of the stored state that says which keys are new. */
export interface HighestKeys {
  /** Of each organisation that was asked for, in the order of bytes; null: it has none. */
  readonly highest: ReadonlyMap<string, string | null>;
  /** As in `LoadedForEvents`. */
  readonly forgottenBefore: number | null;
}

/** The highest key that each of these organisations has stored. @param organisations at least one */
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

/** Stored transactions in the order of their keys; undefined where nothing is stored. */
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
