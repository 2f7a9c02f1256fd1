import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import type { RewardFault } from "./reward-checks.ts";

/*
 * Checks that there is one event for every stamp and cashback and for its end, and no other event. An event
 * and its row carry the same time. So a transaction, a type and a time make a fact, and each fact has as many
 * rows as events.
 *
 * Events have no index by transaction, which only this check would use, and a comparison in the database
 * would sort all events. So both sides are read in small steps and counted here, under a hash of each fact.
 * Facts whose counts differ are checked again, each in one statement, and so at one moment: most of them have
 * happened in between.
 */

/** The check stops this far before events are deleted by age, because a sweep may run meanwhile. */
const MARGIN_MS = 24 * 60 * 60 * 1000;
const EVENTS_PER_STEP = 10_000;
/** Counts are 32 bits each: 16 MiB. Two facts with opposite faults will not share a count. */
const BUCKETS = 2 ** 22;

/** The time since which events are compared, because none is deleted yet. A timestamptz as text. */
export async function comparedSince(sql: Sql): Promise<string> {
  const [{ since }] = await sql<[{ since: string }]>`
    select least(
             now() - ${LIMITS.eventKeptMs - MARGIN_MS}::float8 * interval '1 millisecond',
             (select at from events where type <> 'transaction.rejected' order by sequence limit 1) - interval '1 microsecond'
           )::text as since`;
  return since;
}

export interface Fact {
  readonly organisationId: string;
  readonly transactionId: string;
  readonly type: string;
  /** A timestamptz as text. */
  readonly at: string;
  readonly bucket: number;
}

/** For each hash of a fact: the number of events minus the number of rows. */
export class FactCounts {
  readonly #counts = new Int32Array(BUCKETS);

  add(buckets: readonly number[] | null, times: 1 | -1): void {
    for (const bucket of buckets ?? []) this.#counts[bucket] = (this.#counts[bucket] as number) + times;
  }

  /** Whether all counts are 0. */
  get agrees(): boolean {
    return this.#counts.every((count) => count === 0);
  }

  isDoubtful({ bucket }: Fact): boolean {
    return this.#counts[bucket] !== 0;
  }
}

/** The columns of a `Fact`, of a table with `organisation_id`, `transaction_id`, `type` and `at`. */
function factColumns(sql: Sql): Fragment {
  return sql`
    organisation_id as "organisationId", transaction_id as "transactionId", type, at::text as at,
    (hashtextextended(concat(transaction_id, type, extract(epoch from at)), 0) & ${BUCKETS - 1}::bigint)::int as bucket`;
}

/** The facts of these rows since a time. @param ids of cashbacks, or of collections, for their stamps */
export function storedFacts(
  sql: Sql,
  table: "stamp_collections" | "cashbacks",
  ids: readonly string[],
  since: string,
): Fragment {
  const stored =
    table === "stamp_collections"
      ? sql`
        qualifying_purchases
        cross join lateral (values
          ('qualifying_purchase.created', created_at), ('qualifying_purchase.voided', voided_at)
        ) as fact (type, at)
        where stamp_collection_id = any(${ids}::uuid[])`
      : sql`
        cashbacks
        cross join lateral (values
          ('cashback.created', created_at), ('cashback.cleared', cleared_at), ('cashback.reverted', reverted_at)
        ) as fact (type, at)
        where id = any(${ids}::uuid[])`;
  return sql`select ${factColumns(sql)} from ${stored} and at > ${since}::text::timestamptz`;
}

const COMPARED = [
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "cashback.created",
  "cashback.cleared",
  "cashback.reverted",
];

/** The next events after a number, of all types. */
function nextEvents(sql: Sql, after: string): Fragment {
  return sql`(
    select sequence, organisation_id, transaction_id, type, at from events
    where sequence > ${after}::bigint order by sequence limit ${EVENTS_PER_STEP}
  )`;
}

function isCompared(sql: Sql, since: string): Fragment {
  return sql`type = any(${COMPARED}::text[]) and at > ${since}::text::timestamptz`;
}

interface EventStep {
  /** The last number; null: there are no more. */
  readonly upto: string | null;
  readonly events: number;
  readonly buckets: readonly number[] | null;
}

/** One step through all events: their number, and the hashes of those that are compared. */
export async function countEvents(sql: Sql, after: string, since: string): Promise<EventStep> {
  const [step] = await sql<[EventStep]>`
    with step as materialized (select * from ${nextEvents(sql, after)} as next)
    select (select max(sequence)::text from step) as upto, (select count(*) from step) as events,
           (select array_agg(bucket) from (select ${factColumns(sql)} from step where ${isCompared(sql, since)}) as told) as buckets`;
  return step;
}

/** The same step again, event by event. */
export async function readEvents(sql: Sql, after: string, since: string) {
  const rows = await sql<(Fact & { readonly sequence: string; readonly isCompared: boolean })[]>`
    select sequence::text as sequence, ${isCompared(sql, since)} as "isCompared", ${factColumns(sql)}
    from ${nextEvents(sql, after)} as next order by next.sequence`;
  return { upto: rows.at(-1)?.sequence ?? null, facts: rows.filter((row) => row.isCompared) };
}

/**
 * The facts whose numbers of rows and events differ. A deleted member's stamps are gone, but their events are not: facts about stamps
 * count only if the transaction has stamps.
 */
export async function findUnequal(sql: Sql, facts: readonly Fact[]): Promise<readonly RewardFault[]> {
  if (facts.length === 0) return [];
  return sql<RewardFault[]>`
    select distinct case when fact.type ^@ 'cashback' then 'cashback_events' else 'stamp_events' end as kind,
           fact.organisation_id as "organisationId", fact.transaction_id as id,
           format('%s of %s: %s stored, events tell of %s', fact.type, fact.at, stored.count, told.count) as detail
    from unnest(
      ${facts.map(({ organisationId }) => organisationId)}::uuid[], ${facts.map(({ transactionId }) => transactionId)}::uuid[],
      ${facts.map(({ type }) => type)}::text[], ${facts.map(({ at }) => at)}::text[]::timestamptz[]
    ) as fact (organisation_id, transaction_id, type, at)
    cross join lateral (
      select count(*) from events e
      where e.organisation_id = fact.organisation_id and e.at = fact.at and e.transaction_id = fact.transaction_id
        and e.type = fact.type
      offset 0
    ) as told
    cross join lateral (
      select count(*) filter (where fact.at = case fact.type
               when 'qualifying_purchase.created' then q.created_at when 'qualifying_purchase.voided' then q.voided_at end),
             count(*) as stamps
      from qualifying_purchases q where q.transaction_id = fact.transaction_id
      offset 0
    ) as stamps (count, stamps)
    cross join lateral (
      select count(*) from cashbacks c
      where c.transaction_id = fact.transaction_id and fact.at = case fact.type
        when 'cashback.created' then c.created_at when 'cashback.cleared' then c.cleared_at
        when 'cashback.reverted' then c.reverted_at end
      offset 0
    ) as cashbacks
    cross join lateral (select stamps.count + cashbacks.count) as stored (count)
    where stored.count <> told.count and (stamps.stamps > 0 or fact.type ^@ 'cashback')
    order by id, detail`;
}
