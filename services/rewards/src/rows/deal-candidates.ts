import type { Sql, Transaction } from "#postgres";

/** An outcome of a deal that found its clip redeemed by another purchase. */
export interface DealCandidate {
  /** UUIDs. */
  readonly clipId: string;
  readonly transactionId: string;
  /** Microseconds since 1970. */
  readonly authedAt: number;
  /** JSON, as the platform told it. */
  readonly outcome: string;
}

/** Looked at, or removed, by one statement at most. */
const PER_STEP = 500;
/** A purchase that is pending for longer than that is not waited for. */
const KEPT_DAYS = 60;

/** Keeps candidates, in the database transaction that found their clips redeemed. */
export async function keepCandidates(sql: Transaction, candidates: readonly DealCandidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const rows = candidates.map(({ clipId, transactionId, authedAt, outcome }) => ({
    clip_id: clipId,
    transaction_id: transactionId,
    authed_at: authedAt,
    outcome,
  }));
  await sql`
    insert into deal_candidates (clip_id, transaction_id, authed_at, outcome)
    select clip_id, transaction_id, timestamptz 'epoch' + authed_at * interval '1 microsecond', outcome
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (
      clip_id uuid, transaction_id uuid, authed_at bigint, outcome text
    )
    order by clip_id, transaction_id
    on conflict do nothing`.send();
}

/** Of each clip that is open the newest candidate, a bounded number of them: JSON of outcomes, with the rows' keys. */
export async function findDue(
  sql: Sql,
): Promise<Pick<DealCandidate, "clipId" | "transactionId" | "outcome">[]> {
  return sql<Pick<DealCandidate, "clipId" | "transactionId" | "outcome">[]>`
    select distinct on (d.clip_id) d.clip_id as "clipId", d.transaction_id as "transactionId", d.outcome
    from deal_candidates d join clips c on c.id = d.clip_id
    where c.redeemed_at is null
    order by d.clip_id, d.authed_at desc, d.transaction_id desc
    limit ${PER_STEP}`;
}

/**
 * Removes candidates that were applied or never can be: they have redeemed a clip of the deal, are reverted or too old, or their
 * clip is gone or used up. Those that lost a race for their clip stay.
 * @param transactionIds of those that were tried
 */
export async function dropTried(
  sql: Sql,
  tried: ReadonlyArray<Pick<DealCandidate, "clipId" | "transactionId">>,
): Promise<void> {
  if (tried.length === 0) return;
  await sql`
    delete from deal_candidates d
    using unnest(${tried.map(({ clipId }) => clipId)}::uuid[], ${tried.map(({ transactionId }) => transactionId)}::uuid[])
      as tried (clip_id, transaction_id)
    join clips c on c.id = tried.clip_id
    where d.clip_id = tried.clip_id and d.transaction_id = tried.transaction_id
      and (
        -- Nobody else has the clip, and still it did not take it: nothing will come of it.
        c.redeemed_at is null
        or exists (
          select from cashbacks b where b.transaction_id = tried.transaction_id and b.deal_id = c.deal_id
        )
      )`;
}

/** @returns how many were removed, because their clip is used up for good, or gone, or they are too old */
export async function dropPast(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from deal_candidates where (clip_id, transaction_id) in (
      select d.clip_id, d.transaction_id from deal_candidates d
      where d.kept_at < now() - ${KEPT_DAYS} * interval '1 day' or not exists (
        select from clips c
        where c.id = d.clip_id and (
          c.redeemed_at is null
          or exists (select from cashbacks b where b.clip_id = c.id and b.state = 'pending')
        )
      )
      limit ${PER_STEP}
    )
    returning 1`;
  return rows.length;
}
