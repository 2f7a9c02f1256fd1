import { type IgnoredEvent, LIMITS, type RejectedEvent } from "#contract";
import { uuidTime } from "#domain";
import type { Sql } from "#postgres";
import type { OpenedBatch } from "../ingest/batch-ids.ts";
import { type BatchPlaces, NO_STREAMS, streamsDigest } from "../ingest/batch-places.ts";

/** The outcome of a batch that was answered 202. */
export interface RequestResult {
  /** lost: its stream is gone, and the events that were not applied by then never will be. */
  readonly status: "pending" | "processed" | "lost";
  readonly accepted: number;
  /** By index. */
  readonly rejected: readonly RejectedEvent[];
  /** The first events with ignored fields, … */
  readonly ignored: readonly IgnoredEvent[];
  /** … and the number of all of them. */
  readonly ignoredCount: number;
}

/** A partition's position, as ingest stores it. */
export interface PartitionNow {
  readonly partition: number;
  readonly applied: number;
  readonly streamCreated: string;
}

/** A row of `ingest_gaps`. `noticedAt`: milliseconds since 1970. */
export interface PartitionGap extends PartitionNow {
  readonly lostThrough: number | null;
  readonly noticedAt: number;
}

/**
 * Reads, at one moment, the positions of a batch's partitions and the findings of its events. If its stream
 * was restored and its message applied again, the findings are stored twice.
 */
export async function readBatch(
  sql: Sql,
  organisationId: string,
  { batch, places }: OpenedBatch,
): Promise<RequestResult> {
  const partitions = places.places.map(({ partition }) => partition);
  const [row] = await sql<[ReadRow]>`
    with found as materialized (
      select distinct on (event_index) event_index as index, external_id, fields from ignored_fields
      where batch_id = ${batch} and organisation_id = ${organisationId}
    )
    select
      (
        select coalesce(json_agg(json_build_object(
          'partition', partition, 'applied', applied, 'streamCreated', stream_created
        ) order by partition), '[]')
        from ingest_positions where partition = any(${partitions}::int[])
      ) as now,
      (
        select coalesce(json_agg(json_build_object(
          'partition', partition, 'applied', applied, 'streamCreated', stream_created,
          'lostThrough', lost_through, 'noticedAt', extract(epoch from noticed_at) * 1000
        ) order by noticed_at), '[]')
        from ingest_gaps where partition = any(${partitions}::int[])
      ) as gaps,
      (
        select coalesce(json_agg(json_strip_nulls(json_build_object(
          'index', event_index, 'external_id', external_id, 'code', code, 'reason', reason,
          'from', from_state, 'to', to_state, 'field', field
        )) order by event_index), '[]')
        from (
          select distinct on (event_index) * from transaction_rejections
          where batch_id = ${batch} and organisation_id = ${organisationId}
        ) as first
      ) as rejected,
      (
        select coalesce(json_agg(json_build_object(
          'index', index, 'external_id', external_id, 'fields', fields
        ) order by index), '[]')
        from (select * from found order by index limit ${LIMITS.ignoredEvents}) as first
      ) as ignored,
      (select count(*)::int from found) as "ignoredCount"`;
  const { now, gaps, rejected, ignored, ignoredCount } = row;
  const status = judgeBatch(uuidTime(batch), places, now, gaps);
  const accepted = status === "processed" ? places.events - rejected.length : 0;
  return { status, accepted, rejected, ignored, ignoredCount };
}

interface ReadRow extends Pick<RequestResult, "rejected" | "ignored" | "ignoredCount"> {
  readonly now: readonly PartitionNow[];
  readonly gaps: readonly PartitionGap[];
}

/**
 * The status of a batch as a whole: lost if any of it is lost. Pure.
 *
 * A sequence counts in its own stream. The id does not name the streams one by one; it has only the time at
 * which the newest of them was created, and a digest. For each partition, the stream is therefore the one
 * that ingest reads, if that is not newer, or else the one before it (named by a gap); the digest says
 * whether this is right. If it is not, either ingest has not yet noticed a stream that the edge has written
 * to, and has applied nothing of it; or all streams that it reads are newer, and it never will apply it.
 * @param givenAt when the batch was begun, by the database's clock
 * @param gaps in the order in which they were noticed
 */
export function judgeBatch(
  givenAt: number,
  { newest, streams, places }: BatchPlaces,
  now: readonly PartitionNow[],
  gaps: readonly PartitionGap[],
): RequestResult["status"] {
  const parts = places.map(({ partition, sequence }) => {
    const own = gaps.filter((gap) => gap.partition === partition && gap.noticedAt >= givenAt);
    const current = now.find((one) => one.partition === partition);
    const isOf = ({ streamCreated }: PartitionNow) => Date.parse(streamCreated) <= newest;
    const known = current !== undefined && isOf(current) ? current : own.findLast(isOf);
    const isPast = current !== undefined && known !== current;
    return { partition, sequence, own, current, isPast, streamCreated: known?.streamCreated ?? "" };
  });
  if (streams === NO_STREAMS) return "lost";
  if (streamsDigest(parts) !== streams) return parts.some(({ isPast }) => !isPast) ? "pending" : "lost";
  const states = parts.map(({ sequence, own, current, streamCreated }) => {
    for (const gap of own.filter((gap) => gap.streamCreated === streamCreated)) {
      if (sequence <= gap.applied) return "processed";
      if (gap.lostThrough === null || sequence <= gap.lostThrough) return "lost";
    }
    return current !== undefined && sequence <= current.applied ? "processed" : "pending";
  });
  if (states.includes("lost")) return "lost";
  return states.includes("pending") ? "pending" : "processed";
}
