import { NIL_UUID } from "#domain";
import type { Fragment, Sql, Transaction } from "#postgres";

/** An outcome of a deal that found its clip redeemed by another purchase. */
export interface DealCandidate {
  /** UUIDs. */
  readonly clipId: string;
  readonly transactionId: string;
  /** Microseconds since 1970. */
  readonly authedAt: number;
  /** JSON, as received from the platform. */
  readonly outcome: string;
}

/** The primary key of a candidate: UUIDs. */
export type CandidateKey = Pick<DealCandidate, "clipId" | "transactionId">;

/** The number of candidates that one step looks up: some 15 ms, however many wait for an open clip. */
const LOOKED_UP = 2_000;
/** The most candidates that one step tries. */
const PER_STEP = 500;
/**
 * How long a candidate is kept: a deal that is saved again counts for purchases of the last 30 days at most, and a purchase that holds the
 * clip and is pending for longer than this is not waited for.
 */
const KEPT_DAYS = 60;

/** Stores candidates in the database transaction that found their clips redeemed. */
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

/** A candidate, and the open clip that it may redeem: its own, or a later one of the same deal. */
interface DueCandidate extends Pick<DealCandidate, "clipId" | "transactionId" | "outcome"> {
  readonly openClipId: string;
  /** The `xmin` of the open clip's row: another one shows that the clip was redeemed meanwhile, even if it is open again. */
  readonly version: string;
}

/**
 * Looks up one step of candidates, and returns the newest candidate of each open clip that they may redeem; a bounded number.
 * Organisations take turns: the clips of one may have any number of candidates for which they were saved too late, and a round
 * removes one of each clip.
 * @param after where the step before ended; undefined: begins again
 */
export async function findDue(sql: Sql, after: CandidateKey | undefined): Promise<DueCandidate[]> {
  return sql<DueCandidate[]>`
    with open as materialized (
      select distinct c.id, c.organisation_id, c.member_id, c.deal_id, c.xmin::text as version
      from (select distinct clip_id from (${lookedUp(sql, after)}) as step) as looked_up
      join clips own on own.id = looked_up.clip_id
      join clips c on c.member_id = own.member_id and c.deal_id = own.deal_id and c.redeemed_at is null
    )
    select "openClipId", version, "clipId", "transactionId", outcome
    from (
      select open.id as "openClipId", open.organisation_id, open.version, newest.*,
             row_number() over (partition by open.organisation_id order by open.id) as turn
      from open
      cross join lateral (
        select d.clip_id as "clipId", d.transaction_id as "transactionId", d.outcome
        from clips own join deal_candidates d on d.clip_id = own.id
        where own.member_id = open.member_id and own.deal_id = open.deal_id
        order by d.authed_at desc, d.transaction_id desc
        limit 1
      ) newest
    ) in_turn
    order by turn, organisation_id
    limit ${PER_STEP}`;
}

/** `select clip_id, transaction_id, kept_at …`: the candidates of one step. */
function lookedUp(sql: Sql, after: CandidateKey | undefined): Fragment {
  return sql`
    select clip_id, transaction_id, kept_at from deal_candidates
    where (clip_id, transaction_id) > (${after?.clipId ?? NIL_UUID}::uuid, ${after?.transactionId ?? NIL_UUID}::uuid)
    order by clip_id, transaction_id
    limit ${LOOKED_UP}`;
}

/**
 * Removes candidates that were tried, except those that lost a race for the clip. Removed are those that have redeemed the deal, and
 * those that did not take the clip although it stayed open: they are reverted, or the clip was saved too late for them.
 */
export async function dropTried(sql: Sql, tried: readonly DueCandidate[]): Promise<void> {
  if (tried.length === 0) return;
  const [clipIds, openClipIds, versions, transactionIds] = [
    tried.map(({ clipId }) => clipId),
    tried.map(({ openClipId }) => openClipId),
    tried.map(({ version }) => version),
    tried.map(({ transactionId }) => transactionId),
  ];
  await sql`
    delete from deal_candidates d
    using unnest(${clipIds}::uuid[], ${openClipIds}::uuid[], ${versions}::text[], ${transactionIds}::uuid[])
      as tried (clip_id, open_clip_id, version, transaction_id)
    join clips c on c.id = tried.open_clip_id
    where d.clip_id = tried.clip_id and d.transaction_id = tried.transaction_id
      and (
        (c.redeemed_at is null and c.xmin::text = tried.version)
        or exists (
          select from cashbacks b where b.transaction_id = tried.transaction_id and b.deal_id = c.deal_id
        )
      )`;
}

/**
 * Of the candidates that one step looks up, removes those that were kept for `KEPT_DAYS`, and those whose clip is gone with its
 * member.
 * @param after where the step before ended; undefined: begins again
 * @returns where this one ended; undefined: there are no more
 */
export async function dropPast(sql: Sql, after: CandidateKey | undefined): Promise<CandidateKey | undefined> {
  const [last] = await sql<CandidateKey[]>`
    with looked_up as materialized (${lookedUp(sql, after)}),
    dropped as (
      delete from deal_candidates d using looked_up l
      where d.clip_id = l.clip_id and d.transaction_id = l.transaction_id
        and (
          l.kept_at < now() - ${KEPT_DAYS} * interval '1 day'
          or not exists (select from clips own where own.id = l.clip_id)
        )
    )
    select clip_id as "clipId", transaction_id as "transactionId" from looked_up
    order by clip_id desc, transaction_id desc
    limit 1`;
  return last;
}
